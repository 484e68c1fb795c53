/** How much waits in a queue, and how much is under way. Reads only; knows BullMQ's states. */
import { type ConnectionOptions, Queue } from "bullmq";
import { RUN_QUEUE } from "./bullmq-runs.ts";
import { TASK_QUEUE } from "./queue-payload.ts";

const STATES = ["wait", "active", "delayed", "completed", "failed"] as const;
export type QueueCounts = Record<(typeof STATES)[number], number>;

export interface QueueCounter {
	tasks(): Promise<QueueCounts>;
	runs(): Promise<QueueCounts>;
	/** Removes finished tasks that are older than so many milliseconds. @returns how many */
	clean(olderThanMs: number): Promise<number>;
	close(): Promise<void>;
}

export function createQueueCounter(connection: ConnectionOptions, prefix = "gepa"): QueueCounter {
	const queues = [TASK_QUEUE, RUN_QUEUE].map((name) => new Queue(name, { connection, prefix }));
	for (const queue of queues) queue.on("error", () => undefined);
	const counts = async (queue: Queue | undefined): Promise<QueueCounts> => {
		const found = (await queue?.getJobCounts(...STATES)) ?? {};
		return Object.fromEntries(STATES.map((state) => [state, found[state] ?? 0])) as QueueCounts;
	};
	return {
		tasks: () => counts(queues[0]),
		runs: () => counts(queues[1]),
		async clean(olderThanMs) {
			const removed = await Promise.all(
				(["completed", "failed"] as const).map((state) => queues[0]?.clean(olderThanMs, 0, state) ?? []),
			);
			return removed.flat().length;
		},
		async close() {
			await Promise.all(queues.map((queue) => queue.close()));
		},
	};
}
