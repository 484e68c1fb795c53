import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import type { Check } from "../../src/domain/check.ts";
import { searchSchema } from "../../src/domain/job-spec.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { callsPerCase, coveringCases, trainSample } from "../../src/engine/search/cover.ts";
import {
	CONTRACT_GROUP,
	type Group,
	groupsOf,
	openGroups,
	repeatingShare,
	signatureOf,
	wantedOf,
} from "../../src/engine/search/groups.ts";
import { aTrial, lostTrial, measured } from "../support/builders.ts";
import { parcelCases } from "../support/parcels.ts";

const SETTINGS = searchSchema.parse({});
const CASES = parcelCases({ train: 9, validation: 0, holdout: 0 });

/** Groups of the nine parcels when all have this outcome. */
function grouped(outcome: (at: number) => Outcome, cases: readonly Case[] = CASES): Group[] {
	return groupsOf(cases, (id) => {
		const at = cases.findIndex((entry) => entry.id === id);
		return aTrial("v", id, outcome(at));
	});
}

const family = (groups: readonly Group[], label: string) =>
	groups.find((group) => group.label === label && group.id === group.family);

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

	it("counts every check of a measured trial once in its family, failing or not", () => {
		const groups = grouped(() => measured([null, 0, 1, 1]));
		const families = groups.filter((group) => group.id === group.family && !group.contract);
		expect(families.reduce((sum, group) => sum + group.total, 0)).toBe(9 * 3);
		expect(families.reduce((sum, group) => sum + group.failing, 0)).toBe(9);
		expect(family(groups, '/box = "padded"')).toMatchObject({ failing: 3, total: 3 });
	});

	it("gathers re-asks in the group of the contract, and takes nothing from missing data", () => {
		const asked = grouped((at) => measured([null, 1, 1, 1], { retries: at < 4 ? 1 : 0 }));
		expect(asked.find((group) => group.id === CONTRACT_GROUP)).toMatchObject({ contract: true, failing: 4, total: 9 });
		expect(groupsOf(CASES, (id) => lostTrial("v", id))).toEqual([]);
		expect(groupsOf(CASES, () => undefined)).toEqual([]);
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
		expect(groups.filter((group) => group.id === group.family).map((group) => group.label)).toEqual([
			'the answer contains "z"',
		]);
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

describe("opening groups", () => {
	const failing = (shares: readonly number[]) =>
		grouped((at) => measured([null, ...shares.map((share) => (at / 9 < share ? 0 : 1))]));

	it("opens those that fail often, the heaviest first, and at most as many as reflections are allowed", () => {
		const groups = failing([1, 1, 0]);
		const open = openGroups(groups, {}, SETTINGS);
		expect(open.length).toBeGreaterThan(2);
		for (const group of open) expect(group.failing / group.total).toBeGreaterThanOrEqual(SETTINGS.openShare);
		const weights = open.map((group) => group.failing);
		expect(weights).toEqual([...weights].sort((a, b) => b - a));
		expect(openGroups(groups, {}, { ...SETTINGS, reflections: 2 })).toEqual(open.slice(0, 2));
		expect(new Set(open.map((group) => group.family)).size).toBe(open.length);
	});

	it("opens nothing when nothing fails", () => {
		expect(openGroups(failing([0, 0, 0]), {}, SETTINGS)).toEqual([]);
	});

	it("opens one that was worked on only while it still fails often, and not for ever", () => {
		const groups = grouped((at) => measured([null, at % 3 === 0 ? 0 : 1, 1, 1]));
		const [first] = openGroups(groups, {}, SETTINGS);
		if (!first) throw new Error("a group is open");
		const again = (tries: number) =>
			openGroups(groups, { [first.id]: tries }, SETTINGS).some((group) => group.family === first.family);
		expect(again(1)).toBe(true);
		expect(again(6)).toBe(false);
	});

	it("opens the contract for a few re-asks and not for a single slip", () => {
		const contract = (retried: number) =>
			openGroups(
				grouped((at) => measured([null, 1, 1, 1], { retries: at < retried ? 1 : 0 })),
				{},
				SETTINGS,
			).length;
		expect([contract(0), contract(1), contract(2)]).toEqual([0, 0, 1]);
	});

	it("says whether checks repeat, so that an edit can be judged by its own", () => {
		expect(repeatingShare(CASES)).toBe(1);
		expect(repeatingShare(parcelCases({ train: 9, validation: 0, holdout: 0, checks: "rubrics" }))).toBe(0);
		expect(repeatingShare([])).toBe(0);
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
			return { id: `g${at}`, family: `g${at}`, label: "", contract: false, findings, failing, total: findings.length };
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
