import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStream } from "../../src/domain/sampling.ts";
import {
	type Difference,
	holm,
	nonInferior,
	pairedDifferences,
	pairedTest,
	provableGain,
	requiredCases,
} from "../../src/domain/stats.ts";
import { BROKEN, LOST, measured, trial } from "./objective-trials.ts";

const differences = (values: readonly number[]): Difference[] =>
	values.map((difference, at) => ({ caseId: `c${String(at).padStart(3, "0")}`, difference }));

describe("paired differences", () => {
	it("are made case by case, repeats averaged, better is positive", () => {
		const a = [trial("y", measured(1), 0), trial("x", measured(0.5, { tokens: 80 })), trial("y", measured(0), 1)];
		const b = [trial("x", measured(0.25, { tokens: 100 })), trial("y", measured(0.75))];
		expect(pairedDifferences(a, b, "quality")).toEqual({
			differences: [
				{ caseId: "x", difference: 0.25, weight: 1, group: undefined },
				{ caseId: "y", difference: -0.25, weight: 1, group: undefined },
			],
			missing: 0,
			lost: 0,
		});
		expect(pairedDifferences(a, b, "tokens").differences[0]?.difference).toBe(20);
	});

	it("count a case that lacks a side, and never fill it in", () => {
		const a = [trial("a", BROKEN), trial("b", LOST), trial("c", measured(1)), trial("e", LOST)];
		const b = [trial("a", measured(1)), trial("b", measured(1)), trial("d", measured(1)), trial("e", LOST)];
		const quality = pairedDifferences(a, b, "quality");
		expect(quality.differences.map(({ caseId, difference }) => [caseId, difference])).toEqual([["a", -1]]);
		expect([quality.missing, quality.lost]).toEqual([4, 2]);
		expect(pairedDifferences(a, b, "latencyMs")).toEqual({ differences: [], missing: 5, lost: 3 });
	});

	it("do not depend on the order of trials, and turn round with the sides", () => {
		const score = fc.integer({ min: 0, max: 10 }).map((tenths) => measured(tenths / 10));
		const side = fc.array(fc.tuple(fc.nat(5), fc.oneof(score, fc.constant(BROKEN), fc.constant(LOST))), {
			maxLength: 15,
		});
		const trials = (list: [number, ReturnType<typeof measured>][]) =>
			list.map(([id, outcome], at) => trial(`c${id}`, outcome, at));
		fc.assert(
			fc.property(side, side, fc.integer(), (left, right, seed) => {
				const [a, b] = [trials(left), trials(right)];
				const { shuffle } = createStream(seed, "mix");
				expect(pairedDifferences(shuffle(a), shuffle(b), "quality")).toEqual(pairedDifferences(a, b, "quality"));
				const there = pairedDifferences(a, b, "quality").differences.map(({ difference }) => difference);
				const back = pairedDifferences(b, a, "quality").differences.map(({ difference }) => 0 - difference);
				expect(back).toEqual(there);
			}),
		);
	});
});

describe("a paired test", () => {
	it("has R's interval of the mean and the exact p-value", () => {
		// R: x <- c(.25,.5,0,-.25,.75,.1,.3,-.05); t.test(x)$conf.int is -0.0681231877354315 0.4681231877354315
		//    sd(x) is 0.320713490294909; all 256 flips: 0.0703125
		const found = pairedTest(differences([0.25, 0.5, 0, -0.25, 0.75, 0.1, 0.3, -0.05]));
		expect(found.mean).toBeCloseTo(0.2, 12);
		expect(found.low).toBeCloseTo(-0.0681231877354315, 10);
		expect(found.high).toBeCloseTo(0.4681231877354315, 10);
		expect(found.sd).toBeCloseTo(0.320713490294909, 12);
		expect([found.p, found.n]).toEqual([0.0703125, 8]);
	});

	it("says what it does not know", () => {
		expect(pairedTest([])).toEqual({ p: 1, mean: null, low: null, high: null, sd: null, n: 0 });
		expect(pairedTest(differences([0.5]))).toEqual({ p: 0.5, mean: 0.5, low: null, high: null, sd: null, n: 1 });
	});

	it("weighs cases, and takes a group as one difference", () => {
		const weighted = pairedTest([
			{ caseId: "a", difference: 1, weight: 3 },
			{ caseId: "b", difference: -1, weight: 1 },
		]);
		expect(weighted.mean).toBe(0.5);
		// Four flips; the heavy gain carries the total in two of them.
		expect(weighted.p).toBe(0.5);
		const grouped = pairedTest(differences(new Array(10).fill(0.5)).map((entry) => ({ ...entry, group: "g" })));
		expect(grouped).toMatchObject({ p: 0.5, mean: 0.5, low: null, n: 10 });
	});

	it("does not depend on the order of differences", () => {
		const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 10 });
		fc.assert(
			fc.property(values, fc.integer(), (list, seed) => {
				const all = differences(list);
				expect(pairedTest(createStream(seed, "mix").shuffle(all))).toEqual(pairedTest(all));
			}),
		);
	});
});

describe("non-inferiority", () => {
	const equal = differences([0.05, -0.05, 0.05, -0.05, 0, 0, 0.05, -0.05, 0.05, -0.05]);

	it("is proved for equals within a margin, and not without one", () => {
		expect(nonInferior(equal, 0.05, 0.05)).toMatchObject({ nonInferior: true, mean: 0 });
		expect(nonInferior(equal, 0, 0.05).nonInferior).toBe(false);
	});

	it("is not proved for a loss beyond the margin", () => {
		expect(nonInferior(differences(new Array(20).fill(-0.1)), 0.05, 0.05)).toMatchObject({ nonInferior: false, p: 1 });
	});

	it("never becomes harder with a wider margin", () => {
		const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 });
		fc.assert(
			fc.property(values, fc.nat(20), fc.nat(20), (list, narrow, more) => {
				const p = (margin: number) => nonInferior(differences(list), margin / 50, 0.05).p;
				expect(p(narrow + more)).toBeLessThanOrEqual(p(narrow));
			}),
		);
	});
});

describe("Holm's adjustment", () => {
	it("agrees with R", () => {
		// R: p.adjust(c(.01,.04,.03,.005), "holm") is 0.03 0.06 0.06 0.02
		expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
		// R: p.adjust(c(.5,.6,.001,.02,.02), "holm") is 1 1 0.005 0.08 0.08
		expect(holm([0.5, 0.6, 0.001, 0.02, 0.02])).toEqual([1, 1, 0.005, 0.08, 0.08]);
		expect(holm([])).toEqual([]);
	});
});

describe("the size of a comparison", () => {
	it("agrees with R, rounded up to whole cases", () => {
		// R: power.t.test(delta = .1, sd = .3, sig.level = .05, power = .8, type = "one.sample", alternative = "one.sided")$n
		//    is 57.02; (.05, .2, .025, .9) is 170.05
		expect(requiredCases(0.1, 0.3, 0.05, 0.8)).toBe(58);
		expect(requiredCases(0.05, 0.2, 0.025, 0.9)).toBe(171);
		// R: f <- function(...) power.t.test(..., type = "one.sample", alternative = "one.sided", tol = 1e-13)$delta
		//    f(n = 40, sd = .2, sig.level = .018, power = .8) is 0.09564510378
		//    f(n = 20, sd = .25, sig.level = .05, power = .8) is 0.144229250335
		expect(provableGain(40, 0.2, 0.018, 0.8)).toBeCloseTo(0.09564510378, 10);
		expect(provableGain(20, 0.25, 0.05, 0.8)).toBeCloseTo(0.144229250335, 10);
	});

	it("knows that few cases cannot reach a small alpha whatever the gain", () => {
		// The t test would do with 5.57 cases (R: power.t.test(delta = .5, sd = .3, sig.level = .018, …)$n), and 2^-6 < .018.
		expect(requiredCases(0.5, 0.3, 0.018, 0.8)).toBe(6);
		expect(requiredCases(1, 0, 0.004, 0.8)).toBe(8);
		expect(provableGain(7, 0.2, 0.004, 0.8)).toBe(Number.POSITIVE_INFINITY);
		expect(provableGain(8, 0, 0.004, 0.8)).toBe(0);
	});

	it("is endless where there is no gain", () => {
		expect(requiredCases(0, 0.3, 0.05, 0.8)).toBe(Number.POSITIVE_INFINITY);
		expect(requiredCases(-0.1, 0.3, 0.05, 0.8)).toBe(Number.POSITIVE_INFINITY);
		expect(requiredCases(1e-9, 0.3, 0.05, 0.8)).toBe(Number.POSITIVE_INFINITY);
	});

	it("falls with the gain, and both ways of asking agree", () => {
		expect(requiredCases(0.2, 0.3, 0.05, 0.8)).toBeLessThan(requiredCases(0.1, 0.3, 0.05, 0.8));
		const gain = provableGain(40, 0.3, 0.05, 0.8);
		expect(requiredCases(gain * 1.0001, 0.3, 0.05, 0.8)).toBe(40);
	});
});
