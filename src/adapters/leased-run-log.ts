/**
 * The log of a run that is conducted under a lease: each event is shared through Redis before it is written here, so that the
 * conductor that goes on elsewhere knows every decision, and one that was cut off can make no more. Knows the order of the two
 * writes; must not know an event.
 */

import { canonicalJson } from "../domain/digest.ts";
import type { RunEvent } from "../domain/events.ts";
import type { RunLog } from "../ports/run-log.ts";
import { reached } from "./fault-point.ts";
import { fenced } from "./fenced.ts";
import type { FileRunLog } from "./file-run-log.ts";
import { insist } from "./redis-errors.ts";
import type { RunDesk, RunLease } from "./run-desk.ts";
import { type SharedLog, sharedEntry } from "./shared-log.ts";

interface LeasedRunLogOptions {
	log: FileRunLog;
	desk: RunDesk;
	lease: RunLease;
	now: () => Date;
	/** Brings the run back into a Redis that was emptied. @throws FencedError when somebody else has it by then */
	restore(): Promise<void>;
}

export function createLeasedRunLog({ log, desk, lease, now, restore }: LeasedRunLogOptions): RunLog {
	const share = async (n: number, event: RunEvent, at: string): Promise<void> => {
		const answer = await insist(() => desk.append(lease, n, sharedEntry(event, at)));
		switch (answer.status) {
			case "appended":
				return;
			case "missing":
				await restore();
				return share(n, event, at);
			case "behind":
				for (let k = answer.at; k < n; k++) await share(k, log.events[k] as RunEvent, log.times[k] as string);
				return share(n, event, at);
			default:
				throw fenced(lease.run);
		}
	};
	return {
		events: log.events,
		async append(sequence, event, at = now().toISOString()) {
			reached("event-begins");
			await share(sequence, event, at);
			reached("event-shared");
			await log.append(sequence, event, at);
			reached("event-appended");
		},
		close: () => log.close(),
	};
}

/**
 * Makes log and Redis agree before a run goes on: what one of them lacks at the end is added there.
 * @returns false when they disagree about a decision; then Redis is right, because it is what other conductors saw
 */
export async function reconcile(log: RunLog, { events, times }: SharedLog): Promise<boolean> {
	const common = Math.min(log.events.length, events.length);
	for (let at = 0; at < common; at++) {
		if (canonicalJson(log.events[at]) !== canonicalJson(events[at])) return false;
	}
	for (let at = common; at < events.length; at++) await log.append(at, events[at] as RunEvent, times[at]);
	return true;
}
