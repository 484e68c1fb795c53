import { describe, expect, it } from "vitest";
import { meanInterval, medianInterval, quantile, weightedMedian } from "../../src/domain/interval.ts";
import { createStream } from "../../src/domain/sampling.ts";

const QUALITY = { low: 0, high: 1 };
const COST = { low: 0 };
const stream = () => createStream(1, "interval");
const alone = (values: readonly number[]) => values.map((value, at) => ({ value, weight: 1, unit: `c${at}` }));
const normal = (draws: { next(): number }) =>
	Math.sqrt(-2 * Math.log(1 - draws.next())) * Math.cos(2 * Math.PI * draws.next());

describe("the interval of a mean", () => {
	it("leaves quality its whole range after one case, and costs without an interval", () => {
		expect(meanInterval(alone([0.7]), QUALITY, stream())).toEqual({ mean: 0.7, low: 0, high: 1 });
		expect(meanInterval(alone([70]), COST, stream())).toEqual({ mean: 70, low: null, high: null });
	});

	it("takes a group as one case however many members it has", () => {
		const group = [0.2, 0.4, 0.6, 0.8].map((value) => ({ value, weight: 1, unit: "g" }));
		expect(meanInterval(group, QUALITY, stream())).toEqual({ mean: 0.5, low: 0, high: 1 });
	});

	it("is Student's for two to seven", () => {
		// R: t.test(c(3, 9, 27, 4))$conf.int is -6.98696413839774 28.48696413839774; costs are not below 0
		const { mean, low, high } = meanInterval(alone([3, 9, 27, 4]), COST, stream());
		expect(mean).toBe(10.75);
		expect(low).toBe(0);
		expect(high).toBeCloseTo(28.48696413839774, 9);
	});

	it("has the standard error of a ratio where cases weigh unequally", () => {
		// R: v <- c(3,9,27,4); w <- c(1,2,1,3); A <- v*w; m <- sum(A)/sum(w)
		//    se <- sqrt(4/3*sum((A-m*w)^2))/sum(w); m + qt(.975,3)*se is 20.98853997124807
		const weights = [1, 2, 1, 3];
		const weighted = alone([3, 9, 27, 4]).map((entry, at) => ({ ...entry, weight: weights[at]! }));
		const { mean, high } = meanInterval(weighted, COST, stream());
		expect(mean).toBeCloseTo(60 / 7, 12);
		expect(high).toBeCloseTo(20.98853997124807, 9);
	});

	it("does not take 20 perfect cases for proof of perfection", () => {
		const perfect = meanInterval(alone(new Array(20).fill(1)), QUALITY, stream());
		// R: binom.test(20, 20)$conf.int is 0.831566529017 1
		expect(perfect.low).toBeCloseTo(0.831566529017, 11);
		expect(perfect.high).toBe(1);
		const nearly = meanInterval(alone([...new Array(19).fill(1), 0.99]), QUALITY, stream());
		expect(nearly.low).toBeLessThan(0.96);
	});

	it("agrees with Student's t where values are well-behaved, from the bootstrap and from the formula alike", () => {
		const draws = createStream(2, "values");
		for (const n of [40, 200, 201, 1000]) {
			const values = Array.from({ length: n }, () => 50 + 10 * normal(draws));
			const mean = values.reduce((sum, value) => sum + value, 0) / n;
			const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
			const reach = (n === 40 ? 2.02269092003676 : 1.97) * (sd / Math.sqrt(n));
			const found = meanInterval(alone(values), COST, stream());
			expect(Math.abs(found.low! - (mean - reach)) / reach).toBeLessThan(0.12);
			expect(Math.abs(found.high! - (mean + reach)) / reach).toBeLessThan(0.12);
		}
	});

	it("covers the truth in about 95 of 100 samples, single or grouped", () => {
		const draws = createStream(3, "coverage");
		const share = (sample: () => { value: number; weight: number; unit: string }[]) => {
			let covered = 0;
			for (let round = 0; round < 100; round++) {
				const { low, high } = meanInterval(sample(), { low: -100 }, draws);
				if (low! <= 0 && high! >= 0) covered++;
			}
			return covered / 100;
		};
		expect(share(() => alone(Array.from({ length: 12 }, () => normal(draws))))).toBeGreaterThan(0.89);
		const grouped = () =>
			Array.from({ length: 12 }, (_, unit) => {
				const shared = normal(draws);
				return Array.from({ length: 1 + (unit % 3) }, () => ({
					value: shared + 0.2 * normal(draws),
					weight: 1,
					unit: `g${unit}`,
				}));
			}).flat();
		expect(share(grouped)).toBeGreaterThan(0.87);
	});
});

describe("the interval of a median", () => {
	it("is the range of two to seven cases, and nothing for one", () => {
		expect(medianInterval(alone([5]), stream())).toEqual({ mean: 5, low: null, high: null });
		expect(medianInterval(alone([5, 1, 9]), stream())).toEqual({ mean: 5, low: 1, high: 9 });
	});

	it("covers the truth in about 95 of 100 samples, by bootstrap and by Woodruff's rule", () => {
		const draws = createStream(5, "median");
		for (const [n, rounds] of [
			[30, 80],
			[301, 200],
		] as const) {
			let covered = 0;
			for (let round = 0; round < rounds; round++) {
				const { low, high } = medianInterval(alone(Array.from({ length: n }, () => Math.exp(normal(draws)))), draws);
				if (low! <= 1 && high! >= 1) covered++;
			}
			expect(covered / rounds).toBeGreaterThan(0.88);
		}
	});

	it("does not hear one absurd latency", () => {
		const values = Array.from({ length: 21 }, (_, at) => 100 + at);
		const calm = medianInterval(alone(values), stream());
		const wild = medianInterval(alone([...values.slice(0, -1), 1e9]), stream());
		expect(wild).toEqual(calm);
	});
});

describe("a quantile", () => {
	it("interpolates as R does", () => {
		// R: quantile(c(1,3,4,8,15,16,23,42), c(.025,.5,.9)) is 1.35 11.50 28.70
		const sorted = [1, 3, 4, 8, 15, 16, 23, 42];
		expect([0.025, 0.5, 0.9].map((p) => quantile(sorted, p))).toEqual([
			expect.closeTo(1.35, 12),
			expect.closeTo(11.5, 12),
			expect.closeTo(28.7, 12),
		]);
		expect(quantile(sorted, 1)).toBe(42);
	});

	it("in the middle by weight is where half the weight lies", () => {
		const weighted = [
			{ value: 10, weight: 1 },
			{ value: 20, weight: 5 },
			{ value: 1, weight: 1 },
		];
		expect(weightedMedian(weighted)).toBe(20);
		expect(weightedMedian([{ value: 4, weight: 1 }])).toBe(4);
		expect(weightedMedian([0.1, 0.2, 0.3, 0.4].map((value) => ({ value, weight: 0.1 })))).toBeCloseTo(0.25);
	});
});
