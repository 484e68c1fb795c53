/** A against A: no proposal can help, so every winner is a false one. From the seed text, and from a text with half the rules. */
import { type RunRow, runsOf } from "../job.ts";
import { cell, mean, share, table } from "../markdown.ts";
import { type Mode, runJob, seedsUpTo } from "./mode.ts";

const STAND = { sample: 1, reveal: 0, "infer-factor": 0, drop: 0, contradict: 0 };
const BUDGET = 300;
const SEALED = 40;

export const useless: Mode = {
	name: "useless",
	title: "False promotions",
	note: () =>
		`Noisy model, useless reflection (\`--sample 1 --reveal 0 --infer-factor 0 --drop 0 --contradict 0\`), budget ${BUDGET}. Validation is the first proof, ${SEALED} sealed cases are the second: the whole test split, which is scored with fresh draws.`,
	jobs: (plan) => {
		const runs = plan.quick ? 8 : 100;
		return seedsUpTo(Math.ceil(runs / Math.max(1, plan.families.length)))
			.flatMap((seed) => plan.families.map(({ name }) => ({ family: name, seed })))
			.slice(0, runs)
			.flatMap((cell) =>
				(["seed", "half"] as const).map((start) =>
					runJob(plan, "useless", { ...cell, start, budget: BUDGET, sealed: SEALED, stand: STAND }),
				),
			);
	},
	table(rows) {
		const own = runsOf(rows, "useless");
		if (own.length === 0) return "Nothing was measured.";
		const line = (label: string, some: readonly RunRow[]) => [
			label,
			share(some.filter((row) => row.won).length, some.length),
			share(some.filter((row) => row.validated).length, some.length),
			cell(some.flatMap((row) => row.gain?.mean ?? [])),
			mean(some.map((row) => row.paid)).toFixed(0),
		];
		const starts = [
			["from the seed text", "seed"],
			["from half the rules", "half"],
		] as const;
		const families = [...new Set(own.map((row) => row.family))];
		return table(
			["runs", "end with a winner", "pass validation", "true gain of these winners", "paid"],
			starts.flatMap(([label, start]) => {
				const some = own.filter((row) => row.start === start);
				if (some.length === 0) return [];
				return [
					line(label, some),
					...families.map((family) =>
						line(
							`– ${family}`,
							some.filter((row) => row.family === family),
						),
					),
				];
			}),
		);
	},
};
