/**
 * What to combine. The edits of all usable proposals become one child of the working text; each keeps its origin, so that
 * what does not earn its place can be taken out alone. Refused edits carry a code and are shown in the report.
 */
import { admitHarness } from "../../domain/admission.ts";
import type { Proposal, Refusal, TracedEdit } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import { applyEdits, type Edit, sectionsOf } from "../../domain/section.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { baseSections, buildText, editsOf } from "../patch.ts";
import type { Group } from "./groups.ts";
import { judgingOf } from "./judging.ts";
import { hasRegressed } from "./view.ts";
import { similarity, wordsOf } from "./words.ts";

export interface Combined {
	edits: TracedEdit[];
	/** The whole patch: what the working text had, then what is new. */
	patch: TracedEdit[];
	refusals: Refusal[];
}

/** Two lines that share this much of their words say the same. */
const SAME_WORDS = 0.8;

/** An append of a list is one edit a line, so that each line can be judged and pruned alone. */
function singleLines(edit: Edit): Edit[] {
	if (edit.op !== "append" || edit.text === undefined) return [edit];
	const lines = edit.text.split("\n").filter((line) => line.trim() !== "");
	if (lines.length < 2 || !lines.every((line) => /^\s*[-*+]\s/.test(line))) return [edit];
	return lines.map((line) => ({ ...edit, text: line }));
}

/** Lines of edits whose own group passes by now: they prove their worth and other groups may not touch them. */
function provenLines(patch: readonly TracedEdit[], groups: readonly Group[], passShare: number): Map<string, string> {
	const passing = new Set(
		groups.filter((group) => group.total > 0 && group.failing / group.total < passShare).map((group) => group.id),
	);
	const lines = new Map<string, string>();
	for (const traced of patch) {
		if (traced.edit.text !== undefined && passing.has(traced.group)) lines.set(traced.edit.text.trim(), traced.group);
	}
	return lines;
}

/** Lines that the search has added: where edits are not judged apart, nobody knows which of them to do without. */
function addedLines(patch: readonly TracedEdit[]): Map<string, string> {
	return new Map(patch.flatMap((traced) => (traced.edit.text === undefined ? [] : [[traced.edit.text.trim(), ""]])));
}

/** A group that passed before a line came and fails since may reword that line: it lacks an exception. Nobody may delete it. */
function touchesProven(
	edit: Edit,
	group: string,
	proven: ReadonlyMap<string, string>,
	mayReword: (group: string) => boolean,
): boolean {
	const find = edit.find?.trim();
	if (edit.op === "append" || (edit.op === "replace" && find !== undefined && mayReword(group))) return false;
	const touched = find
		?.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
	for (const [line, owner] of proven) {
		if (owner === group) continue;
		if (touched === undefined || touched.some((part) => line.includes(part) || part.includes(line))) return true;
	}
	return false;
}

/**
 * Adds the proposals' edits to the working text one after the other, in the order of the proposals, and refuses those that
 * repeat a line, touch a proven one, do not fit, or do not pass admission.
 */
export function combine(
	state: RunState,
	context: RunContext,
	proposals: readonly Proposal[],
	groups: readonly Group[],
): Combined {
	const search = searchOf(state);
	const before = editsOf(state, search.working.patch);
	const whole = judgingOf(context) === "whole";
	const proven = whole ? addedLines(before) : provenLines(before, groups, context.settings.search.openShare);
	const regressed = new Set(groups.filter((group) => hasRegressed(state, group)).map((group) => group.id));
	const base = baseSections(state);
	const caseTexts = trainSampleOf(state, context).map(
		(entry) => entry.input ?? entry.messages?.map((message) => message.content).join("\n") ?? "",
	);
	const refusals: Refusal[] = [];
	const edits: TracedEdit[] = [];
	let text = buildText(base, before).harness;
	let lines = text.flatMap((segment) => segment.split("\n")).map(wordsOf);
	for (const proposal of proposals) {
		if (proposal.status !== "usable") continue;
		for (const [index, edit] of proposal.edits.flatMap(singleLines).entries()) {
			const refuse = (code: string, message: string) =>
				refusals.push({ proposal: proposal.id, code, message, text: edit.text ?? edit.find ?? "" });
			if (touchesProven(edit, proposal.group, proven, (group) => whole || regressed.has(group))) {
				refuse("proven-line", "it would change a line whose checks pass");
				continue;
			}
			const words = wordsOf(edit.text ?? "");
			if (edit.op === "append" && lines.some((line) => similarity(line, words) >= SAME_WORDS)) {
				refuse("duplicate", "the text says this already");
				continue;
			}
			const applied = applyEdits(sectionsOf(text), [edit]);
			const result = applied.results[0];
			if (result?.status !== "applied") {
				refuse(result?.code ?? "not-applied", result?.message ?? "the edit does not fit the text");
				continue;
			}
			const traced: TracedEdit = {
				id: `${proposal.id}.${index}`,
				proposal: proposal.id,
				group: proposal.group,
				generation: search.generation,
				edit,
			};
			const next = buildText(base, [...before, ...edits, traced]);
			const admission = admitHarness(context.skill, text, next.harness, {
				maxBytes: context.settings.search.harnessBytes,
				caseTexts,
			});
			if (!admission.ok) {
				const first = admission.refusals[0];
				refuse(first?.code ?? "refused", first?.message ?? "admission refused it");
				continue;
			}
			edits.push(traced);
			text = next.harness;
			lines = text.flatMap((segment) => segment.split("\n")).map(wordsOf);
		}
	}
	return { edits, patch: [...before, ...edits], refusals };
}
