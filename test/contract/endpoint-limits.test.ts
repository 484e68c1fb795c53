/** Limits of a model endpoint that several workers keep together, on a real Redis. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEndpointGate, type EndpointGate } from "../../src/adapters/endpoint-limits.ts";
import { openRedis, type RedisConnection } from "../../src/adapters/redis-connection.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const DONE = { moreTokens: 0, outcome: "answered", retryAfterMs: 0 } as const;
const going = () => new AbortController().signal;

describe.skipIf(!hasRedis())("an endpoint that workers share", () => {
	let server: RedisServer;
	let redis: RedisConnection;
	let names = 0;
	const gates: EndpointGate[] = [];

	beforeAll(async () => {
		server = await startRedis();
		redis = await openRedis({ url: server.url });
	});
	afterAll(async () => {
		for (const gate of gates) gate.close();
		await redis.close();
		await server.stop();
	});

	/** Two workers of one endpoint. */
	function pair(): [EndpointGate, EndpointGate] {
		const name = `endpoint-${names++}`;
		const both: [EndpointGate, EndpointGate] = [
			createEndpointGate(redis.client, name),
			createEndpointGate(redis.client, name),
		];
		gates.push(...both);
		return both;
	}

	it("gets no more calls at once than its limit, from all workers together", async () => {
		const [one, two] = pair();
		await one.limit({ callsAtOnce: 3 });
		let [under, most] = [0, 0];
		const call = async (gate: EndpointGate): Promise<void> => {
			const leave = await gate.enter(1, going());
			most = Math.max(most, ++under);
			await new Promise((resolve) => setImmediate(resolve));
			under -= 1;
			await leave(DONE);
		};
		await Promise.all(Array.from({ length: 20 }, (_, n) => call(n % 2 === 0 ? one : two)));
		expect(most).toBeLessThanOrEqual(3);
		expect(most).toBeGreaterThan(1);
	});

	it("gets requests no faster than its limit", async () => {
		const [one, two] = pair();
		await two.limit({ requestsPerMinute: 600 });
		const begun = performance.now();
		for (let n = 0; n < 20; n++) await (await (n % 2 === 0 ? one : two).enter(1, going()))(DONE);
		// Ten of them are the first second's; the others come one every 100 ms.
		expect(performance.now() - begun).toBeGreaterThan(900);
	});

	it("gets tokens no faster than its limit, by what calls really took", async () => {
		const [one, two] = pair();
		await one.limit({ tokensPerMinute: 60_000 });
		const begun = performance.now();
		for (let n = 0; n < 3; n++)
			await (await (n % 2 === 0 ? one : two).enter(10, going()))({ ...DONE, moreTokens: 990 });
		expect(performance.now() - begun).toBeGreaterThan(900);
	});

	it("is left alone by all workers for as long as it asked one of them to wait, and then gets less at once", async () => {
		const [one, two] = pair();
		const leaves = await Promise.all([1, 2, 3, 4].map(() => one.enter(1, going())));
		const begun = performance.now();
		await leaves[0]?.({ moreTokens: 0, outcome: "too-much", retryAfterMs: 400 });
		for (const leave of leaves.slice(1)) await leave(DONE);
		const next = await two.enter(1, going());
		expect(performance.now() - begun).toBeGreaterThanOrEqual(395);
		const window = Number(await redis.client.hget(`gepa:endpoint:endpoint-${names - 1}`, "window"));
		expect(window).toBeGreaterThanOrEqual(2);
		expect(window).toBeLessThan(4);
		await next(DONE);
		const grown = Number(await redis.client.hget(`gepa:endpoint:endpoint-${names - 1}`, "window"));
		expect(grown).toBeGreaterThan(window);
	});

	it("is not waited for when the run is stopped", async () => {
		const [one] = pair();
		await one.limit({ callsAtOnce: 1 });
		await one.enter(1, going());
		const stop = new AbortController();
		const waiting = one.enter(1, stop.signal);
		stop.abort(new Error("stopped"));
		await expect(waiting).rejects.toThrow("stopped");
	});
});
