/**
 * Finds what was measured of the noise of a text: the figures that forecasts and reports go by. Knows where they are kept; must
 * not know how they are measured.
 */
import { noiseFolder, readNoise } from "../adapters/noise-file.ts";
import type { MeasuredNoise } from "../domain/noise.ts";
import { keyOfNoise, measuredNoise } from "../engine/noise.ts";
import { openRun } from "../engine/open.ts";
import type { Prepared } from "./prepare.ts";
import { freshStart } from "./resume.ts";

/** The opening of a run as it would be, which names what a figure holds for. */
export function openingFor(prepared: Prepared, run: string, offline: boolean): ReturnType<typeof openRun> {
	return openRun({ run, startedAt: new Date().toISOString(), offline, ...freshStart(prepared) });
}

/** Measured noise of the skill's text with the cases and models of now; empty where nothing was measured. */
export function findNoise(resultsFolder: string, prepared: Prepared): MeasuredNoise {
	const opened = openingFor(prepared, "forecast", false);
	const figures = (["validation", "holdout"] as const).flatMap((split) => {
		const key = keyOfNoise(opened, prepared.cases, split);
		const found = readNoise(noiseFolder(resultsFolder, prepared.settings.skill, key));
		return found === null ? [] : [[split, found.objectives] as const];
	});
	return measuredNoise(Object.fromEntries(figures));
}
