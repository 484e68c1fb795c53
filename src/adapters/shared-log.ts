/**
 * How the log of a run stands in Redis: each event with the time at which it was decided, so that whoever follows the run or goes
 * on with it tells the same course as the host that conducted it. Knows the text of an entry; must not know a key.
 */
import { canonicalJson } from "../domain/digest.ts";
import { parseRunEvent, type RunEvent } from "../domain/events.ts";
import { GuardError } from "../errors.ts";

/** Events and when each was decided (ISO 8601), in the same order. */
export interface SharedLog {
	events: RunEvent[];
	times: string[];
}

export const sharedEntry = (event: RunEvent, at: string): string => canonicalJson({ at, event });

/**
 * @param first number of the first of these entries in the log
 * @throws GuardError when an entry is of another shape, or holds no event that this version knows
 */
export function readSharedLog(entries: readonly string[], first = 0): SharedLog {
	const read = entries.map((entry, n) => readEntry(entry) ?? refuse(first + n));
	return { events: read.map(({ event }) => event), times: read.map(({ at }) => at) };
}

function readEntry(entry: string): { at: string; event: RunEvent } | null {
	try {
		const { at, event } = JSON.parse(entry) as { at: unknown; event: unknown };
		if (typeof at !== "string" || Number.isNaN(Date.parse(at))) return null;
		return { at, event: parseRunEvent(event) };
	} catch {
		return null;
	}
}

function refuse(n: number): never {
	throw new GuardError({
		message: `entry ${n + 1} of the run's log in Redis is none that this version of gepa knows: another version has written it`,
		hint: "Nothing is lost. Bring workers and command line to the version that conducted the run.",
	});
}
