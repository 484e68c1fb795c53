import { describe, expect, it } from "vitest";
import { caseSchema, placeCase } from "../../src/domain/case.ts";
import type { ModelClient } from "../../src/ports/model-client.ts";
import { runInProcess } from "../support/in-process.ts";

const WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"];
const usage = { prompt: 10, completion: 2, cached: 0, reasoning: 0, estimated: false };

/** Answers rightly only once the text holds the code word; its line shares no word with what the checks say. */
const client: ModelClient = {
	async complete({ role, messages }) {
		const text = messages[0]?.content ?? "";
		const number = Number(/number (\d+)/.exec(messages[1]?.content ?? "")?.[1]);
		const right = WORDS[number % WORDS.length];
		const edit = { op: "append", section: "rules", text: "- QUARTZ: echo whichever token follows that preposition." };
		const reply =
			role === "task"
				? text.includes("QUARTZ") || number % 5 === 0
					? right
					: "unknown"
				: JSON.stringify({ diagnosis: "", cause: "missing-knowledge", edits: [edit] });
		return { status: "answered", attempts: 1, reply: { text: reply ?? "", finish: "stop", usage, latencyMs: 1 } };
	},
};

const cases = Array.from({ length: 80 }, (_, number) =>
	placeCase(
		caseSchema.parse({
			id: `c${String(number).padStart(2, "0")}`,
			split: number % 2 === 0 ? "train" : "validation",
			input: `Message number ${number} about ${WORDS[number % WORDS.length]}`,
			checks: [{ type: "equals", value: WORDS[number % WORDS.length], note: "Name the subject." }],
		}),
	),
);

describe("a single line that does all the work", () => {
	it("stays, although it shares no word with what its checks say and no whole pass was due", async () => {
		const skill = new TextEncoder().encode("---\nname: mail\ndescription: d\n---\n## Rules\n- Answer.\n");
		const { state } = await runInProcess({ skill, cases, client });
		expect(state.closed).toMatchObject({ status: "confirmed" });
		expect(state.variants[state.search?.finished?.finalist ?? ""]?.harness.join("")).toContain("QUARTZ");
		expect(state.dropped).toEqual([]);
	});
});
