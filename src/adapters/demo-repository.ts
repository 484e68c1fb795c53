/**
 * Makes the small repository of skills that a demonstration promotes into.
 * It knows how to create one; it must not touch one that is there.
 * Invariant: the folder appears complete or not at all, also when several processes make it at once.
 */
import { mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { createGitRunner, type GitRunner } from "./git-runner.ts";
import { checkSkillName } from "./git-skill-paths.ts";

const IDENTITY = { name: "gepa demo", email: "demo@localhost" };

/**
 * A git repository with one commit on `main` that holds `skills/<name>/SKILL.md`; one that exists is left as it is.
 * @throws UsageError when the folder holds something that is no git repository
 */
export async function ensureDemoRepository(
	folder: string,
	skillName: string,
	seedBytes: Uint8Array,
): Promise<{ root: string }> {
	checkSkillName(skillName);
	const target = resolve(folder);
	if (!(await isRepository(target))) {
		await mkdir(dirname(target), { recursive: true });
		const fresh = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
		try {
			await fill(createGitRunner(fresh), skillName, seedBytes);
			await rename(fresh, target);
		} catch (error) {
			// Somebody else may have been faster; then theirs is as good.
			if (!(await isRepository(target))) throw error;
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

async function fill(git: GitRunner, skillName: string, seedBytes: Uint8Array): Promise<void> {
	const path = `skills/${skillName}/SKILL.md`;
	await git.bytes(["init", "--quiet", "--initial-branch=main"]);
	// The seed's line ends are part of it, whatever this machine's git prefers.
	await git.bytes(["config", "core.autocrlf", "false"]);
	await mkdir(join(git.folder, dirname(path)), { recursive: true });
	await writeFile(join(git.folder, path), seedBytes);
	const blob = await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: seedBytes });
	await git.bytes(["update-index", "-z", "--index-info"], { input: `100644 ${blob}\t${path}\0` });
	const tree = await git.text(["write-tree"]);
	const message = `${skillName}: the skill that the demonstration starts from\n`;
	const commit = await git.text(["commit-tree", tree], { input: message, identity: IDENTITY });
	await git.bytes(["update-ref", "-m", "gepa: demo", "refs/heads/main", commit]);
}
