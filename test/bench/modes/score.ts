/** Test score by budget over all families that are there, with what the others are recorded with. */
import type { ReferenceJob } from "../job.ts";
import { runsOf } from "../job.ts";
import { gridJobs, gridTable } from "./grid.ts";
import type { Mode } from "./mode.ts";

export const score: Mode = {
	name: "score",
	title: "Score by budget",
	note: ({ seeds, sealed }) =>
		`Mean over test cases that no run sees, ${seeds} seeds a cell, ± standard error. ${sealed === 0 ? "No sealed cases: the proof on validation is the only one." : `${sealed} cases of the test split are sealed in the run; they are scored with fresh draws, like the others.`} Without a proof v0 is handed out, and its score counts.`,
	jobs: (plan) => [
		...plan.families.map(({ name }): ReferenceJob => ({ job: "reference", family: name, draws: plan.quick ? 5 : 25 })),
		...gridJobs(plan, { mode: "score", families: plan.families, budgets: plan.budgets }),
	],
	table: (rows) => gridTable(runsOf(rows, "score")),
};
