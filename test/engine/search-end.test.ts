import { describe, expect, it } from "vitest";
import type { RunEvent, TracedEdit } from "../../src/domain/events.ts";
import type { JobSpec } from "../../src/domain/job-spec.ts";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { chooseFinalists } from "../../src/engine/search/finalists.ts";
import { planPruning } from "../../src/engine/search/prune.ts";
import { signalComplaint } from "../../src/engine/search/signal.ts";
import { callsPerTrial, forbids, proofReserve, reflectionsCost, trialsCost } from "../../src/engine/search/stop.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import {
	aJudgement,
	anAdmission,
	anAppend,
	aTracedEdit,
	aTrial,
	type Begun,
	begun,
	measured,
} from "../support/builders.ts";
import { lineOf, parcelCases, RULES } from "../support/parcels.ts";

const NOTHING = { calls: 0, trials: 0, tokens: 0, usd: 0 };
const [PADDED, SEALED, AIR] = RULES.map(lineOf) as [string, string, string];

/** The run after a text with these edits was measured on every train case; `adopted` makes it the working text. */
function withText(start: Begun, events: RunEvent[], edits: TracedEdit[], outcome: Outcome, adopted = true): RunEvent[] {
	const state = replay(events);
	const cases = state.opened?.trainSample ?? [];
	const admission = anAdmission(searchOf(state).working, { edits });
	const origin = { parents: [start.incumbent], operator: "reflect" as const, generation: 0 };
	const variant = recordOf(replay([...events, admission]), edits, origin);
	return [
		...events,
		{ ...admission, variant, cases },
		{
			type: "trials-measured",
			purpose: "pass",
			generation: 0,
			trials: cases.map((id) => aTrial(variant.id, id, outcome)),
		},
		adopted ? aJudgement(variant) : aJudgement(variant, { adopted, working: searchOf(state).working }),
	];
}

describe("pruning", () => {
	const start = begun({ outcome: () => measured([null, 0, 0, 0]) });
	const groupOf = (label: string) =>
		currentGroups(start.state, start.context).find((group) => group.label === label && group.id === group.cause)?.id ??
		"";
	const pruned = (edits: TracedEdit[], restored: string[] = []) => {
		const events = withText(start, start.events, edits, measured([null, 1, 1, 1]));
		const last = events.at(-1);
		if (last?.type === "edits-judged") events.splice(-1, 1, { ...last, restored });
		const state = replay(events);
		return planPruning(state, start.context, currentGroups(state, start.context));
	};
	const padded = groupOf('/box = "padded"');

	it("takes out what is about nothing, and leaves what each kind of failure needs", () => {
		const lines = [
			aTracedEdit("good", padded, anAppend(PADDED)),
			aTracedEdit("filler", padded, anAppend("- Take your time and think twice.")),
			aTracedEdit("air", groupOf('/route = "air"'), anAppend(AIR)),
		];
		const pruning = pruned(lines);
		expect(pruning?.removed.map((entry) => entry.edit.id)).toEqual(["filler"]);
		expect(pruning?.removed[0]?.groups).toContain(padded);
		expect(pruning?.patch.map((edit) => edit.id)).toEqual(["good", "air"]);
	});

	it("leaves of several lines about one thing the one that says most of it", () => {
		const pruning = pruned([
			aTracedEdit("weak", padded, anAppend("- Fragile goods want somebody careful, padded or otherwise wrapped.")),
			aTracedEdit("strong", padded, anAppend(PADDED)),
		]);
		expect(pruning?.removed.map((entry) => entry.edit.id)).toEqual(["weak"]);
	});

	it("has nothing to do for a text whose every line has its own failure, or that has none", () => {
		expect(
			pruned([
				aTracedEdit("a", padded, anAppend(PADDED)),
				aTracedEdit("b", groupOf('/box = "sealed"'), anAppend(SEALED)),
			]),
		).toBeNull();
		expect(planPruning(start.state, start.context, currentGroups(start.state, start.context))).toBeNull();
	});

	it("never takes out a line again that was missed before", () => {
		expect(pruned([aTracedEdit("filler", padded, anAppend("- Take your time."))], ["filler"])).toBeNull();
	});

	it("leaves alone what rewords or deletes: only additions can be taken out by themselves", () => {
		const reword = {
			op: "replace",
			section: "1/packing",
			find: "- Choose what is cheapest.",
			text: "- Think twice.",
		} as const;
		expect(pruned([aTracedEdit("r", padded, reword)])).toBeNull();
	});
});

describe("choosing what is proved", () => {
	const score = (value: number, tokens: number) => measured([null, value, value, value], { tokens });
	const line = (name: string) => aTracedEdit(name, "g", anAppend(`- Line ${name}.`));

	/** A run with v0 (quality 0.5, 100 tokens) and texts of these qualities and tokens, the last of them the working text. */
	function choice(spec: Partial<JobSpec>, texts: [quality: number, tokens: number][]) {
		const start = begun({ spec, outcome: () => score(0.5, 100) });
		let events = start.events;
		texts.forEach(([quality, tokens], at) => {
			events = withText(start, events, [line(`l${at}`)], score(quality, tokens));
		});
		const state = replay(events);
		const names = new Map(Object.values(state.variants).map((variant) => [variant.id, variant.patch[0] ?? "v0"]));
		const { finalist, others } = chooseFinalists(state, start.context);
		return [names.get(finalist), ...others.map((id) => names.get(id))];
	}

	it("is the working text when quality comes first", () => {
		expect(choice({}, [[0.9, 200]])).toEqual(["l0"]);
		expect(
			choice({}, [
				[0.9, 300],
				[0.8, 150],
			]),
		).toEqual(["l1", "l0"]);
	});

	it("is v0 when the working text looks worse", () => {
		expect(choice({}, [[0.4, 50]])[0]).toBe("v0");
	});

	it("is the text with the fewest tokens among those within the margin when the cheapest is wanted", () => {
		const texts: [number, number][] = [
			[0.9, 120],
			[0.49, 60],
			[0.3, 10],
		];
		expect(choice({ policy: "cheapest" }, texts)[0]).toBe("l1");
		expect(choice({ policy: "cheapest", margin: { quality: 0, costs: 0.1 } }, texts)[0]).toBe("v0");
	});

	it("is the shortest text that is within the margin of the best when a balance is wanted", () => {
		const texts: [number, number][] = [
			[0.9, 120],
			[1, 400],
			[0.985, 300],
		];
		expect(choice({ policy: "balanced" }, texts)[0]).toBe("l2");
		expect(choice({ policy: "balanced", margin: { quality: 0.2, costs: 0.1 } }, texts)[0]).toBe("l0");
		expect(choice({ policy: "balanced" }, [[0.5, 120]])[0]).toBe("v0");
	});

	it("is v0 when the cheapest is wanted and nothing costs less", () => {
		expect(choice({ policy: "cheapest" }, [[0.9, 120]])[0]).toBe("v0");
	});

	it("shows others of the front, and as many as the job spec wants", () => {
		const texts: [number, number][] = [
			[0.6, 90],
			[0.7, 110],
			[0.8, 130],
			[0.9, 150],
		];
		expect(choice({ search: { finalists: 2 } }, texts)).toEqual(["l3", "l2", "l1"]);
		expect(choice({}, texts)).toEqual(["l3", "l2"]);
		expect(choice({ search: { finalists: 0 } }, texts)).toEqual(["l3"]);
	});
});

describe("whether the metric can move", () => {
	const complaint = (outcome: (at: number) => Outcome) => {
		const { state, context } = begun({ outcome: (_entry, at) => outcome(at) });
		return signalComplaint(state, context);
	};
	const failed: Outcome = { status: "failed", reason: "check", quality: null, tokens: 1, retries: 0 };

	it("is complained about when everything is perfect, zero or broken", () => {
		expect(complaint(() => measured([null, 1, 1, 1]))).toContain("perfect");
		expect(complaint(() => measured([null, 0, 0, 0]))).toContain("scores 0");
		expect(complaint((at) => (at < 5 ? failed : measured([null, 1, 0, 1])))).toContain("5 of 9");
		const empty = begun({ cases: parcelCases({ train: 0, validation: 3, holdout: 0 }) });
		expect(signalComplaint(empty.state, empty.context)).toContain("no train cases");
	});

	it("is not when one case differs, or a perfect answer had to be asked for again", () => {
		expect(complaint((at) => measured([null, at === 0 ? 0 : 1, 1, 1]))).toBeNull();
		expect(complaint((at) => measured([null, 1, 1, 1], { retries: at === 0 ? 1 : 0 }))).toBeNull();
		expect(complaint((at) => (at < 4 ? failed : measured([null, 1, 0, 1])))).toBeNull();
	});
});

describe("what may still be bought", () => {
	const { state, context, cases } = begun({ spec: { budget: { calls: 300 } } });

	it("is expected from what trials have cost so far", () => {
		expect(callsPerTrial(state)).toBe(1);
		expect(trialsCost(state, cases.slice(0, 4))).toMatchObject({ calls: 4, trials: 4, tokens: 400, usd: null });
		expect(reflectionsCost(state, 3)).toMatchObject({ calls: 3, trials: 0 });
		const unmeasured = replay([state.opened as RunEvent]);
		expect(callsPerTrial(unmeasured)).toBeGreaterThan(1);
		const asked = begun({ outcome: () => measured([null, 0, 0, 1], { retries: 1 }) });
		expect(trialsCost(asked.state, cases.slice(0, 4)).calls).toBe(8);
	});

	it("counts the judge where a case has criteria", () => {
		const rubrics = parcelCases({ train: 4, validation: 0, holdout: 0, checks: "rubrics" });
		expect(trialsCost(state, rubrics).calls).toBe(8);
	});

	it("leaves room for both sides of both proofs, and for a few more re-asks than so far", () => {
		expect(proofReserve(state, context)).toMatchObject({ calls: 40, trials: 36 });
	});

	it("is forbidden by the first limit that cost and reserve would pass", () => {
		const cost = { ...NOTHING, calls: 255 };
		expect(forbids(state, context, cost, { ...NOTHING, calls: 36 })).toBeNull();
		expect(forbids(state, context, cost, { ...NOTHING, calls: 37 })).toBe("calls");
		const unlimited = begun({ spec: { budget: {} } });
		expect(forbids(unlimited.state, unlimited.context, { ...NOTHING, calls: 1e9 }, NOTHING)).toBeNull();
	});
});
