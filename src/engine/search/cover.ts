/**
 * What to measure. A small set of cases that between them show every group that was worked on; the train sample by what a
 * trial really costs.
 */
import type { Case } from "../../domain/case.ts";
import { createStream } from "../../domain/sampling.ts";
import type { Group } from "./groups.ts";

/** Failing checks that a probe covers for each group: one alone may have failed by chance. */
const COVER = 2;

/** Cases that show what was asked about twice, and each other symptom of its cause once: an answer may have mended those too. */
export function probeCases(groups: readonly Group[], asked: ReadonlySet<string>): string[] {
	const causes = new Set(groups.filter((group) => asked.has(group.id)).map((group) => group.cause));
	const relevant = groups.filter(
		(group) => asked.has(group.id) || (causes.has(group.cause) && group.id !== group.cause),
	);
	return coveringCases(relevant, (group) => (asked.has(group.id) ? COVER : 1));
}

/**
 * Cases on which the groups' checks fail, greedily chosen so that each group has up to two of them (all where it has fewer).
 * Ties go to the lower id, so the set depends on the groups only.
 */
export function coveringCases(groups: readonly Group[], perGroup: (group: Group) => number = () => COVER): string[] {
	const missing = new Map(groups.map((group) => [group.id, Math.min(perGroup(group), group.failing)]));
	const failsIn = new Map<string, string[]>();
	for (const group of groups) {
		for (const finding of group.findings) {
			if (finding.failed) failsIn.set(finding.caseId, [...(failsIn.get(finding.caseId) ?? []), group.id]);
		}
	}
	const chosen: string[] = [];
	const open = [...failsIn].sort(([a], [b]) => (a < b ? -1 : 1));
	for (;;) {
		let best: { id: string; groups: string[]; gain: number } | null = null;
		for (const [id, ids] of open) {
			if (chosen.includes(id)) continue;
			const gain = ids.filter((group) => (missing.get(group) ?? 0) > 0).length;
			if (gain > 0 && (best === null || gain > best.gain)) best = { id, groups: ids, gain };
		}
		if (best === null) return chosen.sort();
		chosen.push(best.id);
		for (const group of best.groups) missing.set(group, (missing.get(group) ?? 0) - 1);
	}
}

/** Paid calls of one trial of a case without re-asks: the rollout, and one judge call when it has rubric checks. */
export function callsPerCase(entry: Case): number {
	return entry.checks.some((check) => check.type === "rubric" && !check.contract) ? 2 : 1;
}

/** Without a limit on calls, a train sample of this many cases is enough to see what fails. */
const UNLIMITED_SAMPLE = 200;
/** Below this there is nothing to generalise from. */
const SMALLEST_SAMPLE = 8;

/**
 * Train cases that the search works on: all when the budget is at least eight times what they cost, else about a twelfth of
 * the budget's worth, drawn by the run's seed. In order of id.
 */
export function trainSample(train: readonly Case[], calls: number | undefined, seed: number): string[] {
	const cost = train.reduce((sum, entry) => sum + callsPerCase(entry), 0);
	const each = train.length === 0 ? 1 : cost / train.length;
	const size =
		calls === undefined
			? Math.min(train.length, UNLIMITED_SAMPLE)
			: calls >= 8 * cost
				? Math.min(train.length, UNLIMITED_SAMPLE)
				: Math.min(train.length, Math.max(SMALLEST_SAMPLE, Math.round(calls / (12 * each))));
	const ids = train.map((entry) => entry.id);
	if (size >= ids.length) return [...ids].sort();
	return createStream(seed, "train-sample").sample(ids, size).sort();
}
