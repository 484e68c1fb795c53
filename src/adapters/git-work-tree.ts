/**
 * Looks at a work tree and its index without letting git read a file: filters, monitors and hooks have no chance to run.
 * It knows the index and the disk; it must not change either (git-refresh does).
 * Invariant: links are never followed out of the work tree.
 */
import { lstat, readFile, readlink, realpath } from "node:fs/promises";
import { join, posix } from "node:path";
import type { WorkTree } from "./git-layout.ts";
import { blobId, splitNul, treeEntries } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";

export interface IndexEntry {
	mode: string;
	oid: string;
	/** 0, or 1 to 3 in a conflict. */
	stage: number;
	path: string;
	/** Left out of a sparse checkout. */
	skipped: boolean;
	/** The user told git to take the file as unchanged. */
	assumed: boolean;
}

/** What lies at a path of the work tree. */
type OnDisk = { kind: "file"; bytes: Uint8Array; mode: number } | { kind: "absent" } | { kind: "strange" };

/** Entries of the index at or below these literal paths; no paths: all of them. */
export async function indexEntries(
	git: GitRunner,
	paths: readonly string[],
	indexFile?: string,
): Promise<IndexEntry[]> {
	const listing = await git.bytes(
		["ls-files", "-s", "-v", "-z", "--", ...paths],
		indexFile === undefined ? {} : { indexFile },
	);
	return splitNul(listing).map((line) => {
		const tab = line.indexOf("\t");
		const [tag = "", mode = "", oid = "", stage = ""] = line.slice(0, tab).split(" ");
		const flags = { skipped: tag.toUpperCase() === "S", assumed: tag !== tag.toUpperCase() };
		return { mode, oid, stage: Number(stage), path: line.slice(tab + 1), ...flags };
	});
}

/** Reads one path of a work tree; a link on the way, a folder or a device is `strange`. */
export async function onDisk(root: string, path: string): Promise<OnDisk> {
	try {
		const folder = join(root, posix.dirname(path));
		if ((await realpath(folder)) !== folder) return { kind: "strange" };
		const file = join(root, path);
		const stats = await lstat(file);
		if (!stats.isFile()) return { kind: "strange" };
		return { kind: "file", bytes: new Uint8Array(await readFile(file)), mode: stats.mode & 0o777 };
	} catch (error) {
		if (isMissing(error)) return { kind: "absent" };
		throw error;
	}
}

function isMissing(error: unknown): boolean {
	const code = (error as NodeJS.ErrnoException | undefined)?.code;
	return code === "ENOENT" || code === "ENOTDIR";
}

/** The same text with the line ends that git writes into a work tree under `autocrlf` or `eol=crlf`. */
export function withCrlf(bytes: Uint8Array): Uint8Array {
	const text = Buffer.from(bytes).toString("latin1");
	return text.includes("\r") ? bytes : new Uint8Array(Buffer.from(text.replaceAll("\n", "\r\n"), "latin1"));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
	return Buffer.compare(a, b) === 0;
}

/** Whether bytes on disk are this blob, as it is or with the line ends that git wrote at checkout. */
export function isBlob(bytes: Uint8Array, oid: string): boolean {
	if (blobId(bytes, oid) === oid) return true;
	const text = Buffer.from(bytes).toString("latin1");
	const unix = new Uint8Array(Buffer.from(text.replaceAll("\r\n", "\n"), "latin1"));
	return blobId(unix, oid) === oid && sameBytes(withCrlf(unix), bytes);
}

/**
 * What in this folder of a work tree is not committed, one phrase per path: staged, in conflict, edited, deleted.
 * Untracked files do not count: a promotion cannot touch them.
 * @param folder literal path with forward slashes; empty for the whole repository
 */
export async function uncommitted(git: GitRunner, tree: WorkTree, commit: string, folder: string): Promise<string[]> {
	const inTree = git.at(tree.folder);
	const index = await indexEntries(inTree, folder === "" ? [] : [folder]);
	const below = folder === "" ? "" : `${folder}/`;
	const committed = new Map(
		(await treeEntries(git, commit))
			.filter((entry) => entry.path.startsWith(below))
			.map((entry) => [entry.path, entry]),
	);
	const phrases = new Map<string, string>();
	for (const entry of index) {
		const before = committed.get(entry.path);
		if (entry.stage !== 0) phrases.set(entry.path, "is in conflict");
		else if (before === undefined) phrases.set(entry.path, "is staged as new");
		else if (before.oid !== entry.oid || before.mode !== entry.mode) phrases.set(entry.path, "has staged changes");
		else if (await isEdited(inTree, tree.folder, entry)) phrases.set(entry.path, "has changes that are not committed");
	}
	const known = new Set(index.map((entry) => entry.path));
	for (const path of committed.keys()) if (!known.has(path)) phrases.set(path, "is staged as deleted");
	return [...phrases].map(([path, phrase]) => `${path} ${phrase}`).sort();
}

async function isEdited(git: GitRunner, root: string, entry: IndexEntry): Promise<boolean> {
	if (entry.mode === "160000") return false;
	const found = await onDisk(root, entry.path);
	if (found.kind === "absent") return !entry.skipped;
	if (entry.mode === "120000") return !(await isLinkTo(join(root, entry.path), entry.oid));
	if (found.kind === "file" && isBlob(found.bytes, entry.oid)) return false;
	// Filters (such as LFS) are programs and are never run, so a filtered asset cannot be compared. SKILL.md itself must be.
	return posix.basename(entry.path) === "SKILL.md" || !(await hasFilter(git, entry.path));
}

async function isLinkTo(file: string, oid: string): Promise<boolean> {
	try {
		return blobId(new Uint8Array(Buffer.from(await readlink(file))), oid) === oid;
	} catch {
		return false;
	}
}

/** Whether the attributes of a path name a filter program. */
async function hasFilter(git: GitRunner, path: string): Promise<boolean> {
	const [, , value] = splitNul(await git.bytes(["check-attr", "-z", "filter", "--", path]));
	return value !== undefined && value !== "unspecified" && value !== "unset";
}
