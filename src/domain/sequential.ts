/**
 * The gate between a text that looks better and one that is: a paired test with a few looks, so that a large gain is proved
 * cheaply and a hopeless text is given up early.
 *
 * It must not know how cases are bought. Invariant: a text that is equal to the incumbent passes all gates of a run with a
 * probability of at most ALPHA over all looks and all texts that are tried (Bonferroni over looks and over attempts).
 */
import { type Difference, pairedTest, raise } from "./stats.ts";

/** Chance of one wrong proof, over all texts that are tried on the same cases. */
export const ALPHA = 0.05;
const LOOKS = [8, 20, 40] as const;
/** Cases that a gate looks at, at the most. */
export const MOST_CASES: number = LOOKS[2];
/**
 * What each look before the last may spend where a gate may spend ALPHA. The last look gets the rest: that is where small gains
 * are proved.
 */
const EARLY_SHARES = [0.004, 0.01, 0.012] as const;
/** Above this share of missing pairs nothing is proved: what is missing may not be missing by chance. */
const MISSING_LIMIT = 0.1;

/** Tests in a row that a text must pass: two where sealed cases confirm what validation has proved. */
export function gatesOf(holdout: "required" | "none", sealedCases: number): number {
	return holdout === "required" && sealedCases > 0 ? 2 : 1;
}

/**
 * What each of `gates` tests in a row may spend on the k-th text that is tried, 0 to 1: ALPHA / (k (k + 1)) for one test, which
 * adds up to ALPHA however many texts there are; twice that, ALPHA for the first text, where two tests on cases of their own
 * have to be passed, because both err together at most with the product of the two (.0025 for the first text, .005 over all).
 * @throws RangeError when the attempt is not a whole number from 1
 */
export function levelOf(attempt: number, gates: number): number {
	if (!(Number.isInteger(attempt) && attempt >= 1)) throw new RangeError(`attempts count from 1, got ${attempt}`);
	return (Math.min(gates, 2) * ALPHA) / (attempt * (attempt + 1));
}

/** One of the looks of a gate, as it is planned before the first. */
export interface Look {
	/** Cases that are compared. */
	cases: number;
	/** Draws of each case on either side, for each that the job spec asks for. */
	draws: number;
	/** What p may be at the most. */
	alpha: number;
}

/**
 * The looks at `available` cases when the gate may spend `level`: 8 and 20 cases where there are more, then all, 40 at most. With
 * `draws` above 1 the last look is followed by one at the same cases with so many draws of each, where the cases are many enough
 * for a look before it. A sign-flip test of n cases has no p below 2^-n, so the first look waits for as many cases as can prove
 * anything (8 at a level of .05, 9 at .025).
 *
 * Of a level of .05, three looks spend .004, .010 and .036, two .004 and .046, one all of it; four .004, .010, .012 and .024.
 */
export function planLooks(available: number, level: number, draws = 1): Look[] {
	const last = Math.min(Math.floor(available), MOST_CASES);
	if (last < 1) return [];
	const fewest = Math.ceil(-Math.log2((EARLY_SHARES[0] * level) / ALPHA));
	const sizes = [...LOOKS.map((look) => Math.max(look, fewest)).filter((look) => look < last), last];
	const looks = sizes.map((cases) => ({ cases, draws: 1 }));
	if (draws > 1 && last >= fewest) looks.push({ cases: last, draws });
	const early = EARLY_SHARES.slice(0, looks.length - 1);
	const rest = early.reduce<number>((left, share) => left - share, ALPHA);
	return looks.map((look, at) => ({ ...look, alpha: (early[at] ?? rest) * (level / ALPHA) }));
}

export interface LookInput {
	/** All pairs up to this look. */
	differences: readonly Difference[];
	/** Cases of this look that have no pair. */
	missing?: number;
	/** Those of them that the text alone lacks: for a proof each counts as the worst difference that was seen. */
	lost?: number;
	/** What p may be at this look, by {@link planLooks}. */
	alpha: number;
	/** Whether no other look follows. */
	isLast: boolean;
	/** Loss that is tolerated (non-inferiority), in the unit of the objective; 0: a gain must be proved. */
	margin?: number;
}

export interface LookAnswer {
	/** `continue`: look again with more cases. `undecided`: these cases cannot tell. */
	answer: "better" | "not-better" | "continue" | "undecided";
	p: number;
	/** What p had to reach. */
	alpha: number;
	/** Mean difference so far, without the margin; null when there is no pair. */
	mean: number | null;
	/** One plain sentence for the report. */
	reason: string;
}

/**
 * The answer of one look. Proved: "better". Behind (mean no better than the margin allows): "not-better". After the last
 * look without proof: "undecided". While more than 10 % of the pairs are missing, nothing is "better".
 */
export function decideLook(input: LookInput): LookAnswer {
	const { differences, alpha, isLast, margin = 0, missing = 0, lost = 0 } = input;
	const plain = pairedTest(differences);
	const p = margin === 0 ? plain.p : pairedTest(raise(differences, margin)).p;
	const { mean } = plain;
	const found = { p, alpha, mean };
	const open = isLast ? "undecided" : "continue";
	const tried = differences.length + missing;
	if (mean === null) return { ...found, answer: open, reason: `none of ${tried} cases has a pair to compare` };
	const seen = `mean difference ${round(mean)} on ${differences.length} cases`;
	if (mean <= -margin) return { ...found, answer: "not-better", reason: `${seen} is not above ${round(0 - margin)}` };
	if (missing > MISSING_LIMIT * tried) {
		const reason = `${missing} of ${tried} pairs are missing, more than 10 %: nothing can be proved`;
		return { ...found, answer: open, reason };
	}
	if (p <= alpha && lost > 0 && pairedTest(raise(withWorst(differences, lost), margin)).p > alpha) {
		const reason = `${seen}, p = ${round(p)}, but ${lost} of its answers are missing: if they were its worst, nothing is proved`;
		return { ...found, answer: open, reason };
	}
	if (p <= alpha) return { ...found, answer: "better", reason: `${seen}, p = ${round(p)} <= ${round(alpha)}` };
	return { ...found, answer: open, reason: `${seen}, p = ${round(p)} > ${round(alpha)}: not proved` };
}

/** The differences with so many more as the worst of them, as far as that is a loss: what is missing may be what went wrong. */
function withWorst(differences: readonly Difference[], lost: number): Difference[] {
	const worst = Math.min(0, ...differences.map(({ difference }) => difference));
	const more = Array.from({ length: lost }, (_, at) => ({ caseId: `missing ${at}`, difference: worst }));
	return [...differences, ...more];
}

function round(value: number): string {
	return String(Number(value.toPrecision(3)));
}
