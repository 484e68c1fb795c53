import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import type { Check } from "../../src/domain/check.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { createCauses } from "../../src/engine/search/causes.ts";
import { callsPerCase, coveringCases, probeCases, trainSample } from "../../src/engine/search/cover.ts";
import {
	CONTRACT_GROUP,
	causesIn,
	type Group,
	groupsOf,
	signatureOf,
	subjectOf,
	symptomsOf,
	wantedOf,
	worthOf,
} from "../../src/engine/search/groups.ts";
import { boxCases, times } from "../support/boxes.ts";
import { aTrial, lostTrial, measured } from "../support/builders.ts";
import { parcelCases } from "../support/parcels.ts";

const CASES = parcelCases({ train: 9, validation: 0, holdout: 0 });

/** Groups of the nine parcels when all have this outcome. */
function grouped(outcome: (at: number) => Outcome, cases: readonly Case[] = CASES): Group[] {
	const trialOf = (id: string) => aTrial("v", id, outcome(cases.findIndex((entry) => entry.id === id)));
	return groupsOf(cases, trialOf, createCauses(cases));
}

/** One cause with two symptoms of three and two cases, and another of two. */
const SEVERAL = boxCases([
	...times(3, { value: "padded", note: "Glassware breaks." }),
	...times(2, { value: "padded", note: "Glassware needs padding." }),
	...times(2, { value: "flat", note: "Letters travel flat." }),
]);

const causeOf = (groups: readonly Group[], label: string) => causesIn(groups).find((group) => group.label === label);

function aCase(id: string, checks: object[]): Case {
	return placeCase(caseSchema.parse({ id, split: "train", input: `input of ${id}`, checks }));
}

describe("grouping what fails", () => {
	it("puts checks that want the same into one group, whatever their note and weight", () => {
		const [a, b, c] = [
			{ type: "json-equals", path: "/x", value: 1, note: "one" },
			{ type: "json-equals", path: "/x", value: 1, weight: 3 },
			{ type: "json-equals", path: "/x", value: 2 },
		].map((check) => aCase("c", [check]).checks[0] as Check) as [Check, Check, Check];
		expect(signatureOf(a)).toBe(signatureOf(b));
		expect(signatureOf(a)).not.toBe(signatureOf(c));
		const oneOf = (values: string[]) =>
			signatureOf(aCase("c", [{ type: "json-one-of", path: "/x", values }]).checks[0] as Check);
		expect(oneOf(["a", "b"])).toBe(oneOf(["b", "a"]));
	});

	it("counts every check of a measured trial once in its cause, failing or not", () => {
		const groups = grouped(() => measured([null, 0, 1, 1]));
		const causes = causesIn(groups).filter((group) => !group.contract);
		expect(causes.reduce((sum, group) => sum + group.total, 0)).toBe(9 * 3);
		expect(causes.reduce((sum, group) => sum + group.failing, 0)).toBe(9);
		expect(causeOf(groups, '/box = "padded"')).toMatchObject({ failing: 3, total: 3 });
	});

	it("gathers re-asks in the group of the contract, and takes nothing from missing data", () => {
		const asked = grouped((at) => measured([null, 1, 1, 1], { retries: at < 4 ? 1 : 0 }));
		expect(asked.find((group) => group.id === CONTRACT_GROUP)).toMatchObject({ contract: true, failing: 4, total: 9 });
		expect(groupsOf(CASES, (id) => lostTrial("v", id), createCauses(CASES))).toEqual([]);
		expect(groupsOf(CASES, () => undefined, createCauses(CASES))).toEqual([]);
		const unmet = grouped(() => ({ status: "failed", reason: "contract", quality: 0, tokens: 9, retries: 2 }));
		expect(unmet.map((group) => [group.id, group.failing])).toEqual([[CONTRACT_GROUP, 9]]);
	});

	it("leaves out checks that erred or weigh nothing", () => {
		const entry = aCase("a", [
			{ type: "contains", value: "x", weight: 0 },
			{ type: "contains", value: "y" },
			{ type: "contains", value: "z" },
		]);
		const groups = grouped(() => measured([0, null, 0]), [entry]);
		expect(causesIn(groups).map((group) => group.label)).toEqual(['the answer contains "z"']);
	});

	it("leaves out checks of cases that the causes were not made from", () => {
		const some = createCauses(CASES.slice(0, 3));
		const groups = groupsOf(CASES, (id) => aTrial("v", id, measured([null, 0, 0, 0])), some);
		const scoring = groups.filter((group) => !group.contract).flatMap((group) => group.findings);
		const known = CASES.slice(0, 3).map((entry) => entry.id);
		expect([...new Set(scoring.map((finding) => finding.caseId))].sort()).toEqual(known);
	});

	it("shows the symptoms of a cause beside it, which hold its checks between them", () => {
		const groups = grouped(() => measured([0]), SEVERAL);
		const cause = causesIn(groups).find((group) => group.total === 5) as Group;
		const symptoms = symptomsOf(groups, cause.id);
		expect(symptoms.map((group) => group.total).sort()).toEqual([2, 3]);
		expect(symptoms.flatMap((group) => group.findings).map((finding) => finding.caseId)).toHaveLength(5);
		expect(new Set(symptoms.flatMap((group) => group.findings))).toEqual(new Set(cause.findings));
		const single = causesIn(groups).find((group) => group.total === 2) as Group;
		expect(symptomsOf(groups, single.id)).toEqual([single]);
		expect(symptomsOf(groups, "nobody")).toEqual([]);
	});

	it("takes checks of one path for one subject, and every other check for its own", () => {
		const of = (check: object) => subjectOf(aCase("c", [check]).checks[0] as Check);
		expect(of({ type: "json-equals", path: "/x", value: 1 })).toBe(of({ type: "numeric", path: "/x", value: 2 }));
		expect(of({ type: "json-one-of", path: "/x", values: [1] })).not.toBe(
			of({ type: "json-equals", path: "/y", value: 1 }),
		);
		expect(of({ type: "contains", value: "a" })).not.toBe(of({ type: "contains", value: "b" }));
	});

	it("says for every type of check what it wants", () => {
		const wants = [
			[{ type: "equals", value: "a" }, 'the answer is "a"'],
			[{ type: "not-contains", value: "a", not: true }, 'not: the answer does not contain "a"'],
			[{ type: "regex", pattern: "^a", flags: "i" }, "the answer matches /^a/i"],
			[{ type: "length", max: 3, unit: "words" }, "length of 0 to 3 words"],
			[{ type: "numeric", path: "/n", value: 2, tolerance: 0.5 }, "/n = 2 ± 0.5"],
			[{ type: "json-one-of", path: "/n", values: [1, "b"] }, '/n one of 1, "b"'],
			[{ type: "json-schema", schema: true }, "one bare JSON value that satisfies its schema"],
			[{ type: "rubric", criterion: "is kind" }, "is kind"],
			[{ type: "command", run: "true" }, 'the command "true" passes'],
			[{ type: "tool-used", tool: "grep" }, "the tool grep is used"],
			[{ type: "tool-sequence", tools: ["a", "b"] }, "the tools a, b are used in this order"],
		] as const;
		for (const [check, said] of wants)
			expect(wantedOf(aCase("c", [{ ...check, weight: 1 }]).checks[0] as Check)).toBe(said);
	});
});

const anyGroups = fc
	.array(fc.array(fc.record({ case: fc.nat(7), failed: fc.boolean() }), { maxLength: 8 }), { maxLength: 6 })
	.map((lists) =>
		lists.map((list, at): Group => {
			const findings = list.map(({ case: entry, failed }, check) => ({
				caseId: `c${entry}`,
				check,
				failed,
				weight: 1,
			}));
			const failing = findings.filter((finding) => finding.failed).length;
			return { id: `g${at}`, cause: `g${at}`, label: "", contract: false, findings, failing, total: findings.length };
		}),
	);

describe("covering groups with few cases", () => {
	it("shows every failing group twice where two cases can, and takes no case that shows nothing", () => {
		fc.assert(
			fc.property(anyGroups, (groups) => {
				const chosen = new Set(coveringCases(groups));
				for (const group of groups) {
					const failing = group.findings.filter((finding) => finding.failed).map((finding) => finding.caseId);
					const counted = failing.filter((id) => chosen.has(id)).length;
					expect(counted).toBeGreaterThanOrEqual(Math.min(2, failing.length));
				}
				const useful = new Set(
					groups.flatMap((group) => group.findings.flatMap((finding) => (finding.failed ? finding.caseId : []))),
				);
				for (const id of chosen) expect(useful.has(id)).toBe(true);
			}),
		);
	});

	it("depends on the groups alone, not on their order", () => {
		fc.assert(
			fc.property(anyGroups, fc.nat(5), (groups, turn) => {
				const turned = [...groups.slice(turn), ...groups.slice(0, turn)];
				expect(coveringCases(turned)).toEqual(coveringCases(groups));
			}),
		);
	});
});

describe("the cases of a probe", () => {
	it("show what was asked about twice, and each other symptom of its cause once", () => {
		const groups = grouped(() => measured([0]), SEVERAL);
		const asked = groups.find((group) => group.id !== group.cause && group.total === 3) as Group;
		const probe = probeCases(groups, new Set([asked.id]));
		const count = (from: number, to: number) =>
			probe.filter((id) => SEVERAL.slice(from, to).some((entry) => entry.id === id)).length;
		expect([count(0, 3), count(3, 5), count(5, 7)]).toEqual([2, 1, 0]);
	});

	it("are none for what is in no group, or passes", () => {
		const groups = grouped(() => measured([0]), SEVERAL);
		expect(probeCases(groups, new Set(["gone"]))).toEqual([]);
		const passing = grouped(() => measured([1]), SEVERAL);
		expect(probeCases(passing, new Set(passing.map((group) => group.id)))).toEqual([]);
	});
});

describe("what mending causes is worth", () => {
	it("is the share of all scoring weight that fails in them", () => {
		const groups = grouped((at) => measured([at < 4 ? 0 : 1]), SEVERAL);
		expect(worthOf(causesIn(groups), groups)).toBeCloseTo(4 / 7);
		expect(worthOf([], groups)).toBe(0);
		expect(worthOf([], [])).toBe(0);
		const weighty = boxCases([{ value: "a", weight: 3 }, { value: "b" }]);
		const unequal = grouped((at) => measured([at === 0 ? 0 : 1]), weighty);
		expect(worthOf(causesIn(unequal), unequal)).toBe(0.75);
	});

	it("counts a symptom by its own failures", () => {
		const groups = grouped((at) => measured([at < 4 ? 0 : 1]), SEVERAL);
		const symptoms = groups.filter((group) => group.id !== group.cause);
		expect(symptoms.map((symptom) => worthOf([symptom], groups)).sort()).toEqual([1 / 7, 3 / 7]);
	});
});

describe("the train sample", () => {
	const rubrics = parcelCases({ train: 30, validation: 0, holdout: 0, checks: "rubrics" });
	const plain = parcelCases({ train: 27, validation: 0, holdout: 0 });

	it("is all of the cases where the budget is eight times their cost, or has no limit", () => {
		expect(trainSample(plain, 27 * 8, 1)).toHaveLength(27);
		expect(trainSample(plain, undefined, 1)).toHaveLength(27);
		expect(trainSample([], 100, 1)).toEqual([]);
	});

	it("is what a twelfth of the budget pays for, and never fewer than eight", () => {
		expect(trainSample(plain, 180, 1)).toHaveLength(15);
		expect(trainSample(plain, 20, 1)).toHaveLength(8);
		expect(callsPerCase(rubrics[0] as Case)).toBe(2);
		expect(trainSample(rubrics, 240, 1)).toHaveLength(10);
	});

	it("is drawn by the seed, in order of id, and without a case twice", () => {
		const drawn = trainSample(plain, 120, 7);
		expect(drawn).toEqual([...new Set(drawn)].sort());
		expect(trainSample(plain, 120, 7)).toEqual(drawn);
		expect(trainSample(plain, 120, 8)).not.toEqual(drawn);
	});
});
