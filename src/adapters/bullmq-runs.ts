/**
 * Runs and nights as messages of a queue: brings them to workers that conduct. Knows BullMQ; knows neither runs nor nights. The
 * message only wakes somebody up: what a run is, and who may conduct it, stands elsewhere, so a message may come twice.
 */
import { type ConnectionOptions, DelayedError, type Job, Queue, WaitingError, Worker } from "bullmq";

export const RUN_QUEUE = "gepa-runs";

/** What becomes of a message: it is done with, goes back for another worker, or comes again after a while. */
export type Next = "done" | "back" | { againMs: number };

export type RunMessage =
	| { type: "run"; run: string; skill: string }
	/** A schedule is due: its night begins, or is passed over. Times are milliseconds since 1970. */
	| { type: "due"; schedule: string; dueAt: number }
	/** The next step of a night. */
	| { type: "night"; schedule: string; dueAt: number };

export interface RunQueue {
	/** Wakes a conductor for the run; a message that is there already will do. */
	send(run: string, skill: string): Promise<void>;
	/** Wakes somebody for a night after so many milliseconds. */
	sendNight(schedule: string, dueAt: number, delayMs: number): Promise<void>;
	/** Takes back a message that nobody has taken yet. */
	withdraw(run: string): Promise<void>;
	close(): Promise<void>;
}

export function createRunQueue(connection: ConnectionOptions, prefix = "gepa"): RunQueue {
	const queue = new Queue(RUN_QUEUE, { connection, prefix });
	queue.on("error", () => undefined);
	const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
	return {
		async send(run, skill) {
			await queue.add("run", { run, skill }, { ...options, jobId: `r-${run}` });
		},
		async sendNight(schedule, dueAt, delayMs) {
			const jobId = `n-${schedule}-${dueAt}`;
			await queue.add("night", { schedule, dueAt }, { ...options, jobId, delay: delayMs });
		},
		async withdraw(run) {
			await queue.remove(`r-${run}`).catch(() => undefined);
		},
		close: () => queue.close(),
	};
}

export interface RunWorkerOptions {
	connection: ConnectionOptions;
	prefix?: string;
	/** Runs that this process conducts at once. */
	concurrency: number;
	/** Does what the message asks for. The signal says that the process is asked to stop. */
	take(message: RunMessage, signal: AbortSignal): Promise<Next>;
	onError(message: string): void;
	lockDurationMs: number;
	stalledIntervalMs: number;
}

export interface RunWorker {
	ready(): Promise<void>;
	/** Takes no more messages, tells those under way to stop, and waits for them. */
	close(): Promise<void>;
}

export function createRunWorker(options: RunWorkerOptions): RunWorker {
	const { connection, prefix = "gepa", concurrency, take, onError } = options;
	const stop = new AbortController();
	const process = async (job: Job, token?: string): Promise<void> => {
		const message = readMessage(job);
		if (message === null) throw new Error("refused: this is neither a run nor a night");
		const next = await take(message, stop.signal);
		if (next === "done") return;
		if (next === "back") {
			await job.moveToWait(token);
			throw new WaitingError();
		}
		await job.moveToDelayed(Date.now() + next.againMs, token);
		throw new DelayedError();
	};
	const worker = new Worker(RUN_QUEUE, process, {
		connection,
		prefix,
		concurrency,
		lockDuration: options.lockDurationMs,
		stalledInterval: options.stalledIntervalMs,
		// A stall is no attempt: a run that outlives many dead conductors is still wanted.
		maxStalledCount: 10_000,
		removeOnComplete: { count: 0 },
		removeOnFail: { count: 0 },
	});
	worker.on("failed", (job, error) => onError(`${job?.name ?? "message"} ${job?.id ?? ""}: ${error.message}`));
	worker.on("error", (error) => onError(error.message));
	return {
		async ready() {
			await worker.waitUntilReady();
		},
		async close() {
			stop.abort();
			await worker.close();
		},
	};
}

function readMessage(job: Job): RunMessage | null {
	const data = (job.data ?? {}) as Record<string, unknown>;
	const { run, skill, schedule, dueAt } = data;
	if (job.name === "run" && typeof run === "string" && typeof skill === "string") return { type: "run", run, skill };
	if (typeof schedule !== "string") return null;
	if (job.name === "night" && typeof dueAt === "number") return { type: "night", schedule, dueAt };
	return job.name === "due" ? { type: "due", schedule, dueAt: Number(job.opts.prevMillis ?? job.timestamp) } : null;
}
