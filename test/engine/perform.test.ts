import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import type { Reply } from "../../src/domain/dialogue.ts";
import { createPerform } from "../../src/engine/perform.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../src/ports/model-client.ts";
import { check, reply, task } from "../support/tasks.ts";

const tools = createCheckTools();
const json = check("json-schema", {
	schema: { type: "object" },
	contract: true,
	note: "Answer with the object alone.",
});

type Scripted = ModelAnswer | "hang";

/** A model that answers from a list and remembers what it was asked. */
function model(answers: readonly (Reply | Scripted)[]): { client: ModelClient; asked: ModelRequest[] } {
	const asked: ModelRequest[] = [];
	const client: ModelClient = {
		async complete(request, { signal }) {
			const answer = answers[asked.length];
			asked.push(request);
			if (answer === undefined) throw new Error("asked too often");
			if (answer === "hang") {
				await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
			}
			return typeof answer === "object" && "status" in answer
				? answer
				: { status: "answered", reply: answer as Reply, attempts: 1 };
		},
	};
	return { client, asked };
}

function journal(replies: readonly Reply[] = []): {
	replies: readonly Reply[];
	recorded: Reply[];
	record(reply: Reply): void;
} {
	const recorded: Reply[] = [];
	return { replies, recorded, record: (each) => void recorded.push(each) };
}

const signal = new AbortController().signal;

describe("doing a task", () => {
	it("asks once when the first reply will do", async () => {
		const { client, asked } = model([reply("{}")]);
		const book = journal();
		const format = { name: "answer", schema: { type: "object" } };
		const dialogue = await createPerform({ client, tools })(task("hi", { contracts: [json], format }), book, signal);
		expect(dialogue).toMatchObject({ complete: true, met: true, lostCalls: 0, replies: [reply("{}")] });
		expect(asked).toEqual([
			{ role: "task", model: { name: "m" }, messages: [{ role: "user", content: "hi" }], format },
		]);
		expect(book.recorded).toEqual([reply("{}")]);
	});

	it("asks again in the same dialogue, naming what is wrong", async () => {
		const { client, asked } = model([reply("sorry"), reply("{}")]);
		const dialogue = await createPerform({ client, tools })(task("hi", { contracts: [json] }), journal(), signal);
		expect(dialogue).toMatchObject({ complete: true, met: true });
		const [, assistant, user] = asked[1]?.messages ?? [];
		expect(asked[1]?.messages).toHaveLength(3);
		expect(assistant).toEqual({ role: "assistant", content: "sorry" });
		expect(user?.content).toContain("Answer with the object alone.");
		expect(user?.content).toContain("nothing else");
	});

	it("names the complaint where the contract has no note", async () => {
		const { note: _, ...bare } = { ...json, schema: { required: ["chart"] } };
		const { client, asked } = model([reply("{}"), reply('{"chart":1}')]);
		await createPerform({ client, tools })(task("hi", { contracts: [bare] }), journal(), signal);
		expect(asked[1]?.messages[2]?.content).toContain("chart");
	});

	it.each([
		["cut off", reply('{"a', { finish: "length" }), "cut off"],
		["refused", reply("I can't", { finish: "refused" }), "does not answer"],
		["empty", reply("  "), "empty"],
	])(
		"asks again for a reply that is %s, even without contracts, and never with an empty turn",
		async (_, first, said) => {
			const { client, asked } = model([first, reply("fine")]);
			const dialogue = await createPerform({ client, tools })(task("hi"), journal(), signal);
			expect(dialogue.met).toBe(true);
			expect(asked[1]?.messages[2]?.content).toContain(said);
			expect(asked[1]?.messages[1]?.content.trim()).not.toBe("");
		},
	);

	it("stops at the task's limit with the contract not met", async () => {
		const { client, asked } = model([reply("a"), reply("b"), reply("c")]);
		const dialogue = await createPerform({ client, tools })(
			task("hi", { contracts: [json], maxRetries: 2 }),
			journal(),
			signal,
		);
		expect(dialogue).toMatchObject({ complete: true, met: false });
		expect(asked).toHaveLength(3);
	});

	it("does not ask again for a contract that cannot be evaluated", async () => {
		const { client, asked } = model([reply("a")]);
		const contracts = [check("regex", { pattern: "(?=x)", flags: "", contract: true })];
		expect(await createPerform({ client, tools })(task("hi", { contracts }), journal(), signal)).toMatchObject({
			complete: true,
			met: false,
		});
		expect(asked).toHaveLength(1);
	});

	it("tells why there is no answer, and counts the call that may have been charged", async () => {
		const gone = {
			status: "unavailable",
			reason: "timeout",
			message: "no answer",
			attempts: 3,
			maybePaid: true,
		} as const;
		const { client } = model([reply("a"), gone]);
		const dialogue = await createPerform({ client, tools })(task("hi", { contracts: [json] }), journal(), signal);
		expect(dialogue).toMatchObject({
			complete: false,
			met: false,
			lostCalls: 1,
			loss: { reason: "timeout" },
			replies: [reply("a")],
		});
	});

	it("ends as cancelled when the signal aborts, before a call or during it", async () => {
		const stop = new AbortController();
		const { client, asked } = model(["hang"]);
		const pending = createPerform({ client, tools })(task("hi"), journal(), stop.signal);
		stop.abort();
		expect(await pending).toMatchObject({ complete: false, lostCalls: 1, loss: { reason: "cancelled" } });
		expect(await createPerform({ client, tools })(task("hi"), journal(), stop.signal)).toMatchObject({
			lostCalls: 0,
			loss: { reason: "cancelled" },
		});
		expect(asked).toHaveLength(1);
	});

	it("lets a bug through", async () => {
		await expect(createPerform({ client: model([]).client, tools })(task("hi"), journal(), signal)).rejects.toThrow(
			"asked too often",
		);
	});

	it("goes on from any prefix of its replies to the same dialogue with the same requests", async () => {
		const anyReply = fc.record({
			text: fc.constantFrom("", "no", "{}", "[]"),
			finish: fc.constantFrom("stop", "length", "refused", "other"),
		} as const);
		await fc.assert(
			fc.asyncProperty(fc.array(anyReply, { minLength: 3, maxLength: 3 }), fc.nat(3), async (parts, cut) => {
				const replies = parts.map(({ text, finish }) => reply(text, { finish }));
				const one = task("hi", { contracts: [json] });
				const whole = model(replies);
				const expected = await createPerform({ client: whole.client, tools })(one, journal(), signal);
				const paid = expected.replies.slice(0, cut);
				const rest = model(replies.slice(paid.length));
				const resumed = journal(paid);
				expect(await createPerform({ client: rest.client, tools })(one, resumed, signal)).toEqual(expected);
				expect(rest.asked).toEqual(whole.asked.slice(paid.length));
				expect([...paid, ...resumed.recorded]).toEqual(expected.replies);
			}),
		);
	});
});
