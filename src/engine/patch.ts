/**
 * Texts as patches. Inside the search a text is v0 with a list of edits, in order: taking an edit out means building the
 * text again without it. An edit that no longer finds its place falls away.
 */
import type { TracedEdit, VariantRecord } from "../domain/events.ts";
import type { RunState } from "../domain/run-state.ts";
import { openingOf } from "../domain/run-state.ts";
import { applyEdits, joinSections, type Section, sectionsOf } from "../domain/section.ts";
import { variantId } from "../domain/variant.ts";

/** The sections of v0. */
export function baseSections(state: RunState): Section[] {
	return sectionsOf(openingOf(state).incumbent.harness);
}

/** v0 with these edits, in order; `patch` lists those that found their place. */
export function buildText(
	base: readonly Section[],
	edits: readonly TracedEdit[],
): { harness: string[]; patch: string[] } {
	let sections: readonly Section[] = base;
	const patch: string[] = [];
	for (const traced of edits) {
		const applied = applyEdits(sections, [traced.edit]);
		if (applied.results[0]?.status !== "applied") continue;
		sections = applied.sections;
		patch.push(traced.id);
	}
	return { harness: joinSections(sections), patch };
}

/** The traced edits of ids, in the order given; ids come from the log, so each is known. */
export function editsOf(state: RunState, ids: readonly string[]): TracedEdit[] {
	return ids.flatMap((id) => state.edits[id] ?? []);
}

/**
 * A record for v0 with these edits. A text that the run knows already keeps its origin; its patch is the one that leads to it
 * now, since the same line may come back for another reason.
 */
export function recordOf(
	state: RunState,
	edits: readonly TracedEdit[],
	origin: Pick<VariantRecord, "parents" | "operator" | "generation">,
): VariantRecord {
	const { harness, patch } = buildText(baseSections(state), edits);
	const id = variantId(harness);
	return { id, ...origin, harness, ...state.variants[id], patch };
}
