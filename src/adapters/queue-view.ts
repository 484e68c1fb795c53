/** Queues for looking at: opened without a worker and without events. Knows BullMQ. */
import { type ConnectionOptions, Queue } from "bullmq";

export interface QueueView {
	queues: readonly Queue[];
	close(): Promise<void>;
}

/** @param connection an open client of ioredis; it is not closed here */
export function viewQueues(connection: ConnectionOptions, names: readonly string[], prefix = "gepa"): QueueView {
	const queues = names.map((name) => new Queue(name, { connection, prefix, skipMetasUpdate: true }));
	// Outages are seen by whoever asks; an unheard error event would end the process.
	for (const queue of queues) queue.on("error", () => undefined);
	return {
		queues,
		async close() {
			await Promise.all(queues.map((queue) => queue.close()));
		},
	};
}
