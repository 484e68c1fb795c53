/**
 * The decorators of the client around a real client and a real server; the waits are recorded instead of waited.
 */
import { afterEach, describe, expect, it } from "vitest";
import { createLimitedClient } from "../../src/adapters/limited-client.ts";
import { createOpenAiClient } from "../../src/adapters/openai-client.ts";
import { createRetryingClient, type RetryOptions } from "../../src/adapters/retrying-client.ts";
import { composeClient } from "../../src/cli/compose.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../src/ports/model-client.ts";
import { type Fault, type FaultServer, startFaultServer } from "../support/fault-server.ts";
import { patient } from "../support/patience.ts";

const NEVER = new AbortController().signal;
const REQUEST: ModelRequest = {
	role: "task",
	model: { name: "m-1" },
	messages: [{ role: "user", content: "Which chart?" }],
};

let server: FaultServer | undefined;
afterEach(async () => {
	await server?.close();
	server = undefined;
});

async function retrying(faults: Fault[], options: RetryOptions = {}) {
	server = await startFaultServer({ faults });
	const waits: number[] = [];
	const sleep = async (ms: number) => void waits.push(ms);
	const client = createRetryingClient(createOpenAiClient({ baseUrl: server.url, timeoutMs: 200 }), {
		random: () => 0,
		sleep,
		...options,
	});
	return { server, waits, client, complete: () => client.complete(REQUEST, { signal: NEVER }) };
}

const status = (code: number, headers: Record<string, string> = {}): Fault => ({
	kind: "status",
	status: code,
	headers,
});
const times = (count: number, fault: Fault): Fault[] => Array.from({ length: count }, () => fault);

describe("repeated calls", () => {
	it.each([408, 409, 429, 500, 502, 503, 529])("%i is asked again and answered", async (code) => {
		const { waits, complete, server } = await retrying([status(code), status(code)]);
		expect(await complete()).toMatchObject({ status: "answered", attempts: 3 });
		expect(waits).toEqual([500, 1000]);
		expect(server.answers).toBe(1);
	});

	it("a reset is asked again", async () => {
		const { complete } = await retrying([{ kind: "reset" }]);
		expect(await complete()).toMatchObject({ status: "answered", attempts: 2 });
	});

	it.each([400, 401, 402, 403, 404, 413, 422])("%i is never asked again", async (code) => {
		const { complete, server } = await retrying([status(code)]);
		expect(await complete()).toMatchObject({ status: "unavailable", attempts: 1 });
		expect(server.requests).toHaveLength(1);
	});

	it.each<[string, Fault]>([
		["a deadline", { kind: "hang" }],
		["a gateway that gave up", status(504)],
		["an answer too large", { kind: "flood", bytes: 5e6 }],
		["garbage", { kind: "raw", body: "oops" }],
		["an answer that broke off", { kind: "half", ending: "break" }],
	])("%s may have been paid and is never asked again", async (_name, fault) => {
		const { complete, server, waits } = await retrying([fault]);
		expect(await complete()).toMatchObject({ status: "unavailable", maybePaid: true, attempts: 1 });
		expect(server.requests).toHaveLength(1);
		expect(waits).toEqual([]);
	});

	it("nothing is asked again that may have been paid, whatever its reason", async () => {
		let calls = 0;
		const lost = {
			status: "unavailable",
			reason: "connection",
			message: "lost",
			attempts: 1,
			maybePaid: true,
		} as const;
		const client = createRetryingClient({
			complete: async () => {
				calls++;
				return lost;
			},
		});
		expect(await client.complete(REQUEST, { signal: NEVER })).toEqual(lost);
		expect(calls).toBe(1);
	});

	it("gives up after six attempts, with waits that double up to 8 s", async () => {
		const { complete, server, waits } = await retrying(times(20, status(503)), { maxAttempts: 8 });
		expect(await complete()).toMatchObject({ reason: "server", attempts: 8 });
		expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
		const byDefault = await retrying(times(20, status(503)));
		await byDefault.complete();
		expect(byDefault.server.requests).toHaveLength(6);
		await server.close();
	});

	it("spreads its waits by at most a quarter", async () => {
		const { complete, waits } = await retrying(times(2, status(503)), { random: () => 0.999 });
		await complete();
		expect(waits.map(Math.round)).toEqual([375, 750]);
	});
});

describe("Retry-After", () => {
	it.each([
		["seconds", { "retry-after": "7" }, 7_000],
		["fractions", { "retry-after": "2.5" }, 2_500],
		["milliseconds", { "retry-after-ms": "1500" }, 1_500],
		["a date", { "retry-after": "Wed, 30 Sep 2026 12:00:30 GMT", date: "Wed, 30 Sep 2026 12:00:00 GMT" }, 30_000],
		["a minute, the longest", { "retry-after": "60" }, 60_000],
		["zero, after a short wait all the same", { "retry-after": "0" }, 100],
		["the past", { "retry-after": "Wed, 30 Sep 2026 11:00:00 GMT", date: "Wed, 30 Sep 2026 12:00:00 GMT" }, 100],
		["garbage, by its own wait", { "retry-after": "soon" }, 500],
		["less than nothing, by its own wait", { "retry-after": "-3" }, 500],
	])("is obeyed in %s", async (_form, headers, wait) => {
		const { complete, waits } = await retrying([status(429, headers as Record<string, string>)]);
		expect(await complete()).toMatchObject({ status: "answered", attempts: 2 });
		expect(waits).toEqual([wait]);
	});

	it.each([["3600"], ["61"], ["99999999999999999999"]])(
		"of %s s ends the call at once and tells the wait",
		async (seconds) => {
			const { complete, server, waits } = await retrying([status(429, { "retry-after": seconds })]);
			const answer = await complete();
			expect(answer).toMatchObject({ status: "unavailable", reason: "rate-limit", attempts: 1 });
			expect(answer.status === "unavailable" && answer.retryAfterMs).toBeGreaterThan(60_000);
			expect(server.requests).toHaveLength(1);
			expect(waits).toEqual([]);
		},
	);

	it("of zero, again and again, never becomes a busy loop", async () => {
		const { complete, waits } = await retrying(times(20, status(429, { "retry-after": "0" })));
		expect(await complete()).toMatchObject({ reason: "rate-limit", attempts: 6 });
		expect(waits).toEqual([100, 200, 400, 800, 1600]);
	});

	it("is never undercut by the spread", async () => {
		const { complete, waits } = await retrying([status(429, { "retry-after": "10" })], { random: () => 0.999 });
		await complete();
		expect(waits[0]).toBeGreaterThanOrEqual(10_000);
		expect(waits[0]).toBeLessThanOrEqual(11_000);
	});
});

describe("abort", () => {
	it("during a wait ends it at once, with the answer that is known to have cost nothing", async () => {
		server = await startFaultServer({ faults: [status(429, { "retry-after": "30" })] });
		const control = new AbortController();
		const client = createRetryingClient(createOpenAiClient({ baseUrl: server.url }), {
			onWait: () => queueMicrotask(() => control.abort(new Error("stop"))),
		});
		const started = performance.now();
		const answer = await client.complete(REQUEST, { signal: control.signal });
		expect(answer).toMatchObject({ status: "unavailable", reason: "rate-limit", maybePaid: false, attempts: 1 });
		expect(performance.now() - started).toBeLessThan(patient(5_000));
		expect(server.requests).toHaveLength(1);
	});

	it("during a call that goes on to its end starts no other attempt and tells of no wait", async () => {
		const control = new AbortController();
		let calls = 0;
		const waits: unknown[] = [];
		const inner: ModelClient = {
			complete: async () => {
				calls++;
				control.abort("stop");
				return { status: "unavailable", reason: "rate-limit", message: "later", attempts: 1, maybePaid: false };
			},
		};
		const client = createRetryingClient(inner, { onWait: (wait) => waits.push(wait) });
		const answer = await client.complete(REQUEST, { signal: control.signal });
		expect(answer).toMatchObject({ status: "unavailable", reason: "rate-limit", maybePaid: false });
		expect([calls, waits]).toEqual([1, []]);
	});

	it("of a run's first stop lets the call under way end and starts no other; the second cuts it", async () => {
		server = await startFaultServer({ faults: [{ kind: "drip", everyMs: 1, count: 20 }, { kind: "hang" }] });
		const [soft, hard] = [new AbortController(), new AbortController()];
		const client = await composeClient({ baseUrl: server.url, apiKey: undefined, concurrency: 1 }, hard.signal);
		const ask = () => client.complete(REQUEST, { signal: soft.signal });
		const [underWay, queued] = [ask(), ask()];
		await server.arrived(1);
		soft.abort("first stop");
		await expect(queued).rejects.toBe("first stop");
		expect(await underWay).toMatchObject({ status: "answered" });
		expect(server.requests).toHaveLength(1);
		const late = client.complete(REQUEST, { signal: NEVER });
		await server.arrived(2);
		hard.abort("second stop");
		await expect(late).rejects.toBe("second stop");
	});
});

/** A client whose calls end when the test says so. */
function heldClient() {
	const started: string[] = [];
	const release: (() => void)[] = [];
	const client: ModelClient = {
		complete: (request) => {
			started.push(request.model.name);
			const reply = {
				text: "x",
				finish: "stop",
				usage: { prompt: 1, completion: 1, cached: 0, reasoning: 0, estimated: false },
				latencyMs: 1,
			} as const;
			return new Promise<ModelAnswer>((resolve) =>
				release.push(() => resolve({ status: "answered", reply, attempts: 1 })),
			);
		},
	};
	return { client, started, release };
}

const named = (name: string): ModelRequest => ({ ...REQUEST, model: { name } });
const settled = () => new Promise<void>((done) => setImmediate(done));

describe("limited calls", () => {
	it("start in order, never more than the limit at once", async () => {
		const { client, started, release } = heldClient();
		const limited = createLimitedClient(client, { concurrency: 2 });
		const calls = ["a", "b", "c", "d"].map((name) => limited.complete(named(name), { signal: NEVER }));
		await settled();
		expect(started).toEqual(["a", "b"]);
		release[0]?.();
		await settled();
		expect(started).toEqual(["a", "b", "c"]);
		release[1]?.();
		await settled();
		for (const free of release) free();
		await Promise.all(calls);
		expect(started).toEqual(["a", "b", "c", "d"]);
	});

	it("leave the queue when they are aborted, and never start", async () => {
		const { client, started, release } = heldClient();
		const limited = createLimitedClient(client, { concurrency: 1 });
		const control = new AbortController();
		const running = limited.complete(named("a"), { signal: NEVER });
		const waiting = limited.complete(named("b"), { signal: control.signal });
		const next = limited.complete(named("c"), { signal: NEVER });
		control.abort("stop");
		await expect(waiting).rejects.toBe("stop");
		await expect(limited.complete(named("d"), { signal: control.signal })).rejects.toBe("stop");
		release[0]?.();
		await running;
		await settled();
		release[1]?.();
		await next;
		expect(started).toEqual(["a", "c"]);
	});
});
