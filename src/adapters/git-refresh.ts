/**
 * After a branch moved under a work tree: brings the one file and its index entry along, so that nobody sees a reverse diff.
 * It knows the index's lock protocol; it must not know why the branch moved.
 * Invariant: file and entry change only if both still are what the old commit held; nobody's lock is broken and nobody's
 * edit is touched. All slow work is done on a copy before the lock is taken, so the lock is held for moments.
 */
import { chmod, copyFile, type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { WorkTree } from "./git-layout.ts";
import { blobId } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";
import { withTempFolder } from "./git-temp.ts";
import { type IndexEntry, indexEntries, isBlob, onDisk, sameBytes, withCrlf } from "./git-work-tree.ts";

export interface FileChange {
	path: string;
	mode: string;
	/** Blob that the old commit held. */
	before: string;
	/** Bytes that the new commit holds. */
	bytes: Uint8Array;
}

/** Milliseconds for which a lock held by somebody else is waited for; a git command holds it for moments. */
const PATIENCE_MS = 2000;
/** On a machine under load one look can take all of that time, or fail for want of a process. */
const LEAST_TRIES = 4;

/**
 * Whether file and index entry are exactly what the old commit held; `none` when nothing is checked out there at all.
 * `new` means that both already are what the new commit holds; a refresh that was cut short between the two, with the new file
 * and the old entry, counts as `old`, since nothing can be lost by doing it again.
 */
export async function standing(
	git: GitRunner,
	tree: WorkTree,
	change: FileChange,
	indexFile?: string,
): Promise<"old" | "new" | "edited" | "none"> {
	const entries = await indexEntries(git.at(tree.folder), [change.path], indexFile);
	const entry = entries.length === 1 ? entries[0] : undefined;
	if (entry === undefined) return entries.length === 0 && !(await hasIndex(tree)) ? "none" : "edited";
	if (entry.stage !== 0 || entry.mode !== change.mode) return "edited";
	const after = blobId(change.bytes, change.before);
	if (entry.oid !== change.before && entry.oid !== after) return "edited";
	const found = await onDisk(tree.folder, change.path);
	const isHeld = (bytes: Uint8Array) => isBlob(bytes, entry.oid) || isBlob(bytes, after);
	const held = found.kind === "file" ? isHeld(found.bytes) : found.kind === "absent" && entry.skipped;
	if (!held) return "edited";
	return entry.oid === after ? "new" : "old";
}

async function hasIndex(tree: WorkTree): Promise<boolean> {
	return stat(join(tree.gitFolder, "index")).then(
		() => true,
		() => false,
	);
}

/** Brings file and index entry along. False when they had been edited, or the index stayed locked by somebody else. */
export async function refreshWorkTree(git: GitRunner, tree: WorkTree, change: FileChange): Promise<boolean> {
	const deadline = Date.now() + PATIENCE_MS;
	for (let tries = 1; ; tries++) {
		const once = withTempFolder(tree.gitFolder, (temp) => refreshOnce(git, tree, change, temp));
		const result = await once.catch(() => "again" as const);
		if (result !== "again") return result;
		if (Date.now() >= deadline && tries >= LEAST_TRIES) return false;
		await pause(20 + 80 * Math.random());
	}
}

async function refreshOnce(
	git: GitRunner,
	tree: WorkTree,
	change: FileChange,
	temp: string,
): Promise<boolean | "again"> {
	const state = await standing(git, tree, change);
	if (state !== "old") return state === "new";
	const index = join(tree.gitFolder, "index");
	const copy = join(temp, "index");
	await copyFile(index, copy);
	const seen = await readFile(copy);
	const inTree = git.at(tree.folder);
	const [entry] = await indexEntries(inTree, [change.path], copy);
	if (entry?.oid !== change.before) return "again";
	await writeEntry(inTree, change, entry, copy);
	const lock = await takeLock(`${index}.lock`);
	if (lock === null) return "again";
	let landed = false;
	try {
		if (!sameBytes(await readFile(index), seen)) return "again";
		if (!(await replaceFile(tree, change, temp))) return false;
		await lock.writeFile(await readFile(copy));
		await lock.sync();
		await chmod(`${index}.lock`, (await stat(index)).mode & 0o777);
		await rename(`${index}.lock`, index);
		landed = true;
		return true;
	} finally {
		await lock.close();
		// After the rename somebody else may already hold a new lock of this name.
		if (!landed) await rm(`${index}.lock`, { force: true });
	}
}

async function takeLock(file: string): Promise<FileHandle | null> {
	try {
		return await open(file, "wx", 0o666);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
		throw error;
	}
}

/** Puts the new blob into the copied index; the flags of a sparse checkout and of the user stay. */
async function writeEntry(git: GitRunner, change: FileChange, entry: IndexEntry, indexFile: string): Promise<void> {
	const after = blobId(change.bytes, change.before);
	const input = `${change.mode} ${after}\t${change.path}\0`;
	await git.bytes(["update-index", "-z", "--index-info"], { indexFile, input });
	const flags = [entry.skipped ? "--skip-worktree" : "", entry.assumed ? "--assume-unchanged" : ""].filter(
		(flag) => flag !== "",
	);
	for (const flag of flags) await git.bytes(["update-index", flag, "--", change.path], { indexFile });
}

/**
 * Replaces the file by rename, with its mode and its line ends; true too when it is replaced already, or when there is none
 * because the checkout is sparse.
 */
async function replaceFile(tree: WorkTree, change: FileChange, temp: string): Promise<boolean> {
	const found = await onDisk(tree.folder, change.path);
	if (found.kind === "absent") return true;
	if (found.kind !== "file") return false;
	if (isBlob(found.bytes, blobId(change.bytes, change.before))) return true;
	if (!isBlob(found.bytes, change.before)) return false;
	const raw = blobId(found.bytes, change.before) === change.before;
	const target = join(tree.folder, change.path);
	const fresh = join(temp, "SKILL.md");
	await writeFile(fresh, raw ? change.bytes : withCrlf(change.bytes), { mode: found.mode, flush: true });
	await chmod(fresh, found.mode);
	try {
		await rename(fresh, target);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
		// The git folder is on another file system than the work tree: the last step must be a rename beside the target.
		const beside = `${target}.gepa-tmp`;
		await copyFile(fresh, beside);
		await rename(beside, target);
	}
	return true;
}
