import { describe, expect, it } from "vitest";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import { type Provable, provable, provableWords } from "../../src/domain/provable.ts";

interface Shape {
	validation: number;
	holdout: number;
	checks?: number;
	groupOf?: (at: number) => string;
	weightOf?: (at: number) => number;
}

function cases({ validation, holdout, checks = 5, groupOf, weightOf }: Shape): Case[] {
	const of = (split: "validation" | "holdout", count: number) =>
		Array.from({ length: count }, (_, at) =>
			placeCase(
				caseSchema.parse({
					id: `${split}-${at}`,
					split,
					input: `case ${at}`,
					checks: Array.from({ length: checks }, (_, index) => ({ type: "contains", value: `word ${index}` })),
					...(groupOf && { group: `${split} ${groupOf(at)}` }),
					...(weightOf && { weight: weightOf(at) }),
				}),
			),
		);
	return [...of("validation", validation), ...of("holdout", holdout)];
}

const SETTINGS = { holdout: "required", repeats: 1 } as const;
const gainOf = (shape: Shape, settings: { holdout: "required" | "none"; repeats: number } = SETTINGS, noise = 0.2) =>
	provable(cases(shape), settings, { validation: noise }).gain ?? 1;

describe("what cases can prove", () => {
	it("is a smaller gain with more cases, with less noise, with more checks a case, and with repeats", () => {
		const base = gainOf({ validation: 20, holdout: 20 });
		expect(gainOf({ validation: 40, holdout: 40 })).toBeLessThan(base);
		expect(gainOf({ validation: 20, holdout: 20 }, SETTINGS, 0.1)).toBeLessThan(base);
		expect(gainOf({ validation: 20, holdout: 20, checks: 1 })).toBeGreaterThan(base);
		expect(gainOf({ validation: 20, holdout: 20 }, { holdout: "required", repeats: 3 })).toBeLessThan(base);
	});

	it("is smaller where cases can be drawn again, and the sentence says so", () => {
		const all = cases({ validation: 20, holdout: 20 });
		const [single, again] = [1, 3].map((draws) => provable(all, SETTINGS, { validation: 0.2 }, draws));
		expect(again?.gain).toBeLessThan(single?.gain ?? 0);
		expect(provableWords(again as Provable, "mail")).toContain("four times in five (drawn up to 3 times each), by");
	});

	it("needs both gates where there is a holdout, and counts only one where none is wanted", () => {
		const both = gainOf({ validation: 40, holdout: 20 });
		expect(gainOf({ validation: 40, holdout: 20 }, { holdout: "none", repeats: 1 })).toBeLessThan(both);
	});

	it("counts cases of a session as one, and unequal weights as fewer cases", () => {
		const base = gainOf({ validation: 40, holdout: 40 });
		expect(gainOf({ validation: 40, holdout: 40, groupOf: (at) => `g${at % 10}` })).toBeGreaterThan(base);
		expect(gainOf({ validation: 40, holdout: 40, weightOf: (at) => (at % 8 === 0 ? 20 : 1) })).toBeGreaterThan(base);
		expect(gainOf({ validation: 40, holdout: 40, weightOf: () => 3 })).toBeCloseTo(base, 6);
	});

	it("names so many cases for half the gain that they do prove it", () => {
		const found = provable(cases({ validation: 12, holdout: 12 }), SETTINGS, { validation: 0.1 });
		const needed = found.casesForHalf ?? 0;
		expect(needed).toBeGreaterThan(12);
		expect(needed).toBeLessThanOrEqual(40);
		const half = (found.gain ?? 0) / 2;
		expect(gainOf({ validation: needed, holdout: needed }, SETTINGS, 0.1)).toBeLessThanOrEqual(half);
		expect(gainOf({ validation: needed - 1, holdout: needed - 1 }, SETTINGS, 0.1)).toBeGreaterThan(half);
	});

	it("goes by the figure of its own split where there is one, else by the other's, else by what is typical", () => {
		const all = cases({ validation: 20, holdout: 20 });
		const of = (noise: { validation?: number; holdout?: number }) => provable(all, SETTINGS, noise);
		expect(of({ holdout: 0.1 })).toEqual(of({ validation: 0.1, holdout: 0.1 }));
		expect(of({ validation: 0.1, holdout: 0.4 }).gain).toBeGreaterThan(of({ validation: 0.1 }).gain ?? 1);
		expect(of({}).measured).toBe(false);
	});
});

describe("the sentence", () => {
	const words = (shape: Shape, noise = {}, settings: { holdout: "required" | "none"; repeats: number } = SETTINGS) =>
		provableWords(provable(cases(shape), settings, noise), "mail");

	it("says how small a gain, how sure, by which noise, and what half of it would take", () => {
		expect(words({ validation: 12, holdout: 12 }, { validation: 0.1 })).toMatch(
			/^12 validation and 12 sealed cases can prove a gain in quality of 0\.\d+ or more four times in five, by the noise measured with this text and these models; 0\.\d+ would take about \d+ more validation and \d+ more sealed cases\.$/,
		);
	});

	it("says when the noise is only typical, and which command measures it", () => {
		expect(words({ validation: 20, holdout: 20 })).toContain(
			"by typical noise, not measured (gepa cases noise mail measures it)",
		);
	});

	it("says when more cases than a proof looks at would be needed", () => {
		expect(words({ validation: 40, holdout: 40 })).toMatch(/would take about \d+ in each split, more than the 40 that/);
	});

	it("says that too few cases prove nothing", () => {
		expect(words({ validation: 4, holdout: 20 })).toBe(
			"4 validation and 20 sealed cases cannot prove a gain in quality, however large (by typical noise, not measured (gepa cases noise mail measures it)): each split needs at least 5 cases that count on their own.",
		);
	});

	it("leaves the sealed cases out where there are none", () => {
		expect(words({ validation: 20, holdout: 20 }, {}, { holdout: "none", repeats: 1 })).toMatch(
			/^20 validation cases can/,
		);
		expect(words({ validation: 20, holdout: 0 })).toMatch(/^20 validation cases can/);
	});
});
