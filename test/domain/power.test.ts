import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gatePower, provableAt, spreadAt } from "../../src/domain/power.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { ALPHA, decideLook, levelOf, planLooks } from "../../src/domain/sequential.ts";
import type { Difference } from "../../src/domain/stats.ts";

const level = levelOf(1, 1);
const gate = (cases: number, noise: number, check = 0) => ({ cases, units: cases, spread: { noise, check }, level });

describe("the power of a gate", () => {
	it("is that of R's t test where there is one look, at the level that so few flips allow", () => {
		// R: f <- function(n, a) power.t.test(n = n, delta = .3, sd = .3, sig.level = a, type = "one.sample", alternative = "one.sided")$power
		//    f(9, 12/512) is 0.7359912; f(8, 6/256) is 0.6672291: floor(.025 * 2^n) of the 2^n flips may be as extreme
		expect(gatePower(gate(9, 0.3), 0.3)).toBeCloseTo(0.7359912, 4);
		expect(gatePower(gate(8, 0.3), 0.3)).toBeCloseTo(0.6672291, 4);
		// Six cases prove something only when all six gain. R: pnorm(.4 / .3)^6 is 0.5633493
		expect(gatePower(gate(6, 0.3), 0.4)).toBeCloseTo(0.5633493, 4);
	});

	it("is within a hundredth of R's simulation of t tests at the same looks, given up when behind", () => {
		// R: gate <- function(looks, alpha, g, sd, runs = 1e5) {
		//      set.seed(1); x <- matrix(rnorm(runs * max(looks), g, sd), runs); open <- rep(TRUE, runs); better <- !open
		//      for (k in seq_along(looks)) {
		//        y <- x[, 1:looks[k]]; m <- rowMeans(y); s <- sqrt(rowSums((y - m)^2) / (looks[k] - 1))
		//        better <- better | (open & m > 0 & m / s * sqrt(looks[k]) >= qt(1 - alpha[k], looks[k] - 1))
		//        open <- open & !better & m > 0 }
		//      mean(better) }
		// R: gate(c(9, 20, 40), c(.002, .005, .018), .15, .3) is 0.80571; with .1: 0.46159
		expect(Math.abs(gatePower(gate(40, 0.3), 0.15) - 0.80571)).toBeLessThan(0.01);
		expect(Math.abs(gatePower(gate(40, 0.3), 0.1) - 0.46159)).toBeLessThan(0.01);
		// R: gate(c(9, 20), c(.002, .023), .2, .3) is 0.7926; gate(c(9, 15), c(.002, .023), .3, .4) is 0.758
		expect(Math.abs(gatePower(gate(20, 0.3), 0.2) - 0.7926)).toBeLessThan(0.01);
		expect(Math.abs(gatePower(gate(15, 0.4), 0.3) - 0.758)).toBeLessThan(0.01);
		// R: gate(c(8, 20), c(.004, .046), .15, .3) is 0.66927; gate(c(8, 20, 40), c(.004, .010, .036), .1, .3) is 0.55874
		const followed = (cases: number) => ({ ...gate(cases, 0.3), level: ALPHA });
		expect(Math.abs(gatePower(followed(20), 0.15) - 0.66927)).toBeLessThan(0.01);
		expect(Math.abs(gatePower(followed(40), 0.1) - 0.55874)).toBeLessThan(0.01);
		// R: gate(c(9, 20, 30), c(.002, .005, .018), .1, .2) is 0.69574
		expect(Math.abs(gatePower(gate(30, 0.2), 0.1) - 0.69574)).toBeLessThan(0.01);
	});

	it("is within a hundredth of R's simulation where cases are drawn again", () => {
		// R: again <- function(n, looks, alpha, g, tau, sigma, draws, runs = 1e5) {
		//      set.seed(1); effect <- matrix(rnorm(runs * n, g, tau), runs)
		//      first <- effect + matrix(rnorm(runs * n, 0, sigma), runs)
		//      all <- (first + (draws - 1) * (effect + matrix(rnorm(runs * n, 0, sigma / sqrt(draws - 1)), runs))) / draws
		//      then the looks of `gate` above at `first`, and the last at `all` }
		// R: again(20, c(8,20,20), c(.004,.010,.036), .1, .1, .2, 3) is 0.78361
		// R: again(40, c(8,20,40,40), c(.004,.010,.012,.024), .06, .1, .2, 3) is 0.56307
		// R: again(20, c(8,20,20), c(.004,.010,.036), .1, .02, .25, 5) is 0.84072
		const again = (cases: number, tau: number, sigma: number, draws: number, gain: number) => {
			const spread = { noise: sigma, check: tau ** 2 / (gain * (1 - gain)) };
			return gatePower({ cases, units: cases, spread, level: ALPHA, draws }, gain);
		};
		expect(Math.abs(again(20, 0.1, 0.2, 3, 0.1) - 0.78361)).toBeLessThan(0.01);
		expect(Math.abs(again(40, 0.1, 0.2, 3, 0.06) - 0.56307)).toBeLessThan(0.01);
		expect(Math.abs(again(20, 0.02, 0.25, 5, 0.1) - 0.84072)).toBeLessThan(0.01);
		// Without noise there is nothing to draw again.
		expect(again(20, 0.1, 0, 3, 0.1)).toBeGreaterThan(0.98);
	});

	it("is what the gate itself does, to a few hundredths, also where a gain is a check mended here and there", () => {
		const stream = createStream(1, "power");
		const normal = () => Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());
		const mended = (checks: number, gain: number) => () => {
			let passed = 0;
			for (let check = 0; check < checks; check++) if (stream.next() < gain) passed++;
			return passed / checks + Math.round(20 * 0.1 * normal()) / 20;
		};
		const plain = (gain: number, sd: number) => () => Math.round(50 * (gain + sd * normal())) / 50;
		const worlds: [number, number, number, number, () => number][] = [
			[12, 0.25, 0.3, 0, plain(0.25, 0.3)],
			[20, 0.2, 0.3, 0, plain(0.2, 0.3)],
			[40, 0.12, 0.25, 0, plain(0.12, 0.25)],
			[40, 0.08, 0.1, 1 / 5, mended(5, 0.08)],
			[20, 0.2, 0.1, 1 / 3, mended(3, 0.2)],
		];
		for (const [cases, gain, noise, check, draw] of worlds) {
			const looks = planLooks(cases, level);
			let better = 0;
			for (let round = 0; round < 1000; round++) {
				const differences: Difference[] = [];
				for (const look of looks) {
					while (differences.length < look.cases)
						differences.push({ caseId: `c${100 + differences.length}`, difference: draw() });
					const { answer } = decideLook({ differences, alpha: look.alpha, isLast: look === looks.at(-1) });
					if (answer === "better") better++;
					if (answer !== "continue") break;
				}
			}
			const told = gatePower(gate(cases, noise, check), gain);
			expect(Math.abs(told - better / 1000), `${cases} cases, gain ${gain}: ${told}, ${better / 1000}`).toBeLessThan(
				0.05,
			);
		}
	});

	it("rises with the gain and lies between 0 and 1, whatever the cases", () => {
		const anyGate = fc.record({
			cases: fc.integer({ min: 0, max: 60 }),
			share: fc.double({ min: 0.2, max: 1, noNaN: true }),
			noise: fc.double({ min: 0, max: 0.6, noNaN: true }),
			check: fc.double({ min: 0, max: 1, noNaN: true }),
		});
		fc.assert(
			fc.property(
				anyGate,
				fc.double({ min: 0.001, max: 0.49, noNaN: true }),
				({ cases, share, noise, check }, gain) => {
					const one = { cases, units: Math.max(1, Math.round(cases * share)), spread: { noise, check }, level };
					const [less, more] = [gatePower(one, gain), gatePower(one, gain * 2)];
					expect(less).toBeGreaterThanOrEqual(0);
					expect(more).toBeLessThanOrEqual(1);
					expect(more).toBeGreaterThanOrEqual(less - 0.01);
				},
			),
		);
	});

	it("is none without cases, with too few of them, or without a gain", () => {
		expect(gatePower(gate(0, 0.2), 0.5)).toBe(0);
		expect(gatePower(gate(5, 0.01), 0.9)).toBe(0);
		expect(gatePower(gate(40, 0.2), 0)).toBe(0);
		expect(gatePower({ ...gate(40, 0.2), units: 4 }, 0.9)).toBe(0);
	});
});

describe("the spread of a gain", () => {
	it("is the noise for no gain, and that of a share of cases where a case has one check", () => {
		expect(spreadAt({ noise: 0.2, check: 1 }, 0)).toBe(0.2);
		// R: sqrt(.3 * .7)
		expect(spreadAt({ noise: 0, check: 1 }, 0.3)).toBeCloseTo(0.4582576, 6);
	});
});

describe("the smallest gain that gates prove", () => {
	it("is proved with just that power, and asks for more the more gates there are", () => {
		const [one, other] = [gate(40, 0.2, 0.2), gate(20, 0.2, 0.2)];
		const [alone, both] = [provableAt([one], 0.8) ?? 1, provableAt([one, other], 0.8) ?? 1];
		expect(gatePower(one, alone)).toBeCloseTo(0.8, 2);
		expect(gatePower(one, both) * gatePower(other, both)).toBeCloseTo(0.8, 2);
		expect(both).toBeGreaterThan(alone);
	});

	it("is null where no gain is enough", () => {
		expect(provableAt([], 0.8)).toBeNull();
		expect(provableAt([gate(5, 0.1)], 0.8)).toBeNull();
		expect(provableAt([gate(40, 0.1), gate(3, 0.1)], 0.8)).toBeNull();
	});

	it("is told for cases without any noise, too", () => {
		expect(provableAt([gate(47, 0, 0.2), { ...gate(25, 0, 0.2), units: 23 }], 0.8)).toBeGreaterThan(0.01);
		expect(provableAt([gate(40, 0, 0)], 0.8)).toBeLessThan(0.001);
	});
});
