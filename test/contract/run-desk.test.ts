/** The books of runs on a real Redis: one run a skill, one holder a run, and a fence that only grows. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRedis, type RedisConnection } from "../../src/adapters/redis-connection.ts";
import { createRunDesk, type RunDesk, type RunLease } from "../../src/adapters/run-desk.ts";
import type { RunRequest } from "../../src/domain/run-request.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const request = (run: string, skill = "dataviz") =>
	({ opening: { run, settings: { skill } }, requestedBy: "test", requestedAt: "2026-01-01T00:00:00Z" }) as RunRequest;
const LONG_MS = 60_000;

describe.skipIf(!hasRedis())("the books of runs", () => {
	let server: RedisServer;
	let redis: RedisConnection;
	let desk: RunDesk;

	beforeAll(async () => {
		server = await startRedis();
		redis = await openRedis({ url: server.url });
		desk = createRunDesk(redis.client);
	});
	afterAll(async () => {
		await redis.close();
		await server.stop();
	});
	beforeEach(() => redis.client.flushall());

	async function leased(run: string, holder: string, ms = LONG_MS): Promise<RunLease> {
		const answer = await desk.lease(run, "dataviz", holder, ms);
		if (answer.status !== "leased") throw new Error(answer.status);
		return answer.lease;
	}
	/** Lets the lease of a run end as if its time were over. */
	const expire = (run: string) => redis.client.hset(`gepa:run:${run}`, "leaseUntil", "1");

	it("let a skill have one run, and another skill its own", async () => {
		expect(await desk.enqueue(request("r1"))).toEqual({ status: "queued" });
		expect(await desk.enqueue(request("r1"))).toEqual({ status: "queued" });
		expect(await desk.enqueue(request("r2"))).toEqual({ status: "taken", run: "r1" });
		expect(await desk.enqueue(request("r3", "tickets"))).toEqual({ status: "queued" });
		const lease = await leased("r1", "a");
		await desk.end(lease, "ended", { exitCode: 0, status: "kept", message: "" });
		expect(await desk.enqueue(request("r2"))).toEqual({ status: "queued" });
	});

	it("give a run to one holder at a time, and to the next with a higher fence", async () => {
		await desk.enqueue(request("r1"));
		const first = await leased("r1", "a");
		expect(await desk.lease("r1", "dataviz", "b", LONG_MS)).toMatchObject({ status: "held" });
		await expire("r1");
		const second = await leased("r1", "b");
		expect(second.fence).toBeGreaterThan(first.fence);
		expect(await desk.renew(first, LONG_MS, "")).toBe("fenced");
		expect(await desk.append(first, 0, "late")).toEqual({ status: "fenced" });
		expect(await desk.end(first, "ended", { exitCode: 0, status: "kept", message: "" })).toBe("fenced");
		expect(await desk.append(second, 0, "first")).toEqual({ status: "appended" });
		expect(await desk.events("r1")).toEqual(["first"]);
	});

	it("let a lease that ended be prolonged while nobody has taken it", async () => {
		await desk.enqueue(request("r1"));
		const lease = await leased("r1", "a");
		await expire("r1");
		expect(await desk.renew(lease, LONG_MS, "half")).toBe("held");
		expect(await desk.lease("r1", "dataviz", "b", LONG_MS)).toMatchObject({ status: "held" });
		expect((await desk.find("r1"))?.progress).toBe("half");
	});

	it("take each event once, in order, and tell of a conflict", async () => {
		await desk.enqueue(request("r1"));
		const lease = await leased("r1", "a");
		expect(await desk.append(lease, 1, "b")).toEqual({ status: "behind", at: 0 });
		expect(await desk.append(lease, 0, "a")).toEqual({ status: "appended" });
		expect(await desk.append(lease, 0, "a")).toEqual({ status: "appended" });
		expect(await desk.append(lease, 0, "other")).toEqual({ status: "conflict" });
		expect(await desk.events("r1")).toEqual(["a"]);
	});

	it("are brought back after Redis was emptied, by whoever has the highest fence", async () => {
		await desk.enqueue(request("r1"));
		const first = await leased("r1", "a");
		await expire("r1");
		const second = await leased("r1", "b");
		await redis.client.flushall();
		expect(await desk.renew(second, LONG_MS, "")).toBe("missing");
		expect(await desk.restore(second, request("r1"), LONG_MS)).toBe("restored");
		expect(await desk.restore(first, request("r1"), LONG_MS)).toBe("fenced");
		expect(await desk.renew(second, LONG_MS, "")).toBe("held");
		expect(await desk.lease("r1", "dataviz", "c", LONG_MS)).toMatchObject({ status: "held" });
	});

	it("have a higher fence after Redis was emptied than before", async () => {
		await desk.enqueue(request("r1"));
		const first = await leased("r1", "a");
		await redis.client.flushall();
		await desk.enqueue(request("r1"));
		const second = await leased("r1", "b");
		expect(second.fence).toBeGreaterThan(first.fence);
		expect(await desk.restore(first, request("r1"), LONG_MS)).toBe("fenced");
	});

	it("end a run that waits at once when it is cancelled, and ask the conductor of another", async () => {
		await desk.enqueue(request("r1"));
		expect(await desk.cancel("r1", "dataviz")).toBe("cancelled");
		expect((await desk.find("r1"))?.standing).toBe("halted");
		await desk.enqueue(request("r2"));
		const lease = await leased("r2", "a");
		expect(await desk.cancel("r2", "dataviz")).toBe("asked");
		expect(await desk.renew(lease, LONG_MS, "")).toBe("cancel");
		expect(await desk.cancel("nobody", "dataviz")).toBe("gone");
	});

	it("forget what is over and old, and nothing that is on", async () => {
		await desk.enqueue(request("r1"));
		await desk.end(await leased("r1", "a"), "ended", { exitCode: 0, status: "kept", message: "" });
		await desk.enqueue(request("r2"));
		expect(await desk.prune(60_000)).toEqual([]);
		expect(await desk.prune(-1_000)).toEqual(["r1"]);
		expect((await desk.list()).map(({ run }) => run)).toEqual(["r2"]);
	});
});
