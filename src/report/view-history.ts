/**
 * How the compared text came about: groups worked on, edits with what they earned, refusals, and the looks of the gates.
 *
 * It must not know how groups are formed: that is the search's, and is handed in. Invariant: what is not known is null.
 */
import { type Case, casesOf } from "../domain/case.ts";
import type { TracedEdit, VariantRecord } from "../domain/events.ts";
import { openingOf, type RunState, searchOf } from "../domain/run-state.ts";
import type { Trial } from "../domain/trial.ts";
import { unusableWords } from "./plain-words.ts";
import type { EditView, GateView, GroupCount, GroupView, RefusalView, ViewContext } from "./view.ts";
import type { Measurements } from "./view-changes.ts";

const MESSAGES = 3;
/** Edits of an earlier run, or of several groups at once. */
const NO_GROUP = "no failure of this run alone";
/** What edits are for that no failure has brought. */
const COST_EDITS: Readonly<Record<string, string>> = {
	trim: "a shorter text: no case misses it",
	reformulate: "a shorter text: the same in fewer words",
};

/** Groups the checks of cases by what they want, under the trials given. */
export type GroupsOf = (
	cases: readonly Case[],
	trialOf: (caseId: string) => Trial | undefined,
) => readonly {
	id: string;
	label: string;
	failing: number;
	total: number;
	findings: readonly { caseId: string; check: number }[];
}[];

/**
 * The text in which the groups are counted after the search: the compared one, else the nearest before it, since what only lost edits
 * that did not help is not measured on all train cases again. Null when there is none but v0.
 */
export function countedText(state: RunState, cases: readonly Case[], measurements: Measurements, from: string | null) {
	const sample = new Set(openingOf(state).trainSample);
	const whole = casesOf(cases, "train").filter((entry) => sample.has(entry.id));
	let at = from;
	for (let steps = Object.keys(state.variants).length; at !== null && steps > 0; steps--) {
		if (at === openingOf(state).incumbent.id) return null;
		const tried = new Set(measurements.trials(at, "train").map(({ caseId }) => caseId));
		if (whole.length > 0 && whole.every(({ id }) => tried.has(id))) return at;
		at = state.variants[at]?.parents[0] ?? null;
	}
	return null;
}

/**
 * Groups that got a reflection, most improved first. Before and after are counted on the cases of the train sample.
 * @param counted the text to count after; see {@link countedText}
 */
export function groupsView(
	state: RunState,
	cases: readonly Case[],
	measurements: Measurements,
	counted: string | null,
	groupsOf: ViewContext["groupsOf"],
): GroupView[] {
	const sample = new Set(openingOf(state).trainSample);
	const train = casesOf(cases, "train").filter((entry) => sample.has(entry.id));
	const notes = new Map<string, string | null>();
	const count = (variant: string | null): Map<string, GroupCount> => {
		if (variant === null || groupsOf === undefined) return new Map();
		const first = new Map<string, Trial>();
		for (const trial of measurements.trials(variant, "train"))
			if (!first.has(trial.caseId)) first.set(trial.caseId, trial);
		// A text that was only probed on some cases says nothing about a whole group.
		if (train.some((entry) => !first.has(entry.id))) return new Map();
		const groups = groupsOf(train, (id) => first.get(id));
		for (const { id, findings } of groups) if (!notes.has(id)) notes.set(id, noteOf(findings, train));
		return new Map(groups.map(({ id, failing, total }) => [id, { failing, total }]));
	};
	const before = count(openingOf(state).incumbent.id);
	const after = count(counted);
	const { worked } = searchOf(state);
	return Object.values(state.groups)
		.map((group) => ({
			id: group.id,
			label: group.label,
			note: notes.get(group.id) ?? null,
			worked: worked[group.id] ?? 0,
			before: before.get(group.id) ?? { failing: group.failing, total: group.total },
			after: after.get(group.id) ?? null,
		}))
		.sort((a, b) => healed(b) - healed(a) || b.before.failing - a.before.failing || (a.id < b.id ? -1 : 1));
}

/** The note that all checks of a group share, whatever its spacing and case; null where they have none or several. */
function noteOf(findings: readonly { caseId: string; check: number }[], cases: readonly Case[]): string | null {
	const byId = new Map(cases.map((entry) => [entry.id, entry]));
	const notes = findings.map(({ caseId, check }) => byId.get(caseId)?.checks[check]?.note ?? "");
	const topics = new Set(
		notes.map((note) =>
			note
				.toLowerCase()
				.replace(/[^\p{L}\p{N}]+/gu, " ")
				.trim(),
		),
	);
	return topics.size === 1 && notes[0] !== "" ? (notes[0] ?? null) : null;
}

function healed(group: GroupView): number {
	return group.after === null ? 0 : group.before.failing - group.after.failing;
}

/** Edits that lead from v0 to the record, in order, each with the figures of the group it was written for. */
export function editsView(state: RunState, record: VariantRecord | null, groups: readonly GroupView[]): EditView[] {
	return (record?.patch ?? []).flatMap((id) => {
		const traced = state.edits[id];
		return traced === undefined ? [] : [editView(state, traced, groups, null)];
	});
}

/** Edits that were taken out again and are not in the record, with the reason. */
export function droppedView(state: RunState, record: VariantRecord | null, groups: readonly GroupView[]): EditView[] {
	const held = new Set(record?.patch ?? []);
	const last = new Map(
		state.dropped.filter((entry) => !held.has(entry.edit)).map((entry) => [entry.edit, entry.reason]),
	);
	return [...last].flatMap(([id, reason]) => {
		const traced = state.edits[id];
		return traced === undefined ? [] : [editView(state, traced, groups, reason)];
	});
}

function editView(state: RunState, traced: TracedEdit, groups: readonly GroupView[], dropped: string | null): EditView {
	const earned = groups.find((group) => group.id === traced.group) ?? null;
	const { op, section, find, text } = traced.edit;
	return {
		id: traced.id,
		op,
		section,
		find: find ?? null,
		text: text ?? null,
		group: earned?.label ?? state.groups[traced.group]?.label ?? COST_EDITS[traced.group] ?? NO_GROUP,
		generation: traced.generation,
		dropped,
		earned: dropped === null ? earned : null,
	};
}

/** Refused edits by code, most frequent first. */
export function refusalsView(state: RunState): RefusalView[] {
	const byCode = new Map<string, { messages: Set<string>; count: number; text: string | null }>();
	for (const refusal of state.refusals) {
		const entry = byCode.get(refusal.code) ?? { messages: new Set<string>(), count: 0, text: null };
		entry.count += 1;
		entry.messages.add(refusal.message);
		entry.text ??= refusal.text ?? null;
		byCode.set(refusal.code, entry);
	}
	return [...byCode]
		.map(([code, { messages, count, text }]) => ({ code, count, messages: [...messages].slice(0, MESSAGES), text }))
		.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

/** Proposals that could not be used, by reason, most frequent first. */
export function unusableView(state: RunState): { reason: string; count: number }[] {
	const counts = new Map<string, number>();
	for (const proposal of state.proposals) {
		if (proposal.status !== "dropped") continue;
		const reason = unusableWords(proposal.reason ?? "no reason given");
		counts.set(reason, (counts.get(reason) ?? 0) + 1);
	}
	return [...counts]
		.map(([reason, count]) => ({ reason, count }))
		.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/** Every look that was taken, in order. */
export function gatesView(state: RunState, labelOf: (id: string) => string): GateView[] {
	return state.looks.map(({ event }) => {
		const { type: _type, ...look } = event;
		return { ...look, label: labelOf(look.variant) };
	});
}
