/**
 * Shorter at the end. Where a cause of failures has several lines, usually one of them does the work: the one that is most
 * about it stays, the others are taken out together, and so is what is about nothing. What their checks miss comes back.
 */
import type { TracedEdit } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import type { RunContext } from "../context.ts";
import { editsOf } from "../patch.ts";
import type { Group } from "./groups.ts";
import { tellingWords } from "./lines.ts";
import { createOwners } from "./owners.ts";
import { causesOf } from "./view.ts";
import { similarity } from "./words.ts";

export interface Pruning {
	/** The patch without the suspect lines. */
	patch: TracedEdit[];
	/** What was taken out, with the groups that tell whether it may stay out: its own, and the one it was written for. */
	removed: { edit: TracedEdit; groups: string[] }[];
}

interface Line {
	edit: TracedEdit;
	/** The cause that one line is enough for. Empty: the line is about nothing. */
	unit: string;
	related: number;
	groups: string[];
}

/** The lines that were added, with what they are about. */
function linesOf(state: RunState, context: RunContext, groups: readonly Group[]): Line[] {
	const ownerOf = createOwners(groups, context);
	return editsOf(state, searchOf(state).working.patch)
		.filter((edit) => edit.edit.op === "append")
		.map((edit) => {
			const owner = ownerOf(edit.edit.text ?? "");
			const own = [...new Set([edit.group, ...(owner === null ? [] : [owner.group.id])])];
			return { edit, unit: owner?.group.cause ?? "", related: owner?.related ?? 0, groups: own };
		});
}

/** Two lines about one cause that share this much of their telling words (Jaccard) probably do one thing. */
const ALIKE = 0.4;

/** The patch without suspect lines; null when nothing is suspect. */
export function planPruning(state: RunState, context: RunContext, groups: readonly Group[]): Pruning | null {
	const search = searchOf(state);
	const lines = linesOf(state, context, groups);
	const restored = new Set(search.restored);
	// Where words tell little, a line that is about nothing by its words may be about something all the same.
	const { repeat } = causesOf(state, context);
	const told = new Map(lines.map((line) => [line, tellingWords(line.edit.edit.text ?? "", context)]));
	const isAlike = (a: Line, b: Line) =>
		a.unit === b.unit && similarity(told.get(a) ?? new Set(), told.get(b) ?? new Set()) >= ALIKE;
	const better = (a: Line, b: Line) =>
		a.related > b.related || (a.related === b.related && lines.indexOf(a) < lines.indexOf(b));
	const suspects = lines.filter(
		(line) =>
			!restored.has(line.edit.id) &&
			((line.unit === "" && repeat) ||
				lines.some((other) => other !== line && isAlike(other, line) && better(other, line))),
	);
	if (suspects.length === 0) return null;
	const removed = new Set(suspects.map((line) => line.edit.id));
	return {
		patch: editsOf(state, search.working.patch).filter((edit) => !removed.has(edit.id)),
		removed: suspects.map(({ edit, groups: own }) => ({ edit, groups: own })),
	};
}
