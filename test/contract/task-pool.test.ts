/**
 * One suite for every pool: what the port promises, run on the pool in this process and on the queue with a real Redis and
 * workers. What only the queue can suffer stands in task-pool-queue.test.ts.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createBullmqPool } from "../../src/adapters/bullmq-pool.ts";
import { createQueueWorker } from "../../src/adapters/bullmq-worker.ts";
import { createInlinePool } from "../../src/adapters/inline-pool.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { openRedis, type RedisConnection } from "../../src/adapters/redis-connection.ts";
import type { Task } from "../../src/domain/trial.ts";
import type { DialogueStore } from "../../src/ports/dialogue-store.ts";
import type { Perform, TaskPool } from "../../src/ports/task-pool.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { reply, task } from "../support/tasks.ts";

/** Makes a pool whose tasks are done by `perform`; what it opens is closed by `end`. */
interface Rig {
	pool(perform: Perform, store: DialogueStore): Promise<TaskPool>;
	end(): Promise<void>;
}

const textOf = (of: Task): string => of.messages[0]?.content ?? "";

/** Answers every task with its own text, and counts. */
function echo(): { perform: Perform; calls: Map<string, number> } {
	const calls = new Map<string, number>();
	return {
		calls,
		async perform(one, journal) {
			calls.set(one.key, (calls.get(one.key) ?? 0) + 1);
			await journal.record(reply(textOf(one)));
			return {
				key: one.key,
				replies: [...journal.replies, reply(textOf(one))],
				complete: true,
				met: true,
				lostCalls: 0,
			};
		},
	};
}

/** Waits for its signal, and tells when it has begun. */
function patient(): { perform: Perform; begun: Promise<void>; release(): void } {
	let begin = (): void => undefined;
	let release = (): void => undefined;
	const begun = new Promise<void>((resolve) => {
		begin = resolve;
	});
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	return {
		begun,
		release: () => release(),
		async perform(one, journal, signal) {
			begin();
			await Promise.race([released, new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))]);
			const replies = [...journal.replies];
			if (signal.aborted)
				return {
					key: one.key,
					replies,
					complete: false,
					met: false,
					lostCalls: 1,
					loss: { reason: "cancelled", message: "" },
				};
			return { key: one.key, replies, complete: true, met: true, lostCalls: 0 };
		},
	};
}

const still = (): AbortSignal => new AbortController().signal;

function keepsThePromises(createRig: () => Rig): void {
	let rig: Rig;
	beforeAll(() => {
		rig = createRig();
	});
	afterEach(() => rig.end());

	it("gives exactly one dialogue for each key, however often it is asked for", async () => {
		const { perform, calls } = echo();
		const store = createMemoryDialogueStore();
		const pool = await rig.pool(perform, store);
		const asked = Array.from({ length: 200 }, (_, index) => task(`text ${index % 80}`));
		const dialogues = await Promise.all(asked.map((each) => pool.run(each, { signal: still() })));
		dialogues.forEach((dialogue, index) => {
			expect(dialogue).toEqual({
				key: asked[index]?.key,
				replies: [reply(`text ${index % 80}`)],
				complete: true,
				met: true,
				lostCalls: 0,
			});
		});
		expect(calls.size).toBe(80);
		expect([...calls.values()].every((count) => count === 1)).toBe(true);
		expect(await store.find(asked[0]?.key ?? "")).toEqual(dialogues[0]);
		expect(await pool.run(task("text 0"), { signal: still() })).toEqual(dialogues[0]);
		expect(calls.get(task("text 0").key)).toBe(1);
	});

	it("lets a poison task fail alone, with its reason", async () => {
		const { perform } = echo();
		const pool = await rig.pool(async (one, journal, signal) => {
			if (textOf(one) === "poison") throw new TypeError("boom");
			return perform(one, journal, signal);
		}, createMemoryDialogueStore());
		const [good, bad, other] = await Promise.all(
			["a", "poison", "b"].map((text) => pool.run(task(text), { signal: still() })),
		);
		expect(bad).toMatchObject({ complete: false, met: false, loss: { reason: "worker" }, replies: [] });
		expect(bad?.loss?.message).toContain("boom");
		expect([good?.complete, other?.complete]).toEqual([true, true]);
	});

	it("keeps what a task paid for before it failed, and goes on from it when it is asked again", async () => {
		const seen: number[] = [];
		const store = createMemoryDialogueStore();
		const pool = await rig.pool(async (one, journal) => {
			seen.push(journal.replies.length);
			if (journal.replies.length === 0) {
				await journal.record(reply("first"));
				throw new Error("boom");
			}
			await journal.record(reply("second"));
			return { key: one.key, replies: [...journal.replies, reply("second")], complete: true, met: false, lostCalls: 0 };
		}, store);
		expect(await pool.run(task("twice"), { signal: still() })).toMatchObject({
			complete: false,
			replies: [reply("first")],
		});
		const again = await pool.run(task("twice"), { signal: still() });
		expect(again).toMatchObject({ complete: true, replies: [reply("first"), reply("second")] });
		expect(seen).toEqual([0, 1]);
		expect(await store.find(again.key)).toEqual(again);
	});

	it("asks again for a dialogue that its model left incomplete", async () => {
		let times = 0;
		const pool = await rig.pool(async (one, journal) => {
			times++;
			const replies = [...journal.replies];
			const loss = { reason: "rate-limit", message: "wait" } as const;
			if (times === 1) return { key: one.key, replies, complete: false, met: false, lostCalls: 1, loss };
			return { key: one.key, replies, complete: true, met: true, lostCalls: 0 };
		}, createMemoryDialogueStore());
		expect(await pool.run(task("x"), { signal: still() })).toMatchObject({
			complete: false,
			lostCalls: 1,
			loss: { reason: "rate-limit" },
		});
		expect(await pool.run(task("x"), { signal: still() })).toMatchObject({ complete: true });
		expect(times).toBe(2);
	});

	it("settles what waits and what runs as cancelled when the signal aborts, and can be asked again", async () => {
		const { perform, begun, release } = patient();
		const pool = await rig.pool(perform, createMemoryDialogueStore());
		const stop = new AbortController();
		const pending = Array.from({ length: 20 }, (_, index) => pool.run(task(`wait ${index}`), { signal: stop.signal }));
		await begun;
		stop.abort();
		for (const dialogue of await Promise.all(pending))
			expect(dialogue).toMatchObject({ complete: false, loss: { reason: "cancelled" } });
		expect(await pool.run(task("late"), { signal: stop.signal })).toMatchObject({ loss: { reason: "cancelled" } });
		release();
		expect(await pool.run(task("wait 0"), { signal: still() })).toMatchObject({ complete: true });
	});

	it("lets one caller go without taking the work from another", async () => {
		const { perform, begun, release } = patient();
		const pool = await rig.pool(perform, createMemoryDialogueStore());
		const stop = new AbortController();
		const left = pool.run(task("shared"), { signal: stop.signal });
		const stayed = pool.run(task("shared"), { signal: still() });
		await begun;
		stop.abort();
		expect(await left).toMatchObject({ loss: { reason: "cancelled" } });
		release();
		expect(await stayed).toMatchObject({ complete: true });
	});

	it("harvests what an earlier conductor paid for", async () => {
		const { perform, calls } = echo();
		const store = createMemoryDialogueStore();
		const first = await rig.pool(perform, store);
		const expected = await first.run(task("old"), { signal: still() });
		await first.close();
		const second = await rig.pool(perform, store);
		expect(await second.run(task("old"), { signal: still() })).toEqual(expected);
		expect([...calls.values()]).toEqual([1]);
	});

	it("goes on from a dialogue that an earlier conductor left unfinished", async () => {
		const { perform } = echo();
		const store = createMemoryDialogueStore();
		const one = task("half");
		await store.addReply(one.key, 0, reply("paid"));
		const pool = await rig.pool(perform, store);
		expect(await pool.run(one, { signal: still() })).toMatchObject({
			complete: true,
			replies: [reply("paid"), reply("half")],
		});
	});

	it("takes no work when it is closed", async () => {
		const pool = await rig.pool(echo().perform, createMemoryDialogueStore());
		await pool.close();
		await expect(pool.run(task("x"), { signal: still() })).rejects.toThrow("closed");
	});
}

describe("the pool in this process", () => {
	keepsThePromises(() => {
		const pools: TaskPool[] = [];
		return {
			async pool(perform, store) {
				const pool = createInlinePool({ concurrency: 4, perform, store });
				pools.push(pool);
				return pool;
			},
			async end() {
				for (const pool of pools.splice(0)) await pool.close();
			},
		};
	});

	it("never runs more at once than it may", async () => {
		let now = 0;
		let most = 0;
		const perform: Perform = async (one) => {
			most = Math.max(most, ++now);
			await new Promise((resolve) => setImmediate(resolve));
			now--;
			return { key: one.key, replies: [], complete: true, met: true, lostCalls: 0 };
		};
		const pool = createInlinePool({ concurrency: 3, perform, store: createMemoryDialogueStore() });
		await Promise.all(Array.from({ length: 30 }, (_, index) => pool.run(task(`${index}`), { signal: still() })));
		expect(most).toBe(3);
	});

	it("rejects when the store cannot keep a reply: that is an outage, not a failed task", async () => {
		const store = { ...createMemoryDialogueStore(), addReply: () => Promise.reject(new Error("disk full")) };
		const pool = createInlinePool({ concurrency: 1, perform: echo().perform, store });
		await expect(pool.run(task("x"), { signal: still() })).rejects.toThrow("disk full");
	});
});

describe.skipIf(!hasRedis())("the pool behind a queue", () => {
	let server: RedisServer;
	beforeAll(async () => {
		server = await startRedis();
	});
	afterAll(() => server.stop());

	keepsThePromises(() => {
		const closers: (() => Promise<void>)[] = [];
		let redis: RedisConnection | undefined;
		let runs = 0;
		return {
			async pool(perform, store) {
				redis ??= await openRedis({ url: server.url });
				// The pools of one test share a queue, as conductors do.
				const shared = { connection: redis.client, prefix: `run-${runs}`, concurrency: 4 };
				const worker = createQueueWorker({ ...shared, perform });
				const pool = createBullmqPool({ ...shared, store, sweepMs: 200 });
				closers.push(async () => {
					await pool.close();
					await worker.close({ graceMs: 0 });
				});
				return pool;
			},
			async end() {
				for (const close of closers.splice(0)) await close();
				await redis?.close();
				redis = undefined;
				runs++;
			},
		};
	});
});
