/** Finds the text that the latest run of a skill left undecided, for the next run to start from. Must not change any run. */
import { readFileRunLog } from "../adapters/file-run-log.ts";
import { listRuns } from "../adapters/run-folder.ts";
import { parseRunEvent } from "../domain/events.ts";
import { openingOf, replay } from "../domain/run-state.ts";
import { harnessOf } from "../domain/skill.ts";
import { variantId } from "../domain/variant.ts";
import { leavesText, type SearchStart, startFrom } from "../engine/start.ts";
import { DamageError } from "../errors.ts";
import type { Prepared } from "./prepare.ts";

/** Null when there is none. A damaged log of an earlier run is no reason not to begin: it is left to the commands that read it. */
export function findSearchStart(resultsFolder: string, { settings, skill }: Prepared): SearchStart | null {
	const incumbent = variantId(harnessOf(skill));
	for (const { folder } of listRuns(resultsFolder, settings.skill).reverse()) {
		try {
			const state = replay(readFileRunLog({ folder, parse: parseRunEvent }).events);
			const isDecided = state.closed !== null && state.closed.status !== "stopped";
			if ((isDecided || leavesText(state)) && openingOf(state).incumbent.id === incumbent)
				return startFrom(state, incumbent);
		} catch (error) {
			if (!(error instanceof DamageError)) throw error;
		}
	}
	return null;
}
