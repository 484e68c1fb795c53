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
import { assertCases, DEMO_FOLDER, noSkill, readSkill, seedFile } from "./missing-skill.ts";
import { plural } from "./output.ts";

export interface PrepareOptions {
	settings: Settings;
	/** Null: the demo repository below `.gepa/` is used. */
	skillsRepo: string | null;
	/** Which flag or variable named it, for messages. */
	skillsRepoOrigin?: string | undefined;
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
	/** Which version of an earlier run the text is, in words; null when no run made it. */
	baseVersion: string | null;
	skill: Skill;
	cases: Case[];
	/** The settings with the mode of promotion that is possible here. */
	settings: Settings;
	/** What a person should know, a sentence each. */
	notes: string[];
}

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
	const seed = seedFile(options.casesFolder, name);
	if (!existsSync(seed)) throw noSkill(name, options.casesFolder);
	const folder = join(options.cwd, DEMO_FOLDER);
	if (options.dryRun && !(await holdsSkill(folder, name))) {
		const scratch = mkdtempSync(join(tmpdir(), "gepa-dry-run-"));
		const { root } = await ensureDemoRepository(scratch, name, readFileSync(seed));
		const repository = { ...(await createGitSkillsRepository({ root })), root: folder };
		return { repository, isDemo: true, close: () => rmSync(scratch, { recursive: true, force: true }) };
	}
	const { root } = await ensureDemoRepository(folder, name, readFileSync(seed));
	return { repository: await createGitSkillsRepository({ root }), isDemo: true, close };
}

async function holdsSkill(demo: string, skill: string): Promise<boolean> {
	if (!existsSync(demo)) return false;
	const repository = await createGitSkillsRepository({ root: demo });
	return (await repository.list()).some(({ name }) => name === skill);
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

/** Only what is committed is measured; where nothing is promoted, nobody is stopped for the rest, but should know. */
async function editNotes(repository: SkillsRepository, skill: string, base: SkillAtBase): Promise<string[]> {
	const complaints = await repository.preflight(skill, "current");
	const isDirty = complaints.some((text) => text.includes(`${base.path} has `) || text.includes(`${base.path} is `));
	return isDirty
		? [`uncommitted changes of ${base.path} are not measured: the run reads commit ${base.commit.slice(0, 10)}.`]
		: [];
}

/** The version whose text this is, by what the commit of its run says of itself. */
async function versionOf(
	repository: SkillsRepository,
	skill: string,
	{ bytes, commit }: SkillAtBase,
): Promise<string | null> {
	const made = (await repository.evolved(skill)).find(
		({ after }) => after !== null && Buffer.compare(after, bytes) === 0,
	);
	const version = made?.trailers["Gepa-Version"];
	if (made === undefined || version === undefined || !/^\d+$/.test(version)) return null;
	return `${made.commit === commit ? "tagged" : "the text of"} gepa/${skill}/v${version}`;
}

/** @throws InputError, GuardError, UnavailableError: each before anything was paid for. */
export async function prepare(options: PrepareOptions): Promise<Prepared> {
	const { settings, offline, casesFolder } = options;
	assertCases(casesFolder, settings.skill);
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
			message: `${settings.skill} has no train cases (${plural(files.length, "case file")} in ${join(options.casesFolder, settings.skill)})`,
			hint: "A run learns from train cases and proves on validation cases; a case without a split is placed by a hash of its id.",
		});
	}
	const { repository, isDemo, close } = await openRepository(options);
	try {
		const base = await readSkill(
			repository,
			settings.skill,
			{ skillsRepo: options.skillsRepo, casesFolder, origin: options.skillsRepoOrigin },
			options.cwd,
		);
		const skill = parseSkill(base.bytes, base.path);
		const mode = promoteMode(settings, skill, offline, isDemo);
		if (mode.promote !== "report" && !(await hasLanded(repository, options))) {
			await assertPromotable(repository, settings.skill, mode.promote);
		}
		const edited = mode.promote === "report" ? await editNotes(repository, settings.skill, base) : [];
		return {
			repository,
			isDemo,
			base,
			baseVersion: await versionOf(repository, settings.skill, base),
			skill,
			cases,
			settings: { ...settings, promote: mode.promote },
			notes: [...mode.notes, ...edited, ...caseNotes(cases, settings)],
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
