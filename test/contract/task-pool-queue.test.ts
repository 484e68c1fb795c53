/**
 * What only the pool behind a queue can suffer: dead workers, an emptied or absent Redis, leftovers of other conductors. Run on
 * a real Redis and, where a worker is killed, on a real process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BullmqPool, createBullmqPool } from "../../src/adapters/bullmq-pool.ts";
import { createQueueWorker, type QueueWorker, type WorkerEvent } from "../../src/adapters/bullmq-worker.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { jobIdOf, TASK_QUEUE } from "../../src/adapters/queue-payload.ts";
import { openRedis, type RedisConnection } from "../../src/adapters/redis-connection.ts";
import { EXIT, LaterError, UnavailableError, UsageError } from "../../src/errors.ts";
import type { Perform, TaskPool } from "../../src/ports/task-pool.ts";
import { patient } from "../support/patience.ts";
import { freePort, hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { reply, task } from "../support/tasks.ts";

const still = (): AbortSignal => new AbortController().signal;

/** Answers with one reply of the given text after what the journal holds, and counts by key. */
function answering(
	text: string,
	calls: Map<string, number> = new Map(),
	before = async (): Promise<void> => undefined,
): Perform {
	return async (one, journal) => {
		calls.set(one.key, (calls.get(one.key) ?? 0) + 1);
		await before();
		await journal.record(reply(text));
		return { key: one.key, replies: [...journal.replies, reply(text)], complete: true, met: true, lostCalls: 0 };
	};
}

describe("opening a connection to Redis", () => {
	it("gives up within three seconds when there is none, with exit code 75", async () => {
		const begun = performance.now();
		const url = `redis://someone:secret@127.0.0.1:${await freePort()}`;
		const error = await openRedis({ url }).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(LaterError);
		expect((error as LaterError).exitCode).toBe(EXIT.later);
		expect((error as LaterError).message).not.toContain("secret");
		expect(performance.now() - begun).toBeLessThan(patient(3_000));
	});

	it.each(["http://127.0.0.1", "nonsense"])("refuses %s, which is no address of a Redis", async (url) => {
		await expect(openRedis({ url })).rejects.toThrow(UsageError);
	});
});

describe.skipIf(!hasRedis())("the pool behind a queue in bad weather", () => {
	let server: RedisServer;
	let redis: RedisConnection;
	let prefix = "";
	let runs = 0;
	const pools: TaskPool[] = [];
	const workers: QueueWorker[] = [];
	const children: ChildProcess[] = [];

	beforeAll(async () => {
		server = await startRedis();
	});
	afterAll(() => server.stop());
	beforeEach(async () => {
		redis = await openRedis({ url: server.url });
		prefix = `weather-${runs++}`;
	});
	afterEach(async () => {
		for (const pool of pools.splice(0)) await pool.close();
		for (const worker of workers.splice(0)) await worker.close({ graceMs: 0 });
		for (const child of children.splice(0)) child.kill("SIGKILL");
		await redis.close();
	});

	function conduct(store = createMemoryDialogueStore()): BullmqPool {
		const pool = createBullmqPool({
			connection: redis.client,
			prefix,
			concurrency: 4,
			store,
			sweepMs: 100,
		});
		pools.push(pool);
		return pool;
	}
	function serve(perform: Perform, onEvent: (event: WorkerEvent) => void = () => undefined): QueueWorker {
		const times = { lockDurationMs: 1_000, stalledIntervalMs: 500 };
		const worker = createQueueWorker({ connection: redis.client, prefix, concurrency: 4, perform, onEvent, ...times });
		workers.push(worker);
		return worker;
	}

	it("harvests from the queue what a conductor without a store had paid for", async () => {
		const calls = new Map<string, number>();
		serve(answering("a", calls));
		const first = conduct();
		const expected = await first.run(task("x"), { signal: still() });
		await first.close();
		const store = createMemoryDialogueStore();
		expect(await conduct(store).run(task("x"), { signal: still() })).toEqual(expected);
		expect(await store.find(expected.key)).toEqual(expected);
		expect([...calls.values()]).toEqual([1]);
	});

	it("tells how many workers listen", async () => {
		const pool = conduct();
		expect(await pool.workers()).toBe(0);
		await serve(answering("a")).ready();
		await expect.poll(() => pool.workers()).toBe(1);
	});

	it("does a task once for two conductors at the same time", async () => {
		const calls = new Map<string, number>();
		const asked = Array.from({ length: 30 }, (_, index) => task(`both ${index}`));
		const both = [conduct(), conduct()].map((pool) =>
			Promise.all(asked.map((each) => pool.run(each, { signal: still() }))),
		);
		serve(answering("a", calls));
		const [one, other] = await Promise.all(both);
		expect(one).toEqual(other);
		expect([...calls.values()].every((count) => count === 1)).toBe(true);
	});

	it("gives the work of a killed worker to another, which goes on from the reply that was paid for", async () => {
		const script = fileURLToPath(new URL("../support/queue-worker-child.ts", import.meta.url));
		const child = spawn(process.execPath, ["--import", "tsx", script, server.url, prefix], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		children.push(child);
		const pending = conduct().run(task("x"), { signal: still() });
		if (child.stdout === null) throw new Error("no stdout");
		await once(child.stdout, "data");
		child.kill("SIGKILL");
		const events: WorkerEvent[] = [];
		serve(answering("second"), (event) => events.push(event));
		expect(await pending).toMatchObject({
			complete: true,
			replies: [reply("paid by the first worker"), reply("second")],
		});
		expect(events).toContainEqual(expect.objectContaining({ type: "taken", harvested: 1 }));
	});

	it("adds again what a flushed Redis has lost, and buys nothing twice that had arrived", async () => {
		const calls = new Map<string, number>();
		const asked = Array.from({ length: 40 }, (_, index) => task(`flushed ${index}`));
		const pool = conduct();
		const early = asked.slice(0, 10).map((each) => pool.run(each, { signal: still() }));
		const worker = serve(answering("a", calls));
		await Promise.all(early);
		await worker.close();
		const late = asked.map((each) => pool.run(each, { signal: still() }));
		await redis.client.flushall();
		serve(answering("a", calls));
		for (const dialogue of await Promise.all(late)) expect(dialogue.complete).toBe(true);
		expect(calls.size).toBe(40);
		expect([...calls.values()].every((count) => count === 1)).toBe(true);
	});

	it("buys a reply once when Redis is emptied under the worker", async () => {
		const calls = new Map<string, number>();
		const pool = conduct();
		const bought: string[] = [];
		serve(async (one, journal) => {
			calls.set(one.key, (calls.get(one.key) ?? 0) + 1);
			if (journal.replies.length === 0) {
				bought.push(one.key);
				await redis.client.flushall();
				await journal.record(reply("a"));
			}
			return { key: one.key, replies: [reply("a")], complete: true, met: true, lostCalls: 0 };
		});
		expect(await pool.run(task("x"), { signal: still() })).toMatchObject({ complete: true, replies: [reply("a")] });
		expect(bought).toHaveLength(1);
	});

	it("survives a Redis that crashes and comes back empty", async () => {
		const own = await startRedis();
		const connection = await openRedis({ url: own.url });
		const options = { connection: connection.client, prefix, concurrency: 2 };
		const worker = createQueueWorker({ ...options, perform: answering("a") });
		const pool = createBullmqPool({ ...options, store: createMemoryDialogueStore(), sweepMs: 100 });
		await pool.run(task("before"), { signal: still() });
		await own.stop();
		const pending = Array.from({ length: 10 }, (_, index) => pool.run(task(`during ${index}`), { signal: still() }));
		const again = await startRedis(own.port);
		for (const dialogue of await Promise.all(pending)) expect(dialogue.complete).toBe(true);
		await pool.close();
		await worker.close({ graceMs: 0 });
		await connection.close();
		await again.stop();
	});

	it("gives up with exit code 75 when Redis stays away", async () => {
		const own = await startRedis();
		const connection = await openRedis({ url: own.url });
		const options = { connection: connection.client, prefix, concurrency: 2, sweepMs: 50, patienceMs: 500 };
		const pool = createBullmqPool({ ...options, store: createMemoryDialogueStore() });
		const pending = pool.run(task("x"), { signal: still() });
		await own.stop();
		await expect(pending).rejects.toThrow(LaterError);
		await connection.close();
		await pool.close();
	});

	it("hands back a task whose key is not its digest, and tells the conductor who refuses it and why", async () => {
		const calls = new Map<string, number>();
		const events: WorkerEvent[] = [];
		serve(answering("a", calls), (event) => events.push(event));
		const pool = conduct();
		const forged = { ...task("x"), key: task("y").key };
		const stop = new AbortController();
		const pending = pool.run(forged, { signal: stop.signal });
		await expect.poll(() => pool.refusal()).toMatch(/worker.*digest/);
		expect(events).toContainEqual(
			expect.objectContaining({ type: "refused", key: expect.stringMatching(/^[0-9a-f]+$/) }),
		);
		// What this worker can do is done meanwhile, and then nothing is refused any more as far as the conductor knows.
		expect(await pool.run(task("z"), { signal: still() })).toMatchObject({ complete: true });
		expect([...calls.keys()]).toEqual([task("z").key]);
		stop.abort();
		expect(await pending).toMatchObject({ complete: false, loss: { reason: "cancelled" } });
	});

	it("does a task that another worker has refused, once a worker comes that can", async () => {
		const queue = new Queue(TASK_QUEUE, { connection: redis.client, prefix });
		const one = task("x");
		const id = jobIdOf("", one.key);
		const payload = { schemaVersion: 2, ask: "newer", scope: "", task: one, replies: [], more: true };
		await queue.add("rollout", payload, { jobId: id });
		const refused: string[] = [];
		serve(answering("a"), (event) => void (event.type === "refused" && refused.push(event.message)));
		await expect.poll(() => refused.length).toBeGreaterThan(0);
		expect(refused[0]).toContain("of version 2");
		const { more: _, ...known } = { ...payload, schemaVersion: 1 };
		await (await queue.getJob(id))?.updateData(known);
		expect(await conduct().run(one, { signal: still() })).toMatchObject({ complete: true, replies: [reply("a")] });
		await queue.close();
	});

	it("takes nothing from a job that somebody else put under the task's id", async () => {
		const queue = new Queue(TASK_QUEUE, { connection: redis.client, prefix });
		const one = task("x");
		await queue.add("rollout", { evil: true }, { jobId: jobIdOf("", one.key) });
		const foreign = serve(async () => ({ key: "?", replies: [], complete: true, met: true, lostCalls: 0 }));
		await expect.poll(() => queue.getJobState(jobIdOf("", one.key))).toBe("failed");
		await foreign.close();
		serve(answering("honest"));
		expect(await conduct().run(one, { signal: still() })).toMatchObject({ complete: true, replies: [reply("honest")] });
		await queue.close();
	});

	it("does not mix replies that were bought apart", async () => {
		serve(answering("of another run"));
		const first = conduct();
		await first.run(task("x"), { signal: still() });
		const store = createMemoryDialogueStore();
		await store.addReply(task("x").key, 0, reply("of this run"));
		const dialogue = await conduct(store).run(task("x"), { signal: still() });
		expect(dialogue.replies).toEqual([reply("of this run"), reply("of another run")]);
	});

	it("gives unfinished work back when a worker is closed, with the replies that were paid for", async () => {
		let begin = (): void => undefined;
		const begun = new Promise<void>((resolve) => {
			begin = resolve;
		});
		const closing = serve(async (one, journal, signal) => {
			await journal.record(reply("first"));
			begin();
			await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
			const loss = { reason: "cancelled", message: "" } as const;
			return { key: one.key, replies: [reply("first")], complete: false, met: false, lostCalls: 0, loss };
		});
		const pending = conduct().run(task("x"), { signal: still() });
		await begun;
		await closing.close({ graceMs: 0 });
		serve(answering("second"));
		expect(await pending).toMatchObject({ complete: true, replies: [reply("first"), reply("second")] });
	});

	it("is told to mend its password when Redis refuses it", async () => {
		const own = await startRedis();
		const admin = await openRedis({ url: own.url });
		await admin.client.config("SET", "requirepass", "secret");
		const error = await openRedis({ url: own.url }).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(UnavailableError);
		const open = await openRedis({ url: own.url.replace("//", "//:secret@") });
		await open.close();
		await admin.close();
		await own.stop();
	});
});
