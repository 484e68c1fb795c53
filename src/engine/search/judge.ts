/**
 * From measurements to the next move. Reads what a child did where it should help, takes out what did not earn its place, and
 * says what comes next. One function a purpose; each returns the one event that holds the decision.
 */
import type { EventOf, TracedEdit, VariantRecord } from "../../domain/events.ts";
import { type RunState, searchOf, variantOf } from "../../domain/run-state.ts";
import { caseOf, type RunContext, trainSampleOf } from "../context.ts";
import { editsOf, recordOf } from "../patch.ts";
import { groupsOf, repeatingShare } from "./groups.ts";
import { attribute, type Comparison, harmsWhole, keepWhole, type Verdicts } from "./keep.ts";
import { planPruning } from "./prune.ts";
import { currentGroups, trialsOf, viewOf } from "./view.ts";

type Judged = EventOf<"edits-judged">;

/** Checks repeat when at least this share of them has two others of its kind. */
const REPEATING = 0.5;

/** Whether edits can be judged by the checks they were written for. */
export function judgesByGroup(state: RunState, context: RunContext): boolean {
	return repeatingShare(trainSampleOf(state, context)) >= REPEATING;
}

/** Edits of the working text, or of a child, that the last whole pass did not have. */
function sinceLastPass(state: RunState, record: VariantRecord): TracedEdit[] {
	const search = searchOf(state);
	const last = search.passes.at(-1);
	const known = new Set(last === undefined ? [] : (state.variants[last]?.patch ?? []));
	return editsOf(state, record.patch).filter((traced) => !known.has(traced.id));
}

function comparisonOf(
	state: RunState,
	context: RunContext,
	edits: readonly TracedEdit[],
	asked: readonly string[],
): Comparison {
	const pending = searchOf(state).pending;
	if (!pending) throw new Error("nothing was measured that could be judged");
	const after = trialsOf(state, pending.variant);
	return {
		cases: pending.cases.map((id) => caseOf(context, id)),
		before: viewOf(state),
		after: (id) => after.get(id),
		edits,
		asked,
	};
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

function event(state: RunState, parts: Omit<Judged, "type" | "generation" | "refusals">): Judged {
	return { type: "edits-judged", generation: searchOf(state).generation, refusals: [], ...parts };
}

/** After a probe: keep what helped its own group, ask again for what still fails, then take a whole pass. */
function judgeProbe(state: RunState, context: RunContext, child: VariantRecord): Judged {
	const search = searchOf(state);
	const fresh = editsOf(state, child.patch).filter((traced) => !search.working.patch.includes(traced.id));
	const asked = [
		...new Set(
			state.proposals
				.filter((proposal) => proposal.generation === search.generation && proposal.round === search.round)
				.map((proposal) => proposal.group),
		),
	];
	const verdicts = attribute(comparisonOf(state, context, fresh, asked));
	const again = search.round + 1 < context.settings.search.rounds ? verdicts.failing : [];
	return event(state, {
		variant: child.id,
		adopted: true,
		kept: verdicts.kept,
		dropped: verdicts.dropped,
		working: without(state, child, verdicts.dropped),
		next:
			again.length > 0 ? { move: "reflect", groups: again, generation: false } : { move: "measure", generation: false },
		reason: `${verdicts.kept.length} edits held, ${verdicts.dropped.length} did not; ${again.length} groups are asked about again`,
	});
}

/** After a whole pass: attribute over all cases, take back what harmed the whole, begin the next generation. */
function judgePass(state: RunState, context: RunContext, child: VariantRecord): Judged {
	const search = searchOf(state);
	const fresh = sinceLastPass(state, child);
	const last = search.passes.at(-1);
	const lastTrials = last === undefined ? undefined : trialsOf(state, last);
	const comparison: Comparison = {
		...comparisonOf(state, context, fresh, []),
		before: (id) => lastTrials?.get(id),
	};
	const move = search.pruned ? "finish" : "reflect";
	if (harmsWhole(comparison) && last !== undefined) {
		const reason = "the whole pass lost quality";
		return event(state, {
			variant: child.id,
			adopted: false,
			kept: [],
			dropped: fresh.map((traced) => ({ edit: traced.id, reason })),
			working: variantOf(state, last),
			next: { move, generation: true },
			reason,
		});
	}
	const verdicts = judgesByGroup(state, context) ? attribute(comparison) : keepWhole(comparison);
	if (search.pruned && fresh.length === 0) {
		return event(state, {
			variant: child.id,
			adopted: true,
			kept: [],
			dropped: [],
			working: child,
			next: { move, generation: true },
			reason: "the shorter text holds",
		});
	}
	return event(state, {
		variant: child.id,
		adopted: verdicts.adopted,
		kept: verdicts.kept,
		dropped: verdicts.dropped,
		working: verdicts.adopted ? without(state, child, verdicts.dropped) : variantOf(state, last ?? search.working.id),
		next: { move, generation: true },
		reason: `${verdicts.kept.length} edits held over the train sample, ${verdicts.dropped.length} did not`,
	});
}

/** After pruning: what the checks miss comes back. */
function judgePrune(state: RunState, context: RunContext, child: VariantRecord): Judged {
	const search = searchOf(state);
	const pruning = planPruning(state, context, currentGroups(state, context));
	const removed = pruning?.removed ?? [];
	const harmed = new Set(harmedGroups(comparisonOf(state, context, [], [])));
	const gone = new Set(
		removed.filter((entry) => !entry.groups.some((id) => harmed.has(id))).map((entry) => entry.edit.id),
	);
	const edits = editsOf(state, search.working.patch).filter((traced) => !gone.has(traced.id));
	const working = recordOf(state, edits, {
		parents: [search.working.id],
		operator: "prune",
		generation: search.generation,
	});
	return event(state, {
		variant: child.id,
		adopted: false,
		kept: [],
		dropped: [...gone].map((edit) => ({ edit, reason: "pruned: its checks pass without it" })),
		working,
		next: { move: "measure", generation: false },
		reason: `${gone.size} lines pruned, ${removed.length - gone.size} came back`,
	});
}

/** Groups, and families of groups, with more failing checks after than before over the measured cases. */
function harmedGroups(comparison: Comparison): string[] {
	const before = new Map(groupsOf(comparison.cases, comparison.before).map((group) => [group.id, group.failing]));
	return groupsOf(comparison.cases, comparison.after)
		.filter((group) => group.failing > (before.get(group.id) ?? 0))
		.map((group) => group.id);
}

/** The decision on the variant whose measurements have just arrived. */
export function judgeMeasured(state: RunState, context: RunContext): Judged {
	const pending = searchOf(state).pending;
	if (!pending) throw new Error("nothing was measured that could be judged");
	const child = variantOf(state, pending.variant);
	switch (pending.purpose) {
		case "probe":
			return judgeProbe(state, context, child);
		case "prune":
			return judgePrune(state, context, child);
		default:
			return judgePass(state, context, child);
	}
}
