/**
 * What to ask. Each open cause gets one question with two failing rollouts and one that passed; asked again, it gets others,
 * and is told what was tried before. Only train cases are ever shown.
 */
import type { Case } from "../../domain/case.ts";
import type { GroupRecord } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import { caseOf, type RunContext } from "../context.ts";
import { editsOf } from "../patch.ts";
import { inputOf } from "../protocol.ts";
import type { ReflectionRequest } from "../steps.ts";
import { causesIn, type Finding, type Group, subjectOf } from "./groups.ts";
import { REPLACED } from "./judge.ts";
import { similarity, stemsOf } from "./words.ts";

/** Two failing examples are enough; more were measured and made no difference. */
const EXAMPLES = 2;
/** What is worth remembering of failed attempts at one cause. */
const REMEMBERED = 5;

export function recordOfGroup(group: Group): GroupRecord {
	return { id: group.id, label: group.label, failing: group.failing, total: group.total };
}

/** `count` members from a place on, going round. */
function turned<T>(list: readonly T[], start: number, count: number): T[] {
	return Array.from({ length: Math.min(count, list.length) }, (_, index) => list[(start + index) % list.length] as T);
}

/**
 * An answer that passed, for contrast: the near miss. Of the checks of one subject that pass, preferably one that wants
 * something else, the one whose case is most like the failing case: a rule too broad would break it. (P. Winston, Learning
 * structural descriptions from examples, 1970.)
 */
function contrastTo(
	group: Group,
	failing: Finding | undefined,
	all: readonly Group[],
	context: RunContext,
): Finding | null {
	if (failing === undefined) return null;
	const check = caseOf(context, failing.caseId).checks[failing.check];
	const own = group.findings.find((finding) => !finding.failed && finding.caseId !== failing.caseId) ?? null;
	if (check === undefined) return own;
	const words = stemsOf(inputOf(caseOf(context, failing.caseId)));
	let best: { finding: Finding; alike: number } | null = null;
	for (const other of causesIn(all)) {
		for (const finding of other.findings) {
			if (finding.failed || finding.caseId === failing.caseId || !sameSubject(caseOf(context, finding.caseId), finding))
				continue;
			const alike = similarity(words, stemsOf(inputOf(caseOf(context, finding.caseId))));
			if (best === null || alike > best.alike) best = { finding, alike };
		}
	}
	return best?.finding ?? own;

	function sameSubject(entry: Case, finding: Finding): boolean {
		const other = entry.checks[finding.check];
		return other !== undefined && check !== undefined && subjectOf(other) === subjectOf(check);
	}
}

function requestOf(state: RunState, context: RunContext, group: Group, all: readonly Group[]): ReflectionRequest {
	const search = searchOf(state);
	const tries = search.worked[group.id] ?? 0;
	// Examples of the symptom first; others of its cause where it has only one.
	const cause = causesIn(all).find((other) => other.id === group.cause) ?? group;
	const own = group.findings.filter((finding) => finding.failed);
	const others = cause.findings.filter((finding) => finding.failed && !own.includes(finding));
	const failing =
		own.length >= EXAMPLES ? turned(own, tries * EXAMPLES, EXAMPLES) : [...own, ...others].slice(0, EXAMPLES);
	const passing = contrastTo(cause, failing[0], all, context);
	const variantOf = (finding: Finding) => search.view[finding.caseId] ?? search.working.id;
	const rejected = state.dropped
		.filter((entry) => state.edits[entry.edit]?.group === group.id && entry.reason !== REPLACED)
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
		id: `g${search.generation}.${group.id.slice(0, 25)}`,
		group: recordOfGroup(group),
		failing: failing.map((finding) => ({
			caseId: finding.caseId,
			check: finding.check,
			variant: variantOf(finding),
		})),
		passing: passing === null ? null : { caseId: passing.caseId, variant: variantOf(passing) },
		rejected,
		keep,
		variant: search.working.id,
	};
}

/** One question a group, in the order of the groups; `all` holds every group of the train sample. */
export function requestsFor(
	state: RunState,
	context: RunContext,
	groups: readonly Group[],
	all: readonly Group[],
): ReflectionRequest[] {
	return groups.map((group) => requestOf(state, context, group, all));
}
