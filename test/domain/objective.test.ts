import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CaseWeight, gain, OBJECTIVES, scorecard, scorecardSchema } from "../../src/domain/objective.ts";
import { createStream } from "../../src/domain/sampling.ts";
import type { Outcome, Trial } from "../../src/domain/trial.ts";
import { BROKEN, LOST, measured, trial } from "./objective-trials.ts";

const of = (trials: readonly Trial[], cases: readonly CaseWeight[] = []) =>
	scorecard(trials, cases, createStream(1, "scorecard"));

describe("a scorecard", () => {
	it("of nothing knows nothing", () => {
		const nothing = { mean: null, low: null, high: null, n: 0, errors: 0 };
		expect(of([])).toEqual({ quality: nothing, latencyMs: nothing, tokens: nothing, retries: nothing });
	});

	it("counts a contract that was never met as quality 0 and gives it no latency", () => {
		const card = of([trial("a", measured(1, { latencyMs: 400 })), trial("b", BROKEN)]);
		expect(card.quality).toMatchObject({ mean: 0.5, n: 2, errors: 0 });
		expect(card.latencyMs).toEqual({ mean: 400, low: null, high: null, n: 1, errors: 1 });
		expect(card.tokens).toMatchObject({ mean: 200, n: 2, errors: 0 });
		expect(card.retries).toMatchObject({ mean: 1, n: 2, errors: 0 });
	});

	it("counts missing data as errors and never as a score", () => {
		const card = of([trial("a", measured(0.8)), trial("b", LOST), trial("c", { ...LOST, tokens: 40 })]);
		expect(card.quality).toMatchObject({ mean: 0.8, n: 1, errors: 2 });
		expect(card.tokens).toMatchObject({ mean: 70, n: 2, errors: 1 });
		expect(card.retries).toMatchObject({ mean: 0, n: 1, errors: 2 });
	});

	it("has the median for latency, so that one slow reply does not decide", () => {
		// R: median(c(120, 80, 300, 95, 110)) is 110
		const slow = [120, 80, 300, 95, 110].map((latencyMs, at) => trial(`c${at}`, measured(1, { latencyMs })));
		expect(of(slow).latencyMs).toMatchObject({ mean: 110, low: 80, high: 300 });
		const even = of(slow.slice(0, 4));
		expect(even.latencyMs.mean).toBe((95 + 120) / 2);
	});

	it("averages the repeats of a case first, so that a case drawn often weighs no more", () => {
		const trials = [0, 1, 2, 3].map((repeat) => trial("often", measured(repeat < 2 ? 1 : 0), repeat));
		expect(of([...trials, trial("once", measured(1))]).quality).toMatchObject({ mean: 0.75, n: 2 });
	});

	it("weighs cases", () => {
		const cases = [
			{ id: "a", weight: 3 },
			{ id: "b", weight: 1 },
		];
		const card = of([trial("a", measured(1, { latencyMs: 100 })), trial("b", measured(0, { latencyMs: 900 }))], cases);
		expect(card.quality.mean).toBe(0.75);
		expect(card.latencyMs.mean).toBe(100);
	});

	it("is shaped as its schema says", () => {
		const card = of([trial("a", measured(0.5)), trial("b", LOST), trial("c", BROKEN)]);
		expect(scorecardSchema.parse(card)).toEqual(card);
	});
});

/** Milliseconds. */
const spent = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

describe("any scorecard", () => {
	const outcome: fc.Arbitrary<Outcome> = fc.oneof(
		fc.constant(BROKEN),
		fc.constant(LOST),
		fc
			.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(9000), fc.nat(5000), fc.nat(3))
			.map(([quality, latencyMs, tokens, retries]) => measured(quality, { latencyMs, tokens, retries })),
	);
	const trials = fc.array(
		fc.tuple(fc.nat(12), fc.nat(2), outcome).map(([id, repeat, result]) => trial(`c${id}`, result, repeat)),
		{ maxLength: 30 },
	);
	const cases = Array.from({ length: 13 }, (_, id) => ({
		id: `c${id}`,
		weight: 1 + (id % 3),
		...(id % 4 === 0 ? { group: "g" } : {}),
	}));

	it("does not depend on the order of trials", () => {
		fc.assert(
			fc.property(trials, fc.integer(), (list, seed) => {
				expect(of(createStream(seed, "mix").shuffle(list), cases)).toEqual(of(list, cases));
			}),
			{ numRuns: 25 },
		);
	});

	it("has its mean within its interval, quality within 0 and 1, and accounts for every trial", () => {
		fc.assert(
			fc.property(trials, (list) => {
				const card = of(list, cases);
				for (const objective of OBJECTIVES) {
					const { mean, low, high, n, errors } = card[objective];
					expect(mean === null).toBe(n === 0);
					expect(errors).toBeLessThanOrEqual(list.length - n);
					if (mean === null || low === null || high === null) continue;
					expect(low).toBeLessThanOrEqual(mean);
					expect(high).toBeGreaterThanOrEqual(mean);
					expect(low).toBeGreaterThanOrEqual(0);
					if (objective === "quality") expect(high).toBeLessThanOrEqual(1);
				}
			}),
			{ numRuns: 25 },
		);
	});

	it("is made quickly for 10,000 cases", () => {
		const stream = createStream(4, "large");
		const many = Array.from({ length: 10_000 }, (_, id) =>
			trial(
				`case-${id}`,
				measured(stream.next(), { latencyMs: 100 + 900 * stream.next(), tokens: stream.integer(900) }),
			),
		);
		const rounds = Array.from({ length: 3 }, () => {
			// Time of the processor, not of the clock: other work on the machine must not decide.
			const start = process.cpuUsage();
			const card = of(many);
			return { card, took: spent(process.cpuUsage(start)) };
		});
		expect(Math.min(...rounds.map(({ took }) => took))).toBeLessThan(150);
		const { quality, latencyMs } = rounds[0]!.card;
		// Standard error of the mean: sqrt(1/12/10000); of the median of a uniform over 900 ms: 900/2/sqrt(10000).
		expect(quality.high! - quality.low!).toBeCloseTo(2 * 1.96 * Math.sqrt(1 / 12 / 10_000), 3);
		expect(Math.abs(latencyMs.high! - latencyMs.low! - 2 * 1.96 * 4.5)).toBeLessThan(3);
	});
});

describe("a gain", () => {
	it("is positive for better, whichever way is better", () => {
		expect(gain("quality", 0.9, 0.5)).toBeCloseTo(0.4);
		expect(gain("latencyMs", 900, 500)).toBe(-400);
		expect(gain("tokens", 5, 9)).toBe(4);
		expect(gain("retries", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(0);
	});
});
