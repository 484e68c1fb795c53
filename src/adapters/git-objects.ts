/**
 * Reads objects of a git repository: commits, tree entries, blobs, and the name a blob would have.
 * It knows git's plumbing formats; it must not know the work tree, the index or what a skill is.
 * Invariant: ids are validated before they reach an argument list, paths are taken literally, and bytes are never decoded.
 */
import { createHash } from "node:crypto";
import { DamageError } from "../errors.ts";
import type { GitRunner } from "./git-runner.ts";

export interface TreeEntry {
	/** Six octal digits: 100644 and 100755 are files, 120000 is a symbolic link, 160000 a submodule, 040000 a folder. */
	mode: string;
	oid: string;
	path: string;
}

export const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Whether the mode is that of a regular file. */
export function isFileMode(mode: string): boolean {
	return mode === "100644" || mode === "100755";
}

/** Id of the commit that a ref or (shortened) id names, or null. The name must have been validated by the caller. */
export async function commitOf(git: GitRunner, name: string): Promise<string | null> {
	const { code, stdout } = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
	const oid = stdout.toString("utf8").trim();
	return code === 0 && OBJECT_ID.test(oid) ? oid : null;
}

/** Entries of a commit: all files below it, or only what the given literal paths name (folders are then not opened). */
export async function treeEntries(git: GitRunner, commit: string, paths?: readonly string[]): Promise<TreeEntry[]> {
	const scope = paths === undefined ? ["-r", commit] : [commit, "--", ...paths];
	const listing = await git.bytes(["ls-tree", "-z", "--full-tree", ...scope]);
	return splitNul(listing).map((line) => {
		const tab = line.indexOf("\t");
		const [mode = "", , oid = ""] = line.slice(0, tab).split(" ");
		return { mode, oid, path: line.slice(tab + 1) };
	});
}

/** The entry of exactly this path in a commit, or null. */
export async function entryAt(git: GitRunner, commit: string, path: string): Promise<TreeEntry | null> {
	const entries = await treeEntries(git, commit, [path]);
	return entries.find((entry) => entry.path === path) ?? null;
}

/** Bytes of one blob. */
export async function readBlob(git: GitRunner, oid: string): Promise<Uint8Array> {
	return new Uint8Array(await git.bytes(["cat-file", "blob", oid]));
}

/**
 * Bytes of many blobs with one process; an object that is not there is left out.
 * @throws DamageError when the answer is not what `cat-file --batch` promises
 */
export async function readBlobs(git: GitRunner, oids: Iterable<string>): Promise<Map<string, Uint8Array>> {
	const wanted = [...new Set(oids)];
	const blobs = new Map<string, Uint8Array>();
	if (wanted.length === 0) return blobs;
	const answer = await git.bytes(["cat-file", "--batch"], { input: `${wanted.join("\n")}\n` });
	let at = 0;
	for (const oid of wanted) {
		const end = answer.indexOf(0x0a, at);
		const header = answer.subarray(at, end).toString("utf8");
		at = end + 1;
		if (header.endsWith(" missing")) continue;
		const [name, type, size] = header.split(" ");
		if (end < 0 || name !== oid || type !== "blob")
			throw new DamageError(`git answered "${header}" for the blob ${oid}`);
		blobs.set(oid, new Uint8Array(answer.subarray(at, at + Number(size))));
		at += Number(size) + 1;
	}
	return blobs;
}

/** The id that git gives to these bytes as a blob, in the hash (SHA-1 or SHA-256) of the ids like `like`. */
export function blobId(bytes: Uint8Array, like: string): string {
	const hash = createHash(like.length === 64 ? "sha256" : "sha1");
	return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** One path that a commit changed against its first parent; an id is null where the path did not exist. */
interface PathChange {
	path: string;
	before: string | null;
	after: string | null;
	modeBefore: string;
	modeAfter: string;
}

/** Changes of many commits against the parents given with them (null: against nothing), with one process. */
export async function changesOf(
	git: GitRunner,
	commits: readonly { commit: string; parent: string | null }[],
): Promise<Map<string, PathChange[]>> {
	const changes = new Map<string, PathChange[]>(commits.map(({ commit }) => [commit, []]));
	if (commits.length === 0) return changes;
	const input = commits.map(({ commit, parent }) => (parent === null ? commit : `${commit} ${parent}`)).join("\n");
	const args = ["diff-tree", "--stdin", "-r", "--raw", "-z", "--no-renames", "--no-ext-diff", "--root", "--no-abbrev"];
	const tokens = splitNul(await git.bytes(args, { input: `${input}\n` }));
	let current: PathChange[] = [];
	for (let index = 0; index < tokens.length; index++) {
		const token = tokens[index] ?? "";
		if (!token.startsWith(":")) {
			current = changes.get(token) ?? [];
			continue;
		}
		const [modeBefore = "", modeAfter = "", before = "", after = ""] = token.slice(1).split(" ");
		index += 1;
		current.push({
			path: tokens[index] ?? "",
			before: presentId(before),
			after: presentId(after),
			modeBefore,
			modeAfter,
		});
	}
	return changes;
}

function presentId(oid: string): string | null {
	return /^0+$/.test(oid) ? null : oid;
}

/** Splits what `-z` prints; the last NUL ends the last item. */
export function splitNul(listing: Buffer): string[] {
	const text = listing.toString("utf8");
	return text === "" ? [] : (text.endsWith("\0") ? text.slice(0, -1) : text).split("\0");
}
