/** How a run ended, as the log in its folder tells it. For those who ask after Redis has forgotten the run. Changes nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readFileRunLog } from "../adapters/file-run-log.ts";
import { parseRunEvent } from "../domain/events.ts";
import { type RunState, replay } from "../domain/run-state.ts";
import { GepaError } from "../errors.ts";

/** The state of a run whose log is closed; null when it is open, not there or damaged. */
export function endOnDisk(folder: string): (RunState & { closed: NonNullable<RunState["closed"]> }) | null {
	if (!existsSync(join(folder, "events.jsonl"))) return null;
	try {
		const state = replay(readFileRunLog({ folder, parse: parseRunEvent }).events);
		return state.closed === null ? null : { ...state, closed: state.closed };
	} catch (error) {
		if (error instanceof GepaError) return null;
		throw error;
	}
}
