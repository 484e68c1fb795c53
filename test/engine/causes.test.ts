import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { caseSchema, placeCase } from "../../src/domain/case.ts";
import { createCauses } from "../../src/engine/search/causes.ts";
import { boxCases, causesByCase, times, type Wish } from "../support/boxes.ts";
import { parcelCases } from "../support/parcels.ts";

const FRAGILE = [
	"Glassware breaks: wrap it in padding.",
	"Padding is due for glassware.",
	"Glassware without padding arrives broken.",
];
const FROZEN = ["Frozen goods thaw on the way.", "Goods that thaw are frozen goods.", "What is frozen may thaw."];

const noted = (value: string, notes: readonly string[]): Wish[] => notes.map((note) => ({ value, note }));
/** Other things that are wanted, so that the words of the notes above are not in every note. */
const OTHERS = ["Letters travel flat.", "Coins need insurance.", "Books travel by land."].flatMap((note, at) =>
	times(3, { value: `other-${at}`, note }),
);

describe("the cause of a failure", () => {
	it("is one for notes that say one thing in other words, and another for another reason of the same value", () => {
		const cases = boxCases([...noted("padded", FRAGILE), ...noted("padded", FROZEN)]);
		expect(createCauses(cases).repeat).toBe(true);
		expect(causesByCase(cases)).toEqual([
			[0, 1, 2],
			[3, 4, 5],
		]);
	});

	it("is never shared by checks that want different values, where checks repeat", () => {
		const cases = boxCases([...noted("padded", FRAGILE), ...noted("cold", FRAGILE), ...OTHERS]);
		expect(causesByCase(cases).slice(0, 2)).toEqual([
			[0, 1, 2],
			[3, 4, 5],
		]);
	});

	it("is looked for across everything that is wanted where nothing repeats", () => {
		const cases = boxCases([
			{ value: "a", note: FRAGILE[0] as string },
			{ value: "b", note: FRAGILE[1] as string },
			{ value: "c", note: FROZEN[0] as string },
			{ value: "d", note: FROZEN[1] as string },
		]);
		expect(createCauses(cases).repeat).toBe(false);
		expect(causesByCase(cases)).toEqual([
			[0, 1],
			[2, 3],
		]);
	});

	it("has a symptom for each way in which it is told, and is its own symptom where there is only one", () => {
		const again = times(2, { value: "padded", note: "GLASSWARE - breaks" });
		const cases = boxCases([...noted("padded", FRAGILE), ...again, ...OTHERS]);
		const causes = createCauses(cases);
		const symptoms = cases.slice(0, 5).map((entry) => causes.symptomOf(entry.id, 0));
		expect(new Set(symptoms.map((symptom) => symptom?.cause)).size).toBe(1);
		expect(new Set(symptoms.map((symptom) => symptom?.id)).size).toBe(4);
		expect(symptoms[3]).toEqual(symptoms[4]);
		for (const symptom of symptoms) expect(symptom?.id.startsWith(`${symptom.cause}.`)).toBe(true);
		const plain = createCauses(boxCases(times(3, { value: "plain", note: "Nothing special." })));
		const only = plain.symptomOf("case-00", 0);
		expect(only?.id).toBe(only?.cause);
	});

	it("is the same whatever is wanted is written: case and spacing of a note do not count", () => {
		const cases = boxCases([
			{ value: "x", note: "Wrap   the vase!" },
			{ value: "x", note: "wrap the VASE" },
			{ value: "x", note: "Wrap the vase." },
		]);
		const causes = createCauses(cases);
		expect(new Set(cases.map((entry) => causes.symptomOf(entry.id, 0)?.id)).size).toBe(1);
	});

	it("is not told by words that a note quotes from its case", () => {
		const quoting = (name: string, note: string): Wish => ({ value: "x", input: `Order of ${name}.`, note });
		const cases = boxCases([
			quoting("Marlowe", "Marlowe wants padding."),
			quoting("Marlowe", "Marlowe thaws."),
			quoting("Ibsen", "Ibsen wants padding."),
		]);
		expect(causesByCase(cases)).toEqual([[0, 2], [1]]);
	});

	it("is none for a contract, a check that weighs nothing, or a case that was not looked at", () => {
		const checks = [
			{ type: "json-schema", schema: { type: "object" }, contract: true },
			{ type: "contains", value: "x", weight: 0 },
			{ type: "contains", value: "y" },
		];
		const entry = placeCase(caseSchema.parse({ id: "a", split: "train", input: "i", checks }));
		const causes = createCauses([entry]);
		expect([0, 1, 2].map((check) => causes.symptomOf("a", check) === undefined)).toEqual([true, true, false]);
		expect(causes.symptomOf("b", 2)).toBeUndefined();
	});

	it("does not depend on the order of the cases", () => {
		const cases = parcelCases({ train: 20, validation: 0, holdout: 0 });
		const expected = createCauses(cases);
		fc.assert(
			fc.property(fc.shuffledSubarray(cases, { minLength: cases.length }), (order) => {
				const causes = createCauses(order);
				for (const entry of cases) {
					entry.checks.forEach((_, check) => {
						expect(causes.symptomOf(entry.id, check)).toEqual(expected.symptomOf(entry.id, check));
					});
				}
			}),
			{ numRuns: 20 },
		);
	});
});

describe("whether checks repeat", () => {
	it("is so when half of them have two others that want the same", () => {
		expect(createCauses(parcelCases({ train: 9, validation: 0, holdout: 0 })).repeat).toBe(true);
		expect(createCauses(parcelCases({ train: 9, validation: 0, holdout: 0, checks: "rubrics" })).repeat).toBe(false);
		expect(createCauses([]).repeat).toBe(false);
	});

	it.each([
		[3, 3, true],
		[3, 4, false],
		[2, 0, false],
	])("with %i of one value and %i of values of their own: %s", (same, others, repeat) => {
		const own = Array.from({ length: others }, (_, at) => ({ value: `own-${at}` }));
		expect(createCauses(boxCases([...times(same, { value: "same" }), ...own])).repeat).toBe(repeat);
	});
});
