import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/domain/dialogue.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { singleLines } from "../../src/engine/search/lines.ts";
import { reflectionsCost } from "../../src/engine/search/stop.ts";
import { LaterError, UnavailableError } from "../../src/errors.ts";
import type { ModelAnswer, ModelRequest } from "../../src/ports/model-client.ts";
import { endOf, eventsOf, type ParcelResult, type ParcelRun, runParcels, SMALL } from "../support/parcel-run.ts";
import { lineOf, noteOf, RULES } from "../support/parcels.ts";
import {
	appendReply,
	createScriptedClient,
	kindOf,
	type ScriptedWorld,
	sectionIn,
} from "../support/scripted-client.ts";

/** A run whose checks never repeat: three questions of two lines each, which are merged and ranked. */
const WHOLE: ParcelRun = {
	family: { train: 6, validation: 0, holdout: 0, checks: "rubrics" },
	spec: { search: { generations: 1 } },
};

/** Answers a question with the rule that is missing and with general advice. */
const advised =
	(count: number) =>
	(request: ModelRequest): string => {
		const prompt = request.messages[1]?.content ?? "";
		const at = RULES.findIndex((rule) => prompt.includes(`Note: ${noteOf(rule)}`));
		const rule = RULES[at];
		const said = ["glue", "string", "paper", "chalk", "stamps", "labels"][at] ?? "tape";
		const advice = ["helps", "pleases", "lasts"].slice(0, count).map((use) => `- Remember ${said} whenever it ${use}.`);
		return appendReply(sectionIn(prompt), [rule ? lineOf(rule) : "- Nothing.", ...advice].join("\n"));
	};
const QUIET: ScriptedWorld = { moods: false, slips: 0, reflection: advised(1) };

const whole = (world: ScriptedWorld = {}, more: Partial<ParcelRun> = {}) =>
	runParcels({ ...WHOLE, ...more, world: { ...QUIET, ...world } });

/** The state before and after the first event that consolidated with this operator. */
function around({ events }: ParcelResult, operator: "merge" | "rank") {
	const at = events.findIndex((event) => event.type === "proposals-consolidated" && event.operator === operator);
	const event = events[at];
	if (event?.type !== "proposals-consolidated") throw new Error(`nothing was asked for: ${operator}`);
	return { event, before: replay(events.slice(0, at)), after: replay(events.slice(0, at + 1)) };
}

const editsIn = (state: ReturnType<typeof replay>) => searchOf(state).proposals.flatMap((proposal) => proposal.edits);
const fixed = (answer: string | Partial<Reply>) => () => answer;

describe("merging the proposals of a generation", () => {
	it("lets the merged proposal stand for all of them", async () => {
		const lines = RULES.slice(0, 2).map(lineOf);
		const run = await whole({
			merge: ({ messages }) => appendReply(sectionIn(messages[1]?.content ?? ""), lines[0] ?? ""),
		});
		const { event, before, after } = around(run, "merge");
		expect(searchOf(before).proposals.length).toBeGreaterThan(2);
		expect(searchOf(after).proposals).toEqual([event.proposal]);
		expect(event.proposal).toMatchObject({ id: "g0.merge", group: "merge", status: "usable" });
		const [admitted] = eventsOf(run.events, "variant-admitted");
		expect(admitted?.edits.map((traced) => traced.edit.text)).toEqual([lines[0]]);
	});

	it("shows the question every edit of every usable proposal", async () => {
		const run = await whole();
		const { before } = around(run, "merge");
		const asked = run.client.answered.find((request) => kindOf(request) === "merge")?.messages[1]?.content ?? "";
		const lines = editsIn(before).flatMap(singleLines);
		expect(lines).toHaveLength(6);
		for (const edit of lines) expect(asked).toContain(JSON.stringify(edit));
	});

	it.each<[string, string | Partial<Reply>]>([
		["prose", "They all look fine to me."],
		["without a list of edits", '{"diagnosis": "merged"}'],
		["with an empty list", '{"diagnosis": "merged", "cause": "noise", "edits": []}'],
		["empty", { text: "  " }],
		["refused", { text: "no", finish: "refused" }],
		["cut off", { text: '{"edits": [{"op": "app', finish: "length" }],
		["cut off, though it can be read", { text: appendReply("1/packing", "- Tape."), finish: "length" }],
	])("leaves the proposals as they are when the answer is %s", async (_name, answer) => {
		const run = await whole({ merge: fixed(answer) });
		const { event, before, after } = around(run, "merge");
		expect(event.proposal).toBeNull();
		expect(event.reason).toContain("of no use");
		expect(searchOf(after).proposals).toEqual(searchOf(before).proposals);
		expect(eventsOf(run.events, "proposals-consolidated").map((one) => one.operator)).toContain("rank");
		expect(Object.keys(run.state.variants).length).toBeGreaterThan(1);
	});

	it("asks nothing about a single proposal", async () => {
		const run = await whole({ reflection: advised(0) }, { spec: { search: { reflections: 1, generations: 1 } } });
		expect(eventsOf(run.events, "proposals-received").length).toBeGreaterThan(0);
		expect(eventsOf(run.events, "proposals-consolidated").filter((event) => event.operator === "merge")).toEqual([]);
	});
});

describe("ranking the edits of a generation", () => {
	it("keeps about two thirds of them, and at least four, in the order of the ranking", async () => {
		const run = await whole({ reflection: advised(3) });
		const { event, before, after } = around(run, "rank");
		const given = editsIn(before).map((edit) => edit.text ?? "");
		const kept = editsIn(after).map((edit) => edit.text ?? "");
		expect(given.length).toBeGreaterThan(8);
		expect(kept).toHaveLength(Math.ceil(given.length * 0.65));
		const isRule = (line: string) => line.startsWith("- A ");
		expect(kept).toEqual([...given.filter(isRule), ...given.filter((line) => !isRule(line))].slice(0, kept.length));
		expect(event.reason).toBe(`${kept.length} edits of ${given.length}`);
		expect(event.proposal).toMatchObject({ id: "g0.rank", group: "rank", status: "usable", calls: 0, usd: 0 });
	});

	it("takes the order of the answer, best first, and leaves out the last", async () => {
		const run = await whole({ rank: fixed('{"reason": "", "ranking": [5, 3, 1, 0, 2, 4]}') });
		const { before, after } = around(run, "rank");
		const given = editsIn(before);
		expect(given).toHaveLength(6);
		expect(editsIn(after)).toEqual([5, 3, 1, 0].map((at) => given[at]));
	});

	it.each<[string, string | Partial<Reply>]>([
		["prose", "The first one is best."],
		["without a list", '{"reason": "all are fine"}'],
		["with numbers of no edit", '{"ranking": [99, -1]}'],
		["empty", { text: "" }],
		["cut off", { text: '{"reason": "a", "ranking": [3, 2', finish: "length" }],
		["cut off, though it can be read", { text: '{"reason": "a", "ranking": [5, 3, 1]}', finish: "length" }],
	])("leaves the proposals as they are when the answer is %s", async (_name, answer) => {
		const run = await whole({ rank: fixed(answer) });
		const { event, before, after } = around(run, "rank");
		expect(event).toMatchObject({ proposal: null, reason: "of no use: no ranking" });
		expect(searchOf(after).proposals).toEqual(searchOf(before).proposals);
		expect(eventsOf(run.events, "variant-admitted")[0]?.edits).toHaveLength(
			editsIn(before).flatMap(singleLines).length,
		);
	});

	it("shows what fails, by the notes of train cases only", async () => {
		const run = await whole({}, { family: { ...WHOLE.family, validation: 6 } });
		const asked = run.client.answered.filter((request) => kindOf(request) !== "edits");
		expect(asked.length).toBeGreaterThan(1);
		const ranking = asked.find((request) => kindOf(request) === "rank")?.messages[1]?.content ?? "";
		expect(RULES.filter((rule) => ranking.includes(`- ${noteOf(rule)}`)).length).toBeGreaterThan(3);
		expect(JSON.stringify(asked)).not.toContain("validation-");
	});
});

describe("what consolidating costs", () => {
	it("is counted once: a useless answer is not asked for again", async () => {
		const run = await whole({ merge: fixed("Not today.") });
		const { event, before, after } = around(run, "merge");
		expect(event).toMatchObject({ calls: 1 });
		expect(event.tokens).toBeGreaterThan(0);
		expect(after.spend.reflectionCalls - before.spend.reflectionCalls).toBe(1);
		expect(after.spend.tokens - before.spend.tokens).toBe(event.tokens);
		expect(modelCalls(run.state.spend)).toBe(run.client.answered.length);
		expect(run.client.repeated()).toBe(0);
	});

	it("is held against the limits: without room nothing is asked, and the run says which limit it was", async () => {
		const free = await whole();
		const at = free.events.findIndex((event) => event.type === "proposals-consolidated");
		const before = replay(free.events.slice(0, at));
		// As much is left as questions cost on average, and one may cost more: the plan tries, and the ledger refuses.
		const tokens = Math.ceil(before.spend.tokens + reflectionsCost(before, 1).tokens);
		const limited = { ...free.settings, limits: { tokens } };
		const opening = free.events[0] as Extract<RunEvent, { type: "run-opened" }>;
		const events = [{ ...opening, settings: limited }, ...free.events.slice(1, at)];
		const run = await whole({}, { spec: { ...WHOLE.spec, budget: limited.limits }, events });
		expect(eventsOf(run.events, "proposals-consolidated")).toMatchObject([
			{ operator: "merge", proposal: null, calls: 0, limit: "tokens", reason: "the limits leave no room for it" },
		]);
		expect(run.client.arrived).toBe(0);
		expect(endOf(run.events).stoppedBy).toBe("tokens");
	});

	it("is not planned at all where the reserve of the proofs leaves no room", async () => {
		const free = await whole();
		const at = free.events.findIndex((event) => event.type === "proposals-consolidated");
		const calls = modelCalls(replay(free.events.slice(0, at)).spend);
		const run = await whole(
			{},
			{ spec: { ...WHOLE.spec, budget: { calls } }, events: free.events.slice(0, at), store: free.store },
		);
		expect(eventsOf(run.events, "proposals-consolidated")).toEqual([]);
		expect(run.client.arrived).toBe(0);
	});
});

describe("a loss while consolidating", () => {
	const lost = (reason: "config" | "rate-limit" | "timeout"): ModelAnswer => {
		return { status: "unavailable", reason, message: "gone", attempts: 1, maybePaid: false };
	};

	it.each([
		["config", "merge", UnavailableError],
		["rate-limit", "merge", LaterError],
		["config", "rank", UnavailableError],
		["rate-limit", "rank", LaterError],
	] as const)(
		"ends the conducting for %s at: %s, and the run goes on later as if nothing had been",
		async (reason, kind, error) => {
			const full = await whole();
			const written = full.events.slice(0, 1);
			const fail = ({ request }: { request: ModelRequest }) => (kindOf(request) === kind ? lost(reason) : undefined);
			const client = createScriptedClient({ ...QUIET, fail });
			await expect(runParcels({ ...WHOLE, client, onEvent: (event) => void written.push(event) })).rejects.toThrow(
				error,
			);
			const at = full.events.findIndex((event) => event.type === "proposals-consolidated" && event.operator === kind);
			expect(written).toEqual(full.events.slice(0, at));
			const resumed = await whole({}, { events: written });
			expect(resumed.events).toEqual(full.events);
		},
	);

	it("leaves the proposals as they are when a single answer is too late", async () => {
		const fail = ({ request }: { request: ModelRequest }) =>
			kindOf(request) === "edits" ? undefined : lost("timeout");
		const only = (call: { request: ModelRequest }) => (call.request.role === "reflection" ? fail(call) : undefined);
		const run = await whole({ fail: only });
		const events = eventsOf(run.events, "proposals-consolidated").slice(0, 2);
		expect(events.map((event) => [event.operator, event.proposal])).toEqual([
			["merge", null],
			["rank", null],
		]);
		expect(events[0]?.reason).toContain("timeout");
		expect(eventsOf(run.events, "variant-admitted").length).toBeGreaterThan(0);
	});
});

describe("where checks repeat", () => {
	it("nothing is merged or ranked: each edit is judged by its own checks", async () => {
		const run = await runParcels({ family: SMALL.family ?? {} });
		expect(run.client.answered.some((request) => request.role === "reflection" && kindOf(request) !== "edits")).toBe(
			false,
		);
		expect(eventsOf(run.events, "proposals-consolidated")).toEqual([]);
	});
});
