/**
 * What a conductor of queued runs checks and opens before anything is paid: whether it understands the request, holds the
 * repository that the run started from, and has a log and a store that agree with what other conductors saw.
 */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createFileDialogueStore } from "../adapters/file-dialogue-store.ts";
import { createFileRunLog, type FileRunLog } from "../adapters/file-run-log.ts";
import { createGitSkillsRepository } from "../adapters/git-skills-repository.ts";
import { reconcile } from "../adapters/leased-run-log.ts";
import { RUN_ID } from "../adapters/run-folder.ts";
import type { SharedLog } from "../adapters/shared-log.ts";
import { canonicalJson } from "../domain/digest.ts";
import { parseRunEvent } from "../domain/events.ts";
import { type RunRequest, runRequestSchema } from "../domain/run-request.ts";
import { parseSkill } from "../domain/skill.ts";
import { openRun } from "../engine/open.ts";
import { DamageError, GepaError, GuardError, UnavailableError } from "../errors.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { SkillsRepository } from "../ports/skills-repository.ts";
import { DEMO_FOLDER } from "./missing-skill.ts";
import type { Start } from "./resume.ts";

interface RunName {
	run: string;
	skill: string;
}

/** @throws GuardError when this version does not understand the request, or would open another run from it */
export function readRequest(value: unknown, version: string, { run: named, skill: of }: RunName): RunRequest {
	const parsed = runRequestSchema.safeParse(value);
	// The names become a folder: what is written under them must be what they say, and nothing else.
	const isNamed = parsed.success && parsed.data.opening.run === named && parsed.data.opening.settings.skill === of;
	if (parsed.success && isNamed && RUN_ID.test(named)) {
		const { opening, cases } = parsed.data;
		const { run, startedAt, settings, offline, base, noise, start, guidance } = opening;
		const { bytes, ...place } = base;
		const skill = parseSkill(Buffer.from(bytes, "base64"), base.path);
		const own = openRun({
			run,
			startedAt,
			settings,
			offline,
			base: place,
			skill,
			cases,
			...(noise !== undefined && { noise }),
			...(start !== undefined && { start }),
			...(guidance !== undefined && { guidance }),
		});
		if (canonicalJson(own) === canonicalJson(opening)) return parsed.data;
	}
	throw new GuardError({
		message: `refused: gepa ${version} cannot reproduce the protocol of this run, which another version has opened`,
		hint: "Bring workers and command line to one version, then: gepa runs resume <run>.",
	});
}

/** Everything that later decisions start from. */
export function startOf({ opening, cases, limits }: RunRequest): Start {
	const { bytes, ...base } = opening.base;
	return {
		settings: { ...opening.settings, limits },
		skill: parseSkill(Buffer.from(bytes, "base64"), base.path),
		cases: [...cases],
		base,
	};
}

/**
 * The repository that the run may be promoted into: the one of this worker, if it holds the commit that the run started from.
 * Null for a run that nobody wants to be committed.
 * @throws UnavailableError when it does not
 */
export async function repositoryFor(
	{ opening }: RunRequest,
	skillsRepo: string | null,
	cwd: string,
): Promise<SkillsRepository | null> {
	const { settings, base } = opening;
	if (settings.promote === "report") return null;
	const root = skillsRepo ?? join(cwd, DEMO_FOLDER);
	const message = `this worker has no repository that holds commit ${base.commit.slice(0, 10)} of ${settings.skill} (looked in ${root})`;
	const hint =
		"Start workers that conduct runs with --skills-repo on a clone that has the commit, or run with --no-commit.";
	try {
		const repository = await createGitSkillsRepository({ root });
		const there = await repository.read(settings.skill, { commit: base.commit });
		if (there.blob === base.blob) return repository;
	} catch (cause) {
		if (!(cause instanceof GepaError)) throw cause;
		throw new UnavailableError({ message, hint, cause });
	}
	throw new UnavailableError({ message, hint });
}

/** @throws GuardError with what would stop the promotion later; a run that has landed already is not asked */
export async function assertPromotable(repository: SkillsRepository, { opening }: RunRequest): Promise<void> {
	const { skill, promote } = opening.settings;
	if (promote === "report") return;
	if ((await repository.evolved(skill)).some((commit) => commit.run === opening.run)) return;
	const complaints = await repository.preflight(skill, promote);
	if (complaints.length === 0) return;
	throw new GuardError({
		message: `nothing could be committed afterwards: ${complaints.join("; and: ")}`,
		hint: "Mend that in the worker's repository, or run with --no-commit.",
	});
}

export interface OpenedFiles {
	log: FileRunLog;
	store: DialogueStore;
}

/**
 * Opens log and store of a run's folder. Files that are damaged, or tell of other decisions than Redis does, are set aside: all
 * that they hold is decided again in the same way, and what was paid for is found in the queue.
 */
export async function openFiles(
	folder: string,
	shared: SharedLog,
	onSetAside: (why: string) => void,
): Promise<OpenedFiles> {
	try {
		const log = await createFileRunLog({ folder, now: () => new Date(), parse: parseRunEvent });
		if (await reconcile(log, shared)) return { log, store: await createFileDialogueStore({ folder }) };
		await log.close();
		onSetAside(`${folder} tells of other decisions than the queue does`);
	} catch (error) {
		if (!(error instanceof DamageError) || shared.events.length === 0) throw error;
		onSetAside(error.message);
	}
	setAside(folder);
	return openFiles(folder, shared, onSetAside);
}

/** Moves a run's folder out of the way; whoever still has its files open writes into what was moved. */
export function setAside(folder: string): void {
	if (!existsSync(folder)) return;
	let n = 1;
	while (existsSync(`${folder}.set-aside-${n}`)) n += 1;
	renameSync(folder, `${folder}.set-aside-${n}`);
}
