/** A task model that draws anew at each occurrence of a request. Families of the harder kinds do so anyway. */
import { runsOf } from "../job.ts";
import { gridJobs, gridTable } from "./grid.ts";
import { type Mode, plainFamilies } from "./mode.ts";

export const noisy: Mode = {
	name: "noisy",
	title: "Noisy task model",
	note: () => "`--sample 1`. Families of the harder kinds are noisy by default, in every mode.",
	jobs: (plan) =>
		gridJobs(plan, { mode: "noisy", families: plainFamilies(plan), budgets: plan.budgets, stand: { sample: 1 } }),
	table: (rows) => gridTable(runsOf(rows, "noisy")),
};
