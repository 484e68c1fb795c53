/**
 * What a run may start its search from: the text that the run before it found and could not prove. Pure; where runs are kept is
 * not known here. v0 stays what it is: the text of the repository, against which everything is proved.
 */
import type { EventOf } from "../domain/events.ts";
import { openingOf, type RunState, variantOf } from "../domain/run-state.ts";
import { editsOf } from "./patch.ts";

export type SearchStart = NonNullable<EventOf<"run-opened">["start"]>;

/**
 * The start that an earlier run leaves to one with the incumbent of this id; null when it was decided, when it found nothing, or
 * when its text belongs to another v0.
 */
export function startFrom(earlier: RunState, incumbent: string): SearchStart | null {
	const opened = openingOf(earlier);
	const finalist = earlier.search?.finished?.finalist;
	if (!leavesText(earlier) || opened.incumbent.id !== incumbent) return null;
	if (finalist === undefined || finalist === incumbent) return null;
	// Ids of their own: those of the new run count from the beginning again.
	const edits = editsOf(earlier, variantOf(earlier, finalist).patch).map((traced, index) => ({
		...traced,
		id: `start.${index}`,
		generation: 0,
	}));
	return edits.length === 0 ? null : { run: opened.run, edits, tried: triedIn(earlier) };
}

/** Whether a run has ended with a text that was looked at and not decided: undecided, or cut off by a limit in its proof. */
export function leavesText({ closed, looks }: RunState): boolean {
	return closed?.status === "undecided" || (closed?.status === "stopped" && looks.length > 0);
}

/** Texts that the run, and those that left it its start, have tried to prove: the next proof on these cases pays for them. */
function triedIn(earlier: RunState): NonNullable<SearchStart["tried"]> {
	const before = openingOf(earlier).start?.tried;
	const here = (gate: "validation" | "holdout") =>
		new Set(earlier.looks.filter((look) => look.gate === gate).map(({ variant }) => variant)).size;
	return {
		validation: (before?.validation ?? 0) + here("validation"),
		holdout: (before?.holdout ?? 0) + here("holdout"),
	};
}
