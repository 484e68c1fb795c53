/** Whether the interval that the report shows for the winner's quality on validation holds its test score. From the runs of other modes. */
import { isRun, type Row, type RunRow } from "../job.ts";
import { mean, share, table } from "../markdown.ts";
import type { Mode } from "./mode.ts";

/** Winners of ordinary searches with their intervals. */
export function covering(rows: readonly Row[]): RunRow[] {
	return rows.filter(isRun).filter((row) => row.interval !== null && ["score", "weak", "noisy"].includes(row.mode));
}

export function covers({ interval, score }: RunRow): boolean {
	return interval !== null && interval.low <= score && score <= interval.high;
}

export const coverage: Mode = {
	name: "coverage",
	title: "Coverage",
	note: () =>
		"Does the 95 % interval that the report shows for the winner's quality on validation hold its test score? Runs of score, weak and noisy. The test split is a sample of cases too, so full coverage of 95 % is not to be had.",
	jobs: () => [],
	table(rows) {
		const own = covering(rows);
		if (own.length === 0) return "No run above has a winner.";
		const families = [...new Set(own.map((row) => row.family))];
		const line = (label: string, some: readonly RunRow[]) => [
			label,
			share(some.filter(covers).length, some.length),
			share(some.filter((row) => row.score < (row.interval?.low ?? 0)).length, some.length),
			share(some.filter((row) => row.score > (row.interval?.high ?? 1)).length, some.length),
			mean(some.map((row) => (row.interval?.high ?? 0) - (row.interval?.low ?? 0))).toFixed(3),
			mean(some.map((row) => (row.interval?.mean ?? 0) - row.score)).toFixed(3),
			mean(some.map((row) => row.interval?.cases ?? 0)).toFixed(0),
		];
		return table(
			["winners", "covered", "test below it", "test above it", "width", "validation minus test", "cases"],
			[
				line("all", own),
				...families.map((family) =>
					line(
						family,
						own.filter((row) => row.family === family),
					),
				),
			],
		);
	},
};
