/**
 * Takes tasks from the queue and does them. Knows BullMQ and how to hand a task to `perform`; knows no model and no run. Its
 * invariant: a reply that was paid for is kept with the job before the next is asked for, so that whoever is given the job
 * again goes on from it. A job may be given to two workers at once; nothing here relies on the lock. A task that this version
 * would do differently goes back for another worker, and its conductor is told why.
 */
import { type ConnectionOptions, DelayedError, type Job, WaitingError, Worker } from "bullmq";
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue, TaskKind } from "../domain/trial.ts";
import type { Perform } from "../ports/task-pool.ts";
import { reached } from "./fault-point.ts";
import { jobIdOf, readPayload, TASK_QUEUE, type TaskPayload } from "./queue-payload.ts";
import { insist } from "./redis-errors.ts";

/** A refused task comes again after this long, in milliseconds. */
const REFUSED_MS = 500;
/**
 * A worker that refuses is always free, and would have every task before those that can do it: so it takes nothing for this long,
 * and for twice as long each time up to the longest, until it has done a task, in milliseconds.
 */
const REST_MS = 1_000;
const LONGEST_REST_MS = 15_000;
/** A task that nobody can do is given up after so many starts: hours later. A task that kills its workers, long before. */
const MOST_STARTS = 1_000;
const MOST_STALLS = 20;

/** Replies whose job could not be finished are kept for when it comes back, for at most so many jobs. */
const MOST_KEPT = 1_000;

export type WorkerEvent =
	| { type: "taken"; key: string; kind: TaskKind /** Replies that were paid for earlier. */; harvested: number }
	| { type: "finished"; key: string; complete: boolean; replies: number }
	| { type: "failed"; key: string; message: string }
	| { type: "refused"; key: string; scope: string; message: string }
	| { type: "stalled"; key: string }
	| { type: "error"; message: string };

export interface QueueWorkerOptions {
	/** An open client of ioredis; it is not closed here. */
	connection: ConnectionOptions;
	/** Keeps installations apart that share a Redis. */
	prefix?: string;
	/** Names this worker to conductors whose tasks it refuses. */
	name?: string;
	concurrency: number;
	perform: Perform;
	onEvent?: (event: WorkerEvent) => void;
	/** How long a job belongs to a worker that gives no sign of life, in milliseconds. */
	lockDurationMs?: number;
	/** How often jobs of dead workers are looked for, in milliseconds. */
	stalledIntervalMs?: number;
}

export interface QueueWorker {
	/** Resolves when the worker listens to the queue. */
	ready(): Promise<void>;
	/** Takes no more work, lets what is under way end for `graceMs`, then gives the rest back to the queue. */
	close(options?: { graceMs?: number }): Promise<void>;
}

export function createQueueWorker(options: QueueWorkerOptions): QueueWorker {
	const { connection, prefix = "gepa", name = "a worker", concurrency, perform, onEvent = () => undefined } = options;
	const stop = new AbortController();
	const kept = new Map<string, Reply[]>();
	const underWay = new Map<string, Promise<Dialogue>>();

	const begin = (job: Job, payload: TaskPayload): Promise<Dialogue> => {
		const { task } = payload;
		const id = job.id ?? task.key;
		const known = kept.get(id) ?? [];
		const replies = known.length > payload.replies.length ? [...known] : [...payload.replies];
		onEvent({ type: "taken", key: task.key, kind: task.kind, harvested: replies.length });
		const record = async (reply: Reply): Promise<void> => {
			replies.push(reply);
			keep(kept, id, replies);
			await store(job, { ...payload, replies });
			reached("reply-stored");
		};
		return perform(task, { replies: [...replies], record }, stop.signal);
	};

	const refuse = async (job: Job, token: string | undefined, scope: string, message: string): Promise<never> => {
		onEvent({ type: "refused", key: keyOf(job.id), scope, message });
		rest();
		await job.updateProgress({ refused: `${name}: ${message}` });
		await job.moveToDelayed(Date.now() + REFUSED_MS, token);
		throw new DelayedError();
	};
	let refusals = 0;
	let resting: NodeJS.Timeout | null = null;
	const rest = (): void => {
		if (resting !== null || stop.signal.aborted) return;
		void worker.pause(true).catch(() => undefined);
		const ms = Math.min(REST_MS * 2 ** Math.min(refusals, 10), LONGEST_REST_MS);
		refusals += 1;
		resting = setTimeout(() => {
			resting = null;
			void worker.resume().catch(() => undefined);
		}, ms);
	};

	const process = async (job: Job, token?: string): Promise<Dialogue> => {
		reached("task-claimed");
		const read = readPayload(job.data);
		if (!read.ok && read.foreign !== null) return refuse(job, token, read.foreign.scope, read.reason);
		if (!read.ok) throw new Error(`refused: ${read.reason}`);
		const { scope, task } = read.payload;
		if (job.id !== jobIdOf(scope, task.key)) throw new Error("refused: the job's id is not that of its task");
		// Given to us a second time while we still work on it: both deliveries end with one dialogue.
		const { id } = job;
		const working = underWay.get(id) ?? begin(job, read.payload).finally(() => underWay.delete(id));
		underWay.set(id, working);
		const dialogue = await working;
		if (!dialogue.complete && stop.signal.aborted) {
			await job.moveToWait(token);
			throw new WaitingError();
		}
		reached("task-done");
		return dialogue;
	};

	const worker = new Worker(TASK_QUEUE, process, {
		connection,
		prefix,
		concurrency,
		lockDuration: options.lockDurationMs ?? 30_000,
		stalledInterval: options.stalledIntervalMs ?? 5_000,
		// A stall is no attempt: a job that outlives many dead workers is still wanted.
		maxStalledCount: MOST_STALLS,
		maxStartedAttempts: MOST_STARTS,
	});
	worker.on("completed", (job, dialogue: Dialogue) => {
		kept.delete(job.id ?? dialogue.key);
		refusals = 0;
		onEvent({ type: "finished", key: keyOf(job.id), complete: dialogue.complete, replies: dialogue.replies.length });
	});
	worker.on("failed", (job, error) => onEvent({ type: "failed", key: keyOf(job?.id), message: error.message }));
	worker.on("stalled", (id) => onEvent({ type: "stalled", key: keyOf(id) }));
	worker.on("error", (error) => onEvent({ type: "error", message: error.message }));
	return {
		async ready() {
			await worker.waitUntilReady();
		},
		async close({ graceMs = 30_000 } = {}) {
			if (resting !== null) clearTimeout(resting);
			const timer = setTimeout(() => stop.abort(), graceMs);
			await worker.close();
			clearTimeout(timer);
		},
	};
}

/** A job that is no longer in Redis (somebody emptied it) cannot keep its replies; the memory of this process still does. */
async function store(job: Job, payload: TaskPayload): Promise<void> {
	try {
		await insist(() => job.updateData(payload));
	} catch (error) {
		if (!/missing key/i.test((error as Error).message)) throw error;
	}
}

function keep(kept: Map<string, Reply[]>, key: string, replies: Reply[]): void {
	kept.delete(key);
	kept.set(key, replies);
	const oldest = kept.size > MOST_KEPT ? kept.keys().next().value : undefined;
	if (oldest !== undefined) kept.delete(oldest);
}

function keyOf(jobId: string | undefined): string {
	return jobId?.replace(/^t-/, "") ?? "";
}
