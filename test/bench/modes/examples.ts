/** Whether examples earn their place: the same runs with and without them, on the stand and on the shipped skill without a model. */
import type { Job, OfflineRow } from "../job.ts";
import { runsOf } from "../job.ts";
import { cell, mean, share, table } from "../markdown.ts";
import { type Mode, runJob, seedsUpTo } from "./mode.ts";

const BUDGET = 300;
const SEEDS = 4;

export const examples: Mode = {
	name: "examples",
	title: "Examples",
	note: () =>
		`\`search.examples\` off and on. On the stand: budget ${BUDGET}, score on the test split. Built-in rules: the shipped skill and its cases, quality of the text to be proved on validation and sealed cases; its latency is simulated, its answers are not drawn.`,
	jobs: (plan) =>
		[false, true].flatMap((on): Job[] => {
			const search = { ...plan.search, examples: on };
			const seeds = seedsUpTo(Math.min(plan.seeds, SEEDS));
			return [
				...plan.families.flatMap(({ name }) =>
					seeds.map((seed) => runJob(plan, "examples", { family: name, seed, budget: BUDGET, search })),
				),
				...seeds.map((seed): Job => ({ job: "offline", seed, policy: "quality-first", search })),
			];
		}),
	table(rows, plan) {
		const stand = runsOf(rows, "examples");
		const offline = rows.filter((row): row is OfflineRow => row.job === "offline");
		if (stand.length + offline.length === 0) return "Nothing was measured.";
		const kinds = [...new Set(plan.families.map(({ kind }) => kind))];
		const line = (on: boolean) => [
			...kinds.map((kind) => {
				const names = plan.families.filter((family) => family.kind === kind).map(({ name }) => name);
				const some = stand.filter((row) => row.search.examples === on && names.includes(row.family));
				return [
					kind,
					on ? "on" : "off",
					cell(some.map((row) => row.score)),
					cell(
						some.map((row) => row.tokens.text),
						0,
					),
					share(some.filter((row) => row.won).length, some.length),
					mean(some.map((row) => row.paid)).toFixed(0),
				];
			}),
			(() => {
				const some = offline.filter((row) => row.search.examples === on);
				return [
					"built-in rules",
					on ? "on" : "off",
					cell(some.map((row) => row.quality.text)),
					cell(
						some.map((row) => row.tokens.text),
						0,
					),
					share(some.filter((row) => row.won).length, some.length),
					mean(some.map((row) => row.paid)).toFixed(0),
				];
			})(),
		];
		return table(["cases", "examples", "score", "tokens", "promoted", "paid"], [...line(false), ...line(true)]);
	},
};
