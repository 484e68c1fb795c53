/**
 * Chance that is none: draws that depend on the content they are named by and on nothing else, so that the same request has
 * the same answer on every machine and in any order.
 */
import { createHash } from "node:crypto";

/** A number in [0, 1), the same for the same parts. */
export function draw(...parts: readonly (string | number)[]): number {
	return createHash("sha256").update(parts.join("\u0000")).digest().readUInt32BE(0) / 0x1_0000_0000;
}

/** One of the items, by a draw; undefined when there is none. */
export function pickBy<T>(items: readonly T[], ...parts: readonly (string | number)[]): T | undefined {
	return items[Math.floor(draw(...parts) * items.length)];
}
