/**
 * The lines of a JSONL file as a stream. Knows line ends and sizes; must not know what a line says. Invariant: memory holds at
 * most one line of the allowed length, however long the file's lines are.
 */
import { createReadStream } from "node:fs";

interface ByteLine {
	/** From 1. */
	number: number;
	/** Without its line end; null when the line is longer than allowed. */
	bytes: Uint8Array | null;
	/** Length in bytes. */
	length: number;
}

const LF = 10;
const CR = 13;

/** The lines of a file in order; a final line end starts no further line. */
export async function* readLines(file: string, maxBytes: number): AsyncGenerator<ByteLine> {
	let number = 1;
	let held: Uint8Array[] = [];
	let length = 0;
	const take = (piece: Uint8Array) => {
		length += piece.length;
		if (length > maxBytes) held = [];
		else if (piece.length > 0) held.push(piece);
	};
	const finish = (): ByteLine => {
		const bytes = length > maxBytes ? null : withoutReturn(held.length === 1 ? held[0]! : Buffer.concat(held));
		const line = { number, bytes, length };
		number++;
		held = [];
		length = 0;
		return line;
	};
	for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
		let from = 0;
		for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
			take(chunk.subarray(from, end));
			yield finish();
			from = end + 1;
		}
		take(chunk.subarray(from));
	}
	if (length > 0) yield finish();
}

function withoutReturn(line: Uint8Array): Uint8Array {
	return line[line.length - 1] === CR ? line.subarray(0, -1) : line;
}
