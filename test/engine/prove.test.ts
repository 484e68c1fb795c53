import { describe, expect, it } from "vitest";
import type { RunEvent, VariantRecord } from "../../src/domain/events.ts";
import type { Policy } from "../../src/domain/job-spec.ts";
import { replay } from "../../src/domain/run-state.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { answerOf, casesInOrder, gateStep, missingTrials } from "../../src/engine/prove.ts";
import { provenObjective } from "../../src/engine/search/objective.ts";
import type { Step } from "../../src/engine/steps.ts";
import { aTrial, type Begun, begun, lostTrial, measured } from "../support/builders.ts";
import { eventsOf, runParcels, SMALL } from "../support/parcel-run.ts";
import { parcelCases } from "../support/parcels.ts";

const CHILD: VariantRecord = {
	id: "child",
	parents: [],
	operator: "reflect",
	generation: 0,
	harness: ["", "- Child."],
	patch: [],
};

const admitted = (variant: VariantRecord): RunEvent => {
	return { type: "variant-admitted", variant, edits: [], refusals: [], cases: [], purpose: "pass" };
};

/** Takes a gate for a variant to its answer, with outcomes by side; returns every event that was written. */
function pass(
	start: Begun,
	events: RunEvent[],
	outcome: (side: string, caseId: string, repeat: number) => Outcome | null,
	id = CHILD.id,
): RunEvent[] {
	const written = [...events];
	for (let steps = 0; steps < 20; steps++) {
		const step: Step | null = gateStep(replay(written), start.context, "validation", id);
		if (step === null) return written;
		if (step.type === "decide") written.push(step.event);
		else if (step.type === "measure") {
			const trials = step.trials.map(({ variant, caseId, repeat }) => {
				const found = outcome(variant, caseId, repeat);
				return { ...(found === null ? lostTrial(variant, caseId) : aTrial(variant, caseId, found)), repeat };
			});
			written.push({ type: "trials-measured", purpose: step.purpose, generation: 0, trials });
		}
	}
	throw new Error("the gate never answers");
}

function world(options: { policy?: Policy; validation?: number } = {}): Begun {
	const cases = parcelCases({ train: 3, validation: options.validation ?? 40, holdout: 0 });
	return begun({ cases, spec: { policy: options.policy ?? "quality-first" } });
}

const looks = (events: readonly RunEvent[]) => eventsOf(events, "look-taken");
const score = (value: number, tokens = 100) => measured([null, value], { tokens });

/** The search has ended with money for so many draws of each case in the proofs. */
const finished = (draws: number): RunEvent => {
	const rest = { others: [], stoppedBy: "converged" as const, reason: "" };
	return { type: "search-finished", finalist: CHILD.id, ...rest, draws };
};

describe("a gate that single draws leave open", () => {
	const uneven = (side: string, id: string, repeat: number) => {
		// The child is better by a little; single draws hide it.
		const noise = (Number(id.replace(/\D/g, "")) * 7 + repeat * 5 + (side === CHILD.id ? 3 : 0)) % 10;
		return score(Math.min(1, (side === CHILD.id ? 0.16 : 0.1) + noise / 20));
	};
	const shown = (events: RunEvent[]) =>
		looks(events).map(({ pairs, draws = 1, answer }) => `${pairs} x ${draws}: ${answer}`);

	it("draws its cases again where the limits left money for it, and only then decides", () => {
		const start = world({ validation: 12 });
		const events = pass(start, [...start.events, admitted(CHILD), finished(3)], uneven);
		expect(shown(events).slice(0, 2)).toEqual(["9 x 1: continue", "12 x 1: continue"]);
		expect(shown(events)[2]).toMatch(/^12 x 3: (better|undecided)$/);
		const bought = eventsOf(events, "trials-measured").map(({ trials }) => trials.length);
		expect(bought.slice(-4)).toEqual([18, 6, 24, 24]);
		const single = pass(start, [...start.events, admitted(CHILD), finished(1)], uneven);
		expect(shown(single)).toEqual(["9 x 1: continue", "12 x 1: undecided"]);
	});

	it("buys second draws only, when they are like the first: the model has nothing to add", () => {
		const start = world({ validation: 12 });
		const alike = (side: string, id: string) => uneven(side, id, 0);
		const events = pass(start, [...start.events, admitted(CHILD), finished(5)], alike);
		expect(shown(events).at(-1)).toBe("12 x 2: undecided");
		const bought = eventsOf(events, "trials-measured").map(({ trials }) => trials.length);
		expect(bought.slice(-3)).toEqual([18, 6, 24]);
	});
});

describe("a gate", () => {
	it("says better at the first look that proves a gain, and buys no more", () => {
		const start = world();
		const events = pass(start, [...start.events, admitted(CHILD)], (side) => score(side === CHILD.id ? 1 : 0));
		const [only, ...more] = looks(events);
		expect(only).toMatchObject({ answer: "better", pairs: 9, attempt: 1, objective: "quality", mean: 1 });
		expect(more).toEqual([]);
		expect(eventsOf(events, "trials-measured").at(-1)?.trials).toHaveLength(18);
	});

	it("says not-better at the first look that is behind, or shows no gain at all", () => {
		for (const child of [0, 0.5]) {
			const start = world();
			const events = pass(start, [...start.events, admitted(CHILD)], (side) => score(side === CHILD.id ? child : 0.5));
			expect(looks(events).map((look) => look.answer)).toEqual(["not-better"]);
		}
	});

	it("says undecided after its last look at a gain that these cases cannot prove", () => {
		const start = world();
		const lucky = casesInOrder(start.context, "validation")[0]?.id;
		const events = pass(start, [...start.events, admitted(CHILD)], (side, id) =>
			score(side === CHILD.id && id === lucky ? 1 : 0),
		);
		expect(looks(events).map((look) => [look.answer, look.pairs])).toEqual([
			["continue", 9],
			["continue", 20],
			["undecided", 40],
		]);
	});

	it("measures both sides side by side, every case once, and each look takes in all before it", () => {
		const start = world({ validation: 24 });
		const lucky = casesInOrder(start.context, "validation")[0]?.id;
		const events = pass(start, [...start.events, admitted(CHILD)], (side, id) =>
			score(side === CHILD.id && id === lucky ? 1 : 0),
		);
		const steps = eventsOf(events, "trials-measured").slice(1);
		for (const { trials } of steps) {
			for (let at = 0; at < trials.length; at += 2) {
				expect(trials[at]?.caseId).toBe(trials[at + 1]?.caseId);
				expect([trials[at]?.variant, trials[at + 1]?.variant]).toEqual([start.incumbent, CHILD.id]);
			}
		}
		const bought = steps.flatMap((step) => step.trials.map((trial) => `${trial.variant} ${trial.caseId}`));
		expect(new Set(bought).size).toBe(bought.length);
		expect(bought).toHaveLength(48);
	});

	it("draws its cases by the seed, so that no order of files can choose them", () => {
		const ids = (cases: ReturnType<typeof parcelCases>, seed = 1) =>
			casesInOrder(begun({ cases, spec: { seed } }).context, "validation").map((entry) => entry.id);
		const cases = parcelCases({ train: 3, validation: 20, holdout: 0 });
		expect(ids([...cases].reverse())).toEqual(ids(cases));
		expect(ids(cases, 2)).not.toEqual(ids(cases));
	});

	it("proves nothing while more than a tenth of the pairs miss a side", () => {
		const start = world({ validation: 20 });
		const lost = new Set(
			casesInOrder(start.context, "validation")
				.slice(0, 3)
				.map((entry) => entry.id),
		);
		const events = pass(start, [...start.events, admitted(CHILD)], (side, id) =>
			side === CHILD.id && lost.has(id) ? null : score(side === CHILD.id ? 1 : 0),
		);
		expect(looks(events).at(-1)).toMatchObject({ answer: "undecided", reason: expect.stringContaining("missing") });
	});

	it("asks more of the second text than of the first", () => {
		const start = world({ validation: 20 });
		const other = { ...CHILD, id: "other" };
		const before = [...start.events, admitted(CHILD), admitted(other)];
		const once = pass(start, before, (side) => score(side === CHILD.id ? 0 : 0.5));
		const twice = pass(start, once, (side) => score(side === other.id ? 1 : 0), other.id);
		const [first, ...second] = looks(twice);
		expect(first?.attempt).toBe(1);
		expect(second.every((look) => look.attempt === 2)).toBe(true);
		expect(second.at(-1)?.answer).toBe("better");
		expect(answerOf(replay(twice), "validation", other.id)?.answer).toBe("better");
		expect(answerOf(replay(twice), "validation", "unknown")).toBeNull();
	});

	it("has no step for a text that has its answer, or without a case", () => {
		const empty = world({ validation: 0 });
		expect(gateStep(empty.after(admitted(CHILD)), empty.context, "validation", CHILD.id)).toBeNull();
		expect(missingTrials(empty.state, [empty.incumbent], [], 1)).toEqual([]);
	});
});

describe("the policy of the winner", () => {
	/** What is to be proved of a text that scores so on train cases, with v0 at 0.5 and 100 tokens. */
	function objectiveOf(policy: Policy, quality: (at: number) => number, tokens: number) {
		const cases = parcelCases({ train: 9, validation: 9, holdout: 0 });
		const start = begun({ cases, spec: { policy }, outcome: () => score(0.5, 100) });
		const trials = (start.state.opened?.trainSample ?? []).map((id, at) =>
			aTrial(CHILD.id, id, score(quality(at), tokens)),
		);
		const state = start.after(admitted(CHILD), { type: "trials-measured", purpose: "pass", generation: 0, trials });
		return provenObjective(state, start.context, CHILD.id);
	}

	it("is proved on quality when that comes first, on tokens when the cheapest is wanted", () => {
		expect(objectiveOf("quality-first", () => 0.5, 50)).toBe("quality");
		expect(objectiveOf("cheapest", () => 1, 50)).toBe("tokens");
	});

	it("is proved on what train cases show plainly when a balance is wanted", () => {
		expect(objectiveOf("balanced", () => 0.9, 50)).toBe("quality");
		expect(objectiveOf("balanced", () => 0.5, 50)).toBe("tokens");
		expect(objectiveOf("balanced", (at) => (at < 2 ? 0.9 : 0.5), 50)).toBe("tokens");
		expect(objectiveOf("balanced", (at) => (at < 2 ? 0.9 : 0.5), 150)).toBe("quality");
	});

	it("takes a cheaper text only while its quality is proved to stay within the margin", () => {
		const start = world({ policy: "cheapest", validation: 20 });
		const same = pass(start, [...start.events, admitted(CHILD)], (side) => score(1, side === CHILD.id ? 50 : 100));
		expect(looks(same)).toMatchObject([
			{ answer: "continue", objective: "tokens", mean: 50 },
			{ answer: "better", objective: "tokens", mean: 50 },
		]);
		expect(looks(same)[0]?.reason).toContain("quality is looked at over all cases");
		const worse = pass(start, [...start.events, admitted(CHILD)], (side) =>
			side === CHILD.id ? score(0.5, 50) : score(1, 100),
		);
		expect(looks(worse).map((look) => look.answer)).toEqual(["continue", "undecided"]);
		expect(looks(worse).at(-1)?.reason).toContain("quality is not proved");
	});

	it("takes no cheaper text that loses all on a few of many cases, nor one whose answers there are lost", () => {
		const start = world({ policy: "cheapest", validation: 40 });
		const ordered = casesInOrder(start.context, "validation").map((entry) => entry.id);
		const rare = new Set([ordered[15], ordered[30]]);
		for (const there of [score(0, 50), null]) {
			const events = pass(start, [...start.events, admitted(CHILD)], (side, id) => {
				if (side !== CHILD.id) return score(1, 100);
				return rare.has(id) ? there : score(1, 50);
			});
			expect(looks(events).map(({ answer }) => answer)).toEqual(["continue", "continue", "undecided"]);
			expect(looks(events).at(-1)?.reason).toContain("quality is not proved to stay within 0.02");
		}
	});

	it("takes no cheaper text on cases that are too few to say that quality stays", () => {
		const start = world({ policy: "cheapest", validation: 12 });
		const events = pass(start, [...start.events, admitted(CHILD)], (side) => score(1, side === CHILD.id ? 50 : 100));
		expect(looks(events).at(-1)?.answer).toBe("undecided");
		expect(looks(events).at(-1)?.reason).toContain("12 cases are too few to prove that quality stays");
	});
});

describe("the sealed cases of a run", () => {
	it("are opened once, after the proof on validation and before any of them is measured", async () => {
		for (const run of [await runParcels(SMALL), await runParcels({ ...SMALL, world: { slips: 0, noise: 0.1 } })]) {
			const opened = run.events.flatMap((event, at) => (event.type === "holdout-opened" ? [at] : []));
			const sealed = new Set(run.context.cases.filter((entry) => entry.split === "holdout").map((entry) => entry.id));
			run.events.forEach((event, at) => {
				if (event.type !== "trials-measured") return;
				const touches = event.trials.some((trial) => sealed.has(trial.caseId));
				if (touches) expect(opened[0]).toBeLessThan(at);
				expect(touches).toBe(event.purpose === "holdout");
			});
			expect(opened.length).toBeLessThanOrEqual(1);
			const [first] = opened;
			if (first !== undefined) {
				expect(run.events[first - 1]).toMatchObject({ type: "look-taken", gate: "validation", answer: "better" });
			}
		}
	});

	it("are never opened by a text that validation did not prove", async () => {
		const run = await runParcels({ ...SMALL, world: { reflection: "useless", slips: 0.2 } });
		expect(eventsOf(run.events, "holdout-opened")).toEqual([]);
		expect(run.client.answered.some((request) => JSON.stringify(request).includes("holdout-"))).toBe(false);
	});
});
