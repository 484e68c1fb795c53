import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent, VariantRecord } from "../../src/domain/events.ts";
import { evolve, INITIAL, openingOf, type RunState, replay, searchOf, variantOf } from "../../src/domain/run-state.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { aJudgement, aProposal, aTracedEdit, aTrial, begun, measured } from "../support/builders.ts";
import { sampleRun } from "../support/sample-run.ts";

/** Freezes a value and everything below it, so that a change to it throws. */
function frozen<T>(value: T): T {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const member of Object.values(value)) frozen(member);
	}
	return value;
}

const START = begun();
const CHILD: VariantRecord = {
	id: "child",
	parents: [START.incumbent],
	operator: "reflect",
	generation: 0,
	harness: ["", ""],
	patch: ["e1"],
};
const TRAIN = openingOf(START.state).trainSample;

const received: RunEvent = {
	type: "proposals-received",
	generation: 0,
	groups: [{ id: "g", label: "", failing: 1, total: 2 }],
	proposals: [aProposal("p1", "g", [], { calls: 2, tokens: 30, usd: 0.5 })],
};
const admitted: RunEvent = {
	type: "variant-admitted",
	variant: CHILD,
	edits: [aTracedEdit("e1", "g")],
	refusals: [],
	cases: TRAIN.slice(0, 2),
	purpose: "probe",
};
const pass: RunEvent = {
	type: "trials-measured",
	purpose: "pass",
	generation: 0,
	trials: TRAIN.slice(0, 2).map((id) => aTrial("child", id, measured([null, 1, 1, 1], { tokens: 7 }))),
};
const judged = (changes: Partial<EventOf<"edits-judged">> = {}) => aJudgement(CHILD, { kept: ["e1"], ...changes });

/** One event of every type, opening apart, and then some. */
const EVENTS: RunEvent[] = [
	...sampleRun().events.slice(1),
	...START.events.slice(1),
	received,
	admitted,
	pass,
	judged(),
	{ type: "limit-reached", limit: "calls" },
	{ type: "promotion-refused", reason: "dirty", message: "" },
	{ ...pass, limit: "tokens" },
];

describe("folding events", () => {
	it("never changes the state or the event that it is given, in whatever order events come", () => {
		const opening = frozen(START.events[0] as RunEvent);
		const events = EVENTS.map(frozen);
		fc.assert(
			fc.property(fc.shuffledSubarray(events), (order) => {
				let state = frozen(INITIAL);
				for (const event of [opening, ...order]) {
					const next = evolve(state, event);
					expect(next).not.toBe(state);
					state = frozen(next);
				}
				expect(state.opened).toBe(opening);
			}),
			{ numRuns: 50 },
		);
	});

	it("knows every type of event", () => {
		const types = new Set([...START.events, ...EVENTS].map((event) => event.type));
		expect(types.size).toBe(12);
	});

	it("is the same from the start as from any state in between", () => {
		const { events } = sampleRun();
		const whole = replay(events);
		for (let cut = 0; cut <= events.length; cut++) {
			expect(events.slice(cut).reduce(evolve, replay(events.slice(0, cut)))).toEqual(whole);
		}
		expect(replay(JSON.parse(JSON.stringify(events)))).toEqual(whole);
	});

	it("refuses a log without an opening, instead of inventing one", () => {
		expect(() => replay([pass])).toThrow("not been opened");
		expect(() => openingOf(INITIAL)).toThrow("not been opened");
		expect(() => searchOf(INITIAL)).toThrow("not been opened");
		expect(() => variantOf(START.state, "nobody")).toThrow("no variant nobody");
	});
});

describe("what a run has spent", () => {
	it("is the sum over trials and proposals, by kind", () => {
		const state = START.after(received, admitted, pass);
		expect(state.spend).toEqual({
			trials: 9 + 2,
			taskCalls: 9 + 2,
			judgeCalls: 0,
			reflectionCalls: 2,
			tokens: 900 + 30 + 14,
			usd: null,
		});
		expect(modelCalls(state.spend)).toBe(13);
	});

	it("holds no trial for which there was no room", () => {
		const outcome = { status: "failed", reason: "budget", quality: null, tokens: null, retries: null } as const;
		const refused = {
			...aTrial("child", TRAIN[0] ?? "", outcome),
			spend: { taskCalls: 0, judgeCalls: 0, tokens: 0, usd: 0 },
		};
		expect(START.after(admitted, { ...pass, trials: [refused], limit: "calls" } as RunEvent).spend).toEqual(
			START.state.spend,
		);
	});

	it("has no price as soon as one part has none", () => {
		const priced = replay([START.events[0] as RunEvent, received]);
		expect(priced.spend.usd).toBe(0.5);
		expect(evolve(priced, pass).spend.usd).toBeNull();
		expect(evolve(evolve(priced, pass), received).spend.usd).toBeNull();
	});
});

describe("where the search stands", () => {
	const view = (state: RunState) => searchOf(state).view;

	it("begins with v0 to be measured on the train sample, and looks at it once that is done", () => {
		const opened = searchOf(replay(START.events.slice(0, 1)));
		expect(opened.pending).toEqual({ variant: START.incumbent, cases: TRAIN, purpose: "incumbent" });
		const search = searchOf(START.state);
		expect(search).toMatchObject({ pending: null, passes: [START.incumbent] });
		expect(Object.values(search.view)).toEqual(TRAIN.map(() => START.incumbent));
	});

	it("looks at an adopted child where it was measured, and at its relatives elsewhere", () => {
		const state = START.after(received, admitted, pass, judged());
		expect(TRAIN.map((id) => view(state)[id])).toEqual([
			"child",
			"child",
			...TRAIN.slice(2).map(() => START.incumbent),
		]);
		const refused = START.after(received, admitted, pass, judged({ adopted: false }));
		expect(view(refused)).toEqual(view(START.state));
	});

	it("counts how often a group was worked on, and generations in which nothing held", () => {
		const idle = judged({ kept: [], variant: null, adopted: false });
		const state = START.after(received, idle, received, idle);
		expect(searchOf(state)).toMatchObject({ worked: { g: 2 }, stalled: 2, generation: 2 });
		expect(searchOf(evolve(state, judged()))).toMatchObject({ stalled: 0, generation: 3 });
	});

	it("begins a new generation with each judgement, and lets no proposal or measurement wait beyond it", () => {
		const waiting = searchOf(START.after(received, admitted, received));
		expect(waiting.proposals).toHaveLength(1);
		expect(waiting.pending).not.toBeNull();
		const next = searchOf(START.after(received, admitted, received, judged()));
		expect(next).toMatchObject({ generation: 1, proposals: [], pending: null, working: CHILD });
	});

	it("lets a consolidated proposal stand for all, or leaves them when there is none, and says what was tried", () => {
		const merged = aProposal("m", "merge", []);
		const asked: RunEvent = {
			...{ type: "proposals-consolidated", generation: 0, operator: "merge", proposal: merged, reason: "" },
			...{ calls: 1, tokens: 5, usd: 0.25 },
		};
		const state = START.after(received, asked);
		expect(searchOf(state)).toMatchObject({ proposals: [merged], consolidated: ["merge"] });
		expect(state.spend.reflectionCalls).toBe(3);
		const useless = searchOf(START.after(received, { ...asked, proposal: null }));
		expect(useless.proposals.map((proposal) => proposal.id)).toEqual(["p1"]);
		expect(useless.consolidated).toEqual(["merge"]);
		expect(searchOf(evolve(state, received)).consolidated).toEqual([]);
	});

	it("is pruned once a text was admitted to be pruned, until one is admitted that adds something", () => {
		const pruning: RunEvent = { ...admitted, edits: [], purpose: "prune" };
		expect(searchOf(START.after(pruning)).pruned).toBe(true);
		expect(searchOf(START.after(pruning, pass, judged())).pruned).toBe(true);
		expect(searchOf(START.after(pruning, pass, judged(), admitted)).pruned).toBe(false);
	});

	it("does not look at an adopted child where it is told not to", () => {
		const state = START.after(received, admitted, pass, judged({ except: TRAIN.slice(0, 1) }));
		expect(TRAIN.slice(0, 2).map((id) => view(state)[id])).toEqual([START.incumbent, "child"]);
	});

	it("remembers every edit that came back after pruning", () => {
		const state = START.after(judged({ restored: ["a"] }), judged({ restored: ["b"] }));
		expect(searchOf(state).restored).toEqual(["a", "b"]);
	});

	it("counts a whole pass among the passes only when it was adopted", () => {
		const whole: RunEvent = { ...admitted, purpose: "pass" };
		expect(searchOf(START.after(whole, pass, judged())).passes).toEqual([START.incumbent, "child"]);
		expect(searchOf(START.after(whole, pass, judged({ adopted: false }))).passes).toEqual([START.incumbent]);
		expect(searchOf(START.after(admitted, pass, judged())).passes).toEqual([START.incumbent]);
	});

	it("keeps the first limit that was reached, wherever it is told", () => {
		const first = START.after({ ...pass, limit: "tokens" });
		expect(first.limit).toBe("tokens");
		expect(evolve(first, { type: "limit-reached", limit: "minutes" }).limit).toBe("tokens");
		expect(START.after({ ...received, limit: "calls" }).limit).toBe("calls");
		expect(START.after({ type: "limit-reached", limit: "cancelled" }).limit).toBe("cancelled");
	});
});
