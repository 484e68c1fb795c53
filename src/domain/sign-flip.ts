/**
 * The sign-flip test: when two texts are equal, each difference might as well have had the other sign (Fisher 1935).
 * The p-value is the share of all flips whose total is at least the one seen. It assumes no shape of distribution, only
 * that a difference and its opposite are equally likely where there is no effect.
 *
 * It must not know what was measured. Invariant: never random. The same differences give the same p, and raising a
 * difference never raises p (but for the rounding below).
 */

import { studentCdf } from "./distributions.ts";
import { ratioError, sum } from "./interval.ts";

/** Up to this many differences other than 0 all flips are enumerated (at most 4,096). */
const ENUMERATE_TO = 12;
/** Up to this many, totals are counted on a grid; above, the t test is as good. */
const COUNT_TO = 200;
/** Cells of the grid at the most. */
const GRID = 0x1_0000;

/**
 * One-sided p that the totals lie above 0 by chance.
 * - up to 12 totals other than 0: exact, all flips enumerated;
 * - up to 200: exact, all flips counted, when the totals are multiples of a common step of at least 1/65,536 of their
 *   absolute sum (as coarse scores are). Else for totals rounded to that step; what the rounding could turn into a tie
 *   counts as one, so p is never too small (and too large by about 1 % of itself at 40
 *   totals, 10 % at 200);
 * - above: Student's t.
 */
export function signFlipP(totals: readonly number[]): number {
	const present = totals.filter((total) => total !== 0);
	if (present.length === 0) return 1;
	if (present.length <= ENUMERATE_TO) return enumerate(present);
	if (present.length <= COUNT_TO) return count(present);
	return studentP(totals);
}

/** Walks all subsets in Gray's order: a subset of flipped signs reaches the total seen when it sums to 0 or less. */
function enumerate(totals: readonly number[]): number {
	const slack = 1e-9 * totals.reduce((total, value) => total + Math.abs(value), 0);
	const subsets = 2 ** totals.length;
	const flipped = totals.map(() => false);
	let reached = 1;
	let running = 0;
	for (let step = 1; step < subsets; step++) {
		const at = 31 - Math.clz32(step & -step);
		running += flipped[at] ? -totals[at]! : totals[at]!;
		flipped[at] = !flipped[at];
		if (running <= slack) reached++;
	}
	return reached / subsets;
}

/** Shares of all flips by the sum of the sizes that come out positive, one size after another. */
function count(totals: readonly number[]): number {
	const { sizes, slack } = toGrid(totals.map(Math.abs));
	const seen = sizes.reduce((total, size, at) => total + (totals[at]! > 0 ? size : 0), 0);
	const shares = new Float64Array(sizes.reduce((total, size) => total + size, 0) + 1);
	shares[0] = 1;
	let top = 0;
	for (const size of sizes) {
		if (size === 0) continue;
		for (let total = top; total >= 0; total--) {
			const half = shares[total]! / 2;
			shares[total] = half;
			shares[total + size]! += half;
		}
		top += size;
	}
	return Math.min(1, sum(shares.subarray(Math.max(0, seen - slack))));
}

/** Sizes as whole steps; `slack` is by how many steps the rounding can move a sum of some against a sum of others. */
function toGrid(sizes: readonly number[]): { sizes: number[]; slack: number } {
	const whole = sizes.reduce((total, size) => total + size, 0);
	const step = commonStep(sizes);
	if (step !== undefined && whole / step <= GRID)
		return { sizes: sizes.map((size) => Math.round(size / step)), slack: 0 };
	return { sizes: sizes.map((size) => Math.round((size / whole) * GRID)), slack: Math.floor(sizes.length / 2) };
}

/** Euclid's algorithm on doubles; undefined when the sizes have no common step that is clear of rounding errors. */
function commonStep(sizes: readonly number[]): number | undefined {
	const noise = 1e-9 * Math.max(...sizes);
	let step = 0;
	for (const size of sizes) {
		let [a, b] = [size, step];
		while (b > noise) [a, b] = [b, Math.abs(a - b * Math.round(a / b))];
		step = a;
	}
	const clear = sizes.every((size) => Math.abs(size - step * Math.round(size / step)) <= 1e3 * noise);
	return step > 1e4 * noise && clear ? step : undefined;
}

function studentP(totals: readonly number[]): number {
	const values = Float64Array.from(totals);
	const error = ratioError(values, new Float64Array(values.length).fill(1));
	const mean = sum(values) / values.length;
	if (error === 0) return mean > 0 ? 0 : 1;
	return studentCdf(-mean / error, values.length - 1);
}
