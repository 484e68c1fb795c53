/**
 * The recorded cases of a skill, from all files of its folder. Knows files and places; what a case is stands in the domain.
 * Invariant: either every entry of every file became a case, or there is a problem that says where and why; all problems are
 * found in one pass.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Case, type CaseFileEntry, caseSchema, placeCase } from "../domain/case.ts";
import type { CheckTools } from "../domain/check.ts";
import { formatPlace, InputError, type Place, type Problem } from "../errors.ts";
import { type CaseEntry, readEntries } from "./case-entries.ts";
import { findCaseProblems } from "./case-problems.ts";
import { findCaseWarnings } from "./case-warnings.ts";
import { createCheckTools } from "./check-tools.ts";
import { problemsOf } from "./input-problems.ts";

/** Problems that are told in full; the rest is counted. */
const MOST_PROBLEMS = 50;
const IS_CASE_FILE = /^[^.].*\.(?:ya?ml|jsonl)$/;

export interface CaseFiles {
	/** The usable ones, in order of file name and place. */
	cases: Case[];
	/** Paths of the files that were read. */
	files: string[];
	/** At most 50; none means that every entry is a case. */
	problems: Problem[];
	/** All of them, told or not. */
	problemCount: number;
	/** What a person should know but that stops nothing. */
	warnings: Problem[];
}

/**
 * Reads `*.yaml`, `*.yml` and `*.jsonl` directly in a folder, by name; folders (such as `seed/`) and dot files are not looked at.
 * @throws InputError when there is no such folder
 */
export async function readCases(folder: string, tools: CheckTools = createCheckTools()): Promise<CaseFiles> {
	const files = await caseFiles(folder);
	const collected = createCollector(tools);
	for (const file of files) {
		for await (const found of readEntries(file)) {
			if ("problem" in found) collected.problem(() => [found.problem]);
			else collected.entry(found.entry);
		}
	}
	const { cases, places, problems } = collected;
	if (cases.length === 0 && collected.count() === 0) problems.push(noCases(folder, files));
	return {
		cases,
		files,
		problems,
		problemCount: Math.max(collected.count(), problems.length),
		warnings: findCaseWarnings(cases, places, folder),
	};
}

async function caseFiles(folder: string): Promise<string[]> {
	const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
		throw new InputError({
			message: `there is no folder of cases ${folder}`,
			place: { file: folder },
			hint: "Cases of a skill are in eval-cases/<skill>/; --cases names the folder that holds one folder for each skill.",
		});
	});
	const files: string[] = [];
	for (const name of names.filter((name) => IS_CASE_FILE.test(name)).sort()) {
		const file = join(folder, name);
		// A pipe or a device would be waited for.
		if (
			await stat(file).then(
				(stats) => stats.isFile(),
				() => true,
			)
		)
			files.push(file);
	}
	return files;
}

function createCollector(tools: CheckTools) {
	const cases: Case[] = [];
	const problems: Problem[] = [];
	const places = new Map<string, Place>();
	const groups = new Map<string, { split: string; id: string; place: Place }>();
	let count = 0;

	/** Problems cost time to locate, so those beyond the limit are only counted. */
	function problem(make: () => readonly Problem[], atLeast = 1): void {
		if (problems.length >= MOST_PROBLEMS) {
			count += atLeast;
			return;
		}
		const made = make();
		count += made.length;
		problems.push(...made.slice(0, MOST_PROBLEMS - problems.length));
	}

	function accept(entry: CaseFileEntry, { place, document, at }: CaseEntry): void {
		const first = places.get(entry.id);
		if (first !== undefined) {
			const message = `the id ${JSON.stringify(entry.id)} is taken by the case at ${formatPlace(first)}`;
			problem(() => [
				{ message, place: document().placeOf([...at, "id"]), expected: "an id of its own for each case of the skill" },
			]);
			return;
		}
		places.set(entry.id, place);
		const placed = placeCase(entry);
		const straddling = placed.group === undefined ? undefined : groups.get(placed.group);
		if (straddling !== undefined && straddling.split !== placed.split) {
			const message = `the group ${JSON.stringify(placed.group)} is in ${placed.split} here and in ${straddling.split} with ${straddling.id} at ${formatPlace(straddling.place)}`;
			problem(() => [
				{ message, place: document().placeOf([...at, "group"]), expected: "one split for all cases of a group" },
			]);
		}
		if (placed.group !== undefined && straddling === undefined)
			groups.set(placed.group, { split: placed.split, id: placed.id, place });
		cases.push(placed);
	}

	function entry(found: CaseEntry): void {
		const { value, document, at } = found;
		const parsed = caseSchema.safeParse(value);
		if (!parsed.success) {
			const { error } = parsed;
			problem(() => problemsOf(error, document(), { schema: caseSchema, at }), error.issues.length);
			return;
		}
		for (const { path, ...rest } of findCaseProblems(parsed.data, tools)) {
			problem(() => [{ ...rest, place: document().placeOf([...at, ...path]) }]);
		}
		accept(parsed.data, found);
	}

	return { cases, problems, places: places as ReadonlyMap<string, Place>, problem, entry, count: () => count };
}

function noCases(folder: string, files: readonly string[]): Problem {
	if (files.length > 0)
		return { message: "the files of this folder hold no case", place: { file: folder }, expected: "at least one case" };
	return {
		message: "this folder holds no case files",
		place: { file: folder },
		expected: "*.yaml, *.yml or *.jsonl files",
	};
}
