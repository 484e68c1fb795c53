/** What every command that works with the queue opens: the connection, the books of runs, the messages, and who works there. */
import type { RunQueue } from "../adapters/bullmq-runs.ts";
import type { RedisConnection } from "../adapters/redis-connection.ts";
import type { RunDesk } from "../adapters/run-desk.ts";
import type { WorkerRegistry } from "../adapters/worker-registry.ts";
import { UsageError } from "../errors.ts";
import { openQueue } from "./compose.ts";

export interface QueueParts {
	redis: RedisConnection;
	desk: RunDesk;
	queue: RunQueue;
	registry: WorkerRegistry;
	close(): Promise<void>;
}

const ANOTHER_ONE = "name another one with --queue or GEPA_QUEUE_URL";

/** @throws LaterError when Redis is away, UsageError when no queue is named */
export async function openQueueParts(url: string | null, otherwise = ANOTHER_ONE): Promise<QueueParts> {
	const redis = await openQueue(queueAddress(url), otherwise);
	const [{ createRunDesk }, { createRunQueue }, { createWorkerRegistry }] = await Promise.all([
		import("../adapters/run-desk.ts"),
		import("../adapters/bullmq-runs.ts"),
		import("../adapters/worker-registry.ts"),
	]);
	const queue = createRunQueue(redis.client);
	return {
		redis,
		queue,
		desk: createRunDesk(redis.client),
		registry: createWorkerRegistry(redis.client),
		async close() {
			// Closing waits for an answer of Redis; whoever goes does not.
			void queue.close().catch(() => undefined);
			await redis.close();
		},
	};
}

/** @throws UsageError when there is none */
export function queueAddress(url: string | null): string {
	if (url !== null) return url;
	throw new UsageError({
		message: "this needs a queue",
		hint: "Name one with --queue redis://127.0.0.1:6379, or set GEPA_QUEUE_URL.",
	});
}
