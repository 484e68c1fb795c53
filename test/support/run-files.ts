/**
 * What a run left on disk, read without the code under test, and made comparable: everything that clock, folder and measured
 * time decide is taken out, so that two runs of one seed have to be equal to the byte.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface LoggedEvent {
	type: string;
	[field: string]: unknown;
}

/** The folder of the latest run of a skill. @throws Error when there is none */
export function latestRun(workspace: string, skill: string): { run: string; folder: string } {
	const skillFolder = join(workspace, "results", skill);
	const run = runsOf(workspace, skill).at(-1);
	if (run === undefined) throw new Error(`no run in ${skillFolder}`);
	return { run, folder: join(skillFolder, run) };
}

export function runsOf(workspace: string, skill: string): string[] {
	const folder = join(workspace, "results", skill);
	if (!existsSync(folder)) return [];
	return readdirSync(folder)
		.filter((name) => /^\d/.test(name))
		.sort();
}

/** The whole lines of a file; none when it is not there. */
function linesOf(path: string): string[] {
	if (!existsSync(path)) return [];
	return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

export function eventsOf(folder: string): LoggedEvent[] {
	return linesOf(join(folder, "events.jsonl")).map((line) => (JSON.parse(line) as { event: LoggedEvent }).event);
}

/** When each event was decided. */
export function decidedAt(folder: string): string[] {
	return linesOf(join(folder, "events.jsonl")).map((line) => (JSON.parse(line) as { at: string }).at);
}

/** Paid replies in the store, as `key reply-number`. */
export function storedReplies(folder: string): string[] {
	return linesOf(join(folder, "outcomes.jsonl")).flatMap((line) => {
		const { key, reply } = JSON.parse(line) as { key: string; reply?: number };
		return reply === undefined ? [] : [`${key} ${reply}`];
	});
}

export function reportOf(folder: string): Record<string, unknown> {
	return JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as Record<string, unknown>;
}

/** Names of the members that clock, folder, run id, or measured time decide; who is on the front for its latency, too. */
const BY_CHANCE = new Set([
	"run",
	"startedAt",
	"commit",
	"file",
	"reportPath",
	"repositoryPath",
	"revert",
	"seconds",
	"harvested",
	"latencyMs",
	"front",
	"onFront",
]);

/** A value with everything taken out that may differ between two runs of one seed. */
export function comparable(value: unknown): unknown {
	if (typeof value === "string") return withoutChance(value);
	if (Array.isArray(value)) return value.filter((member) => !isLatencyRow(member)).map(comparable);
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value).filter(([name]) => !BY_CHANCE.has(name));
	return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}

/** A sentence of the verdict without the commit's name and without what it says of latency. */
function withoutChance(text: string): string {
	return text
		.replace(/git revert [0-9a-f]+/g, "git revert")
		.replace(/(, )?latency [+−]?\d[\d.,]* m?s(?: \(unclear\))?/g, "")
		.replace(/(It (?:costs|saves)) , /g, "$1 ")
		.replace(/ ?It (?:costs|saves) ?\./g, "");
}

/** A row of a table of changes that is about latency, or of limits that is about minutes. */
function isLatencyRow(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	const { objective, limit } = value as { objective?: unknown; limit?: unknown };
	return objective === "latencyMs" || limit === "minutes";
}
