/**
 * `npm run bench`: what is claimed of the search, measured, and set beside its goals and beside the recorded figures of others.
 * Arguments: options.ts. Needs the stand beside the project; without it only what needs no model is measured.
 */
import { loadavg } from "node:os";
import { standExists, startStand } from "../support/stand.ts";
import { type Goal, goalsOf } from "./goals.ts";
import type { Job, Row } from "./job.ts";
import { table } from "./markdown.ts";
import { coverage } from "./modes/coverage.ts";
import { examples } from "./modes/examples.ts";
import { type KernelRow, measureKernel } from "./modes/kernel.ts";
import type { Mode, Plan } from "./modes/mode.ts";
import { noisy } from "./modes/noisy.ts";
import { operators } from "./modes/operators.ts";
import { order } from "./modes/order.ts";
import { policies } from "./modes/policies.ts";
import { power } from "./modes/power.ts";
import { score } from "./modes/score.ts";
import { speed } from "./modes/speed.ts";
import { truth } from "./modes/truth.ts";
import { useless } from "./modes/useless.ts";
import { weak } from "./modes/weak.ts";
import { HELP, readOptions } from "./options.ts";
import { measureAll } from "./pool.ts";
import { createProgress, nameOf } from "./progress.ts";
import { readmeTable } from "./readme-table.ts";
import { benchReport } from "./report-bench.ts";
import { openResults } from "./results-file.ts";

const MODES: readonly Mode[] = [
	score,
	weak,
	noisy,
	useless,
	power,
	policies,
	examples,
	order,
	speed,
	coverage,
	truth,
	operators,
];
const KERNEL = "kernel";
const REPORT = "report";

const say = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

/** Rows of these jobs: those known before, and those measured now. Speed is measured last, with nothing beside it. */
async function rowsOf(jobs: readonly Job[], options: { fresh: boolean; processes: number }): Promise<Row[]> {
	const results = openResults(options);
	const wanted = jobs.filter((job) => results.find(job) === undefined);
	const progress = createProgress(wanted.length);
	say(`${wanted.length} of ${jobs.length} are to be measured, rows in ${results.path}`);
	const measure = (some: readonly Job[], processes: number) =>
		measureAll(some, {
			processes,
			onRow(row, job) {
				results.add(job, row);
				progress.done(job);
			},
			onFailure(job, message) {
				process.exitCode = 1;
				progress.done(job);
				say(`\n${nameOf(job)} could not be measured: ${message}`);
			},
		});
	const alone = wanted.filter((job) => job.job === "speed");
	await measure(
		wanted.filter((job) => job.job !== "speed"),
		options.processes,
	);
	if (alone.length > 0) say(`\nspeed, alone; load of this machine before it: ${loadavg()[0]?.toFixed(2)}`);
	await measure(alone, 1);
	progress.end();
	return jobs.flatMap((job) => results.find(job) ?? []);
}

function marks(goals: readonly Goal[]): string {
	const mark = (reached: boolean | null) =>
		reached === null ? "not measured" : reached ? "reached" : "**not reached**";
	return table(
		["figure", "goal", "ours", ""],
		goals.map(({ figure, goal, ours, reached }) => [figure, goal, ours, mark(reached)]),
	);
}

function report(rows: readonly Row[], modes: readonly Mode[], plan: Plan, goals: readonly Goal[]): void {
	const changed = Object.entries({ ...plan.search, ...plan.stand }).map(([key, value]) => `${key}=${value}`);
	if (changed.length > 0) print(`\nMeasured with ${changed.join(", ")}: the goals are for the defaults.`);
	for (const mode of modes) print(`\n## ${mode.title}\n\n${mode.note(plan)}\n\n${mode.table(rows, plan)}`);
	const counted = goals.filter(({ reached }) => reached !== null);
	const reached = counted.filter((goal) => goal.reached).length;
	print(
		`\n## Goals: ${reached} of ${counted.length} measured are reached (± is the standard error over runs)\n\n${marks(goals)}`,
	);
	if (!rows.some((row) => row.job === "run" && row.mode === "score")) return;
	print(
		`\n## Beside the recorded figures of others (told budget; paid calls in brackets)\n\n${readmeTable(rows, plan.families, plan.budgets, true)}`,
	);
	print(`\n## The table of the README\n\n${readmeTable(rows, plan.families, plan.budgets, false)}`);
}

async function main(): Promise<void> {
	const names = [...MODES.map(({ name }) => name), KERNEL, REPORT];
	const options = readOptions(process.argv.slice(2), names);
	if (options === "help") return print(HELP.replace("%MODES%", names.join(", ")).trimEnd());
	const { plan, only, json } = options;
	const modes = MODES.filter(({ name }) => only.includes(name));
	if (!standExists) say("The stand is not beside this project: only the kernel is measured.");
	// An option that the stand does not know is better told at once than by every job.
	if (standExists && Object.keys(plan.stand).length > 0) await (await startStand(plan.stand)).stop();
	const rows = standExists
		? await rowsOf(
				modes.flatMap((mode) => mode.jobs(plan)),
				options,
			)
		: [];
	let kernel: KernelRow | null = null;
	if (only.includes(KERNEL)) {
		say("random edits of kernels …");
		kernel = measureKernel(plan.quick);
		if (!kernel.unchanged) {
			process.exitCode = 1;
			say(kernel.output);
		}
	}
	const goals = goalsOf(rows, plan.families, kernel);
	if (json) print(JSON.stringify({ goals, kernel, rows }, null, 1));
	else if (standExists) report(rows, modes, plan, goals);
	else print(marks(goals));
	if (only.includes(REPORT) && !json) await benchReport(print);
}

// A reader that has seen enough is no failure.
process.stdout.on("error", () => process.exit());

main().catch((error: unknown) => {
	say(error instanceof Error ? error.message : String(error));
	process.exitCode = 2;
});
