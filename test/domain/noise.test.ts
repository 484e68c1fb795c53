import { describe, expect, it } from "vitest";
import { drawsOf, noiseKey, noiseOf, sideOf } from "../../src/domain/noise.ts";
import { createStream } from "../../src/domain/sampling.ts";
import type { Trial } from "../../src/domain/trial.ts";
import { LOST, measured, trial } from "./objective-trials.ts";

const stream = () => createStream(1, "noise");

/** Trials of one text: for each case its draws in order, the sides in turn. */
function drawn(cases: readonly (readonly number[])[], tokens = (value: number) => Math.round(100 * value)): Trial[] {
	return cases.flatMap((values, at) =>
		values.map((value, repeat) => trial(`c${10 + at}`, measured(value, { tokens: tokens(value) }), repeat)),
	);
}

describe("the draws of an A/A comparison", () => {
	it("go to the sides in turn, and stay there when more are drawn", () => {
		expect(drawsOf(2)).toEqual([0, 1, 2, 3]);
		expect(drawsOf(3).slice(0, 4)).toEqual(drawsOf(2));
		expect(drawsOf(3).filter((repeat) => sideOf(repeat) === 0)).toEqual([0, 2, 4]);
	});
});

describe("the noise of a text", () => {
	it("is the spread of its draws within cases, and of the two sides over cases", () => {
		// R: a <- c(.8,.6,1,.4); b <- c(.6,.6,.8,.8); d <- b - a; mean(d) is 0; sd(d) is 0.2828427
		//    within: sqrt(2 * mean(c(var(c(.8,.6)), var(c(.6,.6)), var(c(1,.8)), var(c(.4,.8))))) is 0.244949
		const { quality } = noiseOf(
			drawn([
				[0.8, 0.6],
				[0.6, 0.6],
				[1, 0.8],
				[0.4, 0.8],
			]),
			[],
			stream(),
		);
		expect(quality.difference).toBeCloseTo(0, 12);
		expect(quality.sd).toBeCloseTo(0.2828427, 6);
		expect(quality.within).toBeCloseTo(0.244949, 6);
		// sqrt(.2828427^2 - .244949^2)
		expect(quality.between).toBeCloseTo(0.1414214, 6);
		expect([quality.n, quality.missing]).toEqual([4, 0]);
	});

	it("averages repeats of a side: more of them leave less noise in a comparison, and the same between two draws", () => {
		const draws = createStream(2, "draws");
		const many = Array.from({ length: 200 }, () => Array.from({ length: 8 }, () => Math.round(10 * draws.next()) / 10));
		const [one, four] = [2, 8].map((count) =>
			noiseOf(drawn(many.map((values) => values.slice(0, count))), [], stream()),
		);
		expect((one?.quality.sd ?? 0) / (four?.quality.sd ?? 1)).toBeCloseTo(2, 0);
		expect(four?.quality.within).toBeCloseTo(one?.quality.within ?? 0, 1);
		expect(four?.quality.between).toBeLessThan(0.1);
	});

	it("is told in the unit of each objective: the second side less the first", () => {
		const trials = [0, 1, 2, 3].flatMap((at) => [
			trial(`c${at}`, measured(0.5, { tokens: 100, latencyMs: 300 }), 0),
			trial(`c${at}`, measured(0.5, { tokens: 120, latencyMs: 250 }), 1),
		]);
		const noise = noiseOf(trials, [], stream());
		expect([noise.tokens.difference, noise.latencyMs.difference]).toEqual([20, -50]);
		expect([noise.tokens.low, noise.tokens.high]).toEqual([20, 20]);
	});

	it("says what is not known, and counts what lacks a side", () => {
		const lone = noiseOf([trial("a", measured(1), 0), trial("b", LOST, 0), trial("b", measured(1), 1)], [], stream());
		expect(lone.quality).toMatchObject({ difference: null, sd: null, within: null, between: null, n: 0, missing: 2 });
	});
});

describe("the name of a measured figure", () => {
	it("changes with the text, the cases and the protocol, and with nothing else", () => {
		const identity = { text: "t", cases: "c", protocol: "p" };
		expect(noiseKey({ protocol: "p", cases: "c", text: "t" })).toBe(noiseKey(identity));
		for (const part of ["text", "cases", "protocol"]) {
			expect(noiseKey({ ...identity, [part]: "other" })).not.toBe(noiseKey(identity));
		}
	});
});
