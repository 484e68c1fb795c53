/**
 * A file of lines that only grows. Knows no record. A line is handed to the system at once, so that a killed process loses
 * nothing, and is safe from a power cut when `durable` resolves; whoever waits at the same time shares one flush. What a crash
 * tore off at the end is cut on opening. There is one writer: a lock elsewhere sees to that.
 */
import {
	closeSync,
	fdatasync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	readSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { DamageError, LaterError, UnavailableError } from "../errors.ts";

const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

export interface LineAt {
	offset: number;
	/** In bytes, without the line end. */
	length: number;
}

export interface AppendFile {
	/** Writes a line and its line end. @throws UnavailableError when the disk refuses, LaterError when it is full or somebody else has written. */
	append(line: string): LineAt;
	/** Resolves when all that has been appended so far is on the disk. */
	durable(): Promise<void>;
	read(at: LineAt): Buffer;
	close(): Promise<void>;
}

export interface AppendFileOptions {
	path: string;
	/**
	 * Takes each line found on opening, in order; false says that it is not what was written. The line after the last line end
	 * is offered too: a whole one only lacks its end, any other was torn off and is cut.
	 */
	accept(line: Buffer, at: LineAt): boolean;
}

/** @throws DamageError naming the line when one that is not the torn end is not accepted */
export function openAppendFile({ path, accept }: AppendFileOptions): AppendFile {
	mkdirSync(dirname(path), { recursive: true });
	const fd = openFile(path);
	try {
		return appendTo(fd, path, recover(fd, path, accept));
	} catch (error) {
		closeSync(fd);
		throw error;
	}
}

/**
 * Offers the lines of a file as {@link openAppendFile} does, and changes nothing: a torn end is left as it is, since somebody may
 * be writing it at this moment.
 * @throws DamageError naming the line when one that is not the torn end is not accepted
 */
export function readAppendFile({ path, accept }: AppendFileOptions): void {
	const fd = openSync(path, "r");
	try {
		const { rest, at } = offerLines(fd, path, accept);
		if (rest.length > 0) accept(rest, { offset: at, length: rest.length });
	} finally {
		closeSync(fd);
	}
}

function openFile(path: string): number {
	try {
		return openSync(path, "r+");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
	}
	const fd = openSync(path, "wx+");
	const folder = openSync(dirname(path), "r");
	try {
		fsyncSync(folder);
	} catch {
		// Some systems cannot flush a folder; the file itself is flushed all the same.
	} finally {
		closeSync(folder);
	}
	return fd;
}

/** Offers every line, cuts or completes the end, and gives the size of what is left. */
function recover(fd: number, path: string, accept: AppendFileOptions["accept"]): number {
	const { rest, at, lines } = offerLines(fd, path, accept);
	return mendEnd(fd, path, rest, at, lines + 1, accept);
}

/** Offers every line that has its end; gives what stands behind the last one. */
function offerLines(
	fd: number,
	path: string,
	accept: AppendFileOptions["accept"],
): { rest: Buffer; at: number; lines: number } {
	const chunk = Buffer.allocUnsafe(CHUNK);
	let rest = Buffer.alloc(0);
	let restAt = 0;
	let number = 0;
	for (;;) {
		const count = readSync(fd, chunk, 0, CHUNK, restAt + rest.length);
		if (count === 0) break;
		const bytes = rest.length === 0 ? chunk.subarray(0, count) : Buffer.concat([rest, chunk.subarray(0, count)]);
		let start = 0;
		for (let end = bytes.indexOf(NEWLINE, rest.length); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
			number++;
			const line = bytes.subarray(start, end);
			if (!accept(line, { offset: restAt + start, length: line.length })) throw damaged(path, number);
			start = end + 1;
		}
		restAt += start;
		rest = Buffer.from(bytes.subarray(start));
	}
	return { rest, at: restAt, lines: number };
}

function mendEnd(
	fd: number,
	path: string,
	rest: Buffer,
	at: number,
	number: number,
	accept: AppendFileOptions["accept"],
): number {
	if (rest.length === 0) return at;
	if (accept(rest, { offset: at, length: rest.length })) {
		writeSync(fd, "\n", at + rest.length);
		return at + rest.length + 1;
	}
	// A whole line with another byte in place of its line end was not torn: somebody changed it.
	if (accept(rest.subarray(0, -1), { offset: at, length: rest.length - 1 })) throw damaged(path, number);
	ftruncateSync(fd, at);
	return at;
}

function damaged(path: string, line: number): DamageError {
	return new DamageError({
		message: `line ${line} of ${path} is not what was written`,
		hint: "Restore the file from a copy, or start a new run; what stands before that line is unharmed.",
		place: { file: path, line },
	});
}

function appendTo(fd: number, path: string, recovered: number): AppendFile {
	let size = recovered;
	let flushing: Promise<void> | undefined;
	let next: Promise<void> | undefined;
	let flushed = size;
	let broken: unknown;

	const flush = async (): Promise<void> => {
		const upTo = size;
		await new Promise<void>((resolve, reject) => {
			fdatasync(fd, (error) => {
				if (error === null) return resolve();
				// The system may have dropped what it could not write: a later flush that succeeds would prove nothing.
				broken = refused(path, error);
				reject(broken);
			});
		});
		flushed = upTo;
	};
	const durable = (): Promise<void> => {
		if (broken !== undefined) return Promise.reject(broken);
		if (flushed >= size) return Promise.resolve();
		if (flushing === undefined) {
			flushing = flush().finally(() => {
				flushing = undefined;
			});
			return flushing;
		}
		// A flush that is under way may have begun before the last line: wait for the one after it.
		next ??= flushing
			.catch(() => undefined)
			.then(() => {
				next = undefined;
				return durable();
			});
		return next;
	};
	return {
		append(line) {
			if (broken !== undefined) throw broken;
			if (fstatSync(fd).size !== size) {
				throw new LaterError({
					message: `somebody else has written to ${path}`,
					hint: "Wait for the other run, then resume this one.",
				});
			}
			const bytes = Buffer.from(`${line}\n`);
			const at = { offset: size, length: bytes.length - 1 };
			writeWhole(fd, path, bytes, size);
			size += bytes.length;
			return at;
		},
		durable,
		read: ({ offset, length }) => readWhole(fd, path, offset, length),
		async close() {
			try {
				await durable();
			} finally {
				closeSync(fd);
			}
		},
	};
}

/** All of it or nothing: a disk that fills up half way through a line is taken back to where it was. */
function writeWhole(fd: number, path: string, bytes: Buffer, offset: number): void {
	try {
		for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
	} catch (error) {
		ftruncateSync(fd, offset);
		throw refused(path, error);
	}
}

function readWhole(fd: number, path: string, offset: number, length: number): Buffer {
	const bytes = Buffer.allocUnsafe(length);
	for (let done = 0; done < length; ) {
		const count = readSync(fd, bytes, done, length - done, offset + done);
		if (count === 0) throw new DamageError({ message: `${path} has become shorter`, place: { file: path } });
		done += count;
	}
	return bytes;
}

/** A full disk passes; anything else needs a person. */
function refused(path: string, cause: unknown): LaterError | UnavailableError {
	const { code, message: said } = cause as NodeJS.ErrnoException;
	const message = `cannot write to ${path}: ${said}`;
	if (code === "ENOSPC" || code === "EDQUOT") {
		const hint = "Free some space on the disk, then resume the run; what was written so far is safe.";
		return new LaterError({ message, hint, cause });
	}
	const hint = "Look at the disk and its rights, then resume the run; what was written so far is safe.";
	return new UnavailableError({ message, hint, cause });
}
