/**
 * The noise floor of a case set: what comes out when a text is compared with itself, fresh draws on either side. Whatever
 * differs then is chance, so it says how small a gain can be told from chance.
 *
 * It must not know how draws are bought. Invariant: both sides are the same text, and no draw is on both.
 */
import { z } from "zod";
import { changeOf } from "./change.ts";
import { digest } from "./digest.ts";
import { type CaseWeight, DIRECTIONS, OBJECTIVES, type Objective, valuesByCase } from "./objective.ts";
import type { Stream } from "./sampling.ts";
import type { Trial } from "./trial.ts";

/** The A/A comparison of one objective. */
export const objectiveNoiseSchema = z.strictObject({
	/** Second side less first, in the unit of the objective: mean over cases, for latency the median. Only chance moves it. */
	difference: z.number().nullable(),
	low: z.number().nullable(),
	high: z.number().nullable(),
	/** Two-sided, of this objective alone. */
	p: z.number(),
	/** Standard deviation of the paired differences over cases, as a proof sees them: repeats of a side averaged. */
	sd: z.number().nullable(),
	/** Standard deviation of the difference between two single draws of one case; null when no case has two. */
	within: z.number().nullable(),
	/** What is left of `sd` beyond the noise of the draws; near 0 unless something drifts. Null where `sd` or `within` is. */
	between: z.number().nullable(),
	/** Cases with both sides, and cases that lack one. */
	n: z.number().int().nonnegative(),
	missing: z.number().int().nonnegative(),
});
export type ObjectiveNoise = z.infer<typeof objectiveNoiseSchema>;

export const noiseSchema = z.strictObject({
	quality: objectiveNoiseSchema,
	latencyMs: objectiveNoiseSchema,
	tokens: objectiveNoiseSchema,
	retries: objectiveNoiseSchema,
});
export type Noise = z.infer<typeof noiseSchema>;

/**
 * Measured standard deviation of the difference in quality between two single draws, by the split it was measured on. What
 * forecasts and reports go by.
 */
export const measuredNoiseSchema = z.strictObject({
	validation: z.number().nonnegative().optional(),
	holdout: z.number().nonnegative().optional(),
});
export type MeasuredNoise = z.infer<typeof measuredNoiseSchema>;

/** Draw n of a case belongs to the first side when n is even: more repeats leave every draw where it was. */
export function sideOf(repeat: number): 0 | 1 {
	return repeat % 2 === 0 ? 0 : 1;
}

/** Draws of one case for so many repeats a side, the sides in turn so that drift meets both alike. */
export function drawsOf(repeats: number): number[] {
	return Array.from({ length: 2 * repeats }, (_, repeat) => repeat);
}

/** A measured figure holds for one text, one set of cases of a split, and one protocol (models, their settings, kernel). */
export function noiseKey(identity: { text: string; cases: string; protocol: string }): string {
	return digest({ noise: 1, ...identity }).slice(0, 12);
}

/**
 * What the trials of an A/A comparison say, objective by objective.
 * @param trials of one text, told apart by their repeat; see {@link sideOf}
 */
export function noiseOf(trials: readonly Trial[], cases: readonly CaseWeight[], stream: Stream): Noise {
	const [first, second] = [0, 1].map((side) => trials.filter(({ repeat }) => sideOf(repeat) === side));
	const of = (objective: Objective) => objectiveNoise(first ?? [], second ?? [], objective, cases, stream);
	return Object.fromEntries(OBJECTIVES.map((objective) => [objective, of(objective)])) as Noise;
}

function objectiveNoise(
	first: readonly Trial[],
	second: readonly Trial[],
	objective: Objective,
	cases: readonly CaseWeight[],
	stream: Stream,
): ObjectiveNoise {
	const { size, low, high, p, sd, n, missing } = changeOf(second, first, objective, cases, stream);
	const within = withinCases([...first, ...second], objective);
	const [draws, others] = [first, second].map((side) => drawsACase(side, objective));
	const expected = within === null || !draws || !others ? null : (within ** 2 / 2) * (1 / draws + 1 / others);
	const between = sd === null || expected === null ? null : Math.sqrt(Math.max(0, sd ** 2 - expected));
	const known = { p, sd, within, between, n, missing };
	if (DIRECTIONS[objective] === "up") return { difference: size, low, high, ...known };
	return { difference: negated(size), low: negated(high), high: negated(low), ...known };
}

function negated(value: number | null): number | null {
	return value === null ? null : 0 - value;
}

/** Draws with a value, by case that has any. */
function drawsACase(trials: readonly Trial[], objective: Objective): number {
	const counts = [...valuesByCase(trials, objective).values()].map((values) => values.length).filter(Boolean);
	return counts.length === 0 ? 0 : counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

/** The root of twice the variance within a case, pooled over the cases by their degrees of freedom. */
function withinCases(trials: readonly Trial[], objective: Objective): number | null {
	let [squares, freedom] = [0, 0];
	for (const values of valuesByCase(trials, objective).values()) {
		if (values.length < 2) continue;
		const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
		squares += values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
		freedom += values.length - 1;
	}
	return freedom === 0 ? null : Math.sqrt((2 * squares) / freedom);
}
