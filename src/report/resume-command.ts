/**
 * The command that goes on with a run, as far as its opening event tells what it was started with. Addresses of endpoints and
 * folders are not in a log: whoever asks adds the flags that are known there.
 */
import type { EventOf } from "../domain/events.ts";
import { DEFAULT_LIMITS, type Limits } from "../domain/job-spec.ts";

const LIMITS = ["calls", "trials", "tokens", "usd", "minutes"] as const satisfies readonly (keyof Limits)[];

/** One argument as a shell takes it: quoted where it has to be. */
export function shellWord(text: string): string {
	return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * `gepa run <skill> --resume <run>` with the flags for models, limits and decisions that differ from the defaults.
 * @param extra flags that are not in the log, in the form of arguments
 */
export function resumeCommand(opened: EventOf<"run-opened">, extra: readonly string[] = []): string {
	const { run, settings, offline } = opened;
	const { models, limits } = settings;
	const flags: string[] = [];
	const add = (flag: string, value: string | number) => flags.push(flag, String(value));
	if (!offline) {
		add("--model", models.task.name);
		for (const role of ["reflection", "judge"] as const) {
			if (models[role].name !== models.task.name) add(`--${role}-model`, models[role].name);
		}
	}
	for (const limit of LIMITS) {
		const value = limits[limit];
		if (value !== undefined && value !== DEFAULT_LIMITS[limit]) add(`--max-${limit}`, value);
	}
	if (settings.seed !== 1) add("--seed", settings.seed);
	if (settings.policy !== "quality-first") add("--policy", settings.policy);
	if (settings.promote === "report") flags.push("--no-commit");
	if (settings.promote === "branch") add("--promote", "branch");
	return ["gepa", "run", settings.skill, "--resume", run, ...flags, ...extra].map(shellWord).join(" ");
}

/** What has to be as before and no flag of the command says; empty where there is nothing. */
export function resumeNeeds(opened: EventOf<"run-opened">, extra: readonly string[] = []): string {
	const needs = opened.offline || extra.includes("--base-url") ? [] : ["--base-url or OPENAI_BASE_URL"];
	return needs.length === 0 ? "" : `with the same ${needs.join(" and ")} as before`;
}
