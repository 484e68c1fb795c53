/** A store in memory that remembers what was written and when, so that a test can have it as it was at any moment. */
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import type { DialogueStore } from "../../src/ports/dialogue-store.ts";

export interface RecordedStore extends DialogueStore {
	/** Writes so far: replies and verdicts. */
	readonly writes: number;
	/** Replies among the first writes. */
	repliesIn(writes: number): number;
	/** A store that holds the first writes only. */
	cutAt(writes: number): Promise<DialogueStore>;
}

export function createRecordedStore(): RecordedStore {
	const inner = createMemoryDialogueStore();
	const written: { reply: boolean; again: (store: DialogueStore) => Promise<void> }[] = [];
	return {
		find: (key) => inner.find(key),
		replies: (key) => inner.replies(key),
		async addReply(key, index, reply) {
			written.push({ reply: true, again: (store) => store.addReply(key, index, reply) });
			await inner.addReply(key, index, reply);
		},
		async finish(key, verdict) {
			written.push({ reply: false, again: (store) => store.finish(key, verdict) });
			await inner.finish(key, verdict);
		},
		close: () => inner.close(),
		get writes() {
			return written.length;
		},
		repliesIn: (writes) => written.slice(0, writes).filter((write) => write.reply).length,
		async cutAt(writes) {
			const store = createMemoryDialogueStore();
			for (const write of written.slice(0, writes)) await write.again(store);
			return store;
		},
	};
}
