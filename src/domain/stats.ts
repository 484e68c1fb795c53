/**
 * Comparisons of two variants on the same cases: paired, so that hard and easy cases cancel out.
 *
 * It must not know what hangs on an answer. Invariants: a positive difference is better, whichever way the objective
 * runs; a case that lacks either side is counted as missing, never filled in; the order of trials changes nothing.
 */
import { bisect, shiftedTail, studentQuantile } from "./distributions.ts";
import { type Observation, ratioError, sum, symmetric, unitSums } from "./interval.ts";
import { type CaseWeight, gain, type Objective, valuesByCase } from "./objective.ts";
import { signFlipP } from "./sign-flip.ts";
import type { Trial } from "./trial.ts";

/** More cases than this are as good as never. */
const MOST_CASES = 1_000_000;

/** How much better the first variant is than the second on one case, in the unit of the objective. */
export interface Difference {
	caseId: string;
	difference: number;
	/** 1 when not given. */
	weight?: number | undefined;
	/** Cases of one group are not independent: the group counts as one difference. */
	group?: string | undefined;
}

export interface PairedDifferences {
	/** In order of case id. */
	differences: Difference[];
	/** Cases that were tried on either side and lack a value on one side or both. */
	missing: number;
	/** Those of them that the first side alone lacks. */
	lost: number;
}

export interface PairedTest {
	/** One-sided: how likely a mean this far above 0 is when there is no effect. 1 when nothing is known. */
	p: number;
	/** Mean difference by weight; null when there is none. */
	mean: number | null;
	/** Two-sided 95 % interval of the mean (Student's t over groups or cases); null below two of them. */
	low: number | null;
	high: number | null;
	/** Standard deviation of the differences of one group or case; null below two. */
	sd: number | null;
	/** Cases. */
	n: number;
}

/**
 * Differences by case, repeats averaged on each side. Positive: `a` is better than `b`.
 * @param cases weights and groups; a case that is not listed weighs 1 and stands for itself
 */
export function pairedDifferences(
	a: readonly Trial[],
	b: readonly Trial[],
	objective: Objective,
	cases: readonly CaseWeight[] = [],
): PairedDifferences {
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	const [ofA, ofB] = [valuesByCase(a, objective), valuesByCase(b, objective)];
	const ids = [...new Set([...ofA.keys(), ...ofB.keys()])].sort();
	const differences: Difference[] = [];
	let lost = 0;
	for (const caseId of ids) {
		const [valuesA, valuesB] = [ofA.get(caseId) ?? [], ofB.get(caseId) ?? []];
		if (valuesA.length === 0 && valuesB.length > 0) lost += 1;
		if (valuesA.length === 0 || valuesB.length === 0) continue;
		const entry = known.get(caseId);
		const difference = gain(objective, average(valuesA), average(valuesB));
		differences.push({ caseId, difference, weight: entry?.weight ?? 1, group: entry?.group });
	}
	return { differences, missing: ids.length - differences.length, lost };
}

/**
 * Whether the mean difference is above 0: sign-flip test (see sign-flip.ts for when it is exact) over independent
 * units, each the weighted total of a group or case, so a heavy case counts for more.
 *
 * The test is exact where "no effect" means that a difference and its opposite are equally likely, as with fresh draws
 * of two equal texts. It cannot see a rare, large loss that did not occur in the sample; no test of few cases can.
 */
export function pairedTest(differences: readonly Difference[]): PairedTest {
	if (differences.length === 0) return { p: 1, mean: null, low: null, high: null, sd: null, n: 0 };
	const { totals, weights } = unitSums(observations(differences));
	const mean = sum(totals) / sum(weights);
	const known = { p: signFlipP([...totals]), mean, n: differences.length };
	if (totals.length === 1) return { ...known, low: null, high: null, sd: null };
	const error = ratioError(totals, weights);
	const [low, high] = symmetric(mean, error, totals.length);
	return { ...known, low, high, sd: error * Math.sqrt(totals.length) };
}

export interface NonInferiority {
	/** Proved: not worse by `margin` or more. */
	nonInferior: boolean;
	p: number;
	mean: number | null;
}

/**
 * Whether the first variant is proved not to be worse by `margin` (0 or more, in the unit of the objective): the
 * paired test of differences raised by the margin.
 */
export function nonInferior(differences: readonly Difference[], margin: number, alpha: number): NonInferiority {
	const { p } = pairedTest(raise(differences, margin));
	return { nonInferior: p <= alpha, p, mean: pairedTest(differences).mean };
}

/** The differences, each better by `amount`. */
export function raise(differences: readonly Difference[], amount: number): Difference[] {
	return differences.map((entry) => ({ ...entry, difference: entry.difference + amount }));
}

/** P-values adjusted for their number (Holm 1979), in the order given; compare each with the overall alpha. */
export function holm(pValues: readonly number[]): number[] {
	const order = pValues.map((p, at) => ({ p, at })).sort((a, b) => a.p - b.p);
	const adjusted = new Array<number>(pValues.length).fill(1);
	let floor = 0;
	order.forEach(({ p, at }, rank) => {
		floor = Math.max(floor, Math.min(1, p * (pValues.length - rank)));
		adjusted[at] = floor;
	});
	return adjusted;
}

/**
 * Cases that prove a true gain of `effect` with the given power in one look at `alpha` (one-sided): by the t test, and
 * at least as many as the sign-flip test needs to reach alpha at all (2^-n <= alpha). Infinity when effect <= 0,
 * and above a million.
 * @param sd standard deviation of the paired differences (`PairedTest.sd`)
 */
export function requiredCases(effect: number, sd: number, alpha: number, power: number): number {
	if (!(effect > 0)) return Number.POSITIVE_INFINITY;
	const fewest = fewestCases(alpha);
	const enough = (n: number) => powerOf(n, effect, sd, alpha) >= power;
	let high = fewest;
	while (!enough(high)) {
		if (high > MOST_CASES) return Number.POSITIVE_INFINITY;
		high *= 2;
	}
	let low = fewest - 1;
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);
		if (enough(middle)) high = middle;
		else low = middle;
	}
	return high;
}

/** The smallest true gain that `n` cases prove with the given power; Infinity when they can prove none. */
export function provableGain(n: number, sd: number, alpha: number, power: number): number {
	if (n < fewestCases(alpha)) return Number.POSITIVE_INFINITY;
	if (sd === 0) return 0;
	let high = sd;
	while (powerOf(n, high, sd, alpha) < power) high *= 2;
	return bisect((effect) => powerOf(n, effect, sd, alpha) - power, 0, high);
}

/** R: power.t.test(n, effect, sd, alpha, type = "one.sample", alternative = "one.sided")$power */
function powerOf(n: number, effect: number, sd: number, alpha: number): number {
	if (sd === 0) return 1;
	return shiftedTail(studentQuantile(1 - alpha, n - 1), n - 1, (Math.sqrt(n) * effect) / sd);
}

function fewestCases(alpha: number): number {
	return Math.max(2, Math.ceil(-Math.log2(alpha) - 1e-9));
}

function observations(differences: readonly Difference[]): Observation[] {
	return [...differences]
		.sort((a, b) => (a.caseId < b.caseId ? -1 : a.caseId > b.caseId ? 1 : 0))
		.map(({ caseId, difference, weight, group }) => ({
			value: difference,
			weight: weight ?? 1,
			unit: group === undefined ? `case ${caseId}` : `group ${group}`,
		}));
}

function average(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0) / values.length;
}
