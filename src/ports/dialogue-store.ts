/**
 * What has been paid for, by content key. A reply is durable before anything is decided on it.
 */
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue } from "../domain/trial.ts";

export interface DialogueStore {
	/** The finished dialogue of a key, or undefined. */
	find(key: string): Promise<Dialogue | undefined>;
	/** Replies of a dialogue that was not finished. */
	replies(key: string): Promise<readonly Reply[]>;
	/** Adds reply number `index` (from 0) of a dialogue. Adding the same index again is ignored. */
	addReply(key: string, index: number, reply: Reply): Promise<void>;
	/** Marks a dialogue as complete with its verdict. */
	finish(key: string, verdict: { met: boolean; lostCalls: number }): Promise<void>;
	close(): Promise<void>;
}
