import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { caseSchema, caseSetDigest, casesOf, placeCase, SPLITS, stableSplit } from "../../src/domain/case.ts";

const CHECK = { type: "contains", value: "x" };
const entry = (fields: object) => ({ id: "a", input: "hello", checks: [CHECK], ...fields });
const placed = (fields: object) => placeCase(caseSchema.parse(entry(fields)));

describe("a case of a file", () => {
	it("needs an id, one kind of input and a check, and fills in the rest", () => {
		const parsed = caseSchema.parse(entry({}));
		expect(parsed).toMatchObject({
			id: "a",
			weight: 1,
			checks: [{ weight: 1, not: false, contract: false, ignoreCase: false }],
		});
		const dialogue = [{ role: "user", content: "hello" }];
		expect(caseSchema.parse({ id: "a", messages: dialogue, checks: [CHECK] }).messages).toEqual(dialogue);
	});

	it.each<[string, object]>([
		["without an input", { input: undefined }],
		["with two kinds of input", { messages: [{ role: "user", content: "hello" }] }],
		["with an empty dialogue", { input: undefined, messages: [] }],
		["without checks", { checks: [] }],
		["in which only contracts are checked", { checks: [{ ...CHECK, contract: true }] }],
		["in which no check weighs anything", { checks: [{ ...CHECK, weight: 0 }] }],
		["with a field that nobody knows", { inptu: "x" }],
		["with an unknown split", { split: "test" }],
		["with an unknown type of check", { checks: [{ type: "vibes" }] }],
		["with a weight of 0", { weight: 0 }],
		["with a path that is no JSON pointer", { checks: [{ type: "json-equals", path: "chart", value: 1 }] }],
	])("is refused %s", (_name, fields) => {
		expect(caseSchema.safeParse(entry(fields)).success).toBe(false);
	});

	it.each(["../x", "a b", "", "a/b", "x".repeat(81), "ä", "a\n"])("is refused with the id %j", (id) => {
		expect(caseSchema.safeParse(entry({ id })).success).toBe(false);
	});
});

describe("the split of a case", () => {
	it("is the one it names, else a hash of its group, else of its id", () => {
		expect(placed({ split: "holdout" }).split).toBe("holdout");
		expect(placed({ group: "s1", id: "b" }).split).toBe(placed({ group: "s1", id: "c" }).split);
		expect(placed({}).split).toBe(stableSplit({ id: "a" }));
	});

	it("is 40 to 40 to 20, give or take chance", () => {
		const counts = { train: 0, validation: 0, holdout: 0 };
		for (let at = 0; at < 2000; at++) counts[stableSplit({ id: `case-${at}` })] += 1;
		expect(counts.train).toBeGreaterThan(740);
		expect(counts.train).toBeLessThan(860);
		expect(counts.validation).toBeGreaterThan(740);
		expect(counts.holdout).toBeGreaterThan(330);
	});

	it("never moves when other cases come or go, for ever", () => {
		expect(
			["dv-0001", "dv-0002", "dv-0003", "dv-0004", "dv-0005"].map((id) => stableSplit({ id })),
		).toMatchInlineSnapshot(`
			[
			  "train",
			  "validation",
			  "train",
			  "validation",
			  "train",
			]
		`);
	});
});

describe("a set of cases", () => {
	const cases = ["c", "a", "b", "A", "10", "9"].map((id, at) => placed({ id, split: SPLITS[at % 3] }));

	it("has a digest of its content, whatever its order", () => {
		fc.assert(
			fc.property(fc.shuffledSubarray(cases, { minLength: cases.length }), (shuffled) => {
				expect(caseSetDigest(shuffled)).toBe(caseSetDigest(cases));
			}),
			{ numRuns: 20 },
		);
		const [first, ...rest] = cases;
		if (!first) throw new Error("there are cases");
		expect(caseSetDigest(rest)).not.toBe(caseSetDigest(cases));
		expect(caseSetDigest([{ ...first, weight: 2 }, ...rest])).not.toBe(caseSetDigest(cases));
		expect(caseSetDigest([{ ...first, checks: [...first.checks].reverse() }, ...rest])).toBe(caseSetDigest(cases));
	});

	it("gives the cases of a split in order of id by code unit", () => {
		const all = cases.map((one) => ({ ...one, split: "train" as const }));
		expect(casesOf(all, "train").map((one) => one.id)).toEqual(["10", "9", "A", "a", "b", "c"]);
		expect(casesOf(all, "holdout")).toEqual([]);
	});
});
