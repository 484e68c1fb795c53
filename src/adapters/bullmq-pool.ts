/**
 * The pool behind a queue: workers in other processes do the tasks. Knows BullMQ; knows no model. The queue carries work and
 * never correctness: an event may be lost, Redis may be emptied, an id may hold the leftovers of an earlier asking, and a job
 * may be done twice. So every wait is also looked after by a slow sweep, what is missing is added again, and the first
 * complete dialogue of a key is the one that counts.
 */
import { randomUUID } from "node:crypto";
import { type ConnectionOptions, Queue, QueueEvents } from "bullmq";
import { LaterError } from "../errors.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { TaskPool } from "../ports/task-pool.ts";
import { onAbort } from "./abort-watch.ts";
import { createFairGate } from "./fair-gate.ts";
import { jobIdOf, readDialogue, TASK_QUEUE } from "./queue-payload.ts";
import { inspect, offer, takes, type Wait } from "./queue-wait.ts";
import { passes } from "./redis-errors.ts";
import { createTaskDesk, unfinished, type Work } from "./task-desk.ts";

/** Waits looked at in one sweep. */
const MOST_SWEPT = 200;
const UNTAKEN: ReadonlySet<string> = new Set(["waiting", "delayed", "prioritized", "paused"]);
/** How long closing may take when Redis does not answer. */
const GOODBYE_MS = 1_500;

export interface BullmqPoolOptions {
	/** An open client of ioredis; it is not closed here. */
	connection: ConnectionOptions;
	/** Keeps installations apart that share a Redis; the workers' must be the same. */
	prefix?: string;
	/** The run that asks: what it has paid for is found again under it, and no other run's answers are. */
	scope?: string;
	/** How many tasks the workers do at once, for those who plan by it; the queue itself takes any number. */
	concurrency: number;
	/** The conductor's own store: a resume costs nothing even when Redis has been emptied. */
	store: DialogueStore;
	/** How often waits are looked after, in milliseconds. */
	sweepMs?: number;
	/** How long Redis may be away before what waits is given up, in milliseconds. */
	patienceMs?: number;
	/** How many tasks may be in the queue at once, asked anew each time; any number by default. */
	room?: () => number;
	/** Told when a worker refuses a task of this pool: who, and why. The task stays in the queue for another. */
	onRefused?: (message: string) => void;
	/** How long a task that a worker has may go on once its signal has aborted, in milliseconds; its answer is then still taken. */
	graceMs?: () => number;
}

export interface BullmqPool extends TaskPool {
	/** Worker processes that listen to the queue now: a task that is asked for while there are none waits for the first. */
	workers(): Promise<number>;
	/** Why a worker has refused a task, if no task has been answered since; null otherwise. */
	refusal(): string | null;
}

/** A wait whose steps follow each other and that can fail. */
interface OpenWait extends Wait {
	steps: Promise<void>;
	fail(error: unknown): void;
}

export function createBullmqPool(options: BullmqPoolOptions): BullmqPool {
	const { connection, prefix = "gepa", scope = "", concurrency, store, sweepMs = 2_000, patienceMs = 60_000 } = options;
	const { room = () => Number.POSITIVE_INFINITY, graceMs = () => 0, onRefused = () => undefined } = options;
	const gate = createFairGate(room);
	const queue = new Queue(TASK_QUEUE, { connection, prefix });
	const events = new QueueEvents(TASK_QUEUE, { connection, prefix });
	// Outages are seen by the sweep; an unheard error event would end the process.
	queue.on("error", () => undefined);
	events.on("error", () => undefined);
	const waits = new Map<string, OpenWait>();
	const removals = new Set<Promise<unknown>>();
	let isTroubled = false;
	let refusal: string | null = null;

	const step = (wait: OpenWait, action: typeof offer): Promise<void> => {
		const isOpen = () => waits.get(jobIdOf(scope, wait.task.key)) === wait;
		const failed = (error: unknown): void => {
			// A Redis that is full or read-only for a while is looked at again by the sweep.
			if (passes(error)) isTroubled = true;
			else wait.fail(error);
		};
		wait.steps = wait.steps.then(() => (isOpen() ? action(queue, wait).catch(failed) : undefined));
		return wait.steps;
	};
	events.on("completed", ({ jobId, returnvalue }) => {
		const wait = waits.get(jobId);
		if (wait !== undefined && !takes(wait, readDialogue(returnvalue, wait.task))) void step(wait, inspect);
	});
	events.on("progress", ({ jobId, data }) => {
		const { refused } = (typeof data === "object" && data !== null ? data : {}) as { refused?: unknown };
		if (typeof refused !== "string" || !waits.has(jobId)) return;
		refusal = refused.slice(0, 400);
		onRefused(refusal);
	});
	events.on("failed", ({ jobId }) => {
		const wait = waits.get(jobId);
		if (wait !== undefined) void step(wait, inspect);
	});

	/**
	 * Only what nobody has taken is removed. A worker that has the job already finishes it, and its answer waits in the queue for
	 * whoever resumes; an answer that is there already must not go with its job.
	 */
	const withdraw = (id: string): Promise<boolean> => {
		const removal = queue.getJobState(id).then(
			async (state) => UNTAKEN.has(state) && (await queue.remove(id)) === 1,
			() => false,
		);
		removals.add(removal);
		void removal.then(() => removals.delete(removal));
		return removal;
	};
	const work: Work = (task, journal, signal) =>
		new Promise((resolve, reject) => {
			const id = jobIdOf(scope, task.key);
			let forget = (): void => undefined;
			let isThrough = false;
			const end = (): void => {
				forget();
				waits.delete(id);
				if (isThrough) gate.leave();
				isThrough = false;
			};
			const wait: OpenWait = {
				task,
				scope,
				ask: randomUUID(),
				stored: journal.replies,
				replies: journal.replies,
				steps: Promise.resolve(),
				settle(dialogue) {
					end();
					if (dialogue.complete) refusal = null;
					resolve(dialogue);
				},
				fail(error) {
					end();
					reject(error);
				},
			};
			const give = (): void => {
				if (waits.get(id) !== wait) return;
				wait.settle(unfinished(task.key, wait.replies, "cancelled", "stopped while it waited for a worker"));
			};
			const giveUp = gate.wait(() => {
				isThrough = true;
				waits.set(id, wait);
				forget();
				forget = onAbort(signal, () => {
					const removal = withdraw(id);
					if (graceMs() === 0) return give();
					// What a worker has is paid for: it is taken when it comes in time.
					void removal.then((removed) => (removed ? give() : void setTimeout(give, graceMs()).unref()));
				});
				void step(wait, offer);
			});
			if (isThrough) return;
			forget = onAbort(signal, () => {
				giveUp();
				resolve(unfinished(task.key, wait.replies, "cancelled", "stopped before it was begun"));
			});
		});

	const answered = (): boolean => {
		gate.look();
		const wasTroubled = isTroubled;
		isTroubled = false;
		return !wasTroubled;
	};
	const sweeper = sweep({ waits, look: (wait) => step(wait, inspect), sweepMs, patienceMs, answered });
	const desk = createTaskDesk({ store, work });
	let closed = false;
	return {
		concurrency,
		workers: () => queue.getWorkersCount(),
		refusal: () => refusal,
		async run(task, runOptions) {
			if (closed) throw new Error("the pool is closed");
			return desk.run(task, runOptions);
		},
		async close() {
			closed = true;
			await desk.idle();
			clearInterval(sweeper);
			await inTime(Promise.all(removals));
			await inTime(Promise.all([queue.close(), events.close()]));
		},
	};
}

interface SweepOptions {
	waits: ReadonlyMap<string, OpenWait>;
	look(wait: OpenWait): Promise<void>;
	/** Called after each look: whether Redis has served all of it. */
	answered(): boolean;
	sweepMs: number;
	patienceMs: number;
}

/** Looks after some of the waits at a time, in turn; gives all of them up when Redis has not answered for too long. */
function sweep({ waits, look, answered, sweepMs, patienceMs }: SweepOptions): NodeJS.Timeout {
	let answeredAt = Date.now();
	let isLooking = false;
	let turn: string[] = [];
	return setInterval(() => {
		if (waits.size === 0) answeredAt = Date.now();
		if (Date.now() - answeredAt > patienceMs) {
			for (const wait of [...waits.values()]) wait.fail(gone(patienceMs));
		}
		if (isLooking || waits.size === 0) return;
		if (turn.length === 0) turn = [...waits.keys()];
		const batch = turn.splice(0, MOST_SWEPT).flatMap((id) => waits.get(id) ?? []);
		isLooking = true;
		void Promise.all(batch.map(look)).then(() => {
			isLooking = false;
			if (answered()) answeredAt = Date.now();
		});
	}, sweepMs);
}

function gone(patienceMs: number): LaterError {
	return new LaterError({
		message: `Redis has not answered for ${Math.round(patienceMs / 1000)} s`,
		hint: "What was paid for is stored. Resume the run when Redis is back.",
	});
}

async function inTime(work: Promise<unknown>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const limit = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, GOODBYE_MS);
	});
	await Promise.race([work.catch(() => undefined), limit]);
	clearTimeout(timer);
}
