import { describe, expect, it } from "vitest";
import { normalCdf, shiftedTail, studentCdf, studentQuantile } from "../../src/domain/distributions.ts";

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
