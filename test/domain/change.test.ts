import { describe, expect, it } from "vitest";
import { changeOf, judgedChanges, sizesAgainst } from "../../src/domain/change.ts";
import { createStream } from "../../src/domain/sampling.ts";
import type { Trial } from "../../src/domain/trial.ts";
import { LOST, measured, trial } from "./objective-trials.ts";

const stream = () => createStream(1, "change");
const name = (at: number) => `c${String(at).padStart(2, "0")}`;
const side = (values: readonly number[], objective: "latencyMs" | "tokens" | "quality"): Trial[] =>
	values.map((value, at) =>
		trial(name(at), objective === "quality" ? measured(value) : measured(0.5, { [objective]: value })),
	);

describe("a change", () => {
	it("in latency is the difference of the medians, with Wilcoxon's p", () => {
		// R: x <- c(120,-30,45,80,-10,60,15,-75,200,5,33,-2); median(x) is 24; wilcox.test(x, exact = TRUE)$p.value is 0.1098633
		const x = [120, -30, 45, 80, -10, 60, 15, -75, 200, 5, 33, -2];
		const before = x.map(() => 1000);
		const after = x.map((value) => 1000 - value);
		const found = changeOf(side(after, "latencyMs"), side(before, "latencyMs"), "latencyMs", [], stream());
		expect(found.size).toBe(24);
		expect(found.p).toBeCloseTo(0.1098633, 6);
		// One absurd answer moves neither.
		const wild = [...after.slice(0, 8), 1000 - 2e6, ...after.slice(9)];
		const same = changeOf(side(wild, "latencyMs"), side(before, "latencyMs"), "latencyMs", [], stream());
		expect([same.size, same.p]).toEqual([found.size, found.p]);
	});

	it("in latency is what a reader gets who subtracts the medians, also where the median of the differences is another", () => {
		// R: a <- c(500,510,530,560,600,900,700,650,610); b <- c(520,500,600,600,610,650,760,655,605); median(b) - median(a) is 5;
		// median(b - a) is 10.
		const before = [500, 510, 530, 560, 600, 900, 700, 650, 610];
		const after = [520, 500, 600, 600, 610, 650, 760, 655, 605];
		const found = changeOf(side(after, "latencyMs"), side(before, "latencyMs"), "latencyMs", [], stream());
		expect(found.size).toBe(-5);
		expect(found.low).toBeLessThanOrEqual(-5);
		expect(found.high).toBeGreaterThanOrEqual(-5);
		const sizes = sizesAgainst(side(before, "latencyMs"), [])(side(after, "latencyMs"));
		expect(sizes.latencyMs).toBe(-5);
	});

	it("in the others is the mean, with the p of the sign-flip test both ways", () => {
		// R: perm <- function(x) { s <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(x)))); mean(s %*% x >= sum(x) - 1e-9) }
		// R: 2 * perm(c(.25,.5,0,-.25,.75,.1,.3,-.05)) is 0.140625
		const x = [0.25, 0.5, 0, -0.25, 0.75, 0.1, 0.3, -0.05];
		const found = changeOf(
			side(
				x.map((value) => 1000 - 100 * value),
				"tokens",
			),
			side(
				x.map(() => 1000),
				"tokens",
			),
			"tokens",
			[],
			stream(),
		);
		expect(found.size).toBeCloseTo(20, 10);
		expect(found.p).toBe(0.140625);
	});

	it("counts what lacks a side, and says nothing without a pair", () => {
		const found = changeOf([trial("a", LOST)], [trial("a", measured(1))], "quality", [], stream());
		expect(found).toMatchObject({ size: null, low: null, high: null, n: 0, missing: 1, p: 1 });
	});
});

describe("the verdicts over four objectives", () => {
	const many = Array.from({ length: 20 }, (_, at) => at);
	const trialsOf = (make: (at: number) => Parameters<typeof measured>[1] & { quality: number }) =>
		many.map((at) => {
			const { quality, ...rest } = make(at) as { quality: number };
			return trial(name(at), measured(quality, rest));
		});
	const v0 = trialsOf((at) => ({ quality: 0.5, tokens: 100 + at, latencyMs: 1000, retries: 0 }));

	it("hold together: a p that would do alone is not enough among the three beside quality (Holm)", () => {
		// Fifteen of twenty cases a little cheaper: R: binom.test(15, 20)$p.value is 0.04139 two-sided, and 3 * .04139 > .05.
		const child = trialsOf((at) => ({
			quality: 0.5,
			tokens: 100 + at + (at < 15 ? -1 : 1),
			latencyMs: 1000,
			retries: 0,
		}));
		const [quality, , tokens] = judgedChanges(child, v0, [], {}, stream());
		expect(tokens?.p).toBeCloseTo(0.04138947, 6);
		expect(tokens?.adjusted).toBeCloseTo(3 * 0.04138947, 6);
		expect(tokens?.says).toBe("unclear");
		expect(quality).toMatchObject({ says: "same", p: 1, adjusted: 1 });
	});

	it("of quality, tokens and retries do not hear of latency, which no two runs measure alike", () => {
		const child = (latencyMs: number) =>
			trialsOf((at) => ({ quality: at < 12 ? 0.6 : 0.5, tokens: 100 + at + (at % 3), latencyMs, retries: 0 }));
		const [calm, wild] = [1000, 3000].map((latencyMs) => judgedChanges(child(latencyMs), v0, [], {}, stream()));
		for (const at of [0, 2, 3]) expect(wild?.[at]).toEqual(calm?.[at]);
		expect(wild?.[1]).toMatchObject({ says: "worse", adjusted: 3 * (wild?.[1]?.p ?? 0) });
	});

	it("say better and worse by the direction of the objective", () => {
		const child = trialsOf((at) => ({ quality: 0.9, tokens: 300 + at, latencyMs: 1000, retries: 0 }));
		const says = judgedChanges(child, v0, [], {}, stream()).map((change) => change.says);
		expect(says).toEqual(["better", "same", "worse", "same"]);
	});

	it("call nothing worse beside an interval that reaches 0, but for quality, of which the test alone says it", () => {
		// Twelve differences of one sign: the sign-flip test gives 2/4096 both ways, while Student's t of them reaches over 0.
		const more = Array.from({ length: 12 }, (_, at) => (at === 0 ? 1000 : 1));
		const base = more.map((_, at) => trial(name(at), measured(0.5, { tokens: 100 })));
		const dearer = more.map((value, at) => trial(name(at), measured(0.5, { tokens: 100 + value })));
		const [, , tokens] = judgedChanges(dearer, base, [], {}, stream());
		expect(tokens?.adjusted).toBeLessThan(0.05);
		expect([(tokens?.low ?? 0) < 0, (tokens?.high ?? 0) > 0]).toEqual([true, true]);
		expect(tokens?.says).toBe("unclear");
		const worse = more.map((value, at) => trial(name(at), measured(0.9 - value / 1200)));
		const high = more.map((_, at) => trial(name(at), measured(0.9)));
		expect(judgedChanges(worse, high, [], {}, stream())[0]?.says).toBe("worse");
	});

	it("call an objective held when it is proved not to be worse by its margin", () => {
		const child = trialsOf((at) => ({
			quality: at % 2 ? 0.5 : 0.49,
			tokens: 104 + at,
			latencyMs: 1300,
			retries: 0,
		}));
		const margins = { quality: 0.02, latencyMs: 100, tokens: 10, retries: 0.1 };
		const held = judgedChanges(child, v0, [], margins, stream()).map((change) => change.held);
		expect(held).toEqual([true, false, true, true]);
		expect(judgedChanges(child, v0, [], {}, stream()).map((change) => change.held)).toEqual([null, null, null, null]);
	});

	it("are wrong about unchanged quality in at most 5 % of comparisons, and about any of the others in at most 5 %", () => {
		const draws = createStream(4, "family");
		const noisy = () =>
			trialsOf(() => ({
				quality: Math.round(10 * draws.next()) / 10,
				tokens: Math.round(100 * draws.next()),
				latencyMs: Math.round(1000 * draws.next() ** 4),
				retries: draws.integer(3),
			}));
		let [quality, others, alone] = [0, 0, 0];
		for (let round = 0; round < 600; round++) {
			const changes = judgedChanges(noisy(), noisy(), [], {}, draws);
			const isWrong = ({ says }: { says: string }) => says === "better" || says === "worse";
			if (changes.slice(0, 1).some(isWrong)) quality++;
			if (changes.slice(1).some(isWrong)) others++;
			if (changes.some(({ p }) => p <= 0.05)) alone++;
		}
		expect(quality / 600).toBeLessThan(0.065);
		expect(others / 600).toBeLessThan(0.065);
		expect(alone / 600).toBeGreaterThan(0.12);
	});
});
