import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balanced, dominates, front, type Point, pointOf, type Tolerance } from "../../src/domain/front.ts";
import { hypervolume } from "../../src/domain/hypervolume.ts";
import { OBJECTIVES, scorecard } from "../../src/domain/objective.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { BROKEN, measured, trial } from "./objective-trials.ts";

const point = (id: string, quality: number | null, latencyMs: number | null, tokens = 100, retries = 0): Point => ({
	id,
	quality,
	latencyMs,
	tokens,
	retries,
});

/** Few values, so that ties and dominance are common. */
const level = fc.option(fc.nat(4), { freq: 6 });
const points = fc
	.array(fc.record({ quality: level, latencyMs: level, tokens: level, retries: level }), { maxLength: 25 })
	.map((list) => list.map((rest, at): Point => ({ id: `v${at}`, ...rest })));
const tolerance: fc.Arbitrary<Tolerance> = fc.record({ quality: fc.nat(2), latencyMs: fc.nat(2) });
const ids = (list: readonly Point[]) => list.map(({ id }) => id);

describe("dominance", () => {
	it("is better in one objective and worse in none, in the direction of each", () => {
		expect(dominates(point("a", 0.9, 100), point("b", 0.8, 100))).toBe(true);
		expect(dominates(point("a", 0.9, 100), point("b", 0.9, 101))).toBe(true);
		expect(dominates(point("a", 0.9, 100), point("b", 0.8, 99))).toBe(false);
		expect(dominates(point("a", 0.9, 100), point("b", 0.9, 100))).toBe(false);
	});

	it("takes what is missing for the worst", () => {
		expect(dominates(point("a", 0.1, 1e9), point("b", 0.1, null))).toBe(true);
		expect(dominates(point("a", null, 1), point("b", 0, 1))).toBe(false);
		expect(dominates(point("a", null, null), point("b", null, null))).toBe(false);
	});

	it("takes differences within the tolerance for none", () => {
		const [steady, quick] = [point("a", 0.9, 520), point("b", 0.7, 500)];
		expect(dominates(steady, quick)).toBe(false);
		expect(dominates(steady, quick, { latencyMs: 50 })).toBe(true);
		expect(dominates(steady, quick, { latencyMs: 50, quality: 0.3 })).toBe(false);
	});

	it("is irreflexive, never mutual, and without tolerance transitive", () => {
		fc.assert(
			fc.property(points, tolerance, (list, slack) => {
				for (const a of list) {
					expect(dominates(a, a, slack)).toBe(false);
					for (const b of list) {
						if (dominates(a, b, slack)) expect(dominates(b, a, slack)).toBe(false);
						if (!dominates(a, b)) continue;
						for (const c of list) if (dominates(b, c)) expect(dominates(a, c)).toBe(true);
					}
				}
			}),
			{ numRuns: 40 },
		);
	});
});

describe("a front", () => {
	it("has no dominated member, and every other point is dominated by a member", () => {
		fc.assert(
			fc.property(points, (list) => {
				const members = front(list);
				for (const a of list) expect(members.some((b) => dominates(b, a))).toBe(!members.includes(a));
			}),
		);
	});

	it("is the same for every order of the points", () => {
		fc.assert(
			fc.property(points, tolerance, fc.integer(), (list, slack, seed) => {
				const mixed = createStream(seed, "mix").shuffle(list);
				expect(front(mixed, slack)).toEqual(front(list, slack));
				expect(balanced(mixed)).toEqual(balanced(list));
			}),
		);
	});

	it("is a fixed point: the front of a front is itself", () => {
		fc.assert(
			fc.property(points, tolerance, (list, slack) => {
				const once = front(list, slack);
				expect(front(once, slack)).toEqual(once);
			}),
		);
	});

	it("with a tolerance is part of the strict front, is never empty, and keeps the best quality", () => {
		fc.assert(
			fc.property(points, tolerance, (list, slack) => {
				const [strict, thinned] = [front(list), front(list, slack)];
				expect(thinned.every((member) => strict.includes(member))).toBe(true);
				expect(thinned[0]).toBe(strict[0]);
				for (const dropped of strict.filter((member) => !thinned.includes(member))) {
					expect(thinned.some((member) => dominates(member, dropped, slack))).toBe(true);
				}
			}),
		);
	});

	it("is sorted by quality, best first, with equals in order of id", () => {
		const list = [point("z", 0.5, 10), point("b", 0.9, 50), point("a", 0.9, 50), point("m", null, 1)];
		expect(ids(front(list))).toEqual(["a", "b", "z", "m"]);
	});
});

describe("the balanced choice", () => {
	it("is the knee, not an end", () => {
		const list = [point("best", 1, 1000), point("knee", 0.95, 200), point("quick", 0.2, 100)];
		expect(balanced(list)?.id).toBe("knee");
	});

	it("goes to better quality, then to the lower id, among equals", () => {
		expect(balanced([point("a", 0, 0), point("b", 1, 10)])?.id).toBe("b");
		expect(balanced([point("b", 1, 1), point("a", 1, 1)])?.id).toBe("a");
		expect(balanced([])).toBeUndefined();
	});

	it("does not choose what is unknown over what is known", () => {
		expect(balanced([point("a", 0.9, null), point("b", 0.9, 300), point("c", 0.8, 200)])?.id).not.toBe("a");
	});
});

describe("the point of a variant", () => {
	it("is made of the means of its scorecard", () => {
		const card = scorecard([trial("a", BROKEN)], [], createStream(1, "x"));
		expect(pointOf("v1", card)).toEqual({ id: "v1", quality: 0, latencyMs: null, tokens: 300, retries: 2 });
		const other = pointOf("v2", scorecard([trial("a", measured(1))], [], createStream(1, "x")));
		expect(OBJECTIVES.map((objective) => other[objective])).toEqual([1, 1000, 100, 0]);
	});
});

const REFERENCE = { quality: 0, latencyMs: 1, tokens: 1, retries: 1 };
const share = fc.double({ min: 0, max: 1.2, noNaN: true });
const fronts = (maxLength: number) =>
	fc
		.array(fc.record({ quality: fc.option(share, { freq: 20 }), latencyMs: share, tokens: share, retries: share }), {
			maxLength,
		})
		.map((list) => list.map((rest, at): Point => ({ id: `v${at}`, ...rest })));

/** The sum over all subsets of the boxes that they share, with alternating sign. */
function byInclusionExclusion(list: readonly Point[]): number {
	const clip = (value: number) => Math.min(1, Math.max(0, value));
	const boxes = list.map((entry) => [
		clip(entry.quality ?? 0),
		clip(1 - entry.latencyMs!),
		clip(1 - entry.tokens!),
		clip(1 - entry.retries!),
	]);
	let total = 0;
	for (let subset = 1; subset < 2 ** boxes.length; subset++) {
		const chosen = boxes.filter((_, at) => (subset >> at) & 1);
		const shared = [0, 1, 2, 3].reduce((product, axis) => product * Math.min(...chosen.map((box) => box[axis]!)), 1);
		total += chosen.length % 2 === 1 ? shared : -shared;
	}
	return total;
}

describe("the hypervolume", () => {
	it("is the union of boxes, counted once", () => {
		fc.assert(
			fc.property(fronts(7), (list) => {
				expect(hypervolume(list, REFERENCE)).toBeCloseTo(byInclusionExclusion(list), 10);
			}),
		);
	});

	it("never falls when a point is added, stays within 0 and 1, and needs the front alone", () => {
		fc.assert(
			fc.property(fronts(15), (list) => {
				const whole = hypervolume(list, REFERENCE);
				expect(whole).toBeGreaterThanOrEqual(hypervolume(list.slice(1), REFERENCE) - 1e-12);
				expect(whole).toBeGreaterThanOrEqual(0);
				expect(whole).toBeLessThanOrEqual(1 + 1e-12);
				expect(hypervolume(front(list), REFERENCE)).toBeCloseTo(whole, 12);
			}),
		);
	});

	it("is the same, bit for bit, for every order of the points", () => {
		fc.assert(
			fc.property(fronts(12), fc.integer(), (list, seed) => {
				expect(hypervolume(createStream(seed, "mix").shuffle(list), REFERENCE)).toBe(hypervolume(list, REFERENCE));
			}),
		);
	});

	it("agrees with random points for a larger front", () => {
		const stream = createStream(1, "monte carlo");
		const list = Array.from({ length: 60 }, (_, at): Point => {
			const [quality, latencyMs, tokens, retries] = [stream.next(), stream.next(), stream.next(), stream.next()];
			return { id: `v${at}`, quality, latencyMs, tokens, retries };
		});
		let inside = 0;
		for (let draw = 0; draw < 20_000; draw++) {
			const [q, l, t, r] = [stream.next(), stream.next(), stream.next(), stream.next()];
			if (list.some((p) => p.quality! >= q && p.latencyMs! <= l && p.tokens! <= t && p.retries! <= r)) inside++;
		}
		// Four standard errors of a share at 20,000 draws are at most .0142.
		expect(Math.abs(hypervolume(list, REFERENCE) - inside / 20_000)).toBeLessThan(0.0142);
	});

	it("is scaled to the reference", () => {
		const half: Point = { id: "a", quality: 0.8, latencyMs: 500, tokens: 100, retries: 1 };
		const reference = { quality: 0.6, latencyMs: 1000, tokens: 200, retries: 2 };
		expect(hypervolume([half], reference)).toBeCloseTo(0.5 ** 4, 12);
		expect(hypervolume([{ id: "ideal", quality: 1, latencyMs: 0, tokens: 0, retries: 0 }], reference)).toBe(1);
		expect(hypervolume([{ id: "same", ...reference }], reference)).toBe(0);
		expect(hypervolume([], reference)).toBe(0);
	});

	it("leaves out objectives in which nothing can be gained", () => {
		const a: Point = { id: "a", quality: 0.8, latencyMs: 500, tokens: 100, retries: 0 };
		const reference = { quality: 0.6, latencyMs: 1000, tokens: null, retries: 0 };
		expect(hypervolume([a], reference)).toBeCloseTo(0.25, 12);
		expect(hypervolume([a], { ...reference, latencyMs: null })).toBeCloseTo(0.5, 12);
		expect(hypervolume([a], { quality: 1, latencyMs: 0, tokens: null, retries: 0 })).toBe(0);
	});
});
