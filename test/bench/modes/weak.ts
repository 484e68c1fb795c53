/** A reflection model that finds little and adds filler. */
import { runsOf } from "../job.ts";
import { gridJobs, gridTable } from "./grid.ts";
import type { Mode } from "./mode.ts";

export const weak: Mode = {
	name: "weak",
	title: "Weak reflection",
	note: () => "`--reveal 0.4 --bloat 0.5`, as above otherwise.",
	jobs: (plan) =>
		gridJobs(plan, {
			mode: "weak",
			families: plan.families,
			budgets: plan.budgets.filter((budget) => budget === 300 || budget === 600),
			stand: { reveal: 0.4, bloat: 0.5 },
		}),
	table: (rows) => gridTable(runsOf(rows, "weak")),
};
