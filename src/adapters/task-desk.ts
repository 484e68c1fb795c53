/**
 * What every pool does alike, whoever does the work: equal keys are done once, what is stored is harvested instead of bought,
 * each reply is stored as it comes, and an aborted signal settles what waits. Knows no way of working. Its invariant: a
 * finished dialogue is in the store before anybody is told of it.
 */
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue, Loss, Task } from "../domain/trial.ts";
import { GepaError } from "../errors.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { Journal } from "../ports/task-pool.ts";
import { onAbort } from "./abort-watch.ts";

const LONGEST_MESSAGE = 400;

/**
 * Does a task. It settles soon after the signal aborts, rejects with a GepaError for an outage of the pool or the store, and
 * with anything else when the task itself cannot be done.
 */
export type Work = (task: Task, journal: Journal, signal: AbortSignal) => Promise<Dialogue>;

export interface TaskDesk {
	run(task: Task, options: { signal: AbortSignal }): Promise<Dialogue>;
	/** Resolves when nothing is under way any more. */
	idle(): Promise<void>;
}

/** One key that is being worked on, for everybody who has asked for it. */
interface UnderWay {
	dialogue: Promise<Dialogue>;
	/** How many still want it; when the last one has aborted, the work is told to stop. */
	wanted: number;
	stop: AbortController;
}

export function createTaskDesk({ store, work }: { store: DialogueStore; work: Work }): TaskDesk {
	const underWay = new Map<string, UnderWay>();

	const begin = (task: Task): UnderWay => {
		const stop = new AbortController();
		const dialogue = perform(task, store, work, stop.signal).finally(() => underWay.delete(task.key));
		const entry = { dialogue, wanted: 0, stop };
		underWay.set(task.key, entry);
		return entry;
	};

	return {
		async run(task, { signal }) {
			if (signal.aborted) return cancelled(store, task.key);
			let entry = underWay.get(task.key);
			// Work that everybody has given up settles as cancelled: whoever asks now waits for that and begins anew.
			while (entry?.stop.signal.aborted) {
				await entry.dialogue.catch(() => undefined);
				entry = underWay.get(task.key);
			}
			entry ??= begin(task);
			return await wait(entry, store, task.key, signal);
		},
		async idle() {
			while (underWay.size > 0) await Promise.allSettled([...underWay.values()].map((entry) => entry.dialogue));
		},
	};
}

/** Waits for shared work; whoever aborts while others still want it is let go at once, the last one waits until it settles. */
function wait(entry: UnderWay, store: DialogueStore, key: string, signal: AbortSignal): Promise<Dialogue> {
	entry.wanted++;
	return new Promise((resolve, reject) => {
		const forget = onAbort(signal, () => {
			if (--entry.wanted === 0) return entry.stop.abort();
			resolve(cancelled(store, key));
		});
		entry.dialogue.then(resolve, reject).finally(forget);
	});
}

async function perform(task: Task, store: DialogueStore, work: Work, signal: AbortSignal): Promise<Dialogue> {
	const finished = await store.find(task.key);
	if (finished !== undefined) return finished;
	const replies = [...(await store.replies(task.key))];
	let outage: unknown;
	const record = async (reply: Reply): Promise<void> => {
		try {
			await store.addReply(task.key, replies.length, reply);
			replies.push(reply);
		} catch (error) {
			outage = error;
			throw error;
		}
	};
	let dialogue: Dialogue;
	try {
		dialogue = await work(task, { replies: [...replies], record }, signal);
	} catch (error) {
		if (outage !== undefined || error instanceof GepaError) throw outage ?? error;
		return unfinished(
			task.key,
			replies,
			"worker",
			`the task cannot be done: ${String(error).slice(0, LONGEST_MESSAGE)}`,
		);
	}
	for (const reply of dialogue.replies.slice(replies.length)) await record(reply);
	if (dialogue.complete) await store.finish(task.key, dialogue);
	return dialogue;
}

async function cancelled(store: DialogueStore, key: string): Promise<Dialogue> {
	return unfinished(key, await store.replies(key), "cancelled", "stopped before it was done");
}

/** An incomplete dialogue: what has been paid for so far, and why there is no more. */
export function unfinished(key: string, replies: readonly Reply[], reason: Loss, message: string): Dialogue {
	return { key, replies: [...replies], complete: false, met: false, lostCalls: 0, loss: { reason, message } };
}
