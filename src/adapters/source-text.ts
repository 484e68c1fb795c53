/**
 * Files that a person wrote, as text. Knows sizes and encodings; must not know any format. Invariant: what is read is a
 * plain file below its size limit and strict UTF-8; a byte order mark is dropped, line ends stay as they are.
 */
import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { decodeUtf8 } from "../domain/utf8.ts";
import { InputError, type Problem } from "../errors.ts";

/**
 * The text of a file, or the problem that keeps it from being read.
 * @param maxBytes larger files are refused unread
 * @throws InputError when there is no such file or it is not a plain one
 */
export async function readSource(file: string, maxBytes: number): Promise<{ text: string } | { problem: Problem }> {
	const bytes = await readBytes(file, maxBytes);
	if (typeof bytes === "number") {
		const message = `the file has ${bytes} bytes, which is too large`;
		return { problem: { message, place: { file }, expected: `at most ${maxBytes / 1024} KiB` } };
	}
	return decodeSource(bytes, file, 1);
}

/** Bytes that start on a line of a file, as text without byte order mark, or what is wrong with them. */
export function decodeSource(
	bytes: Uint8Array,
	file: string,
	firstLine: number,
): { text: string } | { problem: Problem } {
	const decoded = decodeUtf8(bytes);
	if ("text" in decoded) return { text: decoded.text.startsWith("\uFEFF") ? decoded.text.slice(1) : decoded.text };
	const { message, expected, line } = decoded.problem;
	return {
		problem: { message, place: { file, line: line + firstLine - 1 }, expected, hint: "Save the file as UTF-8." },
	};
}

/** Content of a plain file, or its size when that is above the limit. */
async function readBytes(file: string, maxBytes: number): Promise<Uint8Array | number> {
	const refuse = (error: NodeJS.ErrnoException) => {
		throw error.code === "ENOENT" || error.code === "ENOTDIR" ? missing(file) : error;
	};
	// Opening a pipe waits until somebody writes to it, so what it is must be known before.
	assertPlain(file, await stat(file).catch(refuse));
	const handle = await open(file, "r").catch(refuse);
	try {
		const stats = await handle.stat();
		assertPlain(file, stats);
		return stats.size > maxBytes ? stats.size : await handle.readFile();
	} finally {
		await handle.close();
	}
}

function assertPlain(file: string, stats: Stats): void {
	if (!stats.isFile()) throw new InputError({ message: `${file} is not a plain file`, place: { file } });
}

function missing(file: string): InputError {
	return new InputError({
		message: "there is no such file",
		place: { file },
		hint: "Check the path; it starts in the folder you are in.",
	});
}
