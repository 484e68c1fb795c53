/**
 * What a run starts from: for a new one everything as it is now, for one that goes on its own text and settings, with the limits
 * of now. Refuses to go on when anything that its figures rest on has changed, and says what.
 */
import { openingOf, type RunState } from "../domain/run-state.ts";
import { parseSkill } from "../domain/skill.ts";
import { changesSince, type Opening } from "../engine/open.ts";
import { GuardError } from "../errors.ts";
import { resumeCommand, resumeNeeds } from "../report/resume-command.ts";
import type { Resolved } from "./config.ts";
import type { Prepared } from "./prepare.ts";
import { settingsChanges } from "./settings-changes.ts";

/** Everything that the opening event of a run is made of. */
export type Start = Pick<Opening, "settings" | "skill" | "cases" | "base">;

export function freshStart({ settings, skill, cases, base }: Prepared): Start {
	const { commit, path, blob, currentRef } = base;
	return { settings, skill, cases, base: { commit, path, blob, ref: currentRef } };
}

/** @throws GuardError when skill, cases, protocol or settings have changed since */
export async function resumedStart(state: RunState, prepared: Prepared, config: Resolved): Promise<Start> {
	const opened = openingOf(state);
	const settings = { ...opened.settings, limits: config.settings.limits };
	const own = parseSkill(Buffer.from(opened.base.bytes, "base64"), opened.base.path);
	// A run that landed its commit before it could write so down finds its own text: that is no change.
	const landed = (await prepared.repository.evolved(opened.settings.skill)).some((commit) => commit.run === opened.run);
	const now = {
		...freshStart(prepared),
		settings: { ...prepared.settings, promote: opened.settings.promote },
		skill: landed ? own : prepared.skill,
	};
	const changes = changesSince(opened, now);
	if (changes.length > 0) {
		const details = settingsChanges(opened.settings, now.settings);
		throw changed(opened, [...changes, ...details], config);
	}
	const { commit, path, blob, ref } = opened.base;
	return { settings, skill: own, cases: prepared.cases, base: { commit, path, blob, ref } };
}

/** The hint is the command that the run was started with, as far as it is known: never the one that has just failed. */
function changed(
	opened: ReturnType<typeof openingOf>,
	changes: readonly string[],
	{ baseUrl, origins }: Resolved,
): GuardError {
	const isOffline = baseUrl === null;
	const endpoint =
		isOffline === opened.offline
			? []
			: [
					opened.offline
						? `the built-in rules answered, now there is an endpoint (${origins.baseUrl})`
						: "there was a model endpoint, now there is none",
				];
	const needs = resumeNeeds(opened);
	return new GuardError({
		message: [`run ${opened.run} cannot go on, because it would not be the same run:`, ...endpoint, ...changes].join(
			"\n  ",
		),
		hint: `Put that back and go on (the run was opened like this: ${resumeCommand(opened)}${needs === "" ? "" : `, ${needs}`}), or start a new run without --resume.`,
	});
}
