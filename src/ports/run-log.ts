/**
 * The append-only log of a run's decisions. One decision is one event; the log is the truth and all else is a cache.
 */
import type { RunEvent } from "../domain/events.ts";

export interface RunLog {
	/** Events so far, in order; event n has sequence number n, from 0. */
	readonly events: readonly RunEvent[];
	/**
	 * Durable when it resolves.
	 * @param at when it was decided (ISO 8601), for one that was decided elsewhere; now, if not given
	 * @throws LaterError when somebody else has appended since (`sequence` is not the next number)
	 */
	append(sequence: number, event: RunEvent, at?: string): Promise<void>;
	close(): Promise<void>;
}
