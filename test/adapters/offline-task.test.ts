import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerTask } from "../../src/adapters/offline/task-role.ts";

const CONTRACT = [
	"## Output contract",
	"Reply with one bare JSON object and nothing else.",
	"- `queue`: `general`, `billing`, `shipping`, `security`",
	"- `priority`: one of `normal`, `high`, `urgent`",
	"- `summary`: one plain sentence, at most 8 words",
].join("\n");

const RULES = [
	"- Invoices, refunds and charges on a card: `queue` is `billing`.",
	"- Parcels that did not arrive or came late: `queue` is `shipping`.",
	"- Passwords, hacked accounts and strange logins: `queue` is `security`.",
	"- Set `priority` to `urgent` when an account was hacked.",
	"- More than 10 parcels are affected: `priority`: `high`.",
].join("\n");

const answer = (text: string, input: string) =>
	answerTask([
		{ role: "system", content: text },
		{ role: "user", content: input },
	]);
const fields = (text: string, input: string) => JSON.parse(answer(text, input)) as Record<string, string>;

/** Share of many inputs, alike but for a number, for which something holds. */
function share(text: string, input: string, holds: (reply: string) => boolean, n = 400): number {
	let held = 0;
	for (let i = 0; i < n; i++) if (holds(answer(text, `${input} Ticket ${5_000 + i}.`))) held++;
	return held / n;
}
const billing = (reply: string) => reply.includes('"queue":"billing"');

describe("the offline model under test", () => {
	it("answers with the keys of the contract in order and with allowed values only", () => {
		const reply = fields(`${CONTRACT}\n${RULES}`, "My parcel has not arrived yet.");
		expect(Object.keys(reply)).toEqual(["queue", "priority", "summary"]);
		expect(["general", "billing", "shipping", "security"]).toContain(reply.queue);
		expect(["normal", "high", "urgent"]).toContain(reply.priority);
	});

	it("follows the rule whose condition fits the input", () => {
		const text = `${CONTRACT}\n## Rules\n${RULES}`;
		expect(share(text, "I was charged twice, please refund my card.", billing)).toBeGreaterThan(0.9);
		expect(
			share(text, "Where is it? The parcels came late.", (reply) => reply.includes('"queue":"shipping"')),
		).toBeGreaterThan(0.9);
		expect(
			share(text, "Help, somebody hacked my account!", (reply) => reply.includes('"priority":"urgent"')),
		).toBeGreaterThan(0.9);
	});

	it("compares counts with the limit that a rule states", () => {
		const text = `${CONTRACT}\n## Rules\n${RULES}`;
		const high = (reply: string) => reply.includes('"priority":"high"');
		expect(share(text, "25 parcels are affected.", high)).toBeGreaterThan(0.9);
		expect(share(text, "3 parcels are affected.", high)).toBeLessThan(0.1);
	});

	it("falls back on the first allowed value when no rule fits, and on what the text calls its default", () => {
		expect(share(CONTRACT, "I was charged twice.", (reply) => reply.includes('"queue":"general"'))).toBeGreaterThan(
			0.9,
		);
		const text = `${CONTRACT}\n## Rules\n- By default \`queue\` is \`shipping\`.`;
		expect(share(text, "I was charged twice.", (reply) => reply.includes('"queue":"shipping"'))).toBeGreaterThan(0.9);
	});

	it("does worse when a line contradicts the rule", () => {
		const contrary = "- Invoices, refunds and charges on a card: `queue` is `security`.";
		const input = "I was charged twice, please refund my card.";
		const clean = share(`${CONTRACT}\n## Rules\n${RULES}`, input, billing);
		const torn = share(`${CONTRACT}\n## Rules\n${RULES}\n${contrary}`, input, billing);
		expect(torn).toBeLessThan(clean - 0.2);
	});

	it("overlooks rules more often in a text full of lines that say nothing", () => {
		const filler = Array.from({ length: 80 }, (_, i) => `- Remember point ${i}: stay thoughtful and friendly.`).join(
			"\n",
		);
		const input = "I was charged twice, please refund my card.";
		const clean = share(`${CONTRACT}\n## Rules\n${RULES}`, input, billing);
		const cluttered = share(`${CONTRACT}\n## Mind\n${filler}\n## Rules\n${RULES}`, input, billing);
		expect(cluttered).toBeLessThan(clean - 0.01);
	});

	it("breaks the form rarely when it is demanded and often when words around it are invited", () => {
		const bare = (reply: string) => {
			try {
				return (
					Object.keys(JSON.parse(reply) as object).length === 3 &&
					!reply.includes("(recommended)") &&
					!reply.includes("null")
				);
			} catch {
				return false;
			}
		};
		const invited = `${CONTRACT}\n- Explain your choice in two sentences below the answer.`;
		const vague = CONTRACT.replace("Reply with one bare JSON object and nothing else.", "Reply in JSON.");
		expect(share(CONTRACT, "Hello.", bare)).toBeGreaterThan(0.97);
		expect(share(invited, "Hello.", bare)).toBeLessThan(0.95);
		expect(share(vague, "Hello.", bare)).toBeLessThan(0.95);
	});

	it("keeps its choices when it is asked again, and mostly mends the form", () => {
		const text = `${CONTRACT}\n- Explain your choice in two sentences below the answer.\n${RULES}`;
		let broken = 0;
		let mended = 0;
		for (let i = 0; i < 300; i++) {
			const input = `Refund the charge on my card. Ticket ${i}.`;
			const first = answer(text, input);
			if (!/\n|\(recommended\)/.test(first)) continue;
			broken++;
			const again = answerTask([
				{ role: "system", content: text },
				{ role: "user", content: input },
				{ role: "assistant", content: first },
				{
					role: "user",
					content: "Your reply does not meet the requirements: x\nSend the complete reply again, and nothing else.",
				},
			]);
			if (!/\n|\(recommended\)/.test(again)) mended++;
		}
		expect(broken).toBeGreaterThan(5);
		expect(mended).toBeGreaterThan(0.8 * broken);
	});

	it("keeps free text within the limits of the contract", () => {
		const reply = fields(`${CONTRACT}\n## Rules\n${RULES}`, "I was charged twice, please refund my card.");
		expect((reply.summary ?? "").split(/\s+/).length).toBeLessThanOrEqual(8);
	});

	it("reads a contract from a JSON example, from a sentence and from a schema alike", () => {
		const rule = "\n\nInvoices and refunds: `team` is `money`.";
		const example = `Answer with this JSON object only:\n\`\`\`json\n{"team": "people | money", "note": "a short text"}\n\`\`\`${rule}`;
		const sentence = `Answer with a JSON object only. The key \`team\` is one of \`people\`, \`money\`.${rule}`;
		expect(
			share(example, "Refund my invoices", (reply) => reply.startsWith('{"team":"money","note":'), 50),
		).toBeGreaterThan(0.9);
		expect(share(sentence, "Refund my invoices", (reply) => reply === '{"team":"money"}', 50)).toBeGreaterThan(0.9);
		const schema = { type: "object", properties: { team: { enum: ["people", "money"] }, urgent: { type: "boolean" } } };
		const reply = answerTask(
			[
				{ role: "system", content: rule },
				{ role: "user", content: "Refund my invoices" },
			],
			schema,
		);
		expect(JSON.parse(reply)).toEqual({ team: "money", urgent: false });
	});

	it("answers in prose when the text has no contract", () => {
		expect(answer("- Greet people by name.\n- Parcels leave at noon.", "When do parcels leave?")).toBe(
			"Parcels leave at noon.",
		);
	});

	it("takes words that are names of JavaScript for words", () => {
		const odd = "`constructor`: `toString`, `__proto__`\n- Things about hasOwnProperty: `constructor` is `__proto__`.";
		const text = `Reply with one bare JSON object only.\n- ${odd}`;
		expect(JSON.parse(answer(text, "constructor valueOf 3 toString of hasOwnProperty"))).toEqual({
			constructor: "__proto__",
		});
	});

	it("gives the same answer to the same messages, whatever was asked in between, and never throws", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.string({ maxLength: 300 }), (text, input) => {
				const before = answer(text, input);
				answer(CONTRACT, input);
				expect(answer(text, input)).toBe(before);
			}),
			{ numRuns: 100 },
		);
	});
});
