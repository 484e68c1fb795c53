/**
 * Puts a run's body together: the model client with its policies stacked around one port, the stores, and the pool in this
 * process or behind a queue. The only place that knows which implementation stands behind a port.
 */
import { createCheckTools } from "../adapters/check-tools.ts";
import { reached } from "../adapters/fault-point.ts";
import { createInlinePool } from "../adapters/inline-pool.ts";
import { createLimitedClient } from "../adapters/limited-client.ts";
import type { RedisConnection } from "../adapters/redis-connection.ts";
import { createRetryingClient, type Wait } from "../adapters/retrying-client.ts";
import { createPerform } from "../engine/perform.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { ModelClient } from "../ports/model-client.ts";
import type { Perform, TaskPool } from "../ports/task-pool.ts";

export interface Endpoint {
	/** Null: no endpoint is configured and the built-in rules answer. */
	baseUrl: string | null;
	apiKey: string | undefined;
	concurrency: number;
}

export interface ClientEvents {
	/** A call waits before it is tried again. */
	onWait?: (wait: Wait) => void;
	/** Stands between each attempt and the endpoint. */
	around?: (client: ModelClient) => ModelClient;
}

/**
 * The stop of a run has two stages: the first signal stops new work and lets calls under way end, since they are paid for
 * anyway; the second cuts them. This client hears only the second. What stands around it hears the first, which comes with
 * each call: it ends waits, for a turn or for another attempt.
 */
function createGracefulClient(inner: ModelClient, hard: AbortSignal): ModelClient {
	return {
		async complete(request) {
			reached("call-begins");
			const answer = await inner.complete(request, { signal: hard });
			reached("call-answered");
			return answer;
		},
	};
}

/** The client for an endpoint, or the built-in rules where there is none. Libraries are loaded when they are needed. */
export async function composeClient(
	endpoint: Endpoint,
	hard: AbortSignal,
	events: ClientEvents = {},
): Promise<ModelClient> {
	if (endpoint.baseUrl === null) {
		const { createOfflineClient } = await import("../adapters/offline/offline-client.ts");
		return createGracefulClient(createOfflineClient(), hard);
	}
	const { createOpenAiClient } = await import("../adapters/openai-client.ts");
	const client = createOpenAiClient({ baseUrl: endpoint.baseUrl, apiKey: endpoint.apiKey });
	const graceful = createGracefulClient(client, hard);
	const limited = createLimitedClient(events.around?.(graceful) ?? graceful, { concurrency: endpoint.concurrency });
	return createRetryingClient(limited, events.onWait === undefined ? {} : { onWait: events.onWait });
}

/** How tasks are done with a client. */
export function composePerform(client: ModelClient): Perform {
	return createPerform({ client, tools: createCheckTools() });
}

export interface QueuePoolOptions {
	queue: RedisConnection;
	/** Id of the run: its answers in the queue are found again under it. */
	run: string;
	concurrency: number;
	store: DialogueStore;
	/** How long Redis may be away before the run is given up, in milliseconds. */
	patienceMs?: number;
	/** How long a task that a worker has may go on once the run is stopped, in milliseconds. */
	graceMs?(): number;
	/** How many tasks of the run may be in the queue at once. */
	room?(): number;
	/** Told when a worker refuses a task: who, and why. */
	onRefused?(message: string): void;
}

export interface Body {
	pool: TaskPool;
	/** Worker processes that listen now; null when the work is done here, or when the server does not tell who is connected. */
	workers(): Promise<number | null>;
	/** Why a worker has refused the latest task; null where none has, or another has answered since. */
	refusal(): string | null;
	/** Lets go of what the pool holds, not of the queue's connection. */
	close(): Promise<void>;
}

/**
 * The connection to the queue.
 * @param otherwise what a person can do when Redis is away, beside starting it
 * @throws LaterError when Redis is away
 */
export async function openQueue(url: string, otherwise: string): Promise<RedisConnection> {
	const { openRedis } = await import("../adapters/redis-connection.ts");
	return openRedis({ url, otherwise });
}

/** The pool of a run whose work is done in this process. */
export function composePool(concurrency: number, store: DialogueStore, perform: Perform): Body {
	const pool = createInlinePool({ concurrency, perform, store });
	return { pool, workers: async () => null, refusal: () => null, close: () => pool.close() };
}

/** The pool of a run whose work is done by workers. */
export async function composeQueuePool({ queue, run, ...options }: QueuePoolOptions): Promise<Body> {
	const { createBullmqPool } = await import("../adapters/bullmq-pool.ts");
	const pool = createBullmqPool({ connection: queue.client, scope: run, ...options });
	return { pool, workers: () => pool.workers().catch(() => null), refusal: pool.refusal, close: () => pool.close() };
}

export interface CallCount {
	/** Calls that were answered for this conducting. */
	paid: number;
	/** Calls that had been answered and stored before. */
	harvested: number;
}

/** Counts what passes through a pool: what was bought now, and what was there already. */
export function countCalls(pool: TaskPool, store: DialogueStore): { pool: TaskPool; count: CallCount } {
	const count: CallCount = { paid: 0, harvested: 0 };
	return {
		count,
		pool: {
			concurrency: pool.concurrency,
			close: () => pool.close(),
			async run(task, options) {
				const known = ((await store.find(task.key))?.replies ?? (await store.replies(task.key))).length;
				const dialogue = await pool.run(task, options);
				count.harvested += known;
				count.paid += Math.max(0, dialogue.replies.length - known);
				return dialogue;
			},
		},
	};
}
