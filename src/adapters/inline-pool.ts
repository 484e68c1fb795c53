/**
 * The pool in this process: tasks run here, at most so many at a time. Knows no queue. It keeps the promises of the port with
 * the desk that all pools share.
 */
import pLimit from "p-limit";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { Perform, TaskPool } from "../ports/task-pool.ts";
import { onAbort } from "./abort-watch.ts";
import { createTaskDesk, unfinished, type Work } from "./task-desk.ts";

export interface InlinePoolOptions {
	/** How many tasks run at once at the most; 1 or more. */
	concurrency: number;
	perform: Perform;
	store: DialogueStore;
}

/** @returns a pool that does not own the store: whoever opened it closes it after the pool. */
export function createInlinePool({ concurrency, perform, store }: InlinePoolOptions): TaskPool {
	const limit = pLimit(concurrency);

	const work: Work = (task, journal, signal) =>
		new Promise((resolve, reject) => {
			// A task that waits for its turn is settled at once; one that has begun settles by itself.
			const settle = () => resolve(unfinished(task.key, journal.replies, "cancelled", "stopped before it was begun"));
			const forget = onAbort(signal, settle);
			const begin = async (): Promise<void> => {
				forget();
				if (!signal.aborted) resolve(await perform(task, journal, signal));
			};
			limit(begin).catch(reject);
		});

	const desk = createTaskDesk({ store, work });
	let closed = false;
	return {
		concurrency,
		async run(task, options) {
			if (closed) throw new Error("the pool is closed");
			return desk.run(task, options);
		},
		async close() {
			closed = true;
			await desk.idle();
		},
	};
}
