/** Test score by budget over all families that are there, with what the others are recorded with. */
import type { ReferenceJob } from "../job.ts";
import { runsOf } from "../job.ts";
import { gridJobs, gridTable } from "./grid.ts";
import type { Mode } from "./mode.ts";

export const score: Mode = {
	name: "score",
	title: ({ seeds, sealed }) =>
		`Score: mean over test cases that no run sees, ${seeds} seeds a cell, ${sealed === 0 ? "no sealed cases" : `${sealed} cases of the test split sealed in the run and scored with fresh draws`}`,
	jobs: (plan) => [
		...plan.families.map(({ name }): ReferenceJob => ({ job: "reference", family: name, draws: plan.quick ? 5 : 25 })),
		...gridJobs(plan, { mode: "score", families: plan.families, budgets: plan.budgets }),
	],
	table: (rows) => gridTable(runsOf(rows, "score")),
};
