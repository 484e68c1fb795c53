/**
 * What to keep. An edit belongs to the group it was written for, and to the one that it is about: a question about one failure
 * often brings the answer to another. When the child has been measured, an edit that helped neither is taken out, which costs
 * nothing; where one check says too little, the whole child is kept or dropped by its mean over the cases it was measured on.
 */

import type { Case } from "../../domain/case.ts";
import type { TracedEdit } from "../../domain/events.ts";
import type { Trial } from "../../domain/trial.ts";
import type { Causes } from "./causes.ts";
import { type Group, groupsOf } from "./groups.ts";
import { meanQuality } from "./view.ts";

export interface Verdicts {
	kept: string[];
	dropped: { edit: string; reason: string }[];
	/** Whether the child's measurements are worth going by. */
	adopted: boolean;
}

export interface Comparison {
	/** Cases on which the child was measured. */
	cases: readonly Case[];
	before: (caseId: string) => Trial | undefined;
	after: (caseId: string) => Trial | undefined;
	/** New edits of the child. */
	edits: readonly TracedEdit[];
	/** The group that a text is about; null when it is about none. */
	ownerOf: (text: string) => string | null;
	causes: Causes;
}

/** A group that passed (fails below this share) and now fails at the second share is harmed. */
const PASSES = 0.3;
const HARMED = 0.5;
/** Loss of mean quality in a whole pass below which nothing is taken back. */
const LOSS = 0.02;

const share = (group: Group | undefined) =>
	group === undefined || group.total === 0 ? 0 : group.failing / group.total;

function tables(comparison: Comparison) {
	const index = (trialOf: Comparison["before"]) =>
		new Map(groupsOf(comparison.cases, trialOf, comparison.causes).map((group) => [group.id, group]));
	return { before: index(comparison.before), after: index(comparison.after) };
}

const effect = (group: Group | undefined) =>
	group === undefined ? "not seen" : `${group.failing} of ${group.total} failing`;

/** Groups that passed before and fail now, of two checks or more. */
function harmedGroups(comparison: Comparison): Group[] {
	const { before, after } = tables(comparison);
	return [...after.values()].filter(
		(group) => share(before.get(group.id)) < PASSES && share(group) >= HARMED && group.total >= 2,
	);
}

/** Sorts the new edits by their own groups. */
export function attribute(comparison: Comparison): Verdicts {
	const { before, after } = tables(comparison);
	const harmed = harmedGroups(comparison);
	const verdicts: Verdicts = { kept: [], dropped: [], adopted: true };
	for (const traced of comparison.edits) {
		const owner = comparison.ownerOf(traced.edit.text ?? traced.edit.find ?? "");
		const own = owner === null ? [traced.group] : [traced.group, owner];
		if (harmed.length > 0 && traced.edit.op !== "append") {
			verdicts.dropped.push({
				edit: traced.id,
				reason: `took something away while ${harmed[0]?.label} began to fail`,
			});
		} else if (own.some((id) => after.has(id) && share(after.get(id)) < share(before.get(id)))) {
			verdicts.kept.push(traced.id);
		} else {
			const effects = `${effect(before.get(traced.group))} before, ${effect(after.get(traced.group))} after`;
			verdicts.dropped.push({ edit: traced.id, reason: `its own check did not improve: ${effects}` });
		}
	}
	return verdicts;
}

/** Keeps or drops all new edits by the mean of the whole child over the cases it was measured on. */
export function keepWhole(comparison: Comparison): Verdicts {
	const known = (trial: Trial | undefined) => typeof trial?.outcome.quality === "number";
	const pairs = comparison.cases.filter(({ id }) => known(comparison.before(id)) && known(comparison.after(id)));
	const was = meanQuality(pairs, comparison.before) ?? 0;
	const is = meanQuality(pairs, comparison.after) ?? 0;
	const ids = comparison.edits.map((traced) => traced.id);
	if (is <= was) {
		const reason = `the text as a whole did not improve: ${was.toFixed(3)} before, ${is.toFixed(3)} after`;
		return { kept: [], dropped: ids.map((edit) => ({ edit, reason })), adopted: false };
	}
	return { kept: ids, dropped: [], adopted: true };
}

/** Whether a whole pass lost more quality than its noise explains: more than a floor, and more than its standard error. */
export function harmsWhole(comparison: Comparison): boolean {
	const differences = comparison.cases.flatMap((entry) => {
		const was = comparison.before(entry.id)?.outcome.quality;
		const is = comparison.after(entry.id)?.outcome.quality;
		return typeof was === "number" && typeof is === "number" ? [is - was] : [];
	});
	if (differences.length < 2) return false;
	const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
	const variance =
		differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / (differences.length - 1);
	return mean < -Math.max(LOSS, Math.sqrt(variance / differences.length));
}
