/**
 * The gate between a text that looks better and one that is: a paired test with up to three looks, so that a large gain
 * is proved cheaply and a hopeless text is given up early.
 *
 * It must not know how cases are bought. Invariant: a text that is equal to the incumbent passes with a probability of
 * at most ALPHA over all looks and all texts that a run tries (Bonferroni over looks and over attempts).
 */
import { type Difference, pairedTest, raise } from "./stats.ts";

/** Chance of one wrong proof in a whole run. */
export const ALPHA = 0.05;
const LOOKS = [8, 20, 40] as const;
/** What each look before the last may spend. The last look gets the rest: that is where small gains are proved. */
const EARLY_SHARES = [0.004, 0.01] as const;
/** Above this share of missing pairs nothing is proved: what is missing may not be missing by chance. */
const MISSING_LIMIT = 0.1;

/**
 * Numbers of cases at which `available` cases are looked at for the k-th text: 8 and 20 where there are more, then all, 40 at
 * most. A sign-flip test of n cases has no p below 2^-n, so the first look waits for as many cases as can prove anything
 * (9 for the first text).
 */
export function looksFor(available: number, attempt = 1): number[] {
	const last = Math.min(Math.floor(available), LOOKS[2]);
	if (last < 1) return [];
	const fewest = Math.ceil(-Math.log2(EARLY_SHARES[0] / (attempt * (attempt + 1))));
	return [...LOOKS.map((look) => Math.max(look, fewest)).filter((look) => look < last), last];
}

/**
 * What a look may spend. Three looks: .004, .010, .036; two: .004, .046; one: .05; each divided by k (k + 1) for the
 * k-th text that is tried, which adds up to ALPHA however many texts there are (sum of 1 / (k (k + 1)) is 1).
 */
export function alphaAt(look: number, looks: readonly number[], attempt: number): number {
	const place = looks.indexOf(look);
	if (place < 0 || looks.length > LOOKS.length) {
		throw new RangeError(
			`a look is one of at most ${LOOKS.length} planned looks, got ${look} of [${looks.join(", ")}]`,
		);
	}
	if (!(Number.isInteger(attempt) && attempt >= 1)) throw new RangeError(`attempts count from 1, got ${attempt}`);
	const early = EARLY_SHARES.slice(0, looks.length - 1);
	const rest = early.reduce((left, share) => left - share, ALPHA);
	return (early[place] ?? rest) / (attempt * (attempt + 1));
}

export interface LookInput {
	/** All pairs up to this look. */
	differences: readonly Difference[];
	/** Cases of this look that have no pair. */
	missing?: number;
	/** Those of them that the text alone lacks: for a proof each counts as the worst difference that was seen. */
	lost?: number;
	/** Which of `looks` this is, as a number of cases. */
	look: number;
	looks: readonly number[];
	/** Which text of the run is being proved: 1 for the first. */
	attempt: number;
	/** Loss that is tolerated (non-inferiority), in the unit of the objective; 0: a gain must be proved. */
	margin?: number;
}

export interface LookAnswer {
	/** `continue`: look again with more cases. `undecided`: these cases cannot tell. */
	answer: "better" | "not-better" | "continue" | "undecided";
	p: number;
	/** What p had to reach at this look. */
	alpha: number;
	/** Mean difference so far, without the margin; null when there is no pair. */
	mean: number | null;
	/** One plain sentence for the report. */
	reason: string;
}

/**
 * The answer of one look. Proved: "better". Behind (mean no better than the margin allows): "not-better". After the last
 * look without proof: "undecided". While more than 10 % of the pairs are missing, nothing is "better".
 * @throws RangeError when `look` is not one of `looks`, or the attempt is not a whole number from 1.
 */
export function decideLook(input: LookInput): LookAnswer {
	const { differences, look, looks, attempt, margin = 0, missing = 0, lost = 0 } = input;
	const alpha = alphaAt(look, looks, attempt);
	const plain = pairedTest(differences);
	const p = margin === 0 ? plain.p : pairedTest(raise(differences, margin)).p;
	const { mean } = plain;
	const found = { p, alpha, mean };
	const open = look === looks.at(-1) ? "undecided" : "continue";
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
