/** `gepa cases list|check`: what the recorded cases of a skill are, and everything that is wrong with them. Changes nothing. */
import { join } from "node:path";
import { type CaseFiles, readCases } from "../../adapters/case-files.ts";
import { type Case, SPLITS } from "../../domain/case.ts";
import { EXIT, type ExitCode, InputError } from "../../errors.ts";
import { visible, visibleLine } from "../../report/visible-text.ts";
import { describeProblem, shown, shownPath } from "../exit.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { assertCases, folderNames } from "../missing-skill.ts";
import { paint, plural, printDocument, table } from "../output.ts";

/** How much of an input a list shows, in characters. */
const INPUT_WIDTH = 60;

/** Lists the cases of a skill by id. @throws InputError when any of its files has a problem */
export async function casesListCommand(skill: string, flags: Flags, io: Io): Promise<void> {
	const { casesFolder } = await loadConfig(skill, flags, io);
	assertCases(casesFolder, skill);
	const { cases, problems } = await readCases(join(casesFolder, skill));
	if (problems.length > 0) {
		throw new InputError(
			{
				message: `the cases of ${skill} cannot be used`,
				hint: `gepa cases check ${skill} tells all problems and warnings.`,
			},
			problems,
		);
	}
	if (io.json)
		return printDocument(io, {
			skill,
			cases: cases.map((entry) => ({
				id: entry.id,
				split: entry.split,
				group: entry.group ?? null,
				checks: entry.checks.length,
				input: inputOf(entry),
			})),
		});
	const rows = cases.map((entry) => [
		entry.id,
		entry.split,
		String(entry.checks.length),
		visibleLine(inputOf(entry), INPUT_WIDTH),
	]);
	io.out(table([["CASE", "SPLIT", "CHECKS", "INPUT"], ...rows]));
}

/** Tells every problem and warning of one skill's cases, or of all. Exit 3 when there is a problem. */
export async function casesCheckCommand(skill: string | undefined, flags: Flags, io: Io): Promise<ExitCode> {
	const { casesFolder } = await loadConfig(skill ?? null, flags, io);
	const skills = skill === undefined ? skillsWithCases(casesFolder) : [skill];
	if (skill !== undefined) assertCases(casesFolder, skill);
	const reports: Checked[] = [];
	for (const name of skills) reports.push(await check(name, join(casesFolder, name), io));
	const count = reports.reduce((sum, report) => sum + report.problemCount, 0);
	if (io.json) printDocument(io, { ok: count === 0, skills: reports });
	else for (const report of reports) tell(report, io);
	return count === 0 ? EXIT.done : EXIT.input;
}

type Checked = Pick<CaseFiles, "problems" | "problemCount" | "warnings" | "files"> & {
	skill: string;
	cases: number;
	splits: Record<string, number>;
	checks: Record<string, number>;
};

async function check(skill: string, folder: string, { cwd }: Io): Promise<Checked> {
	const { cases, files, problems, problemCount, warnings } = await readCases(folder);
	const near = (list: CaseFiles["problems"]) =>
		list.map((problem) => ({ ...problem, place: shown(cwd, problem.place) }));
	return {
		skill,
		files: files.map((file) => shownPath(cwd, file)),
		cases: cases.length,
		splits: Object.fromEntries(SPLITS.map((split) => [split, cases.filter((entry) => entry.split === split).length])),
		checks: countBy(cases.flatMap((entry) => entry.checks.map(({ type }) => type))),
		problemCount,
		problems: near(problems),
		warnings: near(warnings),
	};
}

function tell(report: Checked, io: Io): void {
	const counts = (part: Record<string, number>) =>
		Object.entries(part)
			.map(([name, count]) => `${count} ${name}`)
			.join(", ");
	const lines = [
		`${paint(io, "bold", report.skill)}: ${plural(report.cases, "case")} in ${plural(report.files.length, "file")} (${counts(report.splits)})`,
		...(report.cases === 0 ? [] : [`  checks: ${counts(report.checks)}`]),
	];
	for (const problem of report.problems)
		lines.push(`${paint(io, "red", "problem")}${visible(describeProblem(problem))}`);
	const rest = report.problemCount - report.problems.length;
	if (rest > 0) lines.push(`  and ${plural(rest, "more problem")}`);
	for (const warning of report.warnings)
		lines.push(`${paint(io, "yellow", "warning")}${visible(describeProblem(warning))}`);
	lines.push(
		report.problemCount === 0
			? paint(io, "green", "  no problems")
			: paint(io, "red", `  ${plural(report.problemCount, "problem")}`),
	);
	io.out(lines.join("\n"));
}

function skillsWithCases(folder: string): string[] {
	const names = folderNames(folder);
	if (names.length > 0) return names;
	throw new InputError({
		message: "there are no cases",
		place: { file: folder },
		hint: "--cases names the folder that holds one folder of cases for each skill.",
	});
}

function inputOf(entry: Case): string {
	return entry.input ?? entry.messages?.filter(({ role }) => role === "user").at(-1)?.content ?? "";
}

function countBy(words: readonly string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const word of [...words].sort()) counts[word] = (counts[word] ?? 0) + 1;
	return counts;
}
