import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/domain/dialogue.ts";
import type { Dialogue } from "../../src/domain/trial.ts";
import { readProposal } from "../../src/engine/propose.ts";
import { endOf, eventsOf, runParcels, SMALL, TINY } from "../support/parcel-run.ts";
import { lineOf, noteOf, parcelCases, RULES, skillBytes } from "../support/parcels.ts";
import { appendReply, sectionIn } from "../support/scripted-client.ts";
import { reply } from "../support/tasks.ts";

const COST = { calls: 1, tokens: 15, usd: null };
const APPEND = { op: "append", section: "1/packing", find: null, text: "- Use tape." };

function read(last: Reply | string, more: Partial<Dialogue> = {}) {
	const replies = [typeof last === "string" ? reply(last) : last];
	const dialogue = { key: "k", replies, complete: true, met: true, lostCalls: 0, ...more };
	return readProposal({ id: "g0.r0.x", group: "x" }, dialogue, COST);
}

const answer = (fields: object) =>
	JSON.stringify({ diagnosis: "d", cause: "missing-knowledge", edits: [APPEND], ...fields });

describe("reading an answer as a proposal", () => {
	it("takes edits from a bare object, a fence, or an object in prose", () => {
		for (const text of [answer({}), `Here:\n\`\`\`json\n${answer({})}\n\`\`\`\n`, `I think ${answer({})} is best.`]) {
			const proposal = read(text);
			expect(proposal).toMatchObject({ status: "usable", diagnosis: "d", cause: "missing-knowledge", ...COST });
			expect(proposal.edits).toEqual([{ op: "append", section: "1/packing", text: "- Use tape." }]);
		}
	});

	it.each<[string, Reply | string, string]>([
		["cut off, even when it could be read", reply(answer({}), { finish: "length" }), "truncated"],
		["refused", reply("no", { finish: "refused" }), "refused"],
		["empty", reply("  "), "empty"],
		["prose", "You should add a rule about tape.", "malformed: no list of edits"],
		["an object without edits", '{"diagnosis":"d"}', "malformed: no list of edits"],
		[
			"a list whose members are no edits",
			answer({ edits: [{ op: "rewrite", section: "a", text: "b" }] }),
			"malformed: no list of edits",
		],
		["an unclosed object", answer({}).slice(0, -1), "malformed: no list of edits"],
		["without any edit", answer({ edits: [] }), "no edits"],
		["with nothing but edits without a text", answer({ edits: [{ ...APPEND, text: " " }] }), "no edits"],
		[
			"with nothing but an edit beyond all length",
			answer({ edits: [{ ...APPEND, text: "x".repeat(2001) }] }),
			"no edits",
		],
	])("drops one that is %s", (_name, last, reason) => {
		expect(read(last)).toMatchObject({ status: "dropped", reason, edits: [], ...COST });
	});

	it.each(["execution-lapse", "bad-case", "noise"])("takes no edit that comes with the cause %s", (cause) => {
		expect(read(answer({ cause }))).toMatchObject({
			status: "dropped",
			reason: `no edit helps: ${cause}`,
			cause,
			edits: [],
		});
	});

	it("names the cases whose expectation the model takes to be wrong, each once, and none for any other cause", () => {
		const request = { id: "p", group: "g", failing: ["c1", "c2", "c1"] };
		const told = (cause: string) => {
			const replies = [reply(answer({ cause }))];
			return readProposal(request, { key: "k", replies, complete: true, met: true, lostCalls: 0 }, COST).suspects;
		};
		expect(told("bad-case")).toEqual(["c1", "c2"]);
		expect(told("noise")).toBeUndefined();
		expect(told("skill-defect")).toBeUndefined();
	});

	it("takes an unknown cause, and none, for what they are worth", () => {
		expect(read(answer({ cause: "bad luck ".repeat(9) })).cause).toHaveLength(40);
		expect(read(answer({ cause: null }))).toMatchObject({ status: "usable", cause: null });
	});

	it("takes the first twelve of too many edits, and what is left when some are none", () => {
		const many = Array.from({ length: 15 }, (_, at) => ({ ...APPEND, text: `- Line ${at}.` }));
		expect(read(answer({ edits: many })).edits).toHaveLength(12);
		expect(read(answer({ edits: [{ ...APPEND, text: null }, APPEND] })).edits).toHaveLength(1);
	});

	it("drops what never arrived, with the reason", () => {
		const loss = { reason: "timeout", message: "" } as const;
		expect(read("", { complete: false, loss })).toMatchObject({ status: "dropped", reason: "unavailable: timeout" });
		expect(read("", { replies: [] })).toMatchObject({ status: "dropped", reason: "no reply" });
	});
});

describe("what becomes of proposals in a run", () => {
	it("asks once more for an answer that is no list of edits, and drops it when that is none either", async () => {
		const run = await runParcels({ ...TINY, world: { ...TINY.world, reflection: () => "I would rather talk." } });
		const proposals = eventsOf(run.events, "proposals-received").flatMap((event) => event.proposals);
		expect(proposals.length).toBeGreaterThan(0);
		for (const proposal of proposals) {
			expect(proposal).toMatchObject({ status: "dropped", reason: "malformed: no list of edits", calls: 2 });
		}
		expect(endOf(run.events).status).toBe("kept");
	});

	it("asks anew, and not for the stored answer, when the last answer to the same question was of no use", async () => {
		const asked = new Map<string, number>();
		const run = await runParcels({
			...TINY,
			spec: { ...TINY.spec, search: { ...TINY.spec?.search, stall: 9 } },
			world: {
				...TINY.world,
				reflection: ({ messages }) => {
					const prompt = messages[1]?.content ?? "";
					const question = prompt.split("# What to work on")[1]?.split("\n")[1] ?? "";
					const times = (asked.get(question) ?? 0) + 1;
					asked.set(question, times);
					const rule = RULES.find((candidate) => prompt.includes(`Note: ${noteOf(candidate)}`));
					// Each question is asked once more at once; the examples of three failures have all been shown after three questions.
					return times <= 6 || rule === undefined ? "Not today." : appendReply(sectionIn(prompt), lineOf(rule));
				},
			},
		});
		expect(endOf(run.events).status).toBe("confirmed");
		expect(run.client.repeated()).toBe(0);
	});

	it("refuses edits of sections that do not exist and of the kernel, and says so", async () => {
		const edits = [
			{ op: "append", section: "output-contract", text: "- Or prose." },
			{ op: "delete", section: "1/packing", find: "Reply with one bare JSON object" },
		];
		const run = await runParcels({ ...TINY, world: { ...TINY.world, reflection: () => answer({ edits }) } });
		const codes = new Set(run.state.refusals.map((refusal) => refusal.code));
		expect(codes).toEqual(new Set(["unknown-section", "not-found"]));
		expect(Object.keys(run.state.variants)).toHaveLength(1);
	});
});

describe("what a model is shown", () => {
	it("never holds a validation or a holdout case: no input, no note, no id", async () => {
		for (const checks of ["pointers", "rubrics"] as const) {
			const family = { ...SMALL.family, checks };
			const run = await runParcels({ family, skill: skillBytes(), world: { noise: 0.2 } });
			const shown = run.client.answered.filter((request) => request.role === "reflection");
			expect(shown.length).toBeGreaterThan(1);
			const text = shown.map((request) => JSON.stringify(request)).join("\n");
			for (const entry of parcelCases(family)) {
				if (entry.split === "train") continue;
				for (const part of [entry.id, entry.input, ...entry.checks.flatMap((check) => check.note ?? [])]) {
					expect(text).not.toContain(JSON.stringify(part).slice(1, -1));
				}
			}
		}
	});

	it("is the text and the case alone for the model under test: no check, no note, no frontmatter", async () => {
		const run = await runParcels(TINY);
		for (const { role, messages } of run.client.answered) {
			if (role !== "task") continue;
			const said = messages.map((message) => message.content).join("\n");
			expect(said).not.toContain("Nothing special");
			expect(said).not.toContain("description:");
			expect(messages[0]?.role).toBe("system");
		}
	});

	it("tells the judge nothing about the text that led to an answer", async () => {
		const run = await runParcels({ family: { ...SMALL.family, checks: "rubrics" }, skill: skillBytes() });
		const judged = run.client.answered.filter((request) => request.role === "judge");
		expect(judged.length).toBeGreaterThan(0);
		for (const request of judged) {
			const text = JSON.stringify(request);
			for (const id of Object.keys(run.state.variants)) expect(text).not.toContain(id);
			expect(text).not.toContain("Choose what is cheapest");
		}
	});
});
