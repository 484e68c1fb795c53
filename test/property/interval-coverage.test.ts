/**
 * How often a 95 % interval of quality holds the true score, by simulation: scores that are skewed and bounded, as qualities near
 * 1 are, on 20 to 50 cases; single, grouped and repeated; and after selection, for the text that a gate let pass.
 */
import { describe, expect, it } from "vitest";
import { meanInterval, type Observation } from "../../src/domain/interval.ts";
import { createStream, type Stream } from "../../src/domain/sampling.ts";
import { ALPHA, decideLook, planLooks } from "../../src/domain/sequential.ts";
import type { Difference } from "../../src/domain/stats.ts";

const QUALITY = { low: 0, high: 1 };
const LEAST = 0.93;

/** Mean of so many checks that each pass with this chance. */
const checks = (count: number, chance: number) => (stream: Stream) => {
	let passed = 0;
	for (let check = 0; check < count; check++) if (stream.next() < chance) passed++;
	return passed / count;
};

/** A distribution of the quality of a case, and its true mean. */
const WORLDS: readonly [name: string, draw: (stream: Stream) => number, truth: number][] = [
	["one check, passed in 90 %", checks(1, 0.9), 0.9],
	["five checks, each passed in 93 %", checks(5, 0.93), 0.93],
	["ten checks, each passed in 98 %", checks(10, 0.98), 0.98],
	["85 % perfect, the rest anywhere below .6", (s) => (s.next() < 0.85 ? 1 : 0.6 * s.next()), 0.895],
	["95 % perfect, the rest nothing", checks(1, 0.95), 0.95],
	["crowded towards 1", (s) => s.next() ** (1 / 8), 8 / 9],
	["crowded towards 0", (s) => 1 - s.next() ** (1 / 8), 1 / 9],
	["half nothing, half anywhere", (s) => (s.next() < 0.5 ? 0 : s.next()), 0.25],
];

function coverage(name: string, rounds: number, truth: number, sample: (stream: Stream) => Observation[]): number {
	const stream = createStream(3, `coverage ${name}`);
	let covered = 0;
	for (let round = 0; round < rounds; round++) {
		const { low, high } = meanInterval(sample(stream), QUALITY, stream);
		if ((low ?? 1) <= truth + 1e-12 && (high ?? 0) >= truth - 1e-12) covered++;
	}
	return covered / rounds;
}

describe("the interval of a quality", () => {
	for (const [name, draw, truth] of WORLDS) {
		it(`holds the true score in 93 of 100 samples at least: ${name}`, () => {
			for (const cases of [20, 35, 50]) {
				const share = coverage(`${name} ${cases}`, 1000, truth, (stream) =>
					Array.from({ length: cases }, (_, at) => ({ value: draw(stream), weight: 1, unit: `c${at}` })),
				);
				expect(share, `${cases} cases: ${share}`).toBeGreaterThanOrEqual(LEAST);
			}
		});
	}

	it("holds it where sessions rise and fall together, and would not if their cases were taken for single ones", () => {
		// 30 cases in 12 sessions of one to four; a session's mood moves all its cases.
		const sample = (unitOf: (session: number, at: number) => string) => (stream: Stream) => {
			const observations: Observation[] = [];
			for (let session = 0; session < 12; session++) {
				const chance = stream.next() < 0.25 ? 0.5 : 0.98;
				for (let at = 0; at < 1 + (session % 4); at++) {
					observations.push({ value: checks(5, chance)(stream), weight: 1, unit: unitOf(session, at) });
				}
			}
			return observations;
		};
		const truth = 0.25 * 0.5 + 0.75 * 0.98;
		const grouped = sample((session) => `g${session}`);
		const single = sample((session, at) => `c${session} ${at}`);
		expect(coverage("sessions", 1000, truth, grouped)).toBeGreaterThanOrEqual(LEAST);
		expect(coverage("sessions as cases", 1000, truth, single)).toBeLessThan(LEAST);
	});

	it("holds it where every case is drawn three times: what is resampled is the case, with all its draws", () => {
		const share = coverage("repeats", 1000, 0.9, (stream) =>
			Array.from({ length: 25 }, (_, at) => {
				const chance = stream.next() < 0.2 ? 0.5 : 1;
				const draws = [1, 2, 3].map(() => checks(3, chance)(stream));
				return { value: draws.reduce((sum, value) => sum + value, 0) / 3, weight: 1, unit: `c${at}` };
			}),
		);
		expect(share).toBeGreaterThanOrEqual(LEAST);
	});

	it("holds it where cases weigh unequally", () => {
		const share = coverage("weights", 1000, 0.93, (stream) =>
			Array.from({ length: 30 }, (_, at) => {
				return { value: checks(5, 0.93)(stream), weight: at % 4 === 0 ? 3 : 1, unit: `c${at}` };
			}),
		);
		expect(share).toBeGreaterThanOrEqual(LEAST);
	});
});

describe("the interval of a winner's quality", () => {
	/** Share of promoted texts whose interval, over the cases that the gate looked at, holds their true score. */
	function afterSelection(cases: number, before: number, after: number): { share: number; promoted: number } {
		const stream = createStream(5, `selection ${cases} ${before} ${after}`);
		const looks = planLooks(cases, ALPHA);
		let [promoted, covered] = [0, 0];
		for (let round = 0; round < 1500; round++) {
			const differences: Difference[] = [];
			const observations: Observation[] = [];
			let passed = false;
			for (const look of looks) {
				while (differences.length < look.cases) {
					const at = differences.length;
					const value = checks(5, after)(stream);
					observations.push({ value, weight: 1, unit: `c${at}` });
					differences.push({ caseId: `c${100 + at}`, difference: value - checks(5, before)(stream) });
				}
				const { answer } = decideLook({ differences, alpha: look.alpha, isLast: look === looks.at(-1) });
				passed = answer === "better";
				if (answer !== "continue") break;
			}
			if (!passed) continue;
			promoted++;
			const { low, high } = meanInterval(observations, QUALITY, stream);
			if ((low ?? 1) <= after && (high ?? 0) >= after) covered++;
		}
		return { share: covered / promoted, promoted };
	}

	it("holds its true score in 93 of 100 promotions at least, for gains that the cases can prove", () => {
		for (const [cases, before, after] of [
			[20, 0.35, 0.96],
			[20, 0.6, 0.93],
			[30, 0.7, 0.93],
			[40, 0.8, 0.95],
			[40, 0.84, 0.93],
		] as const) {
			const { share, promoted } = afterSelection(cases, before, after);
			expect(promoted).toBeGreaterThan(500);
			expect(share, `${before} to ${after} on ${cases} cases: ${share}`).toBeGreaterThanOrEqual(LEAST);
		}
	});
});
