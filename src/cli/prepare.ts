/**
 * Everything that is decided before any money: the skills repository, the skill, its cases, the mode of promotion, and all
 * complaints that would stop the run later anyway. Touches nothing but the demo repository that it creates for itself.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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
	/** Id of the run to go on with; null for a new one. */
	resume: string | null;
	/** Nothing may be written: a demo repository that is not there yet is made elsewhere, looked at and thrown away. */
	dryRun: boolean;
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

interface OpenedRepository {
	repository: SkillsRepository;
	isDemo: boolean;
	/** Lets go of what was made for looking only. */
	close(): void;
}

async function openRepository(options: PrepareOptions): Promise<OpenedRepository> {
	const close = () => undefined;
	if (options.skillsRepo !== null)
		return { repository: await createGitSkillsRepository({ root: options.skillsRepo }), isDemo: false, close };
	const name = options.settings.skill;
	const seed = join(options.casesFolder, name, "seed", "SKILL.md");
	if (!existsSync(seed)) {
		throw new InputError({
			message: `there is no skill ${name}: no skills repository is named, and ${seed} does not exist`,
			hint: "Name your repository with --skills-repo DIR or GEPA_SKILLS_REPO; gepa skills list shows what is there.",
		});
	}
	const folder = join(options.cwd, DEMO_FOLDER);
	if (options.dryRun && !existsSync(folder)) {
		const scratch = mkdtempSync(join(tmpdir(), "gepa-dry-run-"));
		const { root } = await ensureDemoRepository(scratch, name, readFileSync(seed));
		const repository = { ...(await createGitSkillsRepository({ root })), root: folder };
		return { repository, isDemo: true, close: () => rmSync(scratch, { recursive: true, force: true }) };
	}
	const { root } = await ensureDemoRepository(folder, name, readFileSync(seed));
	return { repository: await createGitSkillsRepository({ root }), isDemo: true, close };
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

/** A run that was killed just after its commit left the work tree half refreshed; it makes up for that itself. */
async function hasLanded(repository: SkillsRepository, { resume, settings }: PrepareOptions): Promise<boolean> {
	return resume !== null && (await repository.evolved(settings.skill)).some((commit) => commit.run === resume);
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
	const { repository, isDemo, close } = await openRepository(options);
	try {
		const base = await repository.read(settings.skill);
		const skill = parseSkill(base.bytes, base.path);
		const mode = promoteMode(settings, skill, offline, isDemo);
		if (mode.promote !== "report" && !(await hasLanded(repository, options))) {
			await assertPromotable(repository, settings.skill, mode.promote);
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
	} finally {
		close();
	}
}

/** @throws GuardError with everything that would stop a promotion later */
async function assertPromotable(
	repository: SkillsRepository,
	skill: string,
	mode: "current" | "branch",
): Promise<void> {
	const [first, ...rest] = await repository.preflight(skill, mode);
	if (first === undefined) return;
	throw new GuardError({
		message: [`nothing could be committed afterwards: ${first}`, ...rest].join("\n  and: "),
		hint: "Mend that first, or run with --no-commit.",
	});
}
