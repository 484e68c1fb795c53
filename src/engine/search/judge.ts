/**
 * From measurements to the next move. Reads what a child did where it should help, takes out what did not earn its place, and
 * says what comes next. One function a purpose; each returns the one event that holds the decision.
 */
import type { EventOf, TracedEdit, VariantRecord } from "../../domain/events.ts";
import { type RunState, searchOf, variantOf } from "../../domain/run-state.ts";
import { caseOf, type RunContext } from "../context.ts";
import { editsOf, recordOf } from "../patch.ts";
import { groupsOf } from "./groups.ts";
import { attribute, type Comparison, harmsWhole, keepWhole, type Verdicts } from "./keep.ts";
import { createOwners } from "./owners.ts";
import { planPruning } from "./prune.ts";
import { causesOf, currentGroups, trialsOf, viewOf } from "./view.ts";

type Judged = EventOf<"edits-judged">;

/** Why a line goes that a merge put into another: it did not fail, so it is nothing that was tried in vain. */
export const REPLACED = "another line says it now";

/** Edits of the working text, or of a child, that the last whole pass did not have. */
function sinceLastPass(state: RunState, record: VariantRecord): TracedEdit[] {
	const search = searchOf(state);
	const last = search.passes.at(-1);
	const known = new Set(last === undefined ? [] : (state.variants[last]?.patch ?? []));
	return editsOf(state, record.patch).filter((traced) => !known.has(traced.id));
}

function comparisonOf(state: RunState, context: RunContext, edits: readonly TracedEdit[]): Comparison {
	const pending = searchOf(state).pending;
	if (!pending) throw new Error("nothing was measured that could be judged");
	const after = trialsOf(state, pending.variant);
	return {
		cases: pending.cases.map((id) => caseOf(context, id)),
		before: viewOf(state),
		after: (id) => after.get(id),
		edits,
		causes: causesOf(state, context),
		ownerOf: ownersOf(state, context),
	};
}

/** The symptom that a text is about. */
function ownersOf(state: RunState, context: RunContext): (text: string) => string | null {
	const ownerOf = createOwners(currentGroups(state, context), context);
	return (text) => ownerOf(text)?.group.id ?? null;
}

function without(state: RunState, record: VariantRecord, dropped: Verdicts["dropped"]): VariantRecord {
	const gone = new Set(dropped.map((entry) => entry.edit));
	if (gone.size === 0) return record;
	const edits = editsOf(state, record.patch).filter((traced) => !gone.has(traced.id));
	return recordOf(state, edits, {
		parents: [record.id],
		operator: "attribute",
		generation: searchOf(state).generation,
	});
}

function event(
	state: RunState,
	parts: Omit<Judged, "type" | "generation" | "refusals" | "except"> & Partial<Pick<Judged, "except">>,
): Judged {
	return { type: "edits-judged", generation: searchOf(state).generation, refusals: [], except: [], ...parts };
}

/** After a probe: keep what helped its own cause, and go on. */
function judgeProbe(state: RunState, context: RunContext, child: VariantRecord): Judged {
	const search = searchOf(state);
	const fresh = editsOf(state, child.patch).filter((traced) => !search.working.patch.includes(traced.id));
	const verdicts = attribute(comparisonOf(state, context, fresh));
	return event(state, {
		variant: child.id,
		adopted: true,
		kept: verdicts.kept,
		dropped: verdicts.dropped,
		restored: [],
		working: without(state, child, verdicts.dropped),
		reason: `${verdicts.kept.length} edits held, ${verdicts.dropped.length} did not`,
	});
}

/** Edits of the working text that the child goes without. */
function linesWithout(state: RunState, child: VariantRecord): string[] {
	return searchOf(state).working.patch.filter((id) => !child.patch.includes(id));
}

/** A group misses what was pruned when at least this share more of its checks fails than before. */
const MISSED = 0.34;

interface Pruned {
	/** Lines that stay out, and those that come back. */
	gone: string[];
	restored: string[];
	/** Cases on which a check that misses its line fails now: there the search goes by the trial it had. */
	spoilt: string[];
}

/**
 * What pruning took out of the working text and what of it comes back. A line is judged only on cases that were measured with
 * it; where there are none, it comes back.
 */
function judgePruned(state: RunState, context: RunContext, child: VariantRecord): Pruned {
	const search = searchOf(state);
	const removed = linesWithout(state, child);
	const { cases, before, after } = comparisonOf(state, context, []);
	const owners = new Map(
		planPruning(state, context, currentGroups(state, context))?.removed.map((entry) => [entry.edit.id, entry.groups]),
	);
	const causes = causesOf(state, context);
	const now = new Map(groupsOf(cases, after, causes).map((group) => [group.id, group]));
	/** Where no case was measured with a line, its groups tell by themselves: one that mostly passes does not miss it. */
	const passes = (id: string) => {
		const group = now.get(id);
		return group !== undefined && group.failing < MISSED * group.total;
	};
	const spoilt = new Set<string>();
	const isMissed = (edit: string): boolean => {
		const seen = cases.filter((entry) => state.variants[search.view[entry.id] ?? ""]?.patch.includes(edit));
		const had = new Map(groupsOf(seen, before, causes).map((group) => [group.id, group.failing]));
		const own = groupsOf(seen, after, causes).filter((group) => owners.get(edit)?.includes(group.id));
		const missing = own.filter(
			(group) => group.failing - (had.get(group.id) ?? 0) >= Math.max(1, MISSED * group.total),
		);
		for (const group of missing) {
			for (const finding of group.findings) if (finding.failed) spoilt.add(finding.caseId);
		}
		const unseen = own.length === 0 && !(owners.get(edit) ?? []).every(passes);
		return unseen || missing.length > 0;
	};
	const restored = removed.filter(isMissed);
	return { gone: removed.filter((id) => !restored.includes(id)), restored, spoilt: [...spoilt].sort() };
}

/** After a whole pass: keep or take back the whole, and put back what was pruned and is missed. */
function judgePass(state: RunState, context: RunContext, child: VariantRecord): Judged {
	const search = searchOf(state);
	const lastPass = search.passes.at(-1);
	const lastTrials = lastPass === undefined ? undefined : trialsOf(state, lastPass);
	const fresh = sinceLastPass(state, child);
	const comparison = { ...comparisonOf(state, context, fresh), before: (id: string) => lastTrials?.get(id) };
	const isPruning = search.pending?.purpose === "prune";
	if (harmsWhole(comparison)) return takeBack(state, child, fresh, "the text as a whole lost quality");
	// What is only pruned need not be better, it must not be worse.
	const verdicts = isPruning
		? { kept: fresh.map((traced) => traced.id), dropped: [], adopted: true }
		: keepWhole(comparison);
	if (!verdicts.adopted) return takeBack(state, child, fresh, verdicts.dropped[0]?.reason ?? "nothing improved");
	// What a merged line replaces was not pruned: it does not come back beside it.
	const { gone, restored, spoilt } = isPruning
		? judgePruned(state, context, child)
		: { gone: linesWithout(state, child), restored: [], spoilt: [] };
	const reason = isPruning ? "pruned: its checks pass without it" : REPLACED;
	const edits = editsOf(state, search.working.patch).filter((traced) => !gone.includes(traced.id));
	return event(state, {
		variant: child.id,
		adopted: true,
		except: spoilt,
		kept: verdicts.kept,
		dropped: gone.map((edit) => ({ edit, reason })),
		restored,
		working:
			restored.length === 0
				? child
				: recordOf(state, edits, { parents: [child.id], operator: "attribute", generation: search.generation }),
		reason: `${verdicts.kept.length} edits held over the train sample; ${gone.length} lines are out, ${restored.length} came back`,
	});
}

/**
 * The text as a whole is no better, or for a pruned one worse. Where lines were pruned, those come back; otherwise the edits since
 * the last pass are out.
 */
function takeBack(state: RunState, child: VariantRecord, fresh: readonly TracedEdit[], reason: string): Judged {
	const search = searchOf(state);
	const lastPass = search.passes.at(-1);
	const pruned = search.pending?.purpose === "prune" ? linesWithout(state, child) : [];
	const unpruned = pruned.length > 0 || lastPass === undefined;
	return event(state, {
		variant: child.id,
		adopted: false,
		kept: [],
		dropped: unpruned ? [] : fresh.map((traced) => ({ edit: traced.id, reason })),
		restored: pruned,
		working: unpruned ? search.working : variantOf(state, lastPass),
		reason: unpruned ? "without the pruned lines the text lost quality: they come back" : reason,
	});
}

/** The decision on the variant whose measurements have just arrived. */
export function judgeMeasured(state: RunState, context: RunContext): Judged {
	const pending = searchOf(state).pending;
	if (!pending) throw new Error("nothing was measured that could be judged");
	const child = variantOf(state, pending.variant);
	switch (pending.purpose) {
		case "probe":
			return judgeProbe(state, context, child);
		default:
			return judgePass(state, context, child);
	}
}
