/**
 * Random streams that are named, never shared. A stream is determined by its seed and its label alone, so what one part
 * of a run draws cannot shift what another part draws, on any machine and in any order of calls.
 *
 * It must not know what is drawn for. Invariant: equal (seed, label) give equal draws, for ever: golden tests hold them.
 */
import { createHash } from "node:crypto";
import type { Case } from "./case.ts";

export interface Stream {
	/** Uniform in [0, 1), 53 bits. */
	next(): number;
	/** Uniform whole number in [0, bound); bound is a whole number from 1 to 2^21. */
	integer(bound: number): number;
	/** A new list with the members in random order (Fisher and Yates). */
	shuffle<T>(list: readonly T[]): T[];
	/** `count` different members in random order; all of them when there are fewer. */
	sample<T>(list: readonly T[], count: number): T[];
}

const WORD = 0x1_0000_0000;
const MAX_BOUND = 0x20_0000;

/**
 * The stream of a seed and a label. The SHA-256 of both is the starting state of xoshiro128** 1.1
 * (Blackman and Vigna 2018, https://prng.di.unimi.it/xoshiro128starstar.c, public domain). Not for secrets.
 */
export function createStream(seed: number, label: string): Stream {
	const word = createWords(seed, label);

	const next = () => ((word() >>> 5) * 0x400_0000 + (word() >>> 6)) / 0x20_0000_0000_0000;

	const integer = (bound: number) => {
		if (!(Number.isInteger(bound) && bound >= 1 && bound <= MAX_BOUND)) {
			throw new RangeError(`a stream draws whole numbers below 1 to ${MAX_BOUND}, got the bound ${bound}`);
		}
		// Multiply and reject (Lemire 2019, https://doi.org/10.1145/3230636): no value is favoured. A double holds the product.
		let product = word() * bound;
		let high = Math.floor(product / WORD);
		if (product - high * WORD < bound) {
			const unfair = WORD % bound;
			while (product - high * WORD < unfair) {
				product = word() * bound;
				high = Math.floor(product / WORD);
			}
		}
		return high;
	};

	/** Puts `count` random members first; the rest is in no particular order. */
	const drawFirst = <T>(list: readonly T[], count: number): T[] => {
		const drawn = [...list];
		for (let place = 0; place < count && place < drawn.length - 1; place++) {
			const other = place + integer(drawn.length - place);
			[drawn[place], drawn[other]] = [drawn[other] as T, drawn[place] as T];
		}
		return drawn;
	};

	return {
		next,
		integer,
		shuffle: (list) => drawFirst(list, list.length),
		sample: (list, count) => drawFirst(list, count).slice(0, Math.max(0, count)),
	};
}

/** Uniform 32-bit words. */
function createWords(seed: number, label: string): () => number {
	const hash = createHash("sha256")
		.update(JSON.stringify(["stream", seed, label]))
		.digest();
	let [a, b, c, d] = [hash.readInt32LE(0), hash.readInt32LE(4), hash.readInt32LE(8), hash.readInt32LE(12)];
	return () => {
		const scrambled = Math.imul(b, 5);
		const word = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
		const shifted = b << 9;
		c ^= a;
		d ^= b;
		b ^= c;
		a ^= d;
		c ^= shifted;
		d = (d << 11) | (d >>> 21);
		return word;
	};
}

/**
 * `count` cases that cover as many groups as they can: every prefix does. A case without a group stands for itself.
 * The order of `cases` does not matter.
 */
export function stratifiedSample<T extends Pick<Case, "id" | "group">>(
	cases: readonly T[],
	count: number,
	stream: Stream,
): T[] {
	const groups = new Map<string, T[]>();
	for (const entry of [...cases].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))) {
		const name = entry.group === undefined ? `case ${entry.id}` : `group ${entry.group}`;
		const members = groups.get(name);
		if (members) members.push(entry);
		else groups.set(name, [entry]);
	}
	const queues = stream.shuffle([...groups.values()]).map((members) => stream.shuffle(members));
	const rounds = Math.max(0, ...queues.map((queue) => queue.length));
	const drawn = Array.from({ length: rounds }, (_, round) => queues.flatMap((queue) => queue.slice(round, round + 1)));
	return drawn.flat().slice(0, Math.max(0, count));
}
