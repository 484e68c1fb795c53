/**
 * Everything that is decided before any money: the skills repository, the skill, its cases, the mode of promotion, and all
 * complaints that would stop the run later anyway. Touches nothing but the demo repository that it creates for itself.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "../adapters/case-files.ts";
import { ensureDemoRepository } from "../adapters/demo-repository.ts";
import { createGitSkillsRepository } from "../adapters/git-skills-repository.ts";
import type { Case } from "../domain/case.ts";
import type { Settings } from "../domain/job-spec.ts";
import { kernelsOf, parseSkill, type Skill } from "../domain/skill.ts";
import { GuardError, InputError } from "../errors.ts";
import type { SkillAtBase, SkillsRepository } from "../ports/skills-repository.ts";

export interface PrepareOptions {
	settings: Settings;
	/** Null: the demo repository below `.gepa/` is used. */
	skillsRepo: string | null;
	casesFolder: string;
	offline: boolean;
	cwd: string;
}

export interface Prepared {
	repository: SkillsRepository;
	/** True when the repository is the one that the run made for itself. */
	isDemo: boolean;
	base: SkillAtBase;
	skill: Skill;
	cases: Case[];
	/** The settings with the mode of promotion that is possible here. */
	settings: Settings;
	/** What a person should know, a sentence each. */
	notes: string[];
}

/** Folder of the demo repository, below the folder that gepa was started in. */
export const DEMO_FOLDER = join(".gepa", "skills");

async function openRepository(options: PrepareOptions): Promise<{ repository: SkillsRepository; isDemo: boolean }> {
	if (options.skillsRepo !== null)
		return { repository: await createGitSkillsRepository({ root: options.skillsRepo }), isDemo: false };
	const name = options.settings.skill;
	const seed = join(options.casesFolder, name, "seed", "SKILL.md");
	if (!existsSync(seed)) {
		throw new InputError({
			message: `there is no skill ${name}: no skills repository is named, and ${seed} does not exist`,
			hint: "Name your repository with --skills-repo DIR or GEPA_SKILLS_REPO; gepa skills list shows what is there.",
		});
	}
	const { root } = await ensureDemoRepository(join(options.cwd, DEMO_FOLDER), name, readFileSync(seed));
	return { repository: await createGitSkillsRepository({ root }), isDemo: true };
}

/** The mode of promotion that is possible, with a note where it is not the one that was asked for. */
function promoteMode(
	settings: Settings,
	skill: Skill,
	offline: boolean,
	isDemo: boolean,
): { promote: Settings["promote"]; notes: string[] } {
	if (settings.promote === "report") return { promote: "report", notes: [] };
	if (offline && !isDemo) {
		return {
			promote: "report",
			notes: ["The offline model is a simulation: nothing will be committed to your skills repository."],
		};
	}
	if (settings.kernel === "required" && kernelsOf(skill).length === 0) {
		return {
			promote: "report",
			notes: [
				"The skill marks no kernel, so nothing will be committed. Mark what must never change, or say `kernel: none` in the job spec.",
			],
		};
	}
	return { promote: settings.promote, notes: [] };
}

function caseNotes(cases: readonly Case[], settings: Settings): string[] {
	const count = (split: Case["split"]) => cases.filter((entry) => entry.split === split).length;
	const notes: string[] = [];
	if (settings.holdout === "required" && count("holdout") === 0)
		notes.push("There are no holdout cases and the job spec requires them: the search runs and cannot promote.");
	if (count("validation") === 0) notes.push("There are no validation cases: nothing can be proved.");
	return notes;
}

/** @throws InputError, GuardError, UnavailableError: each before anything was paid for. */
export async function prepare(options: PrepareOptions): Promise<Prepared> {
	const { settings, offline } = options;
	const { cases, problems, files } = await readCases(join(options.casesFolder, settings.skill));
	if (problems.length > 0)
		throw new InputError(
			{
				message: `the cases of ${settings.skill} have problems`,
				hint: `See all of them with: gepa cases check ${settings.skill}`,
			},
			problems,
		);
	if (!cases.some((entry) => entry.split === "train")) {
		throw new InputError({
			message: `${settings.skill} has no train cases (${files.length} case files in ${join(options.casesFolder, settings.skill)})`,
			hint: "A run learns from train cases and proves on validation cases; a case without a split is placed by a hash of its id.",
		});
	}
	const { repository, isDemo } = await openRepository(options);
	const base = await repository.read(settings.skill);
	const skill = parseSkill(base.bytes, base.path);
	const mode = promoteMode(settings, skill, offline, isDemo);
	if (mode.promote !== "report") {
		const complaints = await repository.preflight(settings.skill, mode.promote);
		const [first, ...rest] = complaints;
		if (first !== undefined) {
			throw new GuardError({
				message: [`nothing could be committed afterwards: ${first}`, ...rest].join("\n  and: "),
				hint: "Mend that first, or run with --no-commit.",
			});
		}
	}
	return {
		repository,
		isDemo,
		base,
		skill,
		cases,
		settings: { ...settings, promote: mode.promote },
		notes: [...mode.notes, ...caseNotes(cases, settings)],
	};
}
