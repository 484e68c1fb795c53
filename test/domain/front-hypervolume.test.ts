import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { front, type Point } from "../../src/domain/front.ts";
import { hypervolume } from "../../src/domain/hypervolume.ts";
import { createStream } from "../../src/domain/sampling.ts";

const REFERENCE = { quality: 0, latencyMs: 1, tokens: 1, retries: 1 };
const share = fc.double({ min: 0, max: 1.2, noNaN: true });
const points = (maxLength: number) =>
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
			fc.property(points(7), (list) => {
				expect(hypervolume(list, REFERENCE)).toBeCloseTo(byInclusionExclusion(list), 10);
			}),
		);
	});

	it("never falls when a point is added, stays within 0 and 1, and needs the front alone", () => {
		fc.assert(
			fc.property(points(15), (list) => {
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
			fc.property(points(12), fc.integer(), (list, seed) => {
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
