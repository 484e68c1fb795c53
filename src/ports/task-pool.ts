/**
 * Where paid work is done: in this process or by workers behind a queue. The engine cannot tell them apart.
 *
 * Promises of every implementation, checked by one contract suite: exactly one dialogue for each key, however often and
 * by however many it is asked for; order of completion is free; a poison task fails alone; an aborted signal stops new work
 * and settles what waits with the loss `cancelled`; dialogues of an earlier conductor are harvested; a task whose dialogue is
 * incomplete can be asked again. A rejection is a bug or an outage of the pool itself, never of a model.
 */
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue, Task } from "../domain/trial.ts";

export interface Journal {
	/** Replies already paid for in this task's dialogue, in order. */
	readonly replies: readonly Reply[];
	/** Makes one more paid reply durable before the next is asked for. */
	record(reply: Reply): Promise<void> | void;
}

/** Does one task with a model: the whole dialogue, continuing what the journal holds. */
export type Perform = (task: Task, journal: Journal, signal: AbortSignal) => Promise<Dialogue>;

export interface TaskPool {
	/** How many tasks run at once at the most. */
	readonly concurrency: number;
	run(task: Task, options: { signal: AbortSignal }): Promise<Dialogue>;
	/** Stops taking work and frees what is held; running tasks are settled first. */
	close(): Promise<void>;
}
