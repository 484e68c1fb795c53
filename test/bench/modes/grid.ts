/** Runs over families, budgets and seeds under one setting of the stand, seed by seed: what is broken off is at least balanced. */
import type { FamilyName } from "../../support/stand.ts";
import type { Job, RunMode, RunRow } from "../job.ts";
import { cell, mean, table } from "../markdown.ts";
import { type Plan, runJob, seedsUpTo } from "./mode.ts";

interface Grid {
	mode: RunMode;
	families: readonly FamilyName[];
	budgets: readonly number[];
	stand?: Readonly<Record<string, number>>;
}

export function gridJobs(plan: Plan, { mode, families, budgets, stand = {} }: Grid): Job[] {
	return seedsUpTo(plan.seeds).flatMap((seed) =>
		families.flatMap(({ name }) => budgets.map((budget) => runJob(plan, mode, { family: name, budget, seed, stand }))),
	);
}

/** One row a family and budget. */
export function gridTable(rows: readonly RunRow[]): string {
	if (rows.length === 0) return "Nothing was measured.";
	const cells = new Map<string, RunRow[]>();
	for (const row of rows) {
		const key = `${row.family}\n${row.budget}`;
		cells.set(key, [...(cells.get(key) ?? []), row]);
	}
	const lines = [...cells.values()].map((own) => {
		const first = own[0] as RunRow;
		const won = own.filter((row) => row.won);
		return [
			first.family,
			String(first.budget),
			cell(own.map((row) => row.score)),
			Math.min(...own.map((row) => row.score)).toFixed(2),
			mean(own.map((row) => row.paid)).toFixed(0),
			won.length === 0 ? "–" : `${mean(won.map((row) => row.length)).toFixed(1)} ×`,
			`${won.length} of ${own.length}`,
			`${own.filter((row) => row.stoppedBy === "converged").length} of ${own.length}`,
			first.missing === null ? "–" : mean(own.map((row) => row.missing ?? 0)).toFixed(1),
			first.empty === null ? "–" : mean(own.map((row) => row.empty ?? 0)).toFixed(1),
		];
	});
	return table(
		[
			"family",
			"budget",
			"test score",
			"worst",
			"paid",
			"winner's length",
			"proved",
			"stopped by itself",
			"rules missing",
			"empty lines",
		],
		lines.sort((a, b) =>
			(a[0] ?? "") < (b[0] ?? "") ? -1 : (a[0] ?? "") > (b[0] ?? "") ? 1 : Number(a[1]) - Number(b[1]),
		),
	);
}
