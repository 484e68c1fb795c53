/**
 * What to say when a skill or its cases are not there: which one was probably meant, and, when a skills repository is
 * configured, that the demo repository is then not used. Reads names only.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nearestWord } from "../adapters/nearest-word.ts";
import { InputError } from "../errors.ts";
import type { SkillAtBase, SkillsRepository } from "../ports/skills-repository.ts";
import type { Resolved } from "./config.ts";

/** Folder of the demo repository, below the folder that gepa was started in. */
export const DEMO_FOLDER = join(".gepa", "skills");

/** Path of the SKILL.md that comes with the cases of a skill. */
export function seedFile(casesFolder: string, skill: string): string {
	return join(casesFolder, skill, "seed", "SKILL.md");
}

/** Names of the folders inside a folder, sorted; none when it is not there. */
export function folderNames(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
		.map((entry) => entry.name)
		.sort();
}

/** `Did you mean dataviz? `, or nothing when no name is near. */
export function didYouMean(written: string, names: readonly string[]): string {
	const meant = nearestWord(written, names);
	return meant === null || meant === written ? "" : `Did you mean ${meant}? `;
}

/** @throws InputError when the cases folder holds nothing for this skill */
export function assertCases(casesFolder: string, skill: string): void {
	if (existsSync(join(casesFolder, skill))) return;
	throw new InputError({
		message: `there is no folder of cases for ${skill}: ${join(casesFolder, skill)}`,
		hint: `${didYouMean(skill, folderNames(casesFolder))}--cases names the folder that holds one folder of cases for each skill.`,
	});
}

/** A skill that neither a repository nor the cases have. */
export function noSkill(skill: string, casesFolder: string): InputError {
	return new InputError({
		message: `there is no skill ${skill}: no skills repository is named, and ${seedFile(casesFolder, skill)} does not exist`,
		hint: `${didYouMean(skill, folderNames(casesFolder))}Name your repository with --skills-repo DIR or GEPA_SKILLS_REPO; gepa skills list shows what is there.`,
	});
}

/** Reads a skill at the tip. @throws InputError that tells, beside what is missing, what was probably meant */
export async function readSkill(
	repository: SkillsRepository,
	skill: string,
	config: Pick<Resolved, "skillsRepo" | "casesFolder"> & { origin?: string | undefined },
	cwd: string,
): Promise<SkillAtBase> {
	const listed = (await repository.list()).map(({ name }) => name);
	if (listed.includes(skill)) return repository.read(skill);
	try {
		return await repository.read(skill);
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		const { message, place } = error;
		// The list of skills names what only has a seed, too: pointing there would not help where the demo repository is meant.
		const otherwise = demoHint(skill, config, cwd);
		const own = otherwise !== "" && error.hint?.includes("skills list") ? "" : `${error.hint ?? ""} `;
		const hint = `${didYouMean(skill, listed)}${own}${otherwise}`.trim();
		throw new InputError({ message: `${message} in ${repository.root}`, hint, ...(place && { place }), cause: error });
	}
}

function demoHint(
	skill: string,
	{ skillsRepo, casesFolder, origin }: Pick<Resolved, "skillsRepo" | "casesFolder"> & { origin?: string | undefined },
	cwd: string,
): string {
	if (skillsRepo === null) return "";
	if (!existsSync(seedFile(casesFolder, skill)) && !existsSync(join(cwd, DEMO_FOLDER, "skills", skill))) return "";
	const from = origin === undefined || origin === "default" ? "--skills-repo or GEPA_SKILLS_REPO" : origin;
	return `The ${skill} that comes with its cases is in the demo repository, which is not used while a skills repository is configured (${from}): leave that out, or commit the skill to ${skillsRepo}. `;
}
