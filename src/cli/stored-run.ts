/** Reads a run from its folder as its log tells it, with the text and the cases it was opened with as far as they are there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "../adapters/case-files.ts";
import { createFileDialogueStore } from "../adapters/file-dialogue-store.ts";
import { readFileRunLog } from "../adapters/file-run-log.ts";
import { createMemoryDialogueStore } from "../adapters/memory-dialogue-store.ts";
import { findRun, listRuns, type RunPlace } from "../adapters/run-folder.ts";
import { type Case, caseSetDigest } from "../domain/case.ts";
import { parseRunEvent } from "../domain/events.ts";
import { openingOf, type RunState, replay } from "../domain/run-state.ts";
import { parseSkill } from "../domain/skill.ts";
import { InputError } from "../errors.ts";
import type { RunView } from "../report/view.ts";
import { viewOfRun, writeReport } from "./write-report.ts";

export interface StoredRun {
	place: RunPlace;
	state: RunState;
	times: readonly string[];
}

/** The run of a name: an id, its beginning, or a skill's latest. @throws InputError when there is none. */
export function locateRun(results: string, name: string | undefined): RunPlace {
	const place = name === undefined ? listRuns(results).at(-1) : findRun(results, name);
	if (place && existsSync(join(place.folder, "events.jsonl"))) return place;
	const what = name === undefined ? "no run" : `no run or skill ${name}`;
	throw new InputError({
		message: `there is ${what} in ${results}`,
		hint: "gepa runs list shows the runs; gepa run <skill> makes one.",
	});
}

/** The state of a run as its log tells it, also while the run is under way. Changes nothing. @throws DamageError */
export function readRun(place: RunPlace): StoredRun {
	const { events, times } = readFileRunLog({ folder: place.folder, parse: parseRunEvent });
	return { place, state: replay(events), times };
}

function secondsBetween(times: readonly string[]): number {
	const [first, last] = [times[0], times.at(-1)];
	return first === undefined || last === undefined ? 0 : (Date.parse(last) - Date.parse(first)) / 1000;
}

/** Cases of the run: those of today that its trials name. A note says when they are not the ones it was opened with. */
async function casesOfRun(run: StoredRun, casesFolder: string): Promise<{ cases: Case[]; changed: boolean }> {
	const folder = join(casesFolder, run.place.skill);
	const cases = existsSync(folder) ? (await readCases(folder)).cases : [];
	return { cases, changed: caseSetDigest(cases) !== openingOf(run.state).caseSet };
}

/** The view of a stored run; `write` makes its report files anew from log and store. */
export async function viewStoredRun(
	run: StoredRun,
	casesFolder: string,
	cwd: string,
	write: boolean,
): Promise<{ view: RunView; changed: boolean }> {
	const opened = openingOf(run.state);
	const { cases, changed } = await casesOfRun(run, casesFolder);
	const skill = parseSkill(Buffer.from(opened.base.bytes, "base64"), opened.base.path);
	const source = {
		state: run.state,
		skill,
		cases,
		folder: run.place.folder,
		cwd,
		seconds: secondsBetween(run.times),
		harvested: 0,
	};
	if (!write) return { view: viewOfRun(source), changed };
	// The store of a run that is under way belongs to its conductor; its report then shows no outputs.
	const isOpen = run.state.closed === null;
	const store = isOpen ? createMemoryDialogueStore() : await createFileDialogueStore({ folder: run.place.folder });
	try {
		return { view: await writeReport(source, store), changed };
	} finally {
		await store.close();
	}
}
