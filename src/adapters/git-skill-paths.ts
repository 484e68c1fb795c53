/**
 * Where a skill's SKILL.md lies in the tree of a commit.
 * It knows the places that agents read skills from; it must not read the work tree, where links could lead anywhere.
 * Invariant: one skill is one regular file at one place; links, submodules and two places are refused with their paths.
 */
import { posix } from "node:path";
import { InputError } from "../errors.ts";
import { isFileMode, type TreeEntry, treeEntries } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";

export interface SkillPlaces {
	/** Folder inside the repository that the places are below: empty or ending in a slash. */
	prefix: string;
	/** The only folder to look in, ending in a slash, or undefined for all the usual ones. */
	only: string | undefined;
	/** Name that a SKILL.md at the top belongs to: the repository folder's own. */
	topName: string;
}

const SKILL_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const FILE = "SKILL.md";
const USUAL = ["skills/", "", ".claude/skills/"];

/** @throws InputError for a name that no skill can have */
export function checkSkillName(name: string): void {
	if (SKILL_NAME.test(name)) return;
	throw new InputError({
		message: `${JSON.stringify(name)} is no name of a skill`,
		hint: "A name has 1 to 64 characters: small letters, digits and hyphens, and does not begin with a hyphen.",
	});
}

/** Every path that the SKILL.md of this name may have. */
export function possiblePaths(name: string, places: SkillPlaces): string[] {
	const folders = places.only === undefined ? USUAL : [places.only];
	const paths = folders.map((folder) => `${places.prefix}${folder}${name}/${FILE}`);
	return places.only === undefined && places.topName === name ? [...paths, `${places.prefix}${FILE}`] : paths;
}

/**
 * The one entry of the skill in a commit.
 * @throws InputError when there is none, when there are two, or when it is no regular file
 */
export async function locateSkill(
	git: GitRunner,
	commit: string,
	name: string,
	places: SkillPlaces,
): Promise<TreeEntry> {
	checkSkillName(name);
	const paths = possiblePaths(name, places);
	const folders = [...new Set(paths.map((path) => posix.dirname(path)).filter((folder) => folder !== "."))];
	const [files, parents] = [await treeEntries(git, commit, paths), await treeEntries(git, commit, folders)];
	const strange = [...parents, ...files].find((entry) => entry.mode === "160000" || entry.mode === "120000");
	if (strange !== undefined) {
		const kind = strange.mode === "160000" ? "a submodule" : "a symbolic link";
		throw new InputError({
			message: `${strange.path} is ${kind}; a skill must be a regular file of this repository`,
			hint:
				strange.mode === "160000" ? "Name the submodule's own repository instead." : "Replace the link by the file.",
		});
	}
	const found = files.filter((entry) => isFileMode(entry.mode));
	const [first, second] = found;
	if (first !== undefined && second === undefined) return first;
	if (first === undefined) throw noSuchSkill(name, commit, paths);
	throw new InputError({
		message: `the skill ${name} is there more than once: ${found.map((entry) => entry.path).join(" and ")}`,
		hint: "Keep one of them, or say which folder holds the skills.",
	});
}

function noSuchSkill(name: string, commit: string, paths: readonly string[]): InputError {
	return new InputError({
		message: `there is no skill ${name} in commit ${commit.slice(0, 12)}: looked for ${paths.join(", ")}`,
		hint: "Only committed files count. `gepa skills list` shows the skills that are there.",
	});
}

/** All skills of a commit, sorted by name, then path. */
export async function listSkills(
	git: GitRunner,
	commit: string,
	places: SkillPlaces,
): Promise<{ name: string; path: string }[]> {
	const skills: { name: string; path: string }[] = [];
	for (const { mode, path } of await treeEntries(git, commit)) {
		if (!isFileMode(mode) || posix.basename(path) !== FILE) continue;
		const folder = posix.dirname(path);
		const name = folder === posix.dirname(`${places.prefix}${FILE}`) ? places.topName : posix.basename(folder);
		if (SKILL_NAME.test(name) && possiblePaths(name, places).includes(path)) skills.push({ name, path });
	}
	return skills.sort((a, b) => (a.name < b.name || (a.name === b.name && a.path < b.path) ? -1 : 1));
}
