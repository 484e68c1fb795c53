/**
 * What a run keeps on disk: `results/<skill>/<run-id>/` with its log, paid answers, variants and report. Knows names and
 * places; knows nothing of what the files say. Nothing is written anywhere else.
 */
import { randomBytes } from "node:crypto";
import {
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";

/** A run id sorts by time and holds no colon: 20261130-172815-9f3a. */
export const RUN_ID = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

export interface RunPlace {
	run: string;
	skill: string;
	folder: string;
}

/** A new id; the four digits tell two runs of one second apart. */
export function newRunId(now: Date): string {
	const digits = now.toISOString().replace(/[-:]/g, "").slice(0, 15).replace("T", "-");
	return `${digits}-${randomBytes(2).toString("hex")}`;
}

/** Folders inside a folder, sorted; none when it is not there or no folder. */
function foldersIn(folder: string): string[] {
	if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
		.map((entry) => entry.name)
		.sort();
}

/** All runs below a results folder, oldest first, of one skill or of all. */
export function listRuns(results: string, skill?: string): RunPlace[] {
	const skills = skill === undefined ? foldersIn(results) : [skill];
	return skills
		.flatMap((name) =>
			foldersIn(join(results, name))
				.filter((run) => RUN_ID.test(run))
				.map((run) => ({ run, skill: name, folder: join(results, name, run) })),
		)
		.sort((a, b) => (a.run < b.run ? -1 : a.run > b.run ? 1 : 0));
}

/** The run of an id or of the beginning of one, or the latest run of a skill; undefined when there is none or several. */
export function findRun(results: string, name: string): RunPlace | undefined {
	const all = listRuns(results);
	const exact = all.find((place) => place.run === name);
	if (exact) return exact;
	const bySkill = all.filter((place) => place.skill === name);
	if (bySkill.length > 0) return bySkill.at(-1);
	const byPrefix = name.length >= 4 ? all.filter((place) => place.run.startsWith(name)) : [];
	return byPrefix.length === 1 ? byPrefix[0] : undefined;
}

/** Writes a whole file or nothing: a draft beside it, flushed, then renamed. */
export function writeWhole(path: string, content: string | Uint8Array): void {
	mkdirSync(join(path, ".."), { recursive: true });
	const draft = `${path}.${process.pid}.tmp`;
	const file = openSync(draft, "w");
	try {
		const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
		for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
	renameSync(draft, path);
}

/** Writes lines as they come, so that a file may be larger than memory; whole or not at all, like {@link writeWhole}. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
	mkdirSync(join(path, ".."), { recursive: true });
	const draft = `${path}.${process.pid}.tmp`;
	const file = openSync(draft, "w");
	try {
		for await (const line of lines) {
			const bytes = Buffer.from(`${line}\n`, "utf8");
			for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
		}
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
	renameSync(draft, path);
}

/** Removes a file that may not be there. */
export function removeFile(path: string): void {
	rmSync(path, { force: true });
}

/** Whether a file is there and holds anything. */
export function holdsSomething(path: string): boolean {
	return existsSync(path) && statSync(path).size > 0;
}
