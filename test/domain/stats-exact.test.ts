import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCdf, shiftedTail, studentCdf, studentQuantile } from "../../src/domain/distributions.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { signFlipP } from "../../src/domain/sign-flip.ts";

describe("the sign-flip test", () => {
	it("is exact: it agrees with all flips enumerated in R", () => {
		// R: perm <- function(x) { s <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(x)))); mean(s %*% x >= sum(x) - 1e-9) }
		// R: perm(c(.25,.5,0,-.25,.75,.1,.3,-.05)) is 0.0703125
		expect(signFlipP([0.25, 0.5, 0, -0.25, 0.75, 0.1, 0.3, -0.05])).toBe(0.0703125);
		// R: perm(c(.13,-.07,.22,.41,.05,-.11,.3,.02,.17,-.03,.09,.26,.19,-.14)) is 0.015869140625
		const hundredths = [0.13, -0.07, 0.22, 0.41, 0.05, -0.11, 0.3, 0.02, 0.17, -0.03, 0.09, 0.26, 0.19, -0.14];
		expect(signFlipP(hundredths)).toBeCloseTo(0.015869140625, 12);
		// R: perm(c(.5,.5,.25,-.25,.5,0,.25,-.5,.75,.25,.25,0,-.25,.5,.5,.25)) is 0.01806640625
		const quarters = [0.5, 0.5, 0.25, -0.25, 0.5, 0, 0.25, -0.5, 0.75, 0.25, 0.25, 0, -0.25, 0.5, 0.5, 0.25];
		expect(signFlipP(quarters)).toBeCloseTo(0.01806640625, 12);
		// R: perm(c(3,1,4,1.5,5,9,2.6,-5.3,-.5,8,9.7,-9.3,2.3,8.4,6.2,-6.4)) is 0.05133056640625
		const tenths = [3, 1, 4, 1.5, 5, 9, 2.6, -5.3, -0.5, 8, 9.7, -9.3, 2.3, 8.4, 6.2, -6.4];
		expect(signFlipP(tenths)).toBeCloseTo(0.05133056640625, 12);
	});

	it("is the exact binomial test where all sizes are equal", () => {
		const won = (wins: number, losses: number) => [...new Array(wins).fill(1 / 3), ...new Array(losses).fill(-1 / 3)];
		// R: binom.test(15, 20, alternative = "greater")$p.value; binom.test(29, 40, alternative = "greater")$p.value
		expect(signFlipP(won(15, 5))).toBeCloseTo(0.0206947326660156, 12);
		expect(signFlipP(won(29, 11))).toBeCloseTo(0.00321328804784571, 12);
	});

	it("is Wilcoxon's exact signed-rank test where sizes are ranks", () => {
		// R: wilcox.test(r, alternative = "greater", exact = TRUE)$p.value is 0.0134239196777344
		const ranks = [1, 2, -3, 4, 5, -6, 7, 8, 9, 10, -11, 12, 13, 14, -15, 16, 17, 18];
		expect(signFlipP(ranks)).toBeCloseTo(0.0134239196777344, 12);
	});

	it("counts ties that only rounding errors would break", () => {
		expect(signFlipP([0.1, 0.2, -0.3])).toBe(signFlipP([1, 2, -3]));
		const many = [0.1, 0.2, -0.3, 0.1, 0.2, 0.3, 0.1 + 0.2, 0.7, -0.1, 0.4, 0.6, 0.2, -0.5, 0.3];
		expect(signFlipP(many)).toBe(signFlipP(many.map((value) => Math.round(value * 10))));
	});

	it("knows nothing without differences, and needs eight equal gains for .004", () => {
		expect(signFlipP([])).toBe(1);
		expect(signFlipP([0, 0, 0])).toBe(1);
		// R: psignrank(0, 8) is 0.00390625
		expect(signFlipP(new Array(8).fill(0.2))).toBe(0.00390625);
		expect(signFlipP(new Array(8).fill(-0.2))).toBe(1);
	});

	const size = fc.double({ min: -1, max: 1, noNaN: true }).filter((value) => value === 0 || Math.abs(value) > 1e-6);

	it("never says less for a difference that rises, nor hears their order", () => {
		fc.assert(
			fc.property(fc.array(size, { minLength: 1, maxLength: 9 }), fc.nat(8), fc.nat(10), (list, at, by) => {
				const raised = list.map((value, index) => (index === at % list.length ? value + by / 10 : value));
				expect(signFlipP(raised)).toBeLessThanOrEqual(signFlipP(list));
				expect(signFlipP([...list].reverse())).toBe(signFlipP(list));
			}),
		);
	});

	it("on the grid is never below the share of flips, and close to it", () => {
		const stream = createStream(1, "grid");
		for (let round = 0; round < 3; round++) {
			const list = Array.from({ length: 15 }, () => stream.next() - 0.4);
			const total = list.reduce((sum, value) => sum + value, 0);
			let reached = 0;
			for (let flips = 0; flips < 2 ** 15; flips++) {
				const flipped = list.reduce((sum, value, at) => sum + ((flips >> at) & 1 ? -value : value), 0);
				if (flipped >= total - 1e-12) reached++;
			}
			const exact = reached / 2 ** 15;
			expect(signFlipP(list)).toBeGreaterThanOrEqual(exact - 1e-12);
			expect(signFlipP(list)).toBeLessThan(exact * 1.02 + 1e-4);
		}
	});

	it("passes into the t test where there are many", () => {
		const stream = createStream(2, "many");
		const list = Array.from({ length: 201 }, () => stream.next() - 0.46);
		expect(Math.abs(signFlipP(list) - signFlipP(list.slice(0, 200)))).toBeLessThan(0.015);
		expect(signFlipP(new Array(300).fill(0.5))).toBe(0);
		expect(signFlipP(new Array(300).fill(-0.5))).toBe(1);
	});
});

describe("distributions agree with R 4.2.2", () => {
	it("the normal distribution", () => {
		// R: pnorm(c(-3, -1, 0, .5, 1.959963984540054, 6))
		const known = [0.00134989803163009, 0.158655253931457, 0.5, 0.691462461274013, 0.975, 0.999999999013412];
		[-3, -1, 0, 0.5, 1.959963984540054, 6].forEach((z, at) => {
			expect(normalCdf(z)).toBeCloseTo(known[at]!, 12);
		});
		// R: pnorm(-9) is 1.12858840595384e-19
		expect(normalCdf(-9) / 1.12858840595384e-19).toBeCloseTo(1, 9);
	});

	it("Student's t", () => {
		// R: pt(c(2, -1.5, 10, .3), c(3, 10, 39, 1)); pt(2.5, 1000)
		expect(studentCdf(2, 3)).toBeCloseTo(0.930337015720578, 12);
		expect(studentCdf(-1.5, 10)).toBeCloseTo(0.0822536632227201, 12);
		expect(studentCdf(10, 39)).toBeCloseTo(0.999999999998721, 14);
		expect(studentCdf(0.3, 1)).toBeCloseTo(0.592773579077742, 12);
		expect(studentCdf(2.5, 1000)).toBeCloseTo(0.993710716099455, 11);
		expect([studentCdf(Number.POSITIVE_INFINITY, 3), studentCdf(Number.NEGATIVE_INFINITY, 3)]).toEqual([1, 0]);
	});

	it("quantiles of Student's t", () => {
		// R: qt(c(.975, .95, .99), c(1, 4, 7)); qt(.975, 39); qt(.982, 39)
		expect(studentQuantile(0.975, 1)).toBeCloseTo(12.7062047361747, 9);
		expect(studentQuantile(0.95, 4)).toBeCloseTo(2.13184678632665, 10);
		expect(studentQuantile(0.99, 7)).toBeCloseTo(2.99795156686853, 10);
		expect(studentQuantile(0.975, 39)).toBeCloseTo(2.02269092003676, 10);
		expect(studentQuantile(0.018, 39)).toBeCloseTo(-2.17198013890799, 10);
	});

	it("the power of a t test", () => {
		// R: power.t.test(n = 8, delta = .3, sd = .25, sig.level = .01, type = "one.sample", alternative = "one.sided")$power
		const eight = shiftedTail(studentQuantile(0.99, 7), 7, (Math.sqrt(8) * 0.3) / 0.25);
		expect(eight).toBeCloseTo(0.656694223222752, 7);
		// R: power.t.test(n = 2, delta = .3, sd = .25, sig.level = .2, type = "one.sample", alternative = "one.sided")$power
		const two = shiftedTail(studentQuantile(0.8, 1), 1, (Math.sqrt(2) * 0.3) / 0.25);
		expect(two).toBeCloseTo(0.691541999596297, 5);
	});
});
