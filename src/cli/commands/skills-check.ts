/** `gepa skills check <file|folder|name>`: what stops a skill from being evolved, and what is only unwise. Changes nothing. */
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { searchSchema } from "../../domain/job-spec.ts";
import { bodyOf, harnessOf, kernelsOf, MAX_SKILL_BYTES, parseSkill, type Skill } from "../../domain/skill.ts";
import { EXIT, type ExitCode, InputError, type Problem } from "../../errors.ts";
import { visible } from "../../report/visible-text.ts";
import { describeProblem, shown, shownPath } from "../exit.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { type FoundSkill, findSkill } from "../open-skills.ts";
import { paint, plural, printDocument } from "../output.ts";

const FILE = "SKILL.md";
/** What the open specification of skills allows. */
const LONGEST_DESCRIPTION = 1024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MOST_LINES = 500;

/** Exit 3 when there is a problem; warnings alone are no failure. */
export async function skillsCheckCommand(target: string, flags: Flags, io: Io): Promise<ExitCode> {
	const found = await locate(target, flags, io);
	const near = (problem: Problem) => ({ ...problem, place: shown(io.cwd, problem.place) });
	const { problems, warnings } = checkSkill(found);
	const checked = { file: shownPath(io.cwd, found.file), problems: problems.map(near), warnings: warnings.map(near) };
	if (io.json) printDocument(io, { ok: problems.length === 0, ...checked });
	else {
		for (const problem of checked.problems) io.out(paint(io, "red", "problem") + visible(describeProblem(problem)));
		for (const warning of checked.warnings) io.out(paint(io, "yellow", "warning") + visible(describeProblem(warning)));
		io.out(`${visible(checked.file)}: ${plural(problems.length, "problem")}, ${plural(warnings.length, "warning")}`);
	}
	return problems.length === 0 ? EXIT.done : EXIT.input;
}

/** A path wins over a name, because a person who means the name can leave the folder. */
async function locate(target: string, flags: Flags, io: Io): Promise<FoundSkill> {
	const path = resolve(io.cwd, target);
	const stats = await stat(path).catch(() => null);
	if (stats?.isFile()) return readFound(path, stats.size);
	const inside = join(path, FILE);
	const insideStats = await stat(inside).catch(() => null);
	if (insideStats?.isFile()) return readFound(inside, insideStats.size);
	if (stats?.isDirectory()) throw new InputError({ message: `the folder holds no ${FILE}`, place: { file: path } });
	if (/[/\\]|\.md$/i.test(target))
		throw new InputError({ message: "there is no such file or folder", place: { file: path } });
	return findSkill(target, await loadConfig(target, flags, io), io.cwd);
}

/** One byte beyond the limit is enough for the parser to refuse the file with its words. */
async function readFound(file: string, size: number): Promise<FoundSkill> {
	if (size <= 64 * MAX_SKILL_BYTES) return { file, commit: null, bytes: await readFile(file) };
	throw new InputError({
		message: `the file has ${size} bytes`,
		place: { file },
		hint: "A SKILL.md has at most 256 KiB.",
	});
}

function checkSkill({ bytes, file }: FoundSkill): { problems: readonly Problem[]; warnings: Problem[] } {
	try {
		const skill = parseSkill(bytes, file);
		return {
			problems: [],
			warnings: [...skill.notes, ...frontmatterWarnings(skill, file), ...bodyWarnings(skill, file)],
		};
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		return { problems: error.problems, warnings: [] };
	}
}

function frontmatterWarnings({ frontmatter, bom }: Skill, file: string): Problem[] {
	const place = { file, line: 1 };
	const warnings: Problem[] = [];
	const warn = (message: string, expected: string) => warnings.push({ message, place, expected });
	if (bom)
		warn("the file starts with a byte order mark, which hides the frontmatter from many hosts", "no byte order mark");
	if (frontmatter === null) {
		warn("there is no frontmatter", "a first line that is exactly ---, with name and description");
		return warnings;
	}
	const { name, description } = frontmatter;
	const folder = basename(dirname(resolve(file)));
	if (name === undefined) warn("the frontmatter names no name", "name: the folder's name");
	else if (!NAME.test(name) || name.length > 64)
		warn(
			`the name ${JSON.stringify(name.slice(0, 64))} is not one that every host takes`,
			"lowercase letters, digits and single hyphens, at most 64",
		);
	else if (folder !== "seed" && name !== folder) warn(`the name ${name} is not that of its folder`, folder);
	if (description === undefined)
		warn("the frontmatter has no description", "one to 1,024 characters that say when to use the skill");
	else if ([...description].length > LONGEST_DESCRIPTION)
		warn(`the description has ${[...description].length} characters`, `at most ${LONGEST_DESCRIPTION}`);
	return warnings;
}

function bodyWarnings(skill: Skill, file: string): Problem[] {
	const warnings: Problem[] = [];
	const place = { file };
	if (kernelsOf(skill).length === 0) {
		const hint =
			"Put <!-- kernel:begin id=some-name --> and <!-- kernel:end id=some-name --> around what no run may change, or say `kernel: none` in the job spec.";
		warnings.push({ message: "no kernel is marked, so nothing would be promoted", place, hint });
	}
	const lines = bodyOf(skill).split("\n").length;
	if (lines > MOST_LINES)
		warnings.push({
			message: `the body has ${lines} lines`,
			place,
			expected: `at most ${MOST_LINES}; the rest belongs into files beside it`,
		});
	const harness = harnessOf(skill).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
	const { harnessBytes } = searchSchema.parse({});
	if (harness > harnessBytes)
		warnings.push({
			message: `the harness has ${harness} bytes, above the growth guard`,
			place,
			expected: `at most ${harnessBytes}, or search.harnessBytes in the job spec`,
		});
	if (harness === 0 || harnessOf(skill).every((text) => text.trim() === ""))
		warnings.push({ message: "there is no harness to evolve", place });
	return warnings;
}
