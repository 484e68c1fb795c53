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
	/** What one line is enough for: a family, or a part of one that was taken apart. Empty: the line is about nothing. */
	unit: string;
	related: number;
	groups: string[];
}

/** The lines that were added, with what they are about. */
function linesOf(state: RunState, context: RunContext, groups: readonly Group[]): Line[] {
	const search = searchOf(state);
	const families = groups.filter((group) => group.id === group.family).map((group) => group.id);
	const apart = new Set(
		families.filter((family) => Object.keys(search.worked).some((id) => id.startsWith(`${family}.`))),
	);
	const ownerOf = createOwners(
		families.flatMap((family) => partsOf(groups, family)),
		context,
	);
	return editsOf(state, search.working.patch)
		.filter((edit) => edit.edit.op === "append")
		.map((edit) => {
			const owner = ownerOf(edit.edit.text ?? "");
			const unit = owner === null ? "" : apart.has(owner.group.family) ? owner.group.id : owner.group.family;
			const own = [...new Set([edit.group, ...(owner === null ? [] : [owner.group.id])])];
			return { edit, unit, related: owner?.related ?? 0, groups: own };
		});
}

/** The patch without suspect lines; null when nothing is suspect. */
export function planPruning(state: RunState, context: RunContext, groups: readonly Group[]): Pruning | null {
	const search = searchOf(state);
	const lines = linesOf(state, context, groups);
	const best = new Map<string, Line>();
	for (const line of lines) {
		const rival = best.get(line.unit);
		if (line.unit !== "" && (rival === undefined || line.related > rival.related)) best.set(line.unit, line);
	}
	const restored = new Set(search.restored);
	const suspects = lines.filter((line) => best.get(line.unit) !== line && !restored.has(line.edit.id));
	if (suspects.length === 0) return null;
	const removed = new Set(suspects.map((line) => line.edit.id));
	return {
		patch: editsOf(state, search.working.patch).filter((edit) => !removed.has(edit.id)),
		removed: suspects.map(({ edit, groups: own }) => ({ edit, groups: own })),
	};
}
