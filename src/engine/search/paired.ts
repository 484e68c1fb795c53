/** Differences between two texts, case by case, by the trials that the search goes by. Estimates for its choices, no proofs. */
import type { Case } from "../../domain/case.ts";
import type { RunState } from "../../domain/run-state.ts";
import type { Trial } from "../../domain/trial.ts";
import { trialsOf } from "./view.ts";

/** The second text's value minus the first's for each case on which both have one, in the order of the cases. */
export function pairedOf(
	state: RunState,
	cases: readonly Case[],
	[first, second]: readonly [string, string],
	read: (trial: Trial) => number | null,
): number[] {
	const [before, after] = [trialsOf(state, first), trialsOf(state, second)];
	return cases.flatMap(({ id }) => {
		const [was, is] = [before.get(id), after.get(id)];
		const values = [was && read(was), is && read(is)];
		return typeof values[0] === "number" && typeof values[1] === "number" ? [values[1] - values[0]] : [];
	});
}

/** 0 of nothing. */
export function meanOf(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Standard error of the mean; 0 of fewer than two values. */
export function standardError(values: readonly number[]): number {
	if (values.length < 2) return 0;
	const mean = meanOf(values);
	const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
	return Math.sqrt(variance / values.length);
}
