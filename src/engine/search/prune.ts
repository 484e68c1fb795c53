/**
 * Shorter at the end. Where a group of failures brought several lines, usually one of them does the work: the likeliest
 * stays, the others are taken out together, and what their checks miss comes back.
 */
import type { TracedEdit } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import { caseOf, type RunContext } from "../context.ts";
import { editsOf } from "../patch.ts";
import type { Group } from "./groups.ts";
import { overlap, wordsOf } from "./words.ts";

export interface Pruning {
	/** The patch without the suspect lines. */
	patch: TracedEdit[];
	/** What was taken out. */
	removed: TracedEdit[];
	/** Groups whose checks tell whether it may stay out. */
	groups: string[];
}

/** What the checks of a group say in words: their notes and what they want. */
export function referenceOf(group: Group, context: RunContext): ReadonlySet<string> {
	const texts = group.findings.slice(0, 8).flatMap((finding) => {
		const entry = caseOf(context, finding.caseId);
		const checks =
			finding.check < 0
				? entry.checks.filter((check) => check.contract)
				: entry.checks.slice(finding.check, finding.check + 1);
		return checks.flatMap((check) => check.note ?? []);
	});
	return wordsOf([group.label, ...texts].join(" "));
}

/** A line that shares less than this of its words with what its checks say is suspect even when it is the only one. */
const UNRELATED = 0.15;

/** Lines of one group that are suspect: all but the likeliest, and that one too when it speaks of something else. */
function suspectsOf(lines: readonly TracedEdit[], reference: ReadonlySet<string>): TracedEdit[] {
	const ranked = lines
		.map((line) => ({ line, related: overlap(line.edit.text ?? "", reference) }))
		.sort((a, b) => b.related - a.related || (a.line.id < b.line.id ? -1 : 1));
	return ranked.filter(({ related }, place) => place > 0 || related < UNRELATED).map(({ line }) => line);
}

/** The patch without the suspect lines of every group; null when nothing is suspect. */
export function planPruning(state: RunState, context: RunContext, groups: readonly Group[]): Pruning | null {
	const edits = editsOf(state, searchOf(state).working.patch);
	const byGroup = new Map<string, TracedEdit[]>();
	for (const traced of edits) {
		if (traced.edit.op === "append") byGroup.set(traced.group, [...(byGroup.get(traced.group) ?? []), traced]);
	}
	const removed = new Set<string>();
	for (const group of groups) {
		for (const line of suspectsOf(byGroup.get(group.id) ?? [], referenceOf(group, context))) removed.add(line.id);
	}
	if (removed.size === 0) return null;
	const gone = edits.filter((traced) => removed.has(traced.id));
	return {
		patch: edits.filter((traced) => !removed.has(traced.id)),
		removed: gone,
		groups: [...new Set(gone.map((traced) => traced.group))].sort(),
	};
}
