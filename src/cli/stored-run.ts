/** Reads a run from its folder as its log tells it, with the text and the cases it was opened with as far as they are there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "../adapters/case-files.ts";
import { createFileDialogueStore, DIALOGUE_FILE } from "../adapters/file-dialogue-store.ts";
import { readFileRunLog } from "../adapters/file-run-log.ts";
import { createGitSkillsRepository } from "../adapters/git-skills-repository.ts";
import { createMemoryDialogueStore } from "../adapters/memory-dialogue-store.ts";
import { nearestWord } from "../adapters/nearest-word.ts";
import { countPaidReplies } from "../adapters/paid-replies.ts";
import { findRun, holdsSomething, listRuns, type RunPlace } from "../adapters/run-folder.ts";
import { type Case, caseSetDigest } from "../domain/case.ts";
import { parseRunEvent, type RunEvent } from "../domain/events.ts";
import { reportFile } from "../domain/report.ts";
import { openingOf, type RunState, replay } from "../domain/run-state.ts";
import { parseSkill } from "../domain/skill.ts";
import { DamageError, GepaError, InputError } from "../errors.ts";
import type { SkillsRepository } from "../ports/skills-repository.ts";
import type { RunView } from "../report/view.ts";
import type { Resolved } from "./config.ts";
import { openSkills } from "./open-skills.ts";
import { viewOfRun, writeReport } from "./write-report.ts";

/** Runs named in one message. */
const MOST_NAMED = 8;

type FolderConfig = Pick<Resolved, "casesFolder" | "resultsFolder" | "origins">;

export interface StoredRun {
	place: RunPlace;
	state: RunState;
	events: readonly RunEvent[];
	times: readonly string[];
}

/** The run of a name: an id, its beginning, or a skill's latest. @throws InputError when there is none. */
export function locateRun(results: string, name: string | undefined): RunPlace {
	const place = name === undefined ? listRuns(results).at(-1) : findRun(results, name);
	if (place && existsSync(join(place.folder, "events.jsonl"))) return place;
	if (name !== undefined) throw noSuchRun(results, name);
	throw new InputError({ message: `there is no run in ${results}`, hint: "gepa run <skill> makes one." });
}

/** Says which runs a beginning of an id fits, when it fits several, and which skill was probably meant. */
export function noSuchRun(results: string, name: string): InputError {
	const runs = listRuns(results);
	const fitting = runs.filter(({ run }) => run.startsWith(name));
	if (fitting.length > 1) {
		return new InputError({
			message: `${fitting.length} runs begin with ${name}: ${named(fitting)}`,
			hint: "Write more of the id.",
		});
	}
	const meant = nearestWord(name, [...new Set(runs.map(({ skill }) => skill))]);
	return new InputError({
		message: `there is no run or skill ${name} in ${results}`,
		hint: `${meant === null ? "" : `Did you mean ${meant}? `}gepa runs list shows the runs; gepa run <skill> makes one.`,
	});
}

function named(places: readonly RunPlace[]): string {
	const shown = places.slice(-MOST_NAMED).map(({ run, skill }) => `${run} (${skill})`);
	return `${places.length > MOST_NAMED ? "… " : ""}${shown.join(", ")}`;
}

/** The state of a run as its log tells it, also while the run is under way. Changes nothing. @throws DamageError */
export function readRun(place: RunPlace): StoredRun {
	const { events, times } = readFileRunLog({ folder: place.folder, parse: parseRunEvent });
	return { place, state: replay(events), events, times };
}

/** A process that is killed in its first moments leaves a log without a line; with paid answers beside it, it was emptied. */
function assertBegun({ place, state }: StoredRun): void {
	if (state.opened) return;
	const file = join(place.folder, "events.jsonl");
	const message = `the log of run ${place.run} is empty`;
	if (holdsSomething(join(place.folder, DIALOGUE_FILE))) {
		const hint = `Restore the file from a copy, or resume the run: gepa run ${place.skill} --resume ${place.run} uses what was paid for again.`;
		throw new DamageError({ message, hint, place: { file } });
	}
	const hint = "The run ended before it had begun, and nothing was paid for: remove its folder, or start a new run.";
	throw new InputError({ message, hint, place: { file } });
}

function secondsBetween(times: readonly string[]): number {
	const [first, last] = [times[0], times.at(-1)];
	return first === undefined || last === undefined ? 0 : (Date.parse(last) - Date.parse(first)) / 1000;
}

/** Cases of the run: those of today that its trials name. A note says when they are not the ones it was opened with. */
async function casesOfRun(run: StoredRun, casesFolder: string): Promise<{ cases: Case[]; changed: boolean }> {
	const folder = join(casesFolder, run.place.skill);
	const cases = existsSync(folder) ? (await readCases(folder)).cases : [];
	const changed = caseSetDigest(cases) !== openingOf(run.state).caseSet;
	const known = new Set(cases.map((entry) => entry.id));
	const measured = Object.values(run.state.trials).flatMap((trials) => trials.map((trial) => trial.caseId));
	if (changed && measured.length > 0 && !measured.some((id) => known.has(id))) {
		throw new InputError({
			message: `the cases of run ${run.place.run} are not in ${folder}, and without them it has no figures`,
			hint: `Name the folder that they are in: --cases DIR (the one with a folder ${run.place.skill} in it).`,
		});
	}
	return { cases, changed };
}

/** The repository that holds the run's promotion: the one that would be used now, or that the run used; null when neither. */
async function repositoryOf(
	{ state, place: { folder } }: StoredRun,
	config: Pick<Resolved, "skillsRepo">,
	cwd: string,
): Promise<string | null> {
	const { promotion } = state;
	if (promotion === null) return null;
	const { skill } = openingOf(state).settings;
	const holder = async (open: () => Promise<SkillsRepository | null>): Promise<string | null> => {
		try {
			const repository = await open();
			await repository?.read(skill, { commit: promotion.commit });
			return repository?.root ?? null;
		} catch (error) {
			if (error instanceof GepaError) return null;
			throw error;
		}
	};
	const before = rememberedRepository(folder);
	return (
		(await holder(() => openSkills(config, cwd))) ??
		(before === null ? null : holder(() => createGitSkillsRepository({ root: before })))
	);
}

/** The path that the report of the run itself wrote down, when it is still there. */
function rememberedRepository(folder: string): string | null {
	try {
		const report = JSON.parse(readFileSync(join(folder, reportFile("json")), "utf8")) as { repositoryPath?: unknown };
		return typeof report.repositoryPath === "string" ? report.repositoryPath : null;
	} catch {
		return null;
	}
}

/** Flags that were given now and that whoever goes on with a run has to give again. */
export function resumeFlags(config: FolderConfig): string[] {
	const { origins, casesFolder, resultsFolder } = config;
	return [
		...(origins.casesFolder === "flag --cases" ? ["--cases", casesFolder] : []),
		...(origins.resultsFolder === "flag --results" ? ["--results", resultsFolder] : []),
	];
}

/**
 * The view of a stored run; `write` makes its report files anew from log and store.
 * @throws InputError when the run has not begun or none of its cases is there, DamageError when its log was emptied
 */
export async function viewStoredRun(
	run: StoredRun,
	config: FolderConfig & Pick<Resolved, "skillsRepo">,
	cwd: string,
	write: boolean,
): Promise<{ view: RunView; changed: boolean }> {
	assertBegun(run);
	const opened = openingOf(run.state);
	const isOpen = run.state.closed === null;
	const { cases, changed } = await casesOfRun(run, config.casesFolder);
	const skill = parseSkill(Buffer.from(opened.base.bytes, "base64"), opened.base.path);
	const source = {
		state: run.state,
		skill,
		cases,
		folder: run.place.folder,
		cwd,
		seconds: secondsBetween(run.times),
		harvested: 0,
		repositoryPath: await repositoryOf(run, config, cwd),
		resumeFlags: resumeFlags(config),
		history: { events: run.events, times: run.times },
		...(isOpen && { paid: countPaidReplies(run.place.folder) }),
	};
	if (!write) return { view: viewOfRun(source, "there"), changed };
	// The store of a run that is under way belongs to its conductor; its report then shows no outputs.
	const store = isOpen ? createMemoryDialogueStore() : await createFileDialogueStore({ folder: run.place.folder });
	try {
		return { view: await writeReport(source, store), changed };
	} finally {
		await store.close();
	}
}
