/**
 * Where each dialogue's lines stand in a file. Knows no file and no reply. It holds no bodies and stays near 200 bytes a key,
 * so that a million dialogues fit beside the rest of a process.
 */
import type { LineAt } from "./append-file.ts";

const HEX_KEY = /^[0-9a-f]{64}$/;
const NONE = -1;

export interface DialogueIndex {
	/** Adds the next line of a key; `ends` says that it finishes the dialogue. */
	add(key: string, at: LineAt, ends: boolean): void;
	/** Replies of a key, and whether it is finished. */
	state(key: string): { replies: number; finished: boolean };
	/** Where the lines of a key stand, in the order in which they were added. */
	lines(key: string): LineAt[];
}

/** The lines of one key are chained backwards through columns of numbers. */
export function createDialogueIndex(): DialogueIndex {
	const lastOf = new Map<string, number>();
	let offsets = new Float64Array(1024);
	let lengths = new Uint32Array(1024);
	let befores = new Int32Array(1024);
	let replies = new Uint8Array(1024);
	let ends = new Uint8Array(1024);
	let used = 0;

	const state = (key: string) => {
		const last = lastOf.get(packed(key)) ?? NONE;
		return { replies: replies[last] ?? 0, finished: ends[last] === 1 };
	};
	return {
		state,
		add(key, { offset, length }, finishes) {
			if (used === offsets.length) {
				offsets = moved(offsets, new Float64Array(used * 2));
				lengths = moved(lengths, new Uint32Array(used * 2));
				befores = moved(befores, new Int32Array(used * 2));
				replies = moved(replies, new Uint8Array(used * 2));
				ends = moved(ends, new Uint8Array(used * 2));
			}
			const name = packed(key);
			offsets[used] = offset;
			lengths[used] = length;
			befores[used] = lastOf.get(name) ?? NONE;
			replies[used] = state(key).replies + (finishes ? 0 : 1);
			ends[used] = finishes ? 1 : 0;
			lastOf.set(name, used++);
		},
		lines(key) {
			const found: LineAt[] = [];
			for (let at = lastOf.get(packed(key)) ?? NONE; at !== NONE; at = befores[at] ?? NONE) {
				found.push({ offset: offsets[at] ?? 0, length: lengths[at] ?? 0 });
			}
			return found.reverse();
		},
	};
}

/** A SHA-256 takes half the room as bytes; the mark before any other key keeps the two apart. */
function packed(key: string): string {
	return HEX_KEY.test(key) ? Buffer.from(key, "hex").toString("latin1") : `\u0100${key}`;
}

function moved<T extends { set(from: T): void }>(from: T, to: T): T {
	to.set(from);
	return to;
}
