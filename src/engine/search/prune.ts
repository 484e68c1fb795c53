/**
 * Shorter at the end. Where a family of failures has several lines, usually one of them does the work: the one that is most
 * about it stays, the others are taken out together, and so is what is about nothing. What their checks miss comes back.
 */
import type { TracedEdit } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import type { RunContext } from "../context.ts";
import { editsOf } from "../patch.ts";
import { type Group, partsOf } from "./groups.ts";
import { createOwners } from "./owners.ts";

export interface Pruning {
	/** The patch without the suspect lines. */
	patch: TracedEdit[];
	/** What was taken out, with the groups that tell whether it may stay out: its own, and the one it was written for. */
	removed: { edit: TracedEdit; groups: string[] }[];
}

interface Line {
	edit: TracedEdit;
	family: string;
	related: number;
	groups: string[];
}

/** The lines that were added, with what they are about. */
function linesOf(state: RunState, context: RunContext, groups: readonly Group[]): Line[] {
	const families = groups.filter((group) => group.id === group.family).map((group) => group.id);
	const ownerOf = createOwners(
		families.flatMap((family) => partsOf(groups, family)),
		context,
	);
	return editsOf(state, searchOf(state).working.patch)
		.filter((edit) => edit.edit.op === "append")
		.map((edit) => {
			const owner = ownerOf(edit.edit.text ?? "");
			const groupIds = [...new Set([edit.group, ...(owner === null ? [] : [owner.group.id])])];
			return { edit, family: owner?.group.family ?? "", related: owner?.related ?? 0, groups: groupIds };
		});
}

/** The patch without suspect lines; null when nothing is suspect. */
export function planPruning(state: RunState, context: RunContext, groups: readonly Group[]): Pruning | null {
	const best = new Map<string, Line>();
	const lines = linesOf(state, context, groups);
	for (const line of lines) {
		const rival = best.get(line.family);
		if (line.family !== "" && (rival === undefined || line.related > rival.related)) best.set(line.family, line);
	}
	const restored = new Set(searchOf(state).restored);
	const suspects = lines.filter((line) => best.get(line.family) !== line && !restored.has(line.edit.id));
	if (suspects.length === 0) return null;
	const removed = new Set(suspects.map((line) => line.edit.id));
	return {
		patch: editsOf(state, searchOf(state).working.patch).filter((edit) => !removed.has(edit.id)),
		removed: suspects.map(({ edit, groups: own }) => ({ edit, groups: own })),
	};
}
