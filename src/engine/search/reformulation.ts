/**
 * The same said shorter. One question for each of the sections that cost most; of the answer only what makes that section shorter
 * is taken, admitted like any edit and measured like any child.
 */
import { admitHarness } from "../../domain/admission.ts";
import type { EventOf, TracedEdit } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import type { TrimState } from "../../domain/search-state.ts";
import { applyEdits, joinSections, sectionsOf } from "../../domain/section.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { inputOf } from "../protocol.ts";
import type { ConsolidateStep } from "../steps.ts";

/** A section of fewer characters is not worth a question. */
const WORTH_ASKING = 200;

/** The next question; null when all that may be asked was asked. */
export function reformulationOf(state: RunState, context: RunContext, trim: TrimState): ConsolidateStep | null {
	const { working, generation } = searchOf(state);
	if (trim.asked.length >= context.settings.search.reformulations) return null;
	const [longest] = sectionsOf(working.harness)
		.filter((section) => section.text.length >= WORTH_ASKING && !trim.asked.includes(section.id))
		.sort((a, b) => b.text.length - a.text.length || (a.id < b.id ? -1 : 1));
	if (longest === undefined) return null;
	return {
		type: "consolidate",
		operator: "reformulate",
		generation,
		id: `g${generation}.reformulate`,
		failing: [],
		section: longest.id,
	};
}

/** The edits of an answer that fit, and what was refused. No edits where the whole is not shorter than before. */
export function shorterWording(
	state: RunState,
	context: RunContext,
	section: string,
): { edits: TracedEdit[]; refusals: EventOf<"edits-judged">["refusals"] } {
	const { working, proposals, generation } = searchOf(state);
	const refusals: EventOf<"edits-judged">["refusals"] = [];
	const edits: TracedEdit[] = [];
	const options = {
		maxBytes: context.settings.search.harnessBytes,
		caseTexts: trainSampleOf(state, context).map(inputOf),
	};
	let text: readonly string[] = working.harness;
	for (const proposal of proposals) {
		for (const [index, edit] of proposal.edits.entries()) {
			const refuse = (code: string, message: string) =>
				refusals.push({ proposal: proposal.id, code, message, text: edit.text ?? edit.find ?? "" });
			if (edit.op === "append" || edit.section !== section) {
				refuse("not-shorter", "it was asked to say one section shorter");
				continue;
			}
			const applied = applyEdits(sectionsOf(text), [edit]);
			const result = applied.results[0];
			if (result?.status !== "applied") {
				refuse(result?.code ?? "not-applied", result?.message ?? "the edit does not fit the text");
				continue;
			}
			const next = joinSections(applied.sections);
			const admission = admitHarness(context.skill, text, next, options);
			if (!admission.ok) {
				refuse(admission.refusals[0]?.code ?? "refused", admission.refusals[0]?.message ?? "admission refused it");
				continue;
			}
			text = next;
			edits.push({ id: `${proposal.id}.${index}`, proposal: proposal.id, group: proposal.group, generation, edit });
		}
	}
	if (text.join("").length < working.harness.join("").length) return { edits, refusals };
	for (const { proposal, edit } of edits)
		refusals.push({
			proposal,
			code: "not-shorter",
			message: "the section is no shorter",
			text: edit.text ?? edit.find ?? "",
		});
	return { edits: [], refusals };
}
