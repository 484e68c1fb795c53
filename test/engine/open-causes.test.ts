import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RunState, searchOf } from "../../src/domain/run-state.ts";
import { causesIn, type Group, symptomsOf } from "../../src/engine/search/groups.ts";
import {
	answerRate,
	chanceOf,
	openCauses,
	slipRate,
	symptomToAsk,
	triesOf,
} from "../../src/engine/search/open-causes.ts";
import { aCause, boxCases, grouped, symptomsIn, times } from "../support/boxes.ts";
import { aProposal, aTracedEdit, begun } from "../support/builders.ts";

const START = begun();

/** A state in which groups were asked about so often, and of the first questions some were answered. */
function worked(tries: Readonly<Record<string, number>> = {}, asked = 0, answered = 0): RunState {
	const { state } = START;
	const proposals = Array.from({ length: asked }, (_, at) => ({ ...aProposal(`p${at}`, `g${at}`, []), generation: 0 }));
	const edits = Object.fromEntries(
		Array.from({ length: answered }, (_, at) => [`e${at}`, aTracedEdit(`e${at}`, `g${at}`)]),
	);
	return { ...state, proposals, edits, search: { ...searchOf(state), worked: tries } };
}

const idsOf = (groups: readonly Group[]) => groups.map((group) => group.id);

describe("the chance that slips alone explain so many failures", () => {
	// R 4.2.2: pbinom(failing - 1, total, rate, lower.tail = FALSE)
	it.each([
		[3, 20, 0.05, 0.0754836737884964],
		[1, 8, 0.02, 0.149236977418214],
		[5, 5, 0.1, 1e-5],
		[10, 200, 0.02, 0.0074792878653615],
		[0, 12, 0.05, 1],
		[6, 300, 0.05, 0.997667861349899],
		[20, 100, 0.05, 1.05229534201473e-7],
	])("is the upper tail of the binomial: %i of %i at %f", (failing, total, rate, expected) => {
		expect(chanceOf(aCause("g", failing, total), rate)).toBeCloseTo(expected, 12);
	});

	it("is a chance, smaller with each failure more", () => {
		const anyRate = fc.double({ min: 0.02, max: 0.3, noNaN: true });
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 60 }), anyRate, (total, rate) => {
				const chances = Array.from({ length: total + 1 }, (_, failing) => chanceOf(aCause("g", failing, total), rate));
				expect(chances[0]).toBe(1);
				for (const [at, chance] of chances.entries()) {
					expect(chance).toBeGreaterThanOrEqual(0);
					expect(chance).toBeLessThanOrEqual(chances[at - 1] ?? 1);
				}
			}),
		);
	});
});

describe("how often the model slips", () => {
	it("is told by the causes that pass: what fails often, and the contract, tell nothing of it", () => {
		const passing = [aCause("a", 2, 40), aCause("b", 0, 40)];
		expect(slipRate(passing)).toBeCloseTo(3 / 100);
		expect(slipRate([...passing, aCause("c", 20, 20)])).toBeCloseTo(3 / 100);
		expect(slipRate([...passing, aCause("contract", 4, 40, { contract: true })])).toBeCloseTo(3 / 100);
	});

	it("is counted once for a cause and its symptoms", () => {
		const groups = grouped(
			boxCases([...times(20, { value: "x", note: "One way." }), ...times(20, { value: "x", note: "Way other." })]),
			() => false,
		);
		expect(slipRate(groups)).toBeCloseTo(1 / (40 + 20));
	});

	it("is one in twenty while nothing is known, and never below two in a hundred", () => {
		expect(slipRate([])).toBeCloseTo(1 / 20);
		expect(slipRate([aCause("a", 10, 10)])).toBeCloseTo(1 / 20);
		expect(slipRate([aCause("a", 0, 5_000)])).toBe(0.02);
	});
});

describe("how able the reflection is", () => {
	it("is the share of its first questions that brought an edit", () => {
		expect(answerRate(worked({}, 8, 4))).toBeCloseTo(5 / 10);
		expect(answerRate(worked({}, 18, 7))).toBeCloseTo(8 / 20);
	});

	it("is taken to be between three and six in ten: a few questions tell little", () => {
		expect(answerRate(worked())).toBe(0.5);
		expect(answerRate(worked({}, 30, 30))).toBe(0.6);
		expect(answerRate(worked({}, 30, 0))).toBe(0.3);
	});

	it("does not count what came of later generations", () => {
		const state = worked({}, 8, 4);
		const later = { ...aTracedEdit("late", "g7"), generation: 1 };
		const asked = { ...aProposal("late", "g9", []), generation: 1 };
		const more = { ...state, edits: { ...state.edits, late: later }, proposals: [...state.proposals, asked] };
		expect(answerRate(more)).toBe(answerRate(state));
	});
});

describe("the causes to work on", () => {
	const passing = aCause("passes", 0, 80);

	it("are those that fail more than slips explain", () => {
		const groups = [passing, aCause("slips", 1, 30), aCause("rare", 3, 30), aCause("often", 20, 30)];
		expect(idsOf(openCauses(worked(), groups, 0.2))).toEqual(["often", "rare"]);
	});

	it("are more when the chance may be higher, and none when it may be none", () => {
		const groups = [passing, aCause("slips", 1, 30), aCause("rare", 3, 30)];
		expect(idsOf(openCauses(worked(), groups, 1))).toEqual(["rare", "slips"]);
		expect(openCauses(worked(), groups, 0)).toEqual([]);
	});

	it("are fewer for a model that slips more, with the same failures", () => {
		const groups = (slips: number) => [aCause("passes", slips, 80), aCause("rare", 3, 30)];
		expect(idsOf(openCauses(worked(), groups(0), 0.2))).toContain("rare");
		expect(idsOf(openCauses(worked(), groups(12), 0.2))).not.toContain("rare");
	});

	it("come in the order of the weight that fails in them, then of their ids", () => {
		const heavy = aCause("a-heavy", 2, 2);
		const weighty = { ...heavy, findings: heavy.findings.map((finding) => ({ ...finding, weight: 9 })) };
		const groups = [passing, aCause("d", 6, 6), aCause("c", 5, 5), aCause("b", 5, 5), weighty];
		expect(idsOf(openCauses(worked(), groups, 0.2))).toEqual(["a-heavy", "d", "b", "c"]);
	});

	it("never hold one that does not fail, whatever the chance, nor a symptom", () => {
		const groups = [passing, aCause("way", 5, 5, { cause: "whole" }), aCause("whole", 5, 9)];
		expect(idsOf(openCauses(worked(), groups, 1))).toEqual(["whole"]);
	});

	it("lose one with each question in vain, the sooner the abler the reflection is", () => {
		// Slips at 3 in 120 make 2 of 20 fail with a chance of 0.088: R 4.2.2, pbinom(1, 20, 3 / 120, lower.tail = FALSE).
		const groups = [passing, aCause("doubtful", 2, 20)];
		const open = (state: RunState) => openCauses(state, groups, 0.2).length === 1;
		expect([0, 1, 2, 3].map((tries) => open(worked({ doubtful: tries })))).toEqual([true, true, false, false]);
		expect([0, 1, 2, 3].map((tries) => open(worked({ doubtful: tries }, 30, 0)))).toEqual([true, true, true, false]);
		expect([0, 1, 2, 3].map((tries) => open(worked({ doubtful: tries }, 30, 30)))).toEqual([true, false, false, false]);
	});

	it("hold one that always fails for nine questions, and not for a tenth", () => {
		const groups = [passing, aCause("always", 30, 30)];
		expect(openCauses(worked({ always: 9 }), groups, 0.2)).toHaveLength(1);
		expect(openCauses(worked({ always: 10 }), groups, 0.2)).toEqual([]);
	});

	it("count questions about a symptom as questions about its cause, and no others", () => {
		expect(triesOf("a", { a: 2, "a.1": 3, "a.2": 1, ab: 5, "b.a": 7 })).toBe(6);
		expect(triesOf("a", {})).toBe(0);
		const groups = [passing, aCause("always", 30, 30)];
		expect(openCauses(worked({ "always.x": 6, "always.y": 4 }), groups, 0.2)).toEqual([]);
	});
});

describe("the symptom to ask about", () => {
	const cases = boxCases([
		...times(4, { value: "padded", note: "Glassware breaks." }),
		...times(2, { value: "padded", note: "Glassware needs padding." }),
		...["Letters travel flat.", "Coins need insurance."].flatMap((note) => times(3, { value: note, note })),
	]);
	const groups = grouped(cases);
	const [many, few] = [...symptomsIn(groups)].sort((a, b) => b.total - a.total) as [Group, Group];
	const cause = causesIn(groups).find((group) => group.id === many.cause) as Group;

	it("is the one that fails most, then the one that was asked about least", () => {
		expect([many.failing, few.failing]).toEqual([4, 2]);
		expect(symptomToAsk(cause, groups, {}).id).toBe(many.id);
		expect(symptomToAsk(cause, groups, { [many.id]: 1 }).id).toBe(few.id);
		expect(symptomToAsk(cause, groups, { [many.id]: 1, [few.id]: 1 }).id).toBe(many.id);
	});

	it("is never one that passes", () => {
		const now = grouped(cases, (at) => at >= 4);
		expect(symptomToAsk(cause, now, { [few.id]: 5 }).id).toBe(few.id);
	});

	it("is the cause itself where it has only one, or where none fails", () => {
		const plain = causesIn(groups).find((group) => symptomsOf(groups, group.id).length === 1) as Group;
		expect(symptomToAsk(plain, groups, {})).toBe(plain);
		expect(
			symptomToAsk(
				cause,
				grouped(cases, () => false),
				{},
			),
		).toBe(cause);
	});
});
