/**
 * The four objectives and how outcomes reduce to them: quality up; latency, tokens and retries down. Each keeps its own
 * unit; they are never added up here.
 *
 * It must not know who measured or what is decided. Invariant: what is not known is counted as an error, never scored:
 * a failed trial has no latency, and a quality of null lowers nothing. The order of trials changes nothing.
 */
import { z } from "zod";
import type { Case } from "./case.ts";
import { type Interval, meanInterval, medianInterval, type Observation, weightedMedian } from "./interval.ts";
import type { Stream } from "./sampling.ts";
import type { Outcome, Trial } from "./trial.ts";

export const OBJECTIVES = ["quality", "latencyMs", "tokens", "retries"] as const;
export type Objective = (typeof OBJECTIVES)[number];

/** Which way is better. */
export const DIRECTIONS: Readonly<Record<Objective, "up" | "down">> = {
	quality: "up",
	latencyMs: "down",
	tokens: "down",
	retries: "down",
};

/**
 * One objective over a set of cases, with a 95 % interval.
 *
 * - `mean`: mean over cases by weight (0 to 1 for quality, counts for tokens and retries); for `latencyMs` the *median*
 *   over cases by weight, in milliseconds, because one slow reply must not decide. Null when nothing is known.
 * - `low`, `high`: the interval (see interval.ts). Null when nothing is known, and for latency, tokens and retries also
 *   when only one case is known: one case says nothing about others. One case leaves quality its whole range, 0 to 1.
 * - `n`: cases with at least one known value.
 * - `errors`: trials from which this objective is not known. For latency that is every failed trial.
 */
export const estimateSchema = z.strictObject({
	mean: z.number().nullable(),
	low: z.number().nullable(),
	high: z.number().nullable(),
	n: z.number().int().nonnegative(),
	errors: z.number().int().nonnegative(),
});
export type Estimate = z.infer<typeof estimateSchema>;

/** The four objectives of one variant over a set of cases. */
export const scorecardSchema = z.strictObject({
	quality: estimateSchema,
	latencyMs: estimateSchema,
	tokens: estimateSchema,
	retries: estimateSchema,
});
export type Scorecard = z.infer<typeof scorecardSchema>;

/** What of a case weighs in a comparison: cases of one group are not independent of each other. */
export type CaseWeight = Pick<Case, "id" | "weight" | "group">;

/** What one outcome says about an objective, null when nothing. A contract that was never met is quality 0. */
export function outcomeValue(outcome: Outcome, objective: Objective): number | null {
	if (objective === "latencyMs") return outcome.status === "measured" ? outcome.latencyMs : null;
	return outcome[objective];
}

/** How much better `a` is than `b` in the unit of the objective: positive is better, whichever way is better. */
export function gain(objective: Objective, a: number, b: number): number {
	if (a === b) return 0;
	return DIRECTIONS[objective] === "up" ? a - b : b - a;
}

/** The known values of each case, by id in order of code units; repeats in order of size, so that order cannot show. */
export function valuesByCase(trials: readonly Trial[], objective: Objective): Map<string, number[]> {
	const found = new Map<string, number[]>();
	for (const trial of trials) {
		const value = outcomeValue(trial.outcome, objective);
		const values = found.get(trial.caseId) ?? [];
		if (value !== null) values.push(value);
		found.set(trial.caseId, values);
	}
	const byId = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
	for (const [, values] of byId) values.sort((a, b) => a - b);
	return new Map(byId);
}

/**
 * The scorecard of the trials of one variant.
 * @param cases weights and groups; a case that is not listed weighs 1 and stands for itself
 * @param stream draws of the bootstrap; the same stream gives the same intervals
 */
export function scorecard(trials: readonly Trial[], cases: readonly CaseWeight[], stream: Stream): Scorecard {
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	const of = (objective: Objective) => estimate(trials, known, objective, stream);
	return { quality: of("quality"), latencyMs: of("latencyMs"), tokens: of("tokens"), retries: of("retries") };
}

function estimate(
	trials: readonly Trial[],
	cases: ReadonlyMap<string, CaseWeight>,
	objective: Objective,
	stream: Stream,
): Estimate {
	const observations: Observation[] = [];
	let values = 0;
	for (const [id, repeats] of valuesByCase(trials, objective)) {
		values += repeats.length;
		if (repeats.length === 0) continue;
		const entry = cases.get(id);
		const unit = entry?.group === undefined ? `case ${id}` : `group ${entry.group}`;
		observations.push({ value: reduceRepeats(repeats, objective), weight: entry?.weight ?? 1, unit });
	}
	return { ...intervalOf(observations, objective, stream), n: observations.length, errors: trials.length - values };
}

function reduceRepeats(values: readonly number[], objective: Objective): number {
	if (objective === "latencyMs") return weightedMedian(values.map((value) => ({ value, weight: 1 })));
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function intervalOf(observations: readonly Observation[], objective: Objective, stream: Stream): Interval {
	if (objective === "latencyMs") return medianInterval(observations, stream);
	return meanInterval(observations, objective === "quality" ? { low: 0, high: 1 } : { low: 0 }, stream);
}
