/**
 * Makes the small repository of skills that a demonstration promotes into.
 * It knows how to create one and how to add a skill to one that it made; it must not touch what is there.
 * Invariant: the folder appears complete or not at all, also when several processes make it at once; a repository that was not
 * made here gets nothing added.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, posix, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { headCommit, headRef } from "./git-layout.ts";
import { treeEntries } from "./git-objects.ts";
import { createGitRunner, type GitRunner } from "./git-runner.ts";
import { checkSkillName } from "./git-skill-paths.ts";

/** Written into the configuration of a repository that was made here. */
const MARK = "gepa.demo";
const SUBJECT = "the skill that the demonstration starts from";
const MAIN = "refs/heads/main";
const IDENTITY = { name: "gepa demo", email: "demo@localhost" };

/**
 * A git repository on `main` that holds `skills/<name>/SKILL.md`. One that exists and was made here gets the skill in a commit of
 * its own when its folder is absent; whatever else is there is left as it is.
 * @throws UsageError when the folder holds something that is no git repository
 */
export async function ensureDemoRepository(
	folder: string,
	skillName: string,
	seedBytes: Uint8Array,
): Promise<{ root: string }> {
	checkSkillName(skillName);
	const target = resolve(folder);
	if (await isRepository(target)) await addSkill(createGitRunner(target), skillName, seedBytes);
	else {
		await mkdir(dirname(target), { recursive: true });
		const fresh = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
		try {
			await fill(createGitRunner(fresh), skillName, seedBytes);
			await rename(fresh, target);
		} catch (error) {
			// Somebody else may have been faster; then theirs is as good.
			if (!(await isRepository(target))) throw error;
			await addSkill(createGitRunner(target), skillName, seedBytes);
		} finally {
			await rm(fresh, { recursive: true, force: true });
		}
	}
	return { root: await realpath(target) };
}

async function isRepository(folder: string): Promise<boolean> {
	const names = await readdir(folder).catch((): string[] => []);
	if (names.includes(".git")) return true;
	if (names.length === 0) return false;
	throw new UsageError({
		message: `${folder} is not empty and is no git repository, so the demonstration cannot use it`,
		hint: "Move it away, or name another folder.",
	});
}

const pathOf = (skillName: string) => `skills/${skillName}/SKILL.md`;

async function fill(git: GitRunner, skillName: string, seedBytes: Uint8Array): Promise<void> {
	await git.bytes(["init", "--quiet", "--initial-branch=main"]);
	// The seed's line ends are part of it, whatever this machine's git prefers.
	await git.bytes(["config", "core.autocrlf", "false"]);
	await git.bytes(["config", MARK, "true"]);
	const blob = await putFile(git, skillName, seedBytes);
	await git.bytes(["update-index", "-z", "--index-info"], { input: `100644 ${blob}\t${pathOf(skillName)}\0` });
	await commitTree(git, skillName, await git.text(["write-tree"]), null);
}

/** Adds a skill whose folder is absent from commit and disk; index and work tree are as before but for it. */
async function addSkill(git: GitRunner, skillName: string, seedBytes: Uint8Array, tries = 3): Promise<void> {
	const base = await headCommit(git);
	if (base === null || (await headRef(git)) !== MAIN || !(await isOurs(git))) return;
	const folder = posix.dirname(pathOf(skillName));
	if ((await treeEntries(git, base, [folder])).length > 0 || existsSync(join(git.folder, folder))) return;
	const blob = await putBlob(git, seedBytes);
	const entry = `100644 ${blob}\t${pathOf(skillName)}\0`;
	const scratch = await mkdtemp(join(git.folder, ".git", "gepa-index-"));
	try {
		// The tree is the commit's with one file more: what somebody has staged stays staged and is not committed.
		const indexFile = join(scratch, "index");
		await git.bytes(["read-tree", base], { indexFile });
		await git.bytes(["update-index", "-z", "--index-info"], { input: entry, indexFile });
		const tree = await git.text(["write-tree"], { indexFile });
		if (!(await commitTree(git, skillName, tree, base)))
			return tries > 1 ? addSkill(git, skillName, seedBytes, tries - 1) : undefined;
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
	await putFile(git, skillName, seedBytes);
	await git.bytes(["update-index", "-z", "--index-info"], { input: entry });
}

async function putFile(git: GitRunner, skillName: string, seedBytes: Uint8Array): Promise<string> {
	const file = join(git.folder, pathOf(skillName));
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, seedBytes);
	return putBlob(git, seedBytes);
}

function putBlob(git: GitRunner, bytes: Uint8Array): Promise<string> {
	return git.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: bytes });
}

/** False when somebody else has moved the branch meanwhile. */
async function commitTree(git: GitRunner, skillName: string, tree: string, base: string | null): Promise<boolean> {
	const message = `${skillName}: ${SUBJECT}\n`;
	const parents = base === null ? [] : ["-p", base];
	const commit = await git.text(["commit-tree", tree, ...parents], { input: message, identity: IDENTITY });
	const moved = ["update-ref", "-m", "gepa: demo", MAIN, commit, ...(base === null ? [] : [base])];
	return (await git.run(moved)).code === 0;
}

/** Made here: by its mark, or, before there was one, by its first commit. */
async function isOurs(git: GitRunner): Promise<boolean> {
	if ((await git.run(["config", "--local", "--get", MARK])).code === 0) return true;
	const first = await git.run(["log", "--max-parents=0", "--format=%s", "HEAD"]);
	return first.code === 0 && first.stdout.toString("utf8").trim().endsWith(SUBJECT);
}
