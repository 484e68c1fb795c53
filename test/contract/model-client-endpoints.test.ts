/**
 * The client against every kind of endpoint: it learns what each refuses, asks again in other words, remembers, and reads
 * whatever shape the answer has.
 */
import { afterEach, describe, expect, it } from "vitest";
import { createOpenAiClient } from "../../src/adapters/openai-client.ts";
import type { Message, ModelSettings } from "../../src/domain/dialogue.ts";
import type { ModelClient, ModelRequest } from "../../src/ports/model-client.ts";
import type { ProfileName } from "../support/endpoint-profiles.ts";
import { type Fault, type FaultServer, type FaultServerOptions, startFaultServer } from "../support/fault-server.ts";

const NEVER = new AbortController().signal;
const MESSAGES: Message[] = [
	{ role: "system", content: "You pick charts." },
	{ role: "user", content: "Shares of a whole?" },
];
const FORMAT = {
	name: "edits",
	schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
};

let server: FaultServer | undefined;
afterEach(async () => {
	await server?.close();
	server = undefined;
});

async function serve(
	options: FaultServerOptions,
): Promise<{ server: FaultServer; client: ModelClient; lessons: unknown[] }> {
	server = await startFaultServer(options);
	const lessons: unknown[] = [];
	const client = createOpenAiClient({
		baseUrl: server.url,
		onLearnt: (model, lesson) => lessons.push([model, lesson]),
	});
	return { server, client, lessons };
}

function request(model: Partial<ModelSettings> = {}, extra: Partial<ModelRequest> = {}): ModelRequest {
	const settings = { name: "m-1", temperature: 0, maxOutputTokens: 100, ...model };
	return { role: "task", model: settings, messages: MESSAGES, ...extra };
}

async function replyOf(client: ModelClient, asked: ModelRequest) {
	const answer = await client.complete(asked, { signal: NEVER });
	if (answer.status !== "answered") throw new Error(answer.message);
	return answer;
}

describe("kinds of endpoints", () => {
	it.each<[ProfileName, number, Partial<ModelRequest> & { model?: ModelSettings }, Record<string, unknown>]>([
		["openai", 0, { format: FORMAT }, { max_tokens: 100, temperature: 0 }],
		["reasoning-model", 2, {}, { max_completion_tokens: 100 }],
		["old-reasoning-model", 3, {}, { messages: [{ role: "user", content: "You pick charts.\n\nShares of a whole?" }] }],
		["azure", 3, { format: FORMAT }, { max_completion_tokens: 100, response_format: { type: "json_object" } }],
		["ollama", 1, { model: { name: "m-1", reasoningEffort: "low" } }, { messages: MESSAGES }],
		["vllm", 1, {}, { messages: [{ role: "user", content: "You pick charts.\n\nShares of a whole?" }] }],
		["lm-studio", 2, { format: FORMAT }, { max_tokens: 100 }],
		["deepseek", 1, { format: FORMAT }, { response_format: { type: "json_object" } }],
		["mistral", 1, { model: { name: "m-1", reasoningEffort: "low" } }, {}],
		["strict-schemas", 1, { format: FORMAT }, {}],
		["no-usage", 0, {}, {}],
	])("%s answers after %i lessons, which are learnt once", async (profile, lessons, extra, expected) => {
		const { server, client } = await serve({ profile });
		const first = await replyOf(client, { ...request(), ...extra });
		expect(first).toMatchObject({ attempts: 1, reply: { text: "hello", finish: "stop" } });
		expect(server.requests).toHaveLength(lessons + 1);
		expect(server.requests.at(-1)?.body).toMatchObject(expected);
		await replyOf(client, { ...request(), ...extra });
		expect(server.requests).toHaveLength(lessons + 2);
		expect(server.answers).toBe(2);
	});

	it("learns for one model and not for its neighbour, and tells what it learnt", async () => {
		const { server, client, lessons } = await serve({ profile: "reasoning-model" });
		await replyOf(client, request());
		await replyOf(client, request({ name: "m-2" }));
		expect(server.requests).toHaveLength(6);
		const lesson = { limit: "max_completion_tokens", temperature: false };
		expect(lessons).toEqual([
			["m-1", lesson],
			["m-2", lesson],
		]);
	});

	it("calls that start together may each learn, and each gets its answer", async () => {
		const { server, client, lessons } = await serve({ profile: "azure" });
		await Promise.all(Array.from({ length: 16 }, () => replyOf(client, request({}, { format: FORMAT }))));
		expect(server.answers).toBe(16);
		expect(server.requests.length).toBeLessThanOrEqual(16 * 4);
		expect(lessons).toHaveLength(1);
	});

	it("an endpoint that refuses everything is given up soon", async () => {
		const everything = "Unsupported: temperature, max_tokens, max_completion_tokens, response_format, system role";
		const faults = Array.from(
			{ length: 50 },
			(): Fault => ({ kind: "status", status: 400, body: { error: everything } }),
		);
		const { server, client } = await serve({ faults });
		const answer = await client.complete(request({}, { format: FORMAT }), { signal: NEVER });
		expect(answer).toMatchObject({ reason: "config", attempts: 1 });
		expect(server.requests.length).toBeLessThanOrEqual(7);
	});

	it("remembers no lesson that led to no answer", async () => {
		const { server, client } = await serve({
			faults: [
				{ kind: "status", status: 400, body: { error: "temperature is not supported" } },
				{ kind: "status", status: 400, body: { error: "something else" } },
			],
		});
		expect(await client.complete(request(), { signal: NEVER })).toMatchObject({ reason: "config" });
		await replyOf(client, request());
		expect(server.requests.at(-1)?.body.temperature).toBe(0);
	});
});

describe("structured output", () => {
	it("is strict only for schemas that strict mode can take", async () => {
		const { server, client } = await serve({});
		const open = { name: "open edits", schema: { type: "object", properties: { a: {}, b: {} }, required: ["a"] } };
		await replyOf(client, request({}, { format: FORMAT }));
		await replyOf(client, request({}, { format: open }));
		const [strict, loose] = server.requests.map(({ body }) => body.response_format?.json_schema);
		expect(strict).toEqual({ ...FORMAT, strict: true });
		expect(loose).toEqual({ name: "open_edits", schema: open.schema });
	});

	it("is asked for in a fence, with the schema in words, where the endpoint has none", async () => {
		const { server, client } = await serve({ profile: "lm-studio" });
		await replyOf(client, request({}, { format: FORMAT }));
		const [system, user] = server.requests.at(-1)?.body.messages ?? [];
		expect(system).toEqual(MESSAGES[0]);
		expect(user?.content).toMatch(/^Shares of a whole\?\n\nAnswer with one JSON value in a ```json fence/);
		expect(user?.content).toContain(JSON.stringify(FORMAT.schema));
	});
});

describe("usage", () => {
	it.each<[string, Fault]>([
		["absent", { kind: "reply", usage: undefined }],
		["null", { kind: "reply", usage: null }],
		["negative", { kind: "reply", usage: { prompt_tokens: -1, completion_tokens: 2 } }],
		["a text", { kind: "reply", usage: { prompt_tokens: "10", completion_tokens: "2" } }],
		["not a number", { kind: "reply", usage: { prompt_tokens: null, completion_tokens: 2 } }],
		["a fraction", { kind: "reply", usage: { prompt_tokens: 10.5, completion_tokens: 2 } }],
		["zero for a prompt that was read", { kind: "reply", usage: { prompt_tokens: 0, completion_tokens: 0 } }],
	])("that is %s is estimated and says so", async (_name, fault) => {
		const { client } = await serve({ faults: [fault] });
		const { usage } = (await replyOf(client, request())).reply;
		expect(usage).toEqual({ prompt: 17, completion: 2, cached: 0, reasoning: 0, estimated: true });
	});

	it("keeps cached and reasoning tokens apart", async () => {
		const { client } = await serve({ profile: "reasoning-model" });
		const { usage } = (await replyOf(client, request())).reply;
		expect(usage).toEqual({ prompt: 100, completion: 50, cached: 64, reasoning: 40, estimated: false });
	});

	it("counts reasoning that a provider reports beside the completion", async () => {
		const usage = {
			prompt_tokens: 10,
			completion_tokens: 2,
			total_tokens: 42,
			completion_tokens_details: { reasoning_tokens: 30 },
		};
		const { client } = await serve({ faults: [{ kind: "reply", usage }] });
		expect((await replyOf(client, request())).reply.usage).toMatchObject({ completion: 32, reasoning: 30 });
	});

	it("reads the cache figure of DeepSeek", async () => {
		const { client } = await serve({ profile: "deepseek" });
		expect((await replyOf(client, request())).reply.usage).toMatchObject({ prompt: 100, cached: 90 });
	});
});

describe("what a reply says", () => {
	it.each<[string, Extract<Fault, { kind: "reply" }>, string, string]>([
		["the length limit", { kind: "reply", message: { content: "Do" }, finish_reason: "length" }, "Do", "length"],
		["a content filter", { kind: "reply", message: { content: null }, finish_reason: "content_filter" }, "", "refused"],
		["a refusal", { kind: "reply", message: { content: null, refusal: "I cannot." } }, "I cannot.", "refused"],
		["a call of tools", { kind: "reply", message: { content: null }, finish_reason: "tool_calls" }, "", "other"],
		["an unknown end", { kind: "reply", message: { content: "x" }, finish_reason: null }, "x", "other"],
		[
			"thoughts that never end",
			{ kind: "reply", message: { content: "<think>hm" }, finish_reason: "length" },
			"",
			"length",
		],
		["thoughts, then text", { kind: "reply", message: { content: "<think>hm</think>\ndonut" } }, "donut", "stop"],
		[
			"a tag within the text",
			{ kind: "reply", message: { content: "Use <think>x</think>" } },
			"Use <think>x</think>",
			"stop",
		],
		["half a surrogate pair", { kind: "reply", message: { content: "a\ud800b😀" } }, "a\ufffdb😀", "stop"],
		[
			"NUL and an unclosed fence",
			{ kind: "reply", message: { content: "a\u0000\n```json\n{" } },
			"a\u0000\n```json\n{",
			"stop",
		],
	])("reads %s", async (_name, fault, text, finish) => {
		const { client } = await serve({ faults: [fault] });
		expect((await replyOf(client, request())).reply).toMatchObject({ text, finish });
	});

	it("tells the time of the call itself", async () => {
		const { client } = await serve({});
		const { latencyMs } = (await replyOf(client, request())).reply;
		expect(latencyMs).toBeGreaterThan(0);
		expect(latencyMs).toBeLessThan(5_000);
	});
});
