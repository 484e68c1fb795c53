/**
 * Finds, before any money is spent, what would stop a promotion later.
 * It knows the states a repository can be in; it must not change anything and runs no program of the repository.
 * Invariant: a complaint says what is there and what to do; no complaint means that a promotion can land now.
 */
import { access } from "node:fs/promises";
import { join, posix } from "node:path";
import { headCommit, headRef, type WorkTree, workTrees } from "./git-layout.ts";
import { commitOf, entryAt } from "./git-objects.ts";
import { ownBranch, ownBranchObstacle } from "./git-promotion.ts";
import type { GitRunner } from "./git-runner.ts";
import { locateSkill, type SkillPlaces } from "./git-skill-paths.ts";
import { indexEntries, uncommitted } from "./git-work-tree.ts";

/** Paths named in one complaint before the rest is only counted. */
const NAMED = 5;

const UNDER_WAY: readonly (readonly [file: string, name: string])[] = [
	["MERGE_HEAD", "a merge"],
	["rebase-merge", "a rebase"],
	["rebase-apply", "a rebase or `git am`"],
	["CHERRY_PICK_HEAD", "a cherry-pick"],
	["REVERT_HEAD", "a revert"],
	["BISECT_LOG", "a bisect"],
];

/** @throws InputError when the skill is not there, so that the same words are used as by `read` */
export async function preflight(
	git: GitRunner,
	skill: string,
	mode: "current" | "branch",
	places: SkillPlaces,
	here: { folder: string; bare: boolean },
): Promise<string[]> {
	const commit = await headCommit(git);
	const ref = await headRef(git);
	if (commit === null) {
		return [`${here.folder} has no commit yet on ${ref ?? "HEAD"}; commit the skill first.`];
	}
	const entry = await locateSkill(git, commit, skill, places);
	const complaints: string[] = [];
	const mine = (tree: WorkTree) => tree.folder === here.folder && !here.bare;
	for (const tree of await workTrees(git)) {
		if (mine(tree) || (ref !== null && tree.branch === ref))
			complaints.push(...(await treeComplaints(git, tree, commit, entry.path)));
	}
	complaints.push(
		...(mode === "current"
			? currentComplaints(ref, skill, here.folder)
			: await branchComplaints(git, skill, commit, entry)),
	);
	return complaints;
}

async function treeComplaints(git: GitRunner, tree: WorkTree, commit: string, path: string): Promise<string[]> {
	const complaints: string[] = [];
	for (const [file, name] of UNDER_WAY) {
		if (await exists(join(tree.gitFolder, file)))
			complaints.push(`${name} is under way in ${tree.folder}; finish or abort it first.`);
	}
	const conflicts = (await indexEntries(git.at(tree.folder), [])).filter((entry) => entry.stage !== 0);
	const conflicting = [...new Set(conflicts.map((entry) => entry.path))];
	if (conflicting.length > 0)
		complaints.push(`${tree.folder} has conflicts in ${few(conflicting)}; resolve them first.`);
	if (!(await exists(join(tree.gitFolder, "index")))) return complaints;
	const folder = posix.dirname(path) === "." ? "" : posix.dirname(path);
	const dirty = await uncommitted(git, tree, commit, folder);
	if (dirty.length > 0) complaints.push(`in ${tree.folder}, ${few(dirty)}; commit or stash first.`);
	return complaints;
}

function currentComplaints(ref: string | null, skill: string, folder: string): string[] {
	if (ref === null) {
		return [
			`${folder} is at a detached HEAD, so there is no branch to promote to; check one out or use --promote branch.`,
		];
	}
	if (ref === ownBranch(skill)) {
		return [`${folder} has gepa's own branch ${ref} checked out; check out another branch, or create one from it.`];
	}
	return [];
}

async function branchComplaints(
	git: GitRunner,
	skill: string,
	base: string,
	entry: { path: string; oid: string },
): Promise<string[]> {
	const ref = ownBranch(skill);
	if ((await commitOf(git, "refs/heads/gepa")) !== null) {
		return [`a branch called gepa is in the way of ${ref}; rename it, or use --promote current.`];
	}
	const tip = await commitOf(git, ref);
	const obstacle = await ownBranchObstacle(git, ref, base, tip);
	if (obstacle !== null) return [obstacle.message];
	if (tip === null || (await git.run(["merge-base", "--is-ancestor", tip, base])).code === 0) return [];
	const there = await entryAt(git, tip, entry.path);
	if (there?.oid === entry.oid) return [];
	return [`${ref} holds an evolved ${entry.path} that HEAD does not have; merge that branch or delete it first.`];
}

function few(items: readonly string[]): string {
	const more = items.length - NAMED;
	return items.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

async function exists(file: string): Promise<boolean> {
	return access(file).then(
		() => true,
		() => false,
	);
}
