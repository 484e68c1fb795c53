/**
 * One call against a real server that fails in every way that endpoints do. What is asked of each: the right reason, the right
 * word on money, a message for people, and an end in bounded time and memory.
 */
import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createOpenAiClient, type OpenAiOptions } from "../../src/adapters/openai-client.ts";
import type { ModelRequest } from "../../src/ports/model-client.ts";
import { type Fault, type FaultServer, startFaultServer } from "../support/fault-server.ts";
import { patient } from "../support/patience.ts";

const KEY = "sk-test-0123456789abcdef";
const NEVER = new AbortController().signal;
const REQUEST: ModelRequest = {
	role: "task",
	model: { name: "m-1", temperature: 0, maxOutputTokens: 100 },
	messages: [{ role: "user", content: "Which chart?" }],
};

let server: FaultServer | undefined;
afterEach(async () => {
	await server?.close();
	server = undefined;
});

async function serve(...faults: Fault[]): Promise<FaultServer> {
	server = await startFaultServer({ faults });
	return server;
}

async function callWith(fault: Fault, options: Partial<OpenAiOptions> = {}) {
	const { url } = await serve(fault);
	return createOpenAiClient({ baseUrl: url, apiKey: KEY, ...options }).complete(REQUEST, { signal: NEVER });
}

function deadPort(): Promise<number> {
	return new Promise((resolve) => {
		const probe = net.createServer().listen(0, "127.0.0.1", () => {
			const { port } = probe.address() as net.AddressInfo;
			probe.close(() => resolve(port));
		});
	});
}

describe("statuses", () => {
	it.each([504, 524])(
		"%i says that the gateway gave up on a model at work, which is probably charged",
		async (status) => {
			const answer = await callWith({ kind: "status", status, body: "<html>timeout</html>" });
			expect(answer).toMatchObject({ reason: "server", httpStatus: status, maybePaid: true });
			expect(answer).toHaveProperty("message", expect.stringContaining("its gateway waited too long"));
		},
	);

	it.each([
		[401, "config"],
		[402, "config"],
		[403, "config"],
		[404, "config"],
		[400, "config"],
		[422, "config"],
		[413, "too-large"],
		[429, "rate-limit"],
		[408, "server"],
		[409, "server"],
		[500, "server"],
		[502, "server"],
		[503, "server"],
		[529, "server"],
	])("%i is %s, and nothing was paid", async (status, reason) => {
		const answer = await callWith({ kind: "status", status });
		expect(answer).toMatchObject({ status: "unavailable", reason, httpStatus: status, attempts: 1, maybePaid: false });
		expect(server?.requests).toHaveLength(1);
	});

	it.each([
		["seconds", { "retry-after": "7" }, 7_000],
		["milliseconds", { "retry-after-ms": "250" }, 250],
		["zero", { "retry-after": "0" }, 0],
		["an hour", { "retry-after": "3600" }, 3_600_000],
		["a date", { "retry-after": "Wed, 30 Sep 2026 12:00:30 GMT", date: "Wed, 30 Sep 2026 12:00:00 GMT" }, 30_000],
		["garbage", { "retry-after": "soon" }, undefined],
		["nothing", {}, undefined],
	])("429 tells the wait asked for in %s", async (_form, headers: Record<string, string>, retryAfterMs) => {
		const answer = await callWith({ kind: "status", status: 429, headers });
		expect(answer.status === "unavailable" && answer.retryAfterMs).toBe(retryAfterMs);
	});

	it("429 for want of credit is configuration: waiting does not help", async () => {
		const body = {
			error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
		};
		expect(await callWith({ kind: "status", status: 429, body })).toMatchObject({ reason: "config" });
	});

	it("a prompt that is longer than the model's context concerns that call alone", async () => {
		const body = {
			error: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" },
		};
		expect(await callWith({ kind: "status", status: 400, body })).toMatchObject({
			reason: "too-large",
			maybePaid: false,
		});
	});

	it("a prompt that a content filter stops is a refused answer", async () => {
		const body = { error: { message: "The response was filtered", code: "content_filter", status: 400 } };
		const answer = await callWith({ kind: "status", status: 400, body });
		expect(answer).toMatchObject({
			status: "answered",
			reply: { text: "", finish: "refused", usage: { estimated: true } },
		});
	});

	it("a limit that is too large for the model is the person's to mend and is asked once", async () => {
		const message = "max_tokens is too large: 100. This model supports at most 50 completion tokens.";
		const answer = await callWith({ kind: "status", status: 400, body: { error: { message, param: "max_tokens" } } });
		expect(answer).toMatchObject({ reason: "config" });
		expect(server?.requests).toHaveLength(1);
	});

	it("an error that came with status 200 is read as the error that it is", async () => {
		const body = JSON.stringify({ error: { message: "Rate limited upstream", code: 429 } });
		expect(await callWith({ kind: "raw", body })).toMatchObject({ reason: "rate-limit", maybePaid: false });
	});
});

describe("connections", () => {
	it("that break after a long wait break while the model works, which is probably charged", async () => {
		const answer = await callWith({ kind: "reset" }, { workMs: 0 });
		expect(answer).toMatchObject({ reason: "connection", maybePaid: true, attempts: 1 });
		expect(answer).toHaveProperty("message", expect.stringContaining("while it worked on its answer"));
	});

	it("a refused connection, an unknown host and a reset are connection failures that cost nothing", async () => {
		const unused = await deadPort();
		for (const baseUrl of [`http://127.0.0.1:${unused}/v1`, "http://no-such-host.invalid.local/v1"]) {
			const answer = await createOpenAiClient({ baseUrl }).complete(REQUEST, { signal: NEVER });
			expect(answer).toMatchObject({ reason: "connection", maybePaid: false });
		}
		expect(await callWith({ kind: "reset" })).toMatchObject({ reason: "connection", maybePaid: false });
	});

	it("a server that cannot speak TLS is a connection failure", async () => {
		const { port } = await serve();
		const client = createOpenAiClient({ baseUrl: `https://127.0.0.1:${port}/v1`, apiKey: KEY });
		expect(await client.complete(REQUEST, { signal: NEVER })).toMatchObject({ reason: "connection", maybePaid: false });
	});

	it("a host that takes the connection and never agrees on TLS is given up early", async () => {
		const silent = net.createServer();
		const sockets: net.Socket[] = [];
		silent.on("connection", (socket) => sockets.push(socket.on("error", () => undefined)));
		await new Promise<void>((ready) => silent.listen(0, "127.0.0.1", ready));
		const { port } = silent.address() as net.AddressInfo;
		const client = createOpenAiClient({ baseUrl: `https://127.0.0.1:${port}/v1`, apiKey: KEY, connectMs: 100 });
		expect(await client.complete(REQUEST, { signal: NEVER })).toMatchObject({ reason: "connection", maybePaid: false });
		for (const socket of sockets) socket.destroy();
		await new Promise((closed) => silent.close(closed));
	});

	it("connections are kept and used again", async () => {
		const { url } = await serve();
		const client = createOpenAiClient({ baseUrl: url });
		for (let n = 0; n < 20; n++) await client.complete(REQUEST, { signal: NEVER });
		expect(server?.answers).toBe(20);
		expect(server?.connections).toBe(1);
	});

	it("sends the query of the address with every call, and a stand-in where there is no key", async () => {
		const { url } = await serve();
		await createOpenAiClient({ baseUrl: `${url}/?api-version=1` }).complete(REQUEST, { signal: NEVER });
		expect(server?.requests[0]?.url).toBe("/v1/chat/completions?api-version=1");
		expect(server?.requests[0]?.headers.authorization).toBe("Bearer none");
	});

	it("a redirect is not followed, so the key reaches one host only", async () => {
		const other = await startFaultServer();
		const answer = await callWith({
			kind: "status",
			status: 307,
			headers: { location: `${other.url}/chat/completions` },
		});
		expect(answer).toMatchObject({
			reason: "config",
			httpStatus: 307,
			message: expect.stringContaining("not followed"),
		});
		expect(other.requests).toHaveLength(0);
		await other.close();
	});
});

describe("time and size", () => {
	it.each<[string, Fault, Partial<OpenAiOptions>]>([
		["no answer at all", { kind: "hang" }, { timeoutMs: 150 }],
		["a body that drips", { kind: "drip", everyMs: 10 }, { timeoutMs: 150 }],
		["a body that stops", { kind: "half", ending: "silence" }, { idleMs: 100 }],
	])("%s ends at its deadline and may have been paid", async (_name, fault, options) => {
		const started = performance.now();
		const answer = await callWith(fault, options);
		expect(answer).toMatchObject({ status: "unavailable", reason: "timeout", maybePaid: true });
		expect(performance.now() - started).toBeLessThan(patient(5_000));
		expect(server?.answers).toBe(0);
	});

	it("a slow answer that never stops for long is waited for", async () => {
		const answer = await callWith({ kind: "drip", everyMs: 20, count: 15 }, { idleMs: 150 });
		expect(answer).toMatchObject({ status: "answered", reply: { text: "slow" } });
		expect(answer.status === "answered" && answer.reply.latencyMs).toBeGreaterThan(200);
	});

	it("each role has its own deadline", async () => {
		const { url } = await serve({ kind: "hang" });
		const client = createOpenAiClient({ baseUrl: url, timeoutMs: { task: 60_000, judge: 60_000, reflection: 100 } });
		expect(await client.complete({ ...REQUEST, role: "reflection" }, { signal: NEVER })).toMatchObject({
			reason: "timeout",
		});
	});

	it.each<[string, Fault]>([
		["300 MB", { kind: "flood", bytes: 300e6 }],
		["300 MB, announced", { kind: "flood", bytes: 300e6, declared: true }],
		["an endless body", { kind: "flood", bytes: Number.POSITIVE_INFINITY }],
	])("%s is cut at the cap, in little memory", async (_name, fault) => {
		const before = process.memoryUsage.rss();
		const answer = await callWith(fault);
		expect(answer).toMatchObject({ status: "unavailable", reason: "too-large", maybePaid: true });
		expect(process.memoryUsage.rss() - before).toBeLessThan(100e6);
	});

	it("an endless explanation of an error is cut, and the error is told", async () => {
		const answer = await callWith({ kind: "status", status: 500, body: "x".repeat(10e6) });
		expect(answer).toMatchObject({ reason: "server", httpStatus: 500 });
	});
});

describe("abort", () => {
	it("rejects with the reason and closes the connection", async () => {
		const { url, arrived } = await serve({ kind: "hang" });
		const control = new AbortController();
		const call = createOpenAiClient({ baseUrl: url }).complete(REQUEST, { signal: control.signal });
		await arrived(1);
		const reason = new Error("a person said stop");
		control.abort(reason);
		await expect(call).rejects.toBe(reason);
		await expect.poll(() => server?.abandoned).toBe(1);
	});

	it("sends nothing when the signal has aborted before", async () => {
		const { url } = await serve();
		const call = createOpenAiClient({ baseUrl: url }).complete(REQUEST, { signal: AbortSignal.abort("stop") });
		await expect(call).rejects.toBe("stop");
		expect(server?.requests).toHaveLength(0);
	});
});

describe("unusable answers", () => {
	it.each<[string, Fault, string]>([
		["nothing", { kind: "raw", body: "" }, "empty"],
		["garbage", { kind: "raw", body: Buffer.from([0, 255, 254, 13, 10]) }, "not JSON"],
		["a web page", { kind: "raw", body: "<!doctype html><p>Hi", contentType: "text/html" }, "web page"],
		["JSON that breaks off", { kind: "raw", body: '{"choices":[{"message":{"content":"Do' }, "breaks off"],
		["JSON of another shape", { kind: "raw", body: '{"answer":42}' }, "no choice"],
		["null", { kind: "raw", body: "null" }, "no choice"],
		["an empty list of choices", { kind: "reply", choices: [] }, "no choice"],
		["a choice without a message", { kind: "reply", choices: [{ finish_reason: "stop" }] }, "no choice"],
		["a body cut before its announced end", { kind: "half", ending: "break" }, "within its answer"],
	])("%s is malformed and may have been paid", async (_name, fault, said) => {
		const answer = await callWith(fault);
		expect(answer).toMatchObject({ reason: "malformed", maybePaid: true, message: expect.stringContaining(said) });
	});
});

describe("secrets", () => {
	const leaks = `Bearer ${KEY} and ${KEY} and sk-proj-abcdef*****1234 \u001b[31m\u0000`;

	it.each<[string, Fault]>([
		["an error that echoes the key", { kind: "status", status: 401, body: { error: { message: leaks } } }],
		["a plain error text", { kind: "status", status: 500, body: leaks }],
		["a key at the point where the message is cut", { kind: "status", status: 500, body: `${"x".repeat(455)}${KEY}` }],
		["an error as text in JSON", { kind: "status", status: 400, body: { error: leaks } }],
		["an error list", { kind: "status", status: 422, body: { detail: [{ msg: leaks }] } }],
	])("%s leaves none of it in the message", async (_name, fault) => {
		const answer = await callWith(fault);
		const message = answer.status === "unavailable" ? answer.message : "";
		expect(message).not.toBe("");
		expect(message.length).toBeLessThanOrEqual(500);
		expect(message).not.toMatch(/sk-|0123456789|\p{Cc}/u);
	});

	const PLAIN = "Zq7-plain.key_without/prefix+123==";
	const forms: [string, string][] = [
		["as it is", PLAIN],
		["URL-encoded", encodeURIComponent(PLAIN)],
		["in base64", Buffer.from(PLAIN).toString("base64")],
		["in base64 behind other text", Buffer.from(`Bearer ${PLAIN}`).toString("base64")],
		["in the base64 of addresses", Buffer.from(`x${PLAIN}`).toString("base64url")],
	];
	it.each([...forms, ["cut off", PLAIN.slice(0, 14)], ["cut off in base64", btoa(PLAIN.slice(0, 15))]])(
		"a key without a telling beginning, %s, is not in the message",
		async (_name, form) => {
			const body = { error: { message: `Incorrect API key provided: ${form}.` } };
			const answer = await callWith({ kind: "status", status: 401, body }, { apiKey: PLAIN });
			const message = answer.status === "unavailable" ? answer.message : "";
			expect(message).toContain("Incorrect API key provided: ");
			expect(message).toContain("[key]");
			expect(message).not.toContain(form.slice(-14, -4));
			expect(message).not.toContain(PLAIN.slice(0, 8));
		},
	);

	it.each(forms)("a reply that echoes the key %s goes on without it", async (_name, form) => {
		const said = { role: "assistant", content: `The header was ${form}; now to the chart.` };
		const answer = await callWith({ kind: "reply", message: said }, { apiKey: PLAIN });
		const text = answer.status === "answered" ? answer.reply.text : "";
		expect(text).toMatch(/^The header was .*\[key\].*; now to the chart\.$/);
		expect(text).not.toContain(form.slice(-14, -4));
	});

	it("a stand-in that is a word, as local servers want one, stays in replies", async () => {
		const said = { role: "assistant", content: "Start lm-studio first." };
		const answer = await callWith({ kind: "reply", message: said }, { apiKey: "lm-studio" });
		expect(answer).toMatchObject({ reply: { text: said.content } });
	});
});
