/**
 * Merges flags > environment > job spec > defaults into what a run is started with, and remembers for each value which of
 * them won. Knows all four; reads no file and asks nobody. Invariant: a key is never part of what is printed.
 */
import { resolve } from "node:path";
import {
	DEFAULT_LIMITS,
	type JobSpec,
	type Limits,
	POLICIES,
	PROMOTE_MODES,
	type PromoteMode,
	type Settings,
	settingsOf,
	settingsSchema,
} from "../domain/job-spec.ts";
import { UsageError } from "../errors.ts";
import { type Flags, readAddress, readAmount, readInteger, readText, readWord } from "./flags.ts";
import type { Environment } from "./io.ts";
import { resolveModels } from "./models.ts";

const OPENAI = "https://api.openai.com/v1";
const DEFAULT_CONCURRENCY = 16;
/** Stands for the skill in the settings that `gepa config` shows without one. */
const ANY_SKILL = "any";

/** A job spec and the file that it was read from. */
export interface FoundJobSpec {
	file: string;
	spec: JobSpec;
}

export interface ConfigSources {
	/** null: settings that hold for no skill in particular. */
	skill: string | null;
	flags: Flags;
	env: Environment;
	jobSpec: FoundJobSpec | null;
	/** Absolute folder that relative paths start from. */
	cwd: string;
	/** The job spec's file as people write it, for origins. */
	jobName?: string;
}

export interface Resolved {
	skill: string | null;
	/** Absolute; null when the skill has no job spec. */
	jobFile: string | null;
	/** Absolute. Cases of a skill are in the folder of its name. */
	casesFolder: string;
	/** Absolute. */
	resultsFolder: string;
	/** Absolute; null: the demo repository. */
	skillsRepo: string | null;
	/** null: offline, with the built-in model. */
	baseUrl: string | null;
	/** Not enumerable, so that no printing of this object shows it. */
	readonly apiKey: string | undefined;
	/** null: the pool runs in this process. */
	queueUrl: string | null;
	concurrency: number;
	push: boolean;
	dryRun: boolean;
	/** Run to go on with; null: a new one. */
	resume: string | null;
	/** Answers every question with yes. */
	yes: boolean;
	/** Models, limits, seed, policy, promotion and all else that steers decisions. */
	settings: Settings;
	/** Which source won, by the name of a value: `flag --max-calls`, `environment OPENAI_BASE_URL`, `jobs/dataviz.yaml`, `default`. */
	origins: Readonly<Record<string, string>>;
}

/** @throws UsageError for a flag or a variable whose value cannot be used, and for combinations that contradict each other */
export function resolveConfig(sources: ConfigSources): Resolved {
	const { flags, env, cwd, jobSpec } = sources;
	const skill = checkSkill(sources.skill);
	const job = { name: sources.jobName ?? jobSpec?.file ?? "", spec: jobSpec?.spec };
	const origins: Record<string, string> = { skill: "argument" };
	/** The first layer that has a value wins. */
	const pick = <T>(name: string, fallback: T, ...layers: readonly Layer<T>[]): T => {
		const won = layers.find(([value]) => value !== undefined);
		origins[name] = won?.[1] ?? "default";
		return won?.[0] ?? fallback;
	};
	const folder = (name: string, fallback: string, flag: string, text: string | undefined) =>
		resolve(cwd, pick(name, fallback, [readText(flag, text), `flag ${flag}`]));

	const skillsRepo = pick<string | null>(
		"skillsRepo",
		null,
		[readText("--skills-repo", flags.skillsRepo), "flag --skills-repo"],
		variable(env, "GEPA_SKILLS_REPO"),
	);
	const baseUrl = pick<string | null>("baseUrl", null, ...endpointLayers(flags, env));
	const spec: JobSpec = {
		...job.spec,
		schemaVersion: 1,
		models: resolveModels({ flags, spec: job.spec, jobName: job.name, offline: baseUrl === null, origins }),
		budget: resolveLimits(flags, job, origins),
		seed: pick(
			"seed",
			1,
			[readInteger("--seed", flags.seed, 0, 2 ** 31 - 1), "flag --seed"],
			[job.spec?.seed, job.name],
		),
		policy: pick(
			"policy",
			"quality-first",
			[readWord("--policy", flags.policy, POLICIES), "flag --policy"],
			[job.spec?.policy, job.name],
		),
		promote: pick("promote", "current", ...promoteLayers(flags), [job.spec?.promote, job.name]),
	};
	for (const key of ["repeats", "maxRetries", "margin", "holdout", "kernel", "search"] as const) {
		origins[key] = job.spec?.[key] === undefined ? "default" : job.name;
	}
	const resolved = {
		skill,
		jobFile: pick<string | null>("jobFile", null, [jobSpec?.file, flags.job === undefined ? "found" : "flag --job"]),
		casesFolder: folder("casesFolder", "eval-cases", "--cases", flags.cases),
		resultsFolder: folder("resultsFolder", "results", "--results", flags.results),
		skillsRepo: skillsRepo === null ? null : resolve(cwd, skillsRepo),
		baseUrl,
		queueUrl: pick<string | null>("queueUrl", null, ...queueLayers(flags, env)),
		concurrency: pick(
			"concurrency",
			DEFAULT_CONCURRENCY,
			[readInteger("--concurrency", flags.concurrency, 1, 1024), "flag --concurrency"],
			[job.spec?.concurrency, job.name],
		),
		push: pick("push", false, [flags.push, "flag --push"]),
		dryRun: pick("dryRun", false, [flags.dryRun, "flag --dry-run"]),
		resume: pick<string | null>("resume", null, [readText("--resume", flags.resume), "flag --resume"]),
		yes: pick("yes", false, [flags.yes, "flag --yes"]),
		settings: settingsOf(skill ?? ANY_SKILL, spec, spec.models?.task?.name ?? ""),
		origins,
	};
	const [apiKey] = variable(env, "OPENAI_API_KEY");
	origins.apiKey = apiKey === undefined ? "default" : "environment OPENAI_API_KEY";
	checkCombination(resolved);
	return Object.defineProperty(resolved, "apiKey", { value: apiKey, enumerable: false }) as Resolved;
}

type Layer<T> = readonly [value: T | undefined, origin: string];

function checkSkill(skill: string | null): string | null {
	if (skill === null || settingsSchema.shape.skill.safeParse(skill).success) return skill;
	throw new UsageError({
		message: `${JSON.stringify(skill)} is no name of a skill`,
		hint: "A skill is named by its folder: lowercase letters, digits and hyphens, at most 64.",
	});
}

/** A variable that is empty or blank counts as not set. */
function variable(env: Environment, name: string): Layer<string> {
	const value = env[name]?.trim();
	return [value === "" ? undefined : value, `environment ${name}`];
}

function endpointLayers(flags: Flags, env: Environment): Layer<string>[] {
	const web = ["http:", "https:"];
	const [fromEnv, origin] = variable(env, "OPENAI_BASE_URL");
	const [key, keyOrigin] = variable(env, "OPENAI_API_KEY");
	return [
		[readAddress("--base-url", flags.baseUrl, web), "flag --base-url"],
		[flags.baseUrl === undefined ? readAddress("OPENAI_BASE_URL", fromEnv, web) : undefined, origin],
		[key === undefined ? undefined : OPENAI, keyOrigin],
	];
}

function queueLayers(flags: Flags, env: Environment): Layer<string>[] {
	const layers: Layer<string>[] = [
		[flags.queue, "flag --queue"],
		variable(env, "GEPA_QUEUE_URL"),
		variable(env, "REDIS_URL"),
	];
	const used = layers.find(([value]) => value !== undefined);
	if (used !== undefined) readAddress(used[1].replace(/^\w+ /, ""), used[0], ["redis:", "rediss:"]);
	return layers;
}

function promoteLayers(flags: Flags): Layer<PromoteMode>[] {
	const mode = readWord("--promote", flags.promote, PROMOTE_MODES);
	if (flags.commit !== false) return [[mode, "flag --promote"]];
	if (mode !== undefined && mode !== "report") throw new UsageError(`--no-commit contradicts --promote ${mode}`);
	return [["report", "flag --no-commit"]];
}

function resolveLimits(
	flags: Flags,
	job: { name: string; spec: JobSpec | undefined },
	origins: Record<string, string>,
): Limits {
	const fromFlags: Record<keyof Limits, number | undefined> = {
		calls: readInteger("--max-calls", flags.maxCalls, 1),
		trials: readInteger("--max-trials", flags.maxTrials, 1),
		tokens: readInteger("--max-tokens", flags.maxTokens, 1),
		usd: readAmount("--max-usd", flags.maxUsd),
		minutes: readAmount("--max-minutes", flags.maxMinutes),
	};
	const limits: Limits = { ...(job.spec?.budget ?? DEFAULT_LIMITS) };
	for (const [name, value] of Object.entries(fromFlags) as [keyof Limits, number | undefined][]) {
		origins[`limits.${name}`] =
			value !== undefined ? `flag --max-${name}` : job.spec?.budget === undefined ? "default" : job.name;
		if (value !== undefined) limits[name] = value;
	}
	return limits;
}

function checkCombination({
	push,
	dryRun,
	settings,
	origins,
}: Pick<Resolved, "push" | "dryRun" | "settings" | "origins">): void {
	if (!push || dryRun || settings.promote !== "report") return;
	throw new UsageError({
		message: `--push has nothing to push: nothing is committed with promote: report (${origins.promote})`,
		hint: "Leave out --push, or choose --promote current or --promote branch.",
	});
}
