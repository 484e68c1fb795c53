/**
 * What to ask. Each open group gets one question with two failing rollouts and one that passed; asked again, it gets others,
 * and is told what was tried before. Only train cases are ever shown.
 */
import type { GroupRecord } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import { editsOf } from "../patch.ts";
import type { ReflectionRequest } from "../steps.ts";
import { type Finding, type Group, partsOf } from "./groups.ts";

/** Two failing examples are enough; more were measured and made no difference. */
const EXAMPLES = 2;
/** What is worth remembering of failed attempts at one group. */
const REMEMBERED = 5;

export function recordOfGroup(group: Group): GroupRecord {
	return { id: group.id, label: group.label, failing: group.failing, total: group.total };
}

/** `count` members from a place on, going round. */
function turned<T>(list: readonly T[], start: number, count: number): T[] {
	return Array.from({ length: Math.min(count, list.length) }, (_, index) => list[(start + index) % list.length] as T);
}

/** Failing findings of a group, those of its largest part first: examples of one kind say more than a mixture. */
function ofOneKind(group: Group, parts: readonly Group[]): Finding[] {
	const ranked = [...parts].sort((a, b) => b.failing - a.failing || (a.id < b.id ? -1 : 1));
	const findings =
		ranked.length > 0 && group.id === group.family ? ranked.flatMap((part) => part.findings) : group.findings;
	return findings.filter((finding) => finding.failed);
}

function requestOf(state: RunState, group: Group, parts: readonly Group[]): ReflectionRequest {
	const search = searchOf(state);
	const tries = search.worked[group.id] ?? 0;
	const failing = ofOneKind(group, parts);
	const passing = group.findings.find((finding) => !finding.failed);
	const variantOf = (finding: Finding) => search.view[finding.caseId] ?? search.working.id;
	const rejected = state.dropped
		.filter((entry) => state.edits[entry.edit]?.group === group.id)
		.slice(-REMEMBERED)
		.flatMap((entry) => {
			const edit = state.edits[entry.edit]?.edit;
			return edit === undefined
				? []
				: [{ text: `${edit.op}: ${edit.text ?? edit.find ?? edit.section}`, effect: entry.reason }];
		});
	const keep = editsOf(state, search.working.patch)
		.filter((traced) => traced.group !== group.id && traced.edit.text !== undefined)
		.map((traced) => (traced.edit.text as string).trim());
	return {
		id: `g${search.generation}.r${search.round}.${group.id.slice(0, 16)}`,
		group: recordOfGroup(group),
		failing: turned(failing, tries * EXAMPLES, EXAMPLES).map((finding) => ({
			caseId: finding.caseId,
			check: finding.check,
			variant: variantOf(finding),
		})),
		passing: passing === undefined ? null : { caseId: passing.caseId, variant: variantOf(passing) },
		rejected,
		keep,
		variant: search.working.id,
	};
}

/** One question a group, in the order of the groups; `all` holds the parts of families too. */
export function requestsFor(state: RunState, groups: readonly Group[], all: readonly Group[]): ReflectionRequest[] {
	return groups.map((group) => requestOf(state, group, partsOf(all, group.family)));
}
