import { describe, expect, it } from "vitest";
import { createOfflineClient, OFFLINE_MODEL } from "../../src/adapters/offline/offline-client.ts";
import type { ModelRequest } from "../../src/ports/model-client.ts";
import { patient } from "../support/patience.ts";

const signal = new AbortController().signal;
const request: ModelRequest = {
	role: "task",
	model: { name: OFFLINE_MODEL },
	messages: [
		{ role: "system", content: "Reply with one bare JSON object only.\n- `team`: `people`, `money`" },
		{ role: "user", content: "Refund, please." },
	],
};

async function replyTo(asked: ModelRequest, seed?: number) {
	const answer = await createOfflineClient(seed === undefined ? {} : { seed }).complete(asked, { signal });
	if (answer.status !== "answered") throw new Error(answer.message);
	return answer.reply;
}

describe("the offline client", () => {
	it("estimates tokens at four characters each and marks them as estimates", async () => {
		const reply = await replyTo(request);
		const characters = request.messages.reduce((sum, message) => sum + message.content.length, 0);
		expect(reply.usage).toEqual({
			prompt: Math.ceil(characters / 4),
			completion: Math.ceil(reply.text.length / 4),
			cached: 0,
			reasoning: 0,
			estimated: true,
		});
	});

	it("reports a latency of a slow model without waiting for it", async () => {
		const start = performance.now();
		const reply = await replyTo(request);
		expect(reply.latencyMs).toBeGreaterThan(300);
		expect(performance.now() - start).toBeLessThan(patient(250));
	});

	it("gives equal answers on every client; the seed moves the latency only", async () => {
		expect(await replyTo(request)).toEqual(await replyTo(request));
		const [one, other] = [await replyTo(request, 1), await replyTo(request, 2)];
		expect(one.text).toBe(other.text);
		expect(one.latencyMs).not.toBe(other.latencyMs);
	});

	it("ends at the length limit like any model", async () => {
		const reply = await replyTo({ ...request, model: { name: OFFLINE_MODEL, maxOutputTokens: 2 } });
		expect(reply.finish).toBe("length");
		expect(reply.text.length).toBeLessThanOrEqual(8);
	});

	it("rejects when the signal has aborted", async () => {
		await expect(createOfflineClient().complete(request, { signal: AbortSignal.abort() })).rejects.toThrow();
	});

	it("answers a request it has not seen within a few milliseconds", async () => {
		const rules = Array.from(
			{ length: 100 },
			(_, i) => `- Refunds of kind ${i} that somebody asks for: \`team\` is \`money\`.`,
		);
		const text = `${request.messages[0]?.content}\n## Rules\n${rules.join("\n")}`;
		const ask = (i: number) =>
			replyTo({
				...request,
				messages: [
					{ role: "system", content: text },
					{ role: "user", content: `Refund ${i}` },
				],
			});
		await ask(0);
		const start = performance.now();
		for (let i = 1; i <= 50; i++) await ask(i);
		expect((performance.now() - start) / 50).toBeLessThan(patient(20));
	});
});
