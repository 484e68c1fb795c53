/** How small a gain a whole run finds and proves: v0 lacks a few rules of the full text. */
import { type RunRow, runsOf } from "../job.ts";
import { mean, share, table } from "../markdown.ts";
import { type Mode, runJob, seedsUpTo } from "./mode.ts";

export const LACKING = [4, 3, 2, 1] as const;
const BUDGET = 600;
const SEALED = 40;

/** Winners whose gain on the test split is more than chance explains, at two standard errors. */
export const trulyBetter = (row: RunRow) => row.gain !== null && row.gain.mean > 2 * row.gain.error;

export const power: Mode = {
	name: "power",
	title: "Power",
	note: () =>
		`v0 lacks some rules of the full text, drawn by the seed. Noisy model, budget ${BUDGET}, ${SEALED} sealed cases as above.`,
	jobs: (plan) => {
		const runsOfKind = (kind: string) =>
			plan.quick ? (kind === "plain" ? 2 : 1) : plan.seeds * (kind === "plain" ? 3 : 1);
		return plan.families.flatMap(({ name, kind }) =>
			seedsUpTo(runsOfKind(kind)).flatMap((seed) =>
				LACKING.map((start) =>
					runJob(plan, "power", { family: name, seed, start, budget: BUDGET, sealed: SEALED, stand: { sample: 1 } }),
				),
			),
		);
	},
	table(rows, plan) {
		const own = runsOf(rows, "power");
		if (own.length === 0) return "Nothing was measured.";
		return table(
			["families", "v0 lacks", "promoted", "and truly better", "pass validation", "mean true gain of winners", "paid"],
			[...new Set(plan.families.map(({ kind }) => kind))].flatMap((kind) =>
				LACKING.map((lacking) => {
					const names = plan.families.filter((family) => family.kind === kind).map(({ name }) => name);
					const some = own.filter((row) => row.start === lacking && names.includes(row.family));
					const won = some.filter((row) => row.won);
					return [
						kind,
						String(lacking),
						share(won.length, some.length),
						share(won.filter(trulyBetter).length, some.length),
						share(some.filter((row) => row.validated).length, some.length),
						won.length === 0 ? "–" : mean(won.map((row) => row.gain?.mean ?? 0)).toFixed(3),
						some.length === 0 ? "–" : mean(some.map((row) => row.paid)).toFixed(0),
					];
				}),
			),
		);
	},
};
