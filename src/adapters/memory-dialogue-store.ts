/**
 * What has been paid for, in memory: for tests and for a run that leaves nothing behind. It keeps the promises of the port but
 * for durability.
 */
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue } from "../domain/trial.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";

export function createMemoryDialogueStore(): DialogueStore {
	const open = new Map<string, Reply[]>();
	const finished = new Map<string, Dialogue>();
	return {
		async find(key) {
			return finished.get(key);
		},
		async replies(key) {
			return [...(open.get(key) ?? [])];
		},
		async addReply(key, index, reply) {
			if (finished.has(key)) return;
			const replies = open.get(key) ?? [];
			if (index > replies.length) throw new RangeError(`reply ${index} of ${key} came before reply ${replies.length}`);
			if (index === replies.length) open.set(key, [...replies, reply]);
		},
		async finish(key, { met, lostCalls }) {
			if (finished.has(key)) return;
			finished.set(key, { key, replies: open.get(key) ?? [], complete: true, met, lostCalls });
			open.delete(key);
		},
		async close() {},
	};
}
