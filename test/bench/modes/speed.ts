/** Time and slots of runs, one after the other with nothing beside them, at 0 and 200 ms. */
import type { Row, SpeedJob, SpeedRow } from "../job.ts";
import { mean, table } from "../markdown.ts";
import { type Mode, plainFamilies, seedsUpTo } from "./mode.ts";

export const SLOTS = 16;
const SLOW_MS = 200;

export const speedRows = (rows: readonly Row[]) => rows.filter((row): row is SpeedRow => row.job === "speed");

/** Wall time over what the same calls would need with every slot busy all the time. */
export const wallOverIdeal = (row: SpeedRow) => row.seconds / ((row.paid * row.latency) / 1000 / SLOTS);
export const busy = (row: SpeedRow) => row.service / row.seconds;
export const msPerCall = (row: SpeedRow) => (row.seconds * 1000) / row.paid;
export const floorWall = (row: SpeedRow) => row.floor?.wall ?? 0;
export const aboveFloor = (row: SpeedRow) => msPerCall(row) - floorWall(row);

export const speed: Mode = {
	name: "speed",
	title: "Speed",
	note: () =>
		`${SLOTS} slots, plain families. The floor is a bare client that sends as many requests, ${SLOTS} at a time, in turn with the run. Processor time is that of this project's process alone: it hangs less on what else the machine does.`,
	jobs: (plan) => {
		const of = (budget: number, latency: number, seeds: number) =>
			seedsUpTo(seeds).flatMap((seed) =>
				plainFamilies(plan).map(
					({ name }): SpeedJob => ({ job: "speed", family: name, budget, seed, latency, search: plan.search }),
				),
			);
		const budgets = plan.quick ? [300] : [300, 600];
		return budgets.flatMap((budget) => [
			...of(budget, SLOW_MS, plan.quick ? 1 : 3),
			...of(budget, 0, plan.quick ? 1 : 3),
		]);
	},
	table(rows) {
		const own = speedRows(rows);
		if (own.length === 0) return "Nothing was measured.";
		const cells = [...new Set(own.map((row) => `${row.latency}\n${row.budget}`))].sort();
		return table(
			[
				"latency",
				"budget",
				"runs",
				"paid",
				"wall / ideal",
				"slots busy",
				"ms per paid call",
				"floor",
				"above the floor",
				"processor ms (floor)",
			],
			cells.map((key) => {
				const some = own.filter((row) => `${row.latency}\n${row.budget}` === key);
				const first = some[0] as SpeedRow;
				const slow = first.latency > 0;
				return [
					`${first.latency} ms`,
					String(first.budget),
					String(some.length),
					mean(some.map((row) => row.paid)).toFixed(0),
					slow ? mean(some.map(wallOverIdeal)).toFixed(2) : "–",
					slow ? mean(some.map(busy)).toFixed(1) : "–",
					slow ? "–" : mean(some.map(msPerCall)).toFixed(2),
					slow ? "–" : mean(some.map(floorWall)).toFixed(2),
					slow ? "–" : mean(some.map(aboveFloor)).toFixed(2),
					slow
						? "–"
						: `${mean(some.map((row) => row.cpu / row.paid)).toFixed(2)} (${mean(some.map((row) => row.floor?.cpu ?? 0)).toFixed(2)})`,
				];
			}),
		);
	},
};
