/** Winners that the test split says are not better than v0, over all runs of all modes. */
import { isRun, type Row, type RunRow } from "../job.ts";
import { table } from "../markdown.ts";
import type { Mode } from "./mode.ts";

/** Winners whose mean gain over many draws of the test split is not above zero. */
export function untrue(rows: readonly Row[]): RunRow[] {
	return rows.filter(isRun).filter((row) => row.won && row.gain !== null && row.gain.mean <= 0);
}

export const truth: Mode = {
	name: "truth",
	title: "Truth",
	note: () => "Winners of all modes against v0 on the test split, by many draws.",
	jobs: () => [],
	table(rows) {
		const winners = rows.filter(isRun).filter((row) => row.won);
		const doubtful = winners.filter((row) => row.gain !== null && row.gain.mean <= 2 * row.gain.error);
		if (doubtful.length === 0)
			return `All ${winners.length} winners are better than v0 by more than two standard errors of their test draws.`;
		return `${untrue(rows).length} of ${winners.length} winners are not better; those within two standard errors of no gain, or below:\n\n${table(
			["mode", "family", "budget", "seed", "from", "true gain"],
			doubtful.map((row) => [
				row.mode,
				row.family,
				String(row.budget),
				String(row.seed),
				String(row.start),
				`${row.gain?.mean.toFixed(4)} ± ${row.gain?.error.toFixed(4)}`,
			]),
		)}`;
	},
};
