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
import { inputOf } from "../protocol.ts";
import { addedLines, createRelated } from "./consolidation.ts";
import type { Group } from "./groups.ts";
import { covers, singleLines, tellingWords } from "./lines.ts";
import { createOwners } from "./owners.ts";
import { causesOf } from "./view.ts";
import { similarity, stemsOf, wordsOf } from "./words.ts";

export interface Combined {
	edits: TracedEdit[];
	/** The whole patch: what the working text had and keeps, then what is new. */
	patch: TracedEdit[];
	refusals: Refusal[];
}

/** Two lines that share this much of their words say the same. */
const SAME_WORDS = 0.8;

/**
 * Whether an edit deletes, or rewrites a whole section over, a line that the search has added. A line that is about the failing
 * cause itself may go: it is what fails.
 */
function removesAdded(edit: Edit, added: readonly TracedEdit[], isOwn: (line: string) => boolean): boolean {
	if (edit.op === "append" || (edit.op === "replace" && edit.find !== undefined)) return false;
	if (edit.find === undefined) return added.some((traced) => traced.edit.section === edit.section);
	const gone = edit.find.split("\n").map((line) => line.trim());
	return added.some((traced) => {
		const line = traced.edit.text?.trim() ?? "";
		return (
			line !== "" && gone.some((part) => part !== "" && (line.includes(part) || part.includes(line))) && !isOwn(line)
		);
	});
}

/** The group that an edit was written for. A merged edit was written for that of the proposed edit which it is most like. */
function groupOf(state: RunState, proposal: Proposal, edit: Edit): string {
	const { consolidated, generation } = searchOf(state);
	if (!consolidated.some((operator) => operator === proposal.group)) return proposal.group;
	const words = stemsOf(edit.text ?? edit.find ?? "");
	let best = { group: proposal.group, alike: -1 };
	for (const source of state.proposals) {
		if (source.generation < generation - 1 || source.status !== "usable") continue;
		for (const other of source.edits.flatMap(singleLines)) {
			const alike = other.op === edit.op ? similarity(stemsOf(other.text ?? other.find ?? ""), words) : -1;
			if (alike > best.alike) best = { group: source.group, alike };
		}
	}
	return best.group;
}

/** The edits of the working text, without added lines that were put to a merge or a ranking and did not come back. */
function withoutMerged(state: RunState, proposals: readonly Proposal[]): TracedEdit[] {
	const edits = editsOf(state, searchOf(state).working.patch);
	const merged = proposals.find((proposal) => proposal.group === "merge" || proposal.group === "rank");
	if (merged === undefined) return edits;
	const listed = new Set(merged.edits.map((edit) => edit.text));
	const put = new Set(addedLines(state).map((traced) => traced.id));
	return edits.filter((traced) => !put.has(traced.id) || listed.has(traced.edit.text));
}

/**
 * Adds the proposals' edits to the working text one after the other, in the order of the proposals. Refused are those that are
 * about nothing that is checked, say what a line says already, delete a line that the search has added, do not fit, or do not
 * pass admission. An added line that a new one says with more to it makes room.
 */
export function combine(
	state: RunState,
	context: RunContext,
	proposals: readonly Proposal[],
	groups: readonly Group[],
): Combined {
	const search = searchOf(state);
	const base = baseSections(state);
	const caseTexts = trainSampleOf(state, context).map(inputOf);
	const ownerOf = createOwners(groups, context);
	const isRelated = createRelated(state, context, groups);
	const refusals: Refusal[] = [];
	let kept = withoutMerged(state, proposals);
	let edits: TracedEdit[] = [];
	let text = buildText(base, kept).harness;
	const linesOf = () => text.flatMap((segment) => segment.split("\n"));
	let lines = linesOf();
	// Where words do not tell, two lines that share those that do may be about different things.
	const { repeat } = causesOf(state, context);
	const tell = (line: string): ReadonlySet<string> => (repeat ? tellingWords(line, context) : new Set());
	const told = (traced: TracedEdit) => tell(traced.edit.text ?? "");
	for (const proposal of proposals) {
		if (proposal.status !== "usable") continue;
		for (const [index, edit] of proposal.edits.flatMap(singleLines).entries()) {
			const refuse = (code: string, message: string) =>
				refusals.push({ proposal: proposal.id, code, message, text: edit.text ?? edit.find ?? "" });
			// A merge brings the lines back that stand already. One that stands no more is proposed like any other.
			const stands = (line: string) => text.some((segment) => segment.includes(line.trim()));
			if (kept.some(({ edit: { op, text: line } }) => op === "append" && line === edit.text && stands(line ?? "")))
				continue;
			const group = groupOf(state, proposal, edit);
			const cause = groups.find((other) => other.id === group)?.cause;
			if (
				removesAdded(
					edit,
					[...kept, ...edits].filter((traced) => traced.edit.text !== undefined),
					(line) => cause !== undefined && ownerOf(line)?.group.cause === cause,
				)
			) {
				refuse("proven-line", "it would take out a line that the search has added");
				continue;
			}
			const appended = edit.op === "append" ? (edit.text ?? "") : null;
			const telling = tell(appended ?? "");
			if (appended !== null) {
				if (!isRelated(edit)) {
					refuse("unrelated", "it is about nothing that is checked");
					continue;
				}
				const words = wordsOf(appended);
				if (
					lines.some((line) => similarity(wordsOf(line), words) >= SAME_WORDS) ||
					[...kept, ...edits].some((traced) => covers(told(traced), telling))
				) {
					refuse("duplicate", "the text says this already");
					continue;
				}
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
				group,
				generation: search.generation,
				edit,
			};
			const stays = (other: TracedEdit) => other.edit.op !== "append" || !covers(telling, told(other));
			const [keptNow, editsNow] = appended === null ? [kept, edits] : [kept.filter(stays), edits.filter(stays)];
			const next = buildText(base, [...keptNow, ...editsNow, traced]);
			const admission = admitHarness(context.skill, text, next.harness, {
				maxBytes: context.settings.search.harnessBytes,
				caseTexts,
			});
			if (!admission.ok) {
				const first = admission.refusals[0];
				refuse(first?.code ?? "refused", first?.message ?? "admission refused it");
				continue;
			}
			kept = keptNow;
			edits = [...editsNow, traced];
			text = next.harness;
			lines = linesOf();
		}
	}
	return { edits, patch: [...kept, ...edits], refusals };
}
