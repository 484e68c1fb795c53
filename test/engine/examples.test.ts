import { describe, expect, it } from "vitest";
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import { findLeak } from "../../src/domain/leak.ts";
import { composedAnswer, exampleEdit, examplesFor, passesAll } from "../../src/engine/search/examples.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { aTrial, begun, measured } from "../support/builders.ts";
import { eventsOf, runParcels, SMALL } from "../support/parcel-run.ts";
import { appendReply, sectionIn } from "../support/scripted-client.ts";

const tools = createCheckTools();
const aCase = (checks: object[], input = "Parcel 1: fragile.") =>
	placeCase(caseSchema.parse({ id: "c", split: "train", input, checks }));

describe("an answer that is made of what the checks want", () => {
	it("holds every value at its place, and passes", () => {
		const entry = aCase([
			{ type: "json-schema", schema: { type: "object", required: ["a"] }, contract: true },
			{ type: "json-equals", path: "/a", value: "x" },
			{ type: "json-equals", path: "/b/c~1d", value: [1, 2] },
		]);
		const answer = composedAnswer(entry) ?? "";
		expect(JSON.parse(answer)).toEqual({ a: "x", b: { "c/d": [1, 2] } });
		expect(passesAll(entry, answer, tools)).toBe(true);
	});

	it("is not made where something else is wanted, and does not pass where the contract wants more", () => {
		expect(composedAnswer(aCase([{ type: "contains", value: "x" }]))).toBeNull();
		expect(composedAnswer(aCase([{ type: "json-equals", path: "/list/0", value: "x" }]))).toBeNull();
		expect(composedAnswer(aCase([{ type: "json-equals", path: "/a", value: "x", not: true }]))).toBeNull();
		const more = aCase([
			{ type: "json-schema", schema: { type: "object", required: ["a", "b"] }, contract: true },
			{ type: "json-equals", path: "/a", value: "x" },
		]);
		expect(passesAll(more, composedAnswer(more) ?? "", tools)).toBe(false);
		expect(passesAll(aCase([{ type: "rubric", criterion: "It is kind." }]), "{}", tools)).toBe(false);
	});
});

describe("an example in the text", () => {
	const input =
		"A long letter about the garden, the weather and the neighbours, who are all well, and then about a fragile vase that has to be sent to an aunt.";
	const cases: Case[] = ["a", "b", "c"].map((id) =>
		placeCase(
			caseSchema.parse({
				...{ id, split: "train", input },
				checks: [{ type: "json-equals", path: "/box", value: "padded", note: "The vase is fragile." }],
			}),
		),
	);
	const start = begun({ cases, spec: { search: { examples: true } }, outcome: () => measured([0]) });
	const request = { id: "g0.example.x", group: "x", caseId: "a", check: 0, rollout: null };

	it("shows the words of the input that the failing check is about, and repeats no case", () => {
		const edit = exampleEdit(start.state, start.context, request, '{"box":"padded"}');
		expect(edit).toMatchObject({
			op: "append",
			text: expect.stringMatching(/^- Example: "… .*fragile vase.* …" is answered \{"box":"padded"\}$/),
		});
		expect(findLeak(edit?.text ?? "", [input], "")).toBeNull();
	});

	it("is a single line: no longer answer, and none of several lines, becomes one", () => {
		expect(exampleEdit(start.state, start.context, request, "a\nb")).toBeNull();
		expect(exampleEdit(start.state, start.context, request, "x".repeat(500))).toBeNull();
	});

	it("is tried only when the job spec says so, and the cause was asked about twice", () => {
		const groups = currentGroups(start.state, start.context);
		const [group] = causesIn(groups);
		if (group === undefined) throw new Error("there is a cause");
		const asked = (times: number, context = start.context) => {
			const record = { id: group.id, label: group.label, failing: 3, total: 3 };
			const events = Array.from({ length: times }, () => {
				return { type: "proposals-received" as const, generation: 0, groups: [record], proposals: [] };
			});
			return examplesFor(start.after(...events), context, [group]).map((example) => example.caseId);
		};
		expect([asked(1), asked(2), asked(3)]).toEqual([[], ["c"], ["a"]]);
		const off = begun({ cases, outcome: () => measured([0]) });
		expect(asked(2, off.context)).toEqual([]);
	});

	it("takes an answer that was measured and passed everything, where there is one", () => {
		const groups = currentGroups(start.state, start.context);
		const record = causesIn(groups).map(({ id, label, failing, total }) => ({ id, label, failing, total }));
		const events = [1, 2].map(() => {
			return { type: "proposals-received" as const, generation: 0, groups: record, proposals: [] };
		});
		const trials = [aTrial("other", "c", measured([1]))];
		const state = start.after(...events, { type: "trials-measured", purpose: "probe", generation: 0, trials });
		expect(examplesFor(state, start.context, causesIn(groups))).toMatchObject([{ caseId: "c", rollout: "other-c" }]);
	});
});

describe("a search with examples", () => {
	/** Whoever is asked never finds it; the example says it in words that the scripted model does not read. */
	const vain = (prompt: string) => appendReply(sectionIn(prompt), "- Be careful with the box.");

	it("makes them of train cases, judges them like other edits, and shows no case of other splits", async () => {
		const run = await runParcels({
			...SMALL,
			spec: { search: { examples: true } },
			world: { slips: 0, reflection: (request) => vain(request.messages[1]?.content ?? "") },
		});
		const proposals = eventsOf(run.events, "proposals-received").flatMap((event) => event.proposals);
		const examples = proposals.filter((proposal) => proposal.id.includes(".example."));
		expect(examples.length).toBeGreaterThan(0);
		for (const { edits, calls } of examples) {
			expect(edits[0]?.text).toMatch(/^- Example: "… .*" is answered \{.*\}$/);
			expect(edits[0]?.text).not.toMatch(/validation|holdout/);
			expect(calls).toBe(0);
		}
		const judged = eventsOf(run.events, "edits-judged").flatMap((event) => [
			...event.kept,
			...event.dropped.map((entry) => entry.edit),
			...event.refusals.map((refusal) => refusal.proposal),
		]);
		expect(judged.some((id) => id.includes(".example."))).toBe(true);
	});
});
