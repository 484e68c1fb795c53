/**
 * Carries out the plan of a promotion: one commit, one file, one compare-and-swap, one tag.
 * It knows what may stop a promotion; it must not know how the text was found or how good it is.
 * Invariant: a run lands at most once on a branch, never over a change that it did not see, and never loses another commit.
 */
import { setTimeout as pause } from "node:timers/promises";
import { GuardError } from "../errors.ts";
import type { PromotionPlan, PromotionResult } from "../ports/skills-repository.ts";
import { reached } from "./fault-point.ts";
import { fenced } from "./fenced.ts";
import { buildCommit, checkBranch, checkCommit, checkId, checkTag, moveRef, type OneFileCommit } from "./git-commit.ts";
import { type GitFence, raiseFence } from "./git-fence.ts";
import { type WorkTree, workTrees } from "./git-layout.ts";
import { blobId, changesOf, commitOf, entryAt, isFileMode } from "./git-objects.ts";
import { type FileChange, refreshWorkTree, standing } from "./git-refresh.ts";
import type { GitRunner } from "./git-runner.ts";
import { checkSkillName } from "./git-skill-paths.ts";
import { parseTrailers, RUN_TRAILER, runCommits } from "./git-trailers.ts";

interface PromotionSettings {
	/** Git folder for temporary files. */
	gitFolder: string;
	/** Milliseconds to wait for a lock, and for a branch that others keep moving. */
	patienceMs: number;
	/** Number of the lease under which the run is conducted; absent where nobody else can conduct it. */
	fence?: number | undefined;
}

/** How often a branch that others move is looked at before the promotion gives up, however long each look takes. */
const LOOKS = 10;

type Refused = Extract<PromotionResult, { status: "refused" }>;

/** The branch that gepa keeps for a skill under `promote: branch`. */
export function ownBranch(skill: string): string {
	return `refs/heads/gepa/${skill}`;
}

/** @throws GuardError when the plan itself is unsafe, or when what git stored is not what was planned */
export async function promote(
	git: GitRunner,
	plan: PromotionPlan,
	settings: PromotionSettings,
): Promise<PromotionResult> {
	await checkPlan(git, plan);
	const fence = settings.fence === undefined ? null : await raiseFence(git, plan.skill, settings.fence);
	if (settings.fence !== undefined && fence === null) throw fenced(plan.run);
	const deadline = Date.now() + settings.patienceMs;
	const built = new Map<string, string>();
	for (let attempt = 0; ; attempt++) {
		const answer = await attemptOnce(git, plan, { ...settings, held: fence }, built);
		if (answer !== "changed" && answer !== "locked") return answer;
		// A branch that moved deserves another look even when this machine is slow; a lock is waited for no longer than agreed.
		const looks = answer === "changed" ? LOOKS : 1;
		if (Date.now() >= deadline && attempt + 1 >= looks) return stuck(plan, answer, settings.patienceMs);
		await pause(Math.min(1000, 20 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random()));
	}
}

function stuck(plan: PromotionPlan, why: "changed" | "locked", patienceMs: number): Refused {
	const cause = why === "locked" ? "its lock file is held by another process" : "other commits kept moving it";
	const hint = why === "locked" ? " A lock that no process holds any more must be removed by hand." : "";
	return refused("ref-locked", `${plan.ref} did not move within ${patienceMs / 1000} s: ${cause}.${hint}`);
}

async function checkPlan(git: GitRunner, plan: PromotionPlan): Promise<void> {
	checkSkillName(plan.skill);
	await checkBranch(git, plan.ref);
	checkTag(plan.tag);
	if (!plan.tag.startsWith(`gepa/${plan.skill}/`))
		throw new GuardError(`the tag ${plan.tag} is not one of ${plan.skill}`);
	checkId(plan.base, "the base commit");
	checkId(plan.expectedBlob, "the expected blob");
	const parts = plan.path.split("/");
	const safe = parts.at(-1) === "SKILL.md" && parts.every((part) => part !== "" && !/^\.{1,2}$|^\.git$/i.test(part));
	if (!safe || plan.path.includes("\0")) throw new GuardError(`${JSON.stringify(plan.path)} is no path of a SKILL.md`);
	if (parseTrailers(plan.message)[RUN_TRAILER] !== plan.run || plan.message.includes("\0")) {
		throw new GuardError(`the commit message must end with the trailer ${RUN_TRAILER}: ${plan.run}`);
	}
	if (blobId(plan.bytes, plan.expectedBlob) === plan.expectedBlob) {
		throw new GuardError(`the promotion of ${plan.skill} would change nothing: these bytes are already there`);
	}
}

async function attemptOnce(
	git: GitRunner,
	plan: PromotionPlan,
	settings: PromotionSettings & { held: GitFence | null },
	built: Map<string, string>,
): Promise<PromotionResult | "changed" | "locked"> {
	const tip = await commitOf(git, plan.ref);
	const own = plan.ref === ownBranch(plan.skill);
	if (tip === null && !own) return refused("not-found", `the branch ${plan.ref} has no commit`);
	if ((await commitOf(git, plan.base)) === null)
		return refused("not-found", `the base commit ${plan.base} is not there`);
	const landed = await findRun(git, plan, tip === null ? [plan.base] : [tip, plan.base]);
	const trees = (await workTrees(git)).filter((tree) => tree.branch === plan.ref);
	if (landed !== null) return finish(git, plan, landed, trees);

	const obstacle = own ? await ownBranchObstacle(git, plan.ref, plan.base, tip) : null;
	if (obstacle !== null) return obstacle;
	const parent = tip === null || (own && (await isAncestor(git, tip, plan.base))) ? plan.base : tip;
	const entry = await entryAt(git, parent, plan.path);
	if (entry === null)
		return refused("base-moved", `${plan.path} is no longer there at ${plan.ref} (${parent.slice(0, 12)})`);
	if (entry.oid !== plan.expectedBlob || !isFileMode(entry.mode)) return moved(plan, parent);
	const change = { path: plan.path, mode: entry.mode, before: entry.oid, bytes: plan.bytes };
	for (const tree of trees) {
		if ((await standing(git, tree, change)) !== "edited") continue;
		// What looks like an edit may be another promotion that landed since the tip was read and is refreshing the file.
		return (await commitOf(git, plan.ref)) === tip ? edited(plan, tree) : "changed";
	}

	const wanted = { parent, path: plan.path, mode: entry.mode, bytes: plan.bytes, message: plan.message };
	const commit = built.get(parent) ?? (await buildCommit(git, settings.gitFolder, wanted));
	built.set(parent, commit);
	reached("objects-written");
	return land(git, plan, { tip, commit, wanted, change, trees, fence: settings.held });
}

interface Landing {
	tip: string | null;
	commit: string;
	wanted: OneFileCommit;
	change: FileChange;
	trees: readonly WorkTree[];
	fence: GitFence | null;
}

async function land(
	git: GitRunner,
	plan: PromotionPlan,
	landing: Landing,
): Promise<PromotionResult | "changed" | "locked"> {
	const tagRef = `refs/tags/${plan.tag}`;
	const move = { ref: plan.ref, from: landing.tip, to: landing.commit, fence: landing.fence };
	let holder = await commitOf(git, tagRef);
	let answer = await moveRef(git, { ...move, tagRef: holder === null ? tagRef : null });
	if (answer === "tag-blocked") {
		// Somebody made the tag just now, or a tag such as `gepa` blocks the name. The commit matters more.
		holder = (await commitOf(git, tagRef)) ?? "another tag";
		answer = await moveRef(git, { ...move, tagRef: null });
	}
	if (answer === "changed" || answer === "locked") return answer;
	if (answer === "fenced") throw fenced(plan.run);
	reached("ref-moved");
	await checkCommit(git, landing.commit, landing.wanted);
	const refreshed = await refreshAll(git, landing.trees, landing.change);
	const taken = holder === null ? {} : { tagTakenBy: holder };
	return { status: "committed", commit: landing.commit, ref: plan.ref, tag: plan.tag, refreshed, ...taken };
}

async function refreshAll(git: GitRunner, trees: readonly WorkTree[], change: FileChange): Promise<boolean> {
	let all = trees.length > 0;
	for (const tree of trees) all = (await refreshWorkTree(git, tree, change).catch(() => false)) && all;
	return all;
}

/** The commit of this run that touches this path, at or before the given commits. */
async function findRun(git: GitRunner, plan: PromotionPlan, tips: readonly string[]): Promise<string | null> {
	const commits = (await runCommits(git, tips)).filter((commit) => commit.run === plan.run);
	const changes = await changesOf(git, commits);
	const found = commits.find(({ commit }) => changes.get(commit)?.some((change) => change.path === plan.path));
	return found?.commit ?? null;
}

/** A run that had landed before: an interrupted refresh of the work tree is made up for when the tip still holds its bytes. */
async function finish(
	git: GitRunner,
	plan: PromotionPlan,
	commit: string,
	trees: readonly WorkTree[],
): Promise<PromotionResult> {
	const entry = await entryAt(git, plan.ref, plan.path).catch(() => null);
	if (entry !== null && entry.oid === blobId(plan.bytes, plan.expectedBlob)) {
		await refreshAll(git, trees, { path: plan.path, mode: entry.mode, before: plan.expectedBlob, bytes: plan.bytes });
	}
	return { status: "already", commit, ref: plan.ref };
}

/** What forbids moving gepa's own branch: somebody works on it, or it holds a commit that gepa did not make. */
export async function ownBranchObstacle(
	git: GitRunner,
	ref: string,
	base: string,
	tip: string | null,
): Promise<Refused | null> {
	const user = (await workTrees(git)).find((tree) => tree.branch === ref);
	if (user !== undefined) {
		return refused("checked-out", `${ref} is checked out in ${user.folder}; check out another branch there.`);
	}
	if (tip === null) return null;
	// What another branch holds too came from there, for example when this branch was created from a newer commit than base.
	const range = [tip, "--not", base, `--exclude=${ref.slice("refs/heads/".length)}`, "--branches"];
	const own = new Set((await runCommits(git, range)).map(({ commit }) => commit));
	const all = (await git.text(["rev-list", ...range])).split("\n").filter((line) => line !== "");
	const foreign = all.find((commit) => !own.has(commit));
	if (foreign === undefined) return null;
	return refused(
		"foreign-commit",
		`${ref} holds commit ${foreign.slice(0, 12)}, which gepa did not make; merge or rename that branch first.`,
	);
}

async function isAncestor(git: GitRunner, older: string, newer: string): Promise<boolean> {
	return (await git.run(["merge-base", "--is-ancestor", older, newer])).code === 0;
}

function moved(plan: PromotionPlan, parent: string): Refused {
	return refused(
		"base-moved",
		`${plan.path} was changed at ${plan.ref} (${parent.slice(0, 12)}) since the run started from ${plan.base.slice(0, 12)}; ` +
			"the text was measured against the old one. Run again.",
	);
}

function edited(plan: PromotionPlan, tree: WorkTree): Refused {
	return refused(
		"dirty",
		`${plan.path} has changes in ${tree.folder} that are not committed. Commit or stash them, then promote again.`,
	);
}

function refused(reason: Refused["reason"], message: string): Refused {
	return { status: "refused", reason, message };
}
