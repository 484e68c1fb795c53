/**
 * How the log of a run stands in Redis: each event with the time at which it was decided, so that whoever follows the run or goes
 * on with it tells the same course as the host that conducted it. Knows the text of an entry; must not know a key.
 */
import { canonicalJson } from "../domain/digest.ts";
import { parseRunEvent, type RunEvent } from "../domain/events.ts";

/** Events and when each was decided (ISO 8601), in the same order. */
export interface SharedLog {
	events: RunEvent[];
	times: string[];
}

export const sharedEntry = (event: RunEvent, at: string): string => canonicalJson({ at, event });

/** @throws Error when an entry holds no event that this version knows */
export function readSharedLog(entries: readonly string[]): SharedLog {
	const read = entries.map((entry) => {
		const { at, event } = JSON.parse(entry) as { at: string; event: unknown };
		return { at, event: parseRunEvent(event) };
	});
	return { events: read.map(({ event }) => event), times: read.map(({ at }) => at) };
}
