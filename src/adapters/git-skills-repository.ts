/**
 * The git repository of skills behind its port: finds the repository once and hands each question to its module.
 * It knows which module answers what; git itself is known to git-runner alone.
 * Invariant: reading never writes, and writing happens in `promote` and `push` only.
 */
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { InputError, UnavailableError } from "../errors.ts";
import type { SkillAtBase, SkillsRepository } from "../ports/skills-repository.ts";
import { evolvedCommits } from "./git-evolved.ts";
import { findLayout, headCommit, headRef, type RepositoryLayout } from "./git-layout.ts";
import { commitOf, readBlob } from "./git-objects.ts";
import { preflight } from "./git-preflight.ts";
import { promote } from "./git-promotion.ts";
import { push } from "./git-push.ts";
import { createGitRunner, type GitRunner } from "./git-runner.ts";
import { checkSkillName, listSkills, locateSkill, possiblePaths, type SkillPlaces } from "./git-skill-paths.ts";

interface GitSkillsRepositoryOptions {
	/** Folder in the repository's work tree, or a bare repository. Below the top folder, skills are looked for from there. */
	root: string;
	/** The only folder that holds skills, relative to root; by default `skills/`, the top and `.claude/skills/`. */
	skillsFolder?: string;
	/** Milliseconds to wait for a lock of git that somebody holds (30 000). */
	patienceMs?: number;
	/** Where the allow-listed environment variables come from; the process's own by default. */
	environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the repository that holds the skills: normal, bare, shallow, sparse, or a linked work tree.
 * @throws UnavailableError when the folder is no usable git repository, or git is not installed
 * @throws InputError for a skills folder outside of the repository
 */
export async function createGitSkillsRepository(options: GitSkillsRepositoryOptions): Promise<SkillsRepository> {
	const folder = resolve(options.root);
	if (!(await isFolder(folder))) {
		throw new UnavailableError({
			message: `${folder} is no folder`,
			hint: "Name the folder of the skills repository with --skills-repo.",
		});
	}
	const probe = createGitRunner(folder, options.environment);
	const layout = await findLayout(probe);
	const git = probe.at(layout.root);
	const places = { prefix: layout.prefix, only: cleanFolder(options.skillsFolder), topName: topName(layout, folder) };
	return repositoryAt(git, layout, places, options.patienceMs ?? 30_000);
}

function repositoryAt(
	git: GitRunner,
	layout: RepositoryLayout,
	places: SkillPlaces,
	patienceMs: number,
): SkillsRepository {
	return {
		root: layout.root,
		async list() {
			const commit = await headCommit(git);
			return commit === null ? [] : listSkills(git, commit, places);
		},
		read: (skill, options) => readSkill(git, layout, places, skill, options?.commit),
		preflight: (skill, mode) => preflight(git, skill, mode, places, { folder: layout.root, bare: layout.bare }),
		async nextVersion(skill) {
			checkSkillName(skill);
			const tags = await git.text(["for-each-ref", "--format=%(refname:lstrip=4)", `refs/tags/gepa/${skill}/`]);
			const versions = tags.split("\n").map((name) => Number(/^v([1-9]\d{0,8})$/.exec(name)?.[1] ?? 0));
			return 1 + Math.max(0, ...versions);
		},
		promote: (plan, fence) => promote(git, plan, { gitFolder: layout.gitFolder, patienceMs, fence }),
		async evolved(skill) {
			checkSkillName(skill);
			return evolvedCommits(git, possiblePaths(skill, places));
		},
		push: (ref, tag) => push(git, ref, tag),
	};
}

async function readSkill(
	git: GitRunner,
	layout: RepositoryLayout,
	places: SkillPlaces,
	skill: string,
	wanted: string | undefined,
): Promise<SkillAtBase> {
	checkSkillName(skill);
	if (wanted !== undefined && !/^[0-9a-f]{4,64}$/.test(wanted)) {
		throw new InputError(`${JSON.stringify(wanted)} is no commit id`);
	}
	const commit = wanted === undefined ? await headCommit(git) : await commitOf(git, wanted);
	if (commit === null) {
		throw new InputError({
			message: wanted === undefined ? `${layout.root} has no commit yet` : `${layout.root} has no commit ${wanted}`,
			hint: wanted === undefined ? "Commit the skill first." : "A shallow clone holds only its newest commits.",
		});
	}
	const entry = await locateSkill(git, commit, skill, places);
	const [bytes, currentRef] = [await readBlob(git, entry.oid), await headRef(git)];
	return { commit, path: entry.path, blob: entry.oid, bytes, currentRef };
}

function topName(layout: RepositoryLayout, folder: string): string {
	return basename(layout.bare ? layout.root : folder).replace(/\.git$/, "");
}

function cleanFolder(folder: string | undefined): string | undefined {
	if (folder === undefined) return undefined;
	const parts = folder
		.replaceAll("\\", "/")
		.split("/")
		.filter((part) => part !== "" && part !== ".");
	if (
		folder.startsWith("/") ||
		folder.includes("\0") ||
		parts.some((part) => part === ".." || part.toLowerCase() === ".git")
	) {
		throw new InputError(`the skills folder ${JSON.stringify(folder)} must be inside of the repository`);
	}
	return parts.map((part) => `${part}/`).join("");
}

async function isFolder(path: string): Promise<boolean> {
	return stat(path).then(
		(stats) => stats.isDirectory(),
		() => false,
	);
}
