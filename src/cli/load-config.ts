/**
 * Finds the job spec of a skill and resolves the configuration with it. Knows where job specs are; the merging is done in
 * config. Reads at most the files of one folder.
 */
import { join, resolve } from "node:path";
import { findJobSpec, readJobSpec } from "../adapters/job-files.ts";
import type { JobSpec } from "../domain/job-spec.ts";
import { UsageError } from "../errors.ts";
import { type FoundJobSpec, type Resolved, resolveConfig } from "./config.ts";
import { shownPath } from "./exit.ts";
import { type Flags, readText } from "./flags.ts";
import type { Io } from "./io.ts";

/**
 * The configuration of a skill as this folder, this environment and these flags give it; null for no skill in particular.
 * @throws UsageError for a flag that cannot be used or a job spec of another skill
 * @throws InputError for a job spec that cannot be used
 */
export async function loadConfig(skill: string | null, flags: Flags, io: Pick<Io, "env" | "cwd">): Promise<Resolved> {
	const jobSpec = await jobSpecFor(skill, flags, io.cwd);
	const jobName = jobSpec === null ? "" : shownPath(io.cwd, jobSpec.file);
	return resolveConfig({ skill, flags, env: io.env, cwd: io.cwd, jobSpec, jobName });
}

async function jobSpecFor(skill: string | null, flags: Flags, cwd: string): Promise<FoundJobSpec | null> {
	const named = readText("--job", flags.job);
	if (named === undefined) return skill === null ? null : findJobSpec(join(cwd, "jobs"), skill);
	const file = resolve(cwd, named);
	const spec = await readJobSpec(file);
	const skills = skillsOf(spec);
	if (skill !== null && skills.length > 0 && !skills.includes(skill)) {
		throw new UsageError(`${shownPath(cwd, file)} is the job spec of ${skills.join(", ")}, not of ${skill}`);
	}
	return { file, spec };
}

function skillsOf(spec: JobSpec): readonly string[] {
	return spec.skills ?? (spec.skill === undefined ? [] : [spec.skill]);
}
