/**
 * Shorter at the end. A proposal that brought several lines is suspect: usually one of them does the work. The likeliest line
 * of each stays, the others are taken out together; what its checks miss comes back.
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
		const checks = finding.check < 0 ? entry.checks.filter((check) => check.contract) : entry.checks.slice(finding.check, finding.check + 1);
		return checks.flatMap((check) => check.note ?? []);
	});
	return wordsOf([group.label, ...texts].join(" "));
}

/** The patch without the less likely lines of each proposal that brought several; null when there is nothing suspect. */
export function planPruning(state: RunState, context: RunContext, groups: readonly Group[]): Pruning | null {
	const edits = editsOf(state, searchOf(state).working.patch);
	const byProposal = new Map<string, TracedEdit[]>();
	for (const traced of edits) {
		if (traced.edit.op === "append") byProposal.set(traced.proposal, [...(byProposal.get(traced.proposal) ?? []), traced]);
	}
	const byId = new Map(groups.map((group) => [group.id, group]));
	const removed = new Set<string>();
	const touched = new Set<string>();
	for (const [, lines] of byProposal) {
		const first = lines[0];
		const group = first === undefined ? undefined : byId.get(first.group);
		if (lines.length < 2 || group === undefined) continue;
		const reference = referenceOf(group, context);
		const ranked = [...lines].sort((a, b) => overlap(b.edit.text ?? "", reference) - overlap(a.edit.text ?? "", reference));
		for (const line of ranked.slice(1)) removed.add(line.id);
		touched.add(group.id);
	}
	if (removed.size === 0) return null;
	return {
		patch: edits.filter((traced) => !removed.has(traced.id)),
		removed: edits.filter((traced) => removed.has(traced.id)),
		groups: [...touched].sort(),
	};
}
