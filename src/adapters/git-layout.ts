/**
 * Where a repository keeps its things: git folder, top folder, the branch that is checked out, and its other work trees.
 * It knows git's layout; it must not know what a skill is.
 * Invariant: the work tree holds the folder that the user named, so a hostile `core.worktree` cannot point elsewhere.
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { UnavailableError } from "../errors.ts";
import { commitOf, splitNul } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";

export interface RepositoryLayout {
	/** Top folder of the work tree, or the folder of a bare repository; absolute, without symbolic links. */
	root: string;
	bare: boolean;
	/** This work tree's own git folder. */
	gitFolder: string;
	/** The user's folder below the top one: empty or ending in a slash. */
	prefix: string;
}

/** A work tree that exists on disk. */
export interface WorkTree {
	folder: string;
	gitFolder: string;
	/** Full name of the branch it has checked out, null when detached. */
	branch: string | null;
}

/** @throws UnavailableError when the folder is in no repository, or git refuses to read it. */
export async function findLayout(git: GitRunner): Promise<RepositoryLayout> {
	const questions = ["--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir"];
	const { code, stdout, stderr } = await git.run(["rev-parse", ...questions]);
	if (code !== 0) throw notARepository(git.folder, stderr);
	const [bare, inside, gitFolder = ""] = stdout.toString("utf8").trimEnd().split("\n");
	const folder = await realpath(git.folder);
	if (bare === "true") return { root: await realpath(gitFolder), bare: true, gitFolder, prefix: "" };
	if (inside !== "true") throw notARepository(folder, "the folder is outside of the repository's work tree");
	const root = await realpath(await git.text(["rev-parse", "--show-toplevel"]));
	const below = relative(root, folder);
	if (below.startsWith("..") || isAbsolute(below)) {
		throw notARepository(folder, `its work tree is elsewhere (${root})`);
	}
	return { root, bare: false, gitFolder, prefix: below === "" ? "" : `${below.replaceAll("\\", "/")}/` };
}

/** Full name of the branch that HEAD names, whether it has a commit or not; null when HEAD is detached. */
export async function headRef(git: GitRunner): Promise<string | null> {
	const { code, stdout } = await git.run(["symbolic-ref", "--quiet", "HEAD"]);
	return code === 0 ? stdout.toString("utf8").trim() : null;
}

/** Commit at HEAD, null on a branch without one. */
export async function headCommit(git: GitRunner): Promise<string | null> {
	return commitOf(git, "HEAD");
}

/** All work trees of the repository that are still on disk, the main one first. A bare repository is none. */
export async function workTrees(git: GitRunner): Promise<WorkTree[]> {
	const found: WorkTree[] = [];
	let fields = new Map<string, string>();
	for (const line of [...splitNul(await git.bytes(["worktree", "list", "--porcelain", "-z"])), ""]) {
		const space = line.indexOf(" ");
		if (line !== "") fields.set(space < 0 ? line : line.slice(0, space), space < 0 ? "" : line.slice(space + 1));
		if (line !== "" || fields.size === 0) continue;
		const folder = fields.get("worktree");
		if (folder !== undefined && !fields.has("bare") && !fields.has("prunable")) {
			const tree = await openTree(git, folder, fields.get("branch") ?? null);
			if (tree !== null) found.push(tree);
		}
		fields = new Map();
	}
	return found;
}

async function openTree(git: GitRunner, listed: string, branch: string | null): Promise<WorkTree | null> {
	try {
		const folder = await realpath(listed);
		const [inside, gitFolder = ""] = (
			await git.at(folder).text(["rev-parse", "--is-inside-work-tree", "--absolute-git-dir"])
		).split("\n");
		return inside === "true" ? { folder, gitFolder: resolve(gitFolder), branch } : null;
	} catch {
		// Its folder was moved or deleted by hand: nobody can look at it.
		return null;
	}
}

function notARepository(folder: string, said: string): UnavailableError {
	return new UnavailableError({
		message: `${folder} is no usable git repository: ${said.replace(/^fatal: /, "")}`,
		hint: "Name the folder of the skills repository with --skills-repo, or make one with `git init`.",
	});
}
