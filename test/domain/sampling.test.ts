import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStream, stratifiedSample } from "../../src/domain/sampling.ts";

/** xoshiro128** written down a second time, from the paper and with big integers, to check the first. */
function reference(state: [bigint, bigint, bigint, bigint]): () => bigint {
	const mask = 0xffff_ffffn;
	const rotate = (x: bigint, by: bigint) => ((x << by) | (x >> (32n - by))) & mask;
	return () => {
		const word = (rotate((state[1] * 5n) & mask, 7n) * 9n) & mask;
		const shifted = (state[1] << 9n) & mask;
		state[2] ^= state[0];
		state[3] ^= state[1];
		state[1] ^= state[2];
		state[0] ^= state[3];
		state[2] ^= shifted;
		state[3] = rotate(state[3], 11n);
		return word;
	};
}

describe("a stream", () => {
	it("is xoshiro128** as published", () => {
		// The reference itself: first words from the state (1, 2, 3, 4), as other implementations test them.
		const known = reference([1n, 2n, 3n, 4n]);
		expect(Array.from({ length: 6 }, () => Number(known()))).toEqual([
			11520, 0, 5927040, 70819200, 2031721883, 1637235492,
		]);
		const hash = createHash("sha256").update('["stream",7,"minibatch"]').digest();
		const word = (at: number) => BigInt(hash.readUInt32LE(at));
		const expected = reference([word(0), word(4), word(8), word(12)]);
		const stream = createStream(7, "minibatch");
		for (let draw = 0; draw < 200; draw++) {
			const bits = (expected() >> 5n) * 0x400_0000n + (expected() >> 6n);
			expect(stream.next()).toBe(Number(bits) / 2 ** 53);
		}
	});

	it("draws the same for ever", () => {
		const stream = createStream(1, "golden");
		expect([stream.next(), stream.next()]).toEqual([0.6399051785216601, 0.6427872697836459]);
		expect(createStream(1, "golden").shuffle([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([6, 3, 1, 8, 2, 7, 5, 4]);
	});

	it("does not hear what other streams draw", () => {
		const alone = createStream(3, "a");
		const expected = [alone.next(), alone.next(), alone.next()];
		const [a, b] = [createStream(3, "a"), createStream(3, "b")];
		const interleaved = [b.next(), a.next(), b.next(), a.next(), b.integer(5), a.next()];
		expect([interleaved[1], interleaved[3], interleaved[5]]).toEqual(expected);
	});

	it("differs by seed and by label, also where both are glued alike", () => {
		const first = (seed: number, label: string) => createStream(seed, label).next();
		const draws = [first(1, "a"), first(2, "a"), first(1, "b"), first(1, "1a"), first(11, "a"), first(1.5, "a")];
		expect(new Set(draws).size).toBe(draws.length);
	});

	it("draws whole numbers evenly", () => {
		const stream = createStream(5, "even");
		const counts = new Array<number>(7).fill(0);
		for (let draw = 0; draw < 70_000; draw++) counts[stream.integer(7)]! += 1;
		const chiSquare = counts.reduce((total, count) => total + (count - 10_000) ** 2 / 10_000, 0);
		// R: qchisq(0.999, 6) is 22.46
		expect(chiSquare).toBeLessThan(22.46);
	});

	it("refuses a bound that it cannot draw below", () => {
		for (const bound of [0, -1, 1.5, Number.NaN, 2 ** 21 + 1]) {
			expect(() => createStream(1, "x").integer(bound)).toThrow(RangeError);
		}
		expect(createStream(1, "x").integer(1)).toBe(0);
	});

	it("shuffles and samples without losing, doubling or touching anything", () => {
		fc.assert(
			fc.property(fc.integer(), fc.uniqueArray(fc.integer()), fc.nat(30), (seed, list, count) => {
				const before = [...list];
				const shuffled = createStream(seed, "s").shuffle(list);
				expect([...shuffled].sort()).toEqual([...list].sort());
				const drawn = createStream(seed, "s").sample(list, count);
				expect(drawn.length).toBe(Math.min(count, list.length));
				expect(new Set(drawn).size).toBe(drawn.length);
				expect(drawn.every((member) => list.includes(member))).toBe(true);
				expect(list).toEqual(before);
			}),
		);
	});

	it("puts every order of three within reach, equally often", () => {
		const stream = createStream(9, "orders");
		const counts = new Map<string, number>();
		for (let draw = 0; draw < 12_000; draw++) {
			const order = stream.shuffle(["a", "b", "c"]).join("");
			counts.set(order, (counts.get(order) ?? 0) + 1);
		}
		expect(counts.size).toBe(6);
		for (const count of counts.values()) expect(Math.abs(count - 2000)).toBeLessThan(180);
	});
});

describe("a stratified sample", () => {
	const cases = fc.uniqueArray(
		fc.record({ id: fc.stringMatching(/^[a-z]{1,4}$/), group: fc.constantFrom("x", "y", "z", undefined) }),
		{ selector: (entry) => entry.id, maxLength: 25 },
	);

	it("covers as many groups as its size allows, and so does every prefix", () => {
		fc.assert(
			fc.property(cases, fc.nat(30), (list, count) => {
				const drawn = stratifiedSample(list, count, createStream(1, "cover"));
				expect(drawn.length).toBe(Math.min(count, list.length));
				expect(new Set(drawn.map(({ id }) => id)).size).toBe(drawn.length);
				const name = ({ id, group }: (typeof list)[number]) => group ?? `alone ${id}`;
				const groups = new Set(list.map(name)).size;
				for (let size = 1; size <= drawn.length; size++) {
					expect(new Set(drawn.slice(0, size).map(name)).size).toBe(Math.min(size, groups));
				}
			}),
		);
	});

	it("does not depend on the order of the cases", () => {
		fc.assert(
			fc.property(cases, fc.nat(10), fc.integer(), (list, count, seed) => {
				const mixed = createStream(seed, "mix").shuffle(list);
				const of = (entries: typeof list) => stratifiedSample(entries, count, createStream(2, "s"));
				expect(of(mixed)).toEqual(of(list));
			}),
		);
	});
});
