/**
 * Rows as JSON lines under results/bench, one file for each state of what is measured: sources, stand, and the files that measure. So a
 * bench that was broken off goes on where it was, and rows of other sources are never mixed in.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH } from "../support/stand.ts";
import { type Job, keyOf, type Row } from "./job.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "results", "bench");
/** Files beside `src` and the stand that a row hangs on. */
const MEASURING = [
	...["answer-key", "floor", "measure", "one-run", "operators"].map((name) => `test/bench/${name}.ts`),
	...["in-process", "stand", "stand-score"].map((name) => `test/support/${name}.ts`),
].map((path) => join(ROOT, path));

interface Line {
	key: string;
	commit: string;
	row: Row;
}

export interface ResultsFile {
	path: string;
	/** The row of a job that was measured before; undefined when there is none. */
	find(job: Job): Row | undefined;
	add(job: Job, row: Row): void;
}

export function openResults(options: { fresh: boolean; folder?: string }): ResultsFile {
	const folder = options.folder ?? FOLDER;
	mkdirSync(folder, { recursive: true });
	const path = join(folder, `${sourceDigest()}.jsonl`);
	if (options.fresh) rmSync(path, { force: true });
	// The next row must not be added to a line that was cut off.
	if (existsSync(path) && !readFileSync(path, "utf8").endsWith("\n")) appendFileSync(path, "\n");
	const known = new Map(readLines(path).map(({ key, row }) => [key, row]));
	const commit = commitOf();
	return {
		path,
		find: (job) => known.get(keyOf(job)),
		add(job, row) {
			const key = keyOf(job);
			known.set(key, row);
			appendFileSync(path, `${JSON.stringify({ key, commit, row } satisfies Line)}\n`);
		},
	};
}

/** All rows of a file of results. @throws Error when there is no such file */
export function readRows(path: string): Row[] {
	if (!existsSync(path)) throw new Error(`${path} is not there; files of results lie in ${FOLDER}`);
	return readLines(path).map(({ row }) => row);
}

/** Lines of the file; a last line that was cut off by an end in the middle is left out. */
function readLines(path: string): Line[] {
	if (!existsSync(path)) return [];
	return readFileSync(path, "utf8")
		.split("\n")
		.flatMap((line) => {
			try {
				return line === "" ? [] : [JSON.parse(line) as Line];
			} catch {
				return [];
			}
		});
}

/** Digest of all that a row hangs on, uncommitted changes included. */
function sourceDigest(): string {
	const hash = createHash("sha256");
	const standFiles = existsSync(BENCH)
		? [`${BENCH}sim-model.mjs`, ...filesIn(`${BENCH}lib`), ...filesIn(`${BENCH}families`)]
		: [];
	for (const path of [
		...filesIn(join(ROOT, "src")).filter((file) => file.endsWith(".ts")),
		...MEASURING,
		...standFiles,
	]) {
		hash.update(path.slice(path.lastIndexOf("/")));
		hash.update(readFileSync(path));
	}
	return hash.digest("hex").slice(0, 16);
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}

function commitOf(): string {
	try {
		return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
	} catch {
		return "";
	}
}
