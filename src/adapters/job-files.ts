/**
 * Job specs on disk. Knows the folder of job specs and how one is read; must not know flags or defaults. Invariant: a spec
 * that is returned fits the schema, and one that does not is told with every problem and its place.
 */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type JobSpec, jobSpecSchema } from "../domain/job-spec.ts";
import { InputError, type Problem, UsageError } from "../errors.ts";
import { problemsOf } from "./input-problems.ts";
import { readSource } from "./source-text.ts";
import { readYaml } from "./yaml-document.ts";

const MOST_BYTES = 512 * 1024;
const MOST_VALUES = 50_000;
const IS_YAML = /^[^.].*\.ya?ml$/;

/** @throws InputError when there is no such file or it is no job spec, with every problem found */
export async function readJobSpec(file: string): Promise<JobSpec> {
	const source = await readSource(file, MOST_BYTES);
	if ("problem" in source) throw unusable(file, [source.problem]);
	return parseJobSpec(source.text, file);
}

/**
 * The job spec of a skill: `<skill>.yaml` in the folder, else the file that names the skill (one that names it alone before
 * one that names several). null when there is none.
 * @throws InputError for a broken file that concerns the skill; UsageError when several files name it equally
 */
export async function findJobSpec(folder: string, skill: string): Promise<{ file: string; spec: JobSpec } | null> {
	const names = await readdir(folder).catch(() => [] as string[]);
	const files = names
		.filter((name) => IS_YAML.test(name))
		.sort()
		.map((name) => join(folder, name));
	const own = files.find((file) => basename(file).replace(/\.ya?ml$/, "") === skill);
	if (own !== undefined) return { file: own, spec: checkOwner(await readJobSpec(own), own, skill) };
	const found: { file: string; spec: JobSpec }[] = [];
	for (const file of files) {
		const spec = await readMentioning(file, skill);
		if (spec !== null) found.push({ file, spec });
	}
	const alone = found.filter(({ spec }) => spec.skill === skill);
	const shared = found.filter(({ spec }) => spec.skills?.includes(skill));
	const best = alone.length > 0 ? alone : shared;
	if (best.length > 1) {
		const listed = best.map(({ file }) => basename(file)).join(", ");
		throw new UsageError({
			message: `Several job specs name ${skill}: ${listed}`,
			hint: "Choose one with --job FILE.",
		});
	}
	return best[0] ?? null;
}

/** A file that does not even hold the name of the skill is not this skill's problem, however broken it is. */
async function readMentioning(file: string, skill: string): Promise<JobSpec | null> {
	const source = await readSource(file, MOST_BYTES);
	return "problem" in source || !source.text.includes(skill) ? null : parseJobSpec(source.text, file);
}

function parseJobSpec(text: string, file: string): JobSpec {
	const read = readYaml(text, file, { maxValues: MOST_VALUES });
	if ("problems" in read) throw unusable(file, read.problems);
	const parsed = jobSpecSchema.safeParse(read.document.value);
	if (!parsed.success) throw unusable(file, problemsOf(parsed.error, read.document, { schema: jobSpecSchema }));
	return parsed.data;
}

function checkOwner(spec: JobSpec, file: string, skill: string): JobSpec {
	const owner = spec.skill ?? (spec.skills?.includes(skill) ? skill : spec.skills?.[0]);
	if (owner === undefined || owner === skill) return spec;
	const problem: Problem = {
		message: `the file is named after ${skill} but is the job spec of ${owner}`,
		place: { file },
		expected: `skill: ${skill}`,
	};
	throw unusable(file, [problem]);
}

function unusable(file: string, problems: Problem[]): InputError {
	return new InputError({ message: "this job spec cannot be used", place: problems[0]?.place ?? { file } }, problems);
}
