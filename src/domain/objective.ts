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

/** What the trials of a text say of each case: columns of figures, because a large run has a million trials. */
export interface CaseFigures {
	/** Of the cases, in order of code units. */
	ids: readonly string[];
	/** One figure a case, repeats reduced: their mean, for latency their median. NaN where nothing is known. */
	figures: Readonly<Record<Objective, Float64Array>>;
	/** Trials from which the objective is not known. */
	errors: Readonly<Record<Objective, number>>;
}

export function caseFigures(trials: readonly Trial[]): CaseFigures {
	const sorted = inOrder(trials);
	const ids: string[] = [];
	const starts: number[] = [];
	for (let at = 0; at < sorted.length; at++) {
		const { caseId } = sorted[at] as Trial;
		if (caseId === ids.at(-1)) continue;
		ids.push(caseId);
		starts.push(at);
	}
	starts.push(sorted.length);
	const errors = { quality: 0, latencyMs: 0, tokens: 0, retries: 0 };
	const column = (objective: Objective) => {
		const figures = new Float64Array(ids.length);
		for (let at = 0; at < ids.length; at++) {
			const values: number[] = [];
			for (let trial = starts[at] as number; trial < (starts[at + 1] as number); trial++) {
				const value = outcomeValue((sorted[trial] as Trial).outcome, objective);
				if (value === null) errors[objective] += 1;
				else values.push(value);
			}
			figures[at] = values.length === 0 ? Number.NaN : reduceRepeats(values, objective);
		}
		return figures;
	};
	const figures = {
		...{ quality: column("quality"), latencyMs: column("latencyMs") },
		...{ tokens: column("tokens"), retries: column("retries") },
	};
	return { ids, figures, errors };
}

/** By id; sorted only where they are not, which a million trials would notice. */
function inOrder(trials: readonly Trial[]): readonly Trial[] {
	const isSorted = trials.every((trial, at) => at === 0 || (trials[at - 1] as Trial).caseId <= trial.caseId);
	if (isSorted) return trials;
	return [...trials].sort((a, b) => (a.caseId < b.caseId ? -1 : a.caseId > b.caseId ? 1 : 0));
}

/**
 * The scorecard of the trials of one variant.
 * @param cases weights and groups; a case that is not listed weighs 1 and stands for itself
 * @param stream draws of the bootstrap; the same stream gives the same intervals
 */
export function scorecard(trials: readonly Trial[], cases: readonly CaseWeight[], stream: Stream): Scorecard {
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	const table = caseFigures(trials);
	const of = (objective: Objective) => estimate(table, known, objective, stream);
	return { quality: of("quality"), latencyMs: of("latencyMs"), tokens: of("tokens"), retries: of("retries") };
}

function estimate(
	{ ids, figures, errors }: CaseFigures,
	cases: ReadonlyMap<string, CaseWeight>,
	objective: Objective,
	stream: Stream,
): Estimate {
	const observations: Observation[] = [];
	for (const [at, id] of ids.entries()) {
		const value = figures[objective][at] as number;
		if (Number.isNaN(value)) continue;
		const entry = cases.get(id);
		observations.push({ value, weight: entry?.weight ?? 1, unit: unitOf(id, entry?.group) });
	}
	return { ...intervalOf(observations, objective, stream), n: observations.length, errors: errors[objective] };
}

/** What a case is independent with: its group, else itself. No id of a case holds a space. */
export function unitOf(caseId: string, group: string | undefined): string {
	return group === undefined ? caseId : `group ${group}`;
}

/** Repeats in order of size, so that the order of trials cannot show. */
function reduceRepeats(values: number[], objective: Objective): number {
	if (values.length === 1) return values[0] as number;
	values.sort((a, b) => a - b);
	if (objective === "latencyMs") return weightedMedian(values.map((value) => ({ value, weight: 1 })));
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function intervalOf(observations: readonly Observation[], objective: Objective, stream: Stream): Interval {
	if (objective === "latencyMs") return medianInterval(observations, stream);
	return meanInterval(observations, objective === "quality" ? { low: 0, high: 1 } : { low: 0 }, stream);
}
