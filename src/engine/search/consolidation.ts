/**
 * Whether proposals need a question of their own before they become a child. Editors who did not know of each other write the
 * same instruction in other words: their edits are merged, together with the lines that stand already. Where no words tell what a
 * line is good for, the edits are ranked as well, and what comes last is left out.
 */
import type { TracedEdit } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import type { Edit } from "../../domain/section.ts";
import type { RunContext } from "../context.ts";
import { editsOf } from "../patch.ts";
import type { ConsolidateStep } from "../steps.ts";
import type { Group } from "./groups.ts";
import { singleLines } from "./lines.ts";
import { createOwners } from "./owners.ts";
import { forbids, proofReserve, reflectionsCost } from "./stop.ts";
import { causesOf, currentGroups } from "./view.ts";

/** So few edits need neither: there is little to choose, and little is said twice. */
const FEW = 4;
/** Share of the proposed edits that a ranking keeps: what comes later is mostly general advice. */
const RANKED = 0.65;
/** A line that the search went by so far is left out only when a ranking puts it into this last share, and it is about nothing. */
const LAST = 0.15;
/** Words tell what a line is about when at least this share of all lines proposed so far is about something that is checked. */
const TELLING = 0.2;

const isAppend = (edit: Edit) => edit.op === "append";

/** Whether an edit is about something that is checked, by its words. Everything is where words tell nothing. */
export function createRelated(state: RunState, context: RunContext, groups: readonly Group[]): (edit: Edit) => boolean {
	if (!causesOf(state, context).repeat) return () => true;
	const ownerOf = createOwners(groups, context);
	const lines = state.proposals
		.flatMap((proposal) => (proposal.status === "usable" ? proposal.edits.flatMap(singleLines) : []))
		.filter(isAppend);
	const isAbout = (edit: Edit) => ownerOf(edit.text ?? "") !== null;
	if (lines.filter(isAbout).length < TELLING * lines.length) return () => true;
	return (edit) => !isAppend(edit) || isAbout(edit);
}

/** Lines that the search has added and that stand in the working text as they were added. */
export function addedLines(state: RunState): TracedEdit[] {
	const { working } = searchOf(state);
	const lines = new Set(working.harness.flatMap((segment) => segment.split("\n")).map((line) => line.trim()));
	return editsOf(state, working.patch).filter(
		({ edit }) => isAppend(edit) && edit.text !== undefined && lines.has(edit.text.trim()),
	);
}

/** What was proposed, a line each: of usable proposals, and about something. */
function proposedEdits(state: RunState, context: RunContext): Edit[] {
	const isRelated = createRelated(state, context, currentGroups(state, context));
	return searchOf(state)
		.proposals.flatMap((proposal) => (proposal.status === "usable" ? proposal.edits.flatMap(singleLines) : []))
		.filter(isRelated);
}

/** What is put to a merge or a ranking: the lines that were added before, and what was proposed. Once merged, both are one list. */
export function editsToConsolidate(state: RunState, context: RunContext): Edit[] {
	const proposed = proposedEdits(state, context);
	const merged = searchOf(state).proposals.some((proposal) => proposal.group === "merge");
	return merged ? proposed : [...addedLines(state).map((traced) => traced.edit), ...proposed];
}

/** Whether two of the edits are about one cause: then they may say the same. */
function mayRepeat(edits: readonly Edit[], groups: readonly Group[], context: RunContext): boolean {
	const ownerOf = createOwners(groups, context);
	const causes = edits.flatMap((edit) => ownerOf(edit.text ?? "")?.group.cause ?? []);
	return new Set(causes).size < causes.length;
}

/** The question that the proposals still need; null when none, or when the limits leave no room for it. */
export function consolidationOf(
	state: RunState,
	context: RunContext,
	groups: readonly Group[],
): ConsolidateStep | null {
	const { consolidated, generation } = searchOf(state);
	const { repeat } = causesOf(state, context);
	const isMerged = consolidated.includes("merge");
	if (isMerged && (repeat || consolidated.includes("rank"))) return null;
	const proposed = proposedEdits(state, context);
	const edits = editsToConsolidate(state, context);
	const merges =
		!isMerged && (repeat ? proposed.length > FEW && mayRepeat(edits, groups, context) : proposed.length > 1);
	const ranks = !repeat && !consolidated.includes("rank") && edits.length > FEW;
	const operator = merges ? "merge" : ranks ? "rank" : null;
	if (operator === null || forbids(state, context, reflectionsCost(state, 1), proofReserve(state, context)) !== null)
		return null;
	const failing = groups
		.filter((group) => group.id !== group.cause)
		.flatMap((group) => group.findings.filter((finding) => finding.failed).slice(0, 1))
		.map(({ caseId, check }) => ({ caseId, check }));
	return { type: "consolidate", operator, generation, id: `g${generation}.${operator}`, failing };
}

/** The edits that are kept of a ranking, best first. `order` holds the index of each edit once. */
export function keptOfRanking(
	order: readonly number[],
	edits: readonly Edit[],
	state: RunState,
	context: RunContext,
): Edit[] {
	const ownerOf = createOwners(currentGroups(state, context), context);
	const before = new Set(addedLines(state).map((traced) => traced.edit.text));
	const ranked = order.flatMap((index) => edits.slice(index, index + 1));
	const isNew = (edit: Edit) => !isAppend(edit) || !before.has(edit.text);
	const proposed = ranked.filter(isNew);
	const best = new Set(proposed.slice(0, Math.max(FEW, Math.ceil(proposed.length * RANKED))));
	const last = new Set(ranked.slice(Math.floor(ranked.length * (1 - LAST))));
	return ranked.filter((edit) => (isNew(edit) ? best.has(edit) : !last.has(edit) || ownerOf(edit.text ?? "") !== null));
}
