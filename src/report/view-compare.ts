/**
 * Two runs of one skill side by side: what each came to, and whether the text of the second does better than that of the first on
 * the cases that both were tried on. Knows views alone.
 *
 * Invariant: a difference is `second - first`; what the runs do not have in common is said, never filled in.
 */
import { SPLITS, type Split } from "../domain/case.ts";
import { OBJECTIVES, type Objective } from "../domain/objective.ts";
import { pairedTest } from "../domain/stats.ts";
import { plural } from "./numbers.ts";
import type { CaseView, RunView } from "./view.ts";

export interface CaseComparison {
	id: string;
	split: Split;
	first: number;
	second: number;
	change: number;
}

/** Qualities of the two texts on their common cases of a split; mean of the paired differences with a 95 % interval. */
export interface SplitComparison {
	split: Split;
	pairs: number;
	mean: number | null;
	low: number | null;
	high: number | null;
	better: number;
	worse: number;
}

export interface ObjectiveComparison {
	split: Split;
	objective: Objective;
	/** v0 and text of the first run, v0 and text of the second; null where not known. */
	values: readonly [number | null, number | null, number | null, number | null];
}

export interface ComparisonView {
	first: RunView;
	second: RunView;
	objectives: readonly ObjectiveComparison[];
	splits: readonly SplitComparison[];
	wins: readonly CaseComparison[];
	losses: readonly CaseComparison[];
	/** Why the two should be compared with care. */
	cautions: readonly string[];
}

const TOP = 5;

/** @param first the earlier run, by custom */
export function compareRuns(first: RunView, second: RunView): ComparisonView {
	const pairs = pairsOf(first, second);
	const unseen = pairs.filter((entry) => entry.split !== "train");
	const top = (sign: number) =>
		(unseen.length > 0 ? unseen : pairs)
			.filter((entry) => sign * entry.change > 1e-9)
			.sort((a, b) => sign * (b.change - a.change) || (a.id < b.id ? -1 : 1))
			.slice(0, TOP);
	return {
		first,
		second,
		objectives: SPLITS.flatMap((split) => objectivesOf(split, first, second)),
		splits: SPLITS.flatMap((split) => splitOf(split, pairs, second.cases)),
		wins: top(1),
		losses: top(-1),
		cautions: cautionsOf(first, second, pairs.length),
	};
}

/** What a run ended with on a case: the compared text, or v0 where the run has no other. */
function qualitiesOf({ challenger, cases }: RunView): Map<string, number> {
	const sides = cases.map((entry) => [entry.id, (challenger === null ? entry.before : entry.after)?.quality] as const);
	return new Map(sides.flatMap(([id, quality]) => (quality == null ? [] : [[id, quality]])));
}

function pairsOf(first: RunView, second: RunView): CaseComparison[] {
	const [before, after] = [qualitiesOf(first), qualitiesOf(second)];
	return second.cases.flatMap(({ id, split }) => {
		const [from, to] = [before.get(id), after.get(id)];
		return from === undefined || to === undefined ? [] : [{ id, split, first: from, second: to, change: to - from }];
	});
}

function splitOf(split: Split, pairs: readonly CaseComparison[], cases: readonly CaseView[]): SplitComparison[] {
	const own = pairs.filter((entry) => entry.split === split);
	if (own.length === 0) return [];
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	const { mean, low, high } = pairedTest(
		own.map(({ id, change }) => ({
			caseId: id,
			difference: change,
			weight: known.get(id)?.weight ?? 1,
			group: known.get(id)?.group ?? undefined,
		})),
	);
	const count = (sign: number) => own.filter(({ change }) => sign * change > 1e-9).length;
	return [{ split, pairs: own.length, mean, low, high, better: count(1), worse: count(-1) }];
}

function objectivesOf(split: Split, first: RunView, second: RunView): ObjectiveComparison[] {
	const of = (view: RunView, side: "incumbent" | "challenger", objective: Objective) =>
		view[side]?.scorecards[split]?.[objective].mean ?? null;
	return OBJECTIVES.flatMap((objective) => {
		const values = [
			of(first, "incumbent", objective),
			of(first, "challenger", objective),
			of(second, "incumbent", objective),
			of(second, "challenger", objective),
		] as const;
		return values.every((value) => value === null) ? [] : [{ split, objective, values }];
	});
}

function cautionsOf(first: RunView, second: RunView, common: number): string[] {
	const cautions: string[] = [];
	if (first.skill !== second.skill)
		cautions.push(`The runs are of different skills: ${first.skill} and ${second.skill}.`);
	if (first.kernelSha256 !== second.kernelSha256) cautions.push("The kernel is not the same in both.");
	if (first.base.commit !== second.base.commit)
		cautions.push("They started from different commits, so v0 of the second may be what the first promoted.");
	if (first.models.task !== second.models.task)
		cautions.push(`The task model changed from ${first.models.task} to ${second.models.task}.`);
	if (first.offline !== second.offline) cautions.push("One of them is a simulation.");
	const only = qualitiesOf(first).size + qualitiesOf(second).size - 2 * common;
	if (only > 0) cautions.push(`${plural(only, "case")} were tried with the text of one of them alone.`);
	cautions.push("The means of a run are over its own cases; only the paired differences compare like with like.");
	return cautions;
}
