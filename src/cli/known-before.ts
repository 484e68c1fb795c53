/** What earlier work on a skill gives to a new run of it: measured noise, an undecided text to start from, and notes of reviewers. */
import { notesOfSkill } from "../adapters/note-files.ts";
import { guidanceOf } from "../domain/note.ts";
import type { Opening } from "../engine/open.ts";
import { findNoise } from "./noise-figures.ts";
import type { Prepared } from "./prepare.ts";
import { findSearchStart } from "./search-start.ts";

export function knownBefore(resultsFolder: string, prepared: Prepared): Pick<Opening, "noise" | "start" | "guidance"> {
	return {
		noise: findNoise(resultsFolder, prepared),
		start: findSearchStart(resultsFolder, prepared),
		guidance: guidanceOf(notesOfSkill(resultsFolder, prepared.settings.skill)),
	};
}
