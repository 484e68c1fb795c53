/**
 * The guard on quality where a text is proved to be better at something else: quality has to stay within the margin. Knows trials and
 * cases; decides nothing beside that.
 */
import type { Case } from "../domain/case.ts";
import { nonInferior, pairedDifferences } from "../domain/stats.ts";
import type { Trial } from "../domain/trial.ts";

/** Cases, groups counting as one, without which nobody can say that quality stays: what is lost is often lost on a few of many. */
const FEWEST_FOR_QUALITY = 20;

/** Where and how sharply quality is guarded when something else is proved. */
export interface Guard {
	/** All cases that the gate looks at are in. */
	isWhole: boolean;
	/** What the test of quality may spend at this look. */
	alpha: number;
}

/**
 * Why it is not proved that quality stays within the margin; null when it is. Only once all cases are in: a text that loses much on
 * a few of them shows no loss on the first eight. An answer that the text alone lacks counts as the loss of what v0 had there.
 */
export function doubtOfQuality(input: {
	after: readonly Trial[];
	before: readonly Trial[];
	cases: readonly Case[];
	margin: number;
	isWhole: boolean;
	alpha: number;
}): string | null {
	const { after, before, cases, margin, isWhole, alpha } = input;
	if (!isWhole) return "quality is looked at over all cases";
	const { differences, lost } = pairedDifferences(after, before, "quality", cases);
	const units = new Set(differences.map(({ caseId, group }) => group ?? `case ${caseId}`)).size;
	if (units < FEWEST_FOR_QUALITY)
		return `${units} cases are too few to prove that quality stays: it takes ${FEWEST_FOR_QUALITY} at least`;
	const known = before.flatMap(({ outcome }) => outcome.quality ?? []);
	const had = known.reduce((sum, quality) => sum + quality, 0) / Math.max(1, known.length);
	const gone = Array.from({ length: lost }, (_, at) => ({ caseId: `lost ${at}`, difference: -had }));
	const kept = nonInferior([...differences, ...gone], margin, alpha).nonInferior;
	return kept ? null : `quality is not proved to stay within ${margin}`;
}
