import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balanced, dominates, front, type Point, pointOf, type Tolerance } from "../../src/domain/front.ts";
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
			fc.property(points, tolerance, (list, slack) =>
				expect(front(front(list, slack), slack)).toEqual(front(list, slack)),
			),
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
