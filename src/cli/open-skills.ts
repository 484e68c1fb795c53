/**
 * Where commands that only look find skills: the skills repository, else the demo repository that an earlier run made, and the
 * seeds that come with the cases. Creates nothing.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createGitSkillsRepository } from "../adapters/git-skills-repository.ts";
import type { SkillsRepository } from "../ports/skills-repository.ts";
import type { Resolved } from "./config.ts";
import { DEMO_FOLDER, noSkill, readSkill, seedFile } from "./missing-skill.ts";

/** The repository that is configured, else the demo repository if it is there, else null. @throws UnavailableError */
export async function openSkills(
	{ skillsRepo }: Pick<Resolved, "skillsRepo">,
	cwd: string,
): Promise<SkillsRepository | null> {
	if (skillsRepo !== null) return createGitSkillsRepository({ root: skillsRepo });
	const demo = join(cwd, DEMO_FOLDER);
	return existsSync(demo) ? createGitSkillsRepository({ root: demo }) : null;
}

export interface FoundSkill {
	bytes: Uint8Array;
	/** Path for messages. */
	file: string;
	/** Commit that it was read from; null for a seed. */
	commit: string | null;
}

/** A skill by name: as the repository has it, else its seed. @throws InputError when there is neither */
export async function findSkill(
	skill: string,
	config: Pick<Resolved, "skillsRepo" | "casesFolder" | "origins">,
	cwd: string,
): Promise<FoundSkill> {
	const repository = await openSkills(config, cwd);
	const listed = repository === null ? [] : await repository.list();
	const seed = seedFile(config.casesFolder, skill);
	if (
		repository !== null &&
		(config.skillsRepo !== null || listed.some(({ name }) => name === skill) || !existsSync(seed))
	) {
		const { bytes, path, commit } = await readSkill(
			repository,
			skill,
			{ ...config, origin: config.origins.skillsRepo },
			cwd,
		);
		return { bytes, file: join(repository.root, path), commit };
	}
	if (existsSync(seed)) return { bytes: await readFile(seed), file: seed, commit: null };
	throw noSkill(skill, config.casesFolder);
}
