/** Equal replies, other delays and another number of slots: are the decisions the same? */
import type { OrderJob, OrderRow, Row } from "../job.ts";
import type { Mode } from "./mode.ts";

export const orderRows = (rows: readonly Row[]) => rows.filter((row): row is OrderRow => row.job === "order");

export const order: Mode = {
	name: "order",
	title: "Order of arrival",
	note: () =>
		"Each run twice, with other delays and 16 or 5 slots, and the same replies. The queue is held to it by `npm test`.",
	jobs: (plan) =>
		plan.families.flatMap(({ name }) =>
			(plan.quick ? [1] : [1, 2, 3]).map(
				(seed): OrderJob => ({ job: "order", family: name, budget: 300, seed, search: plan.search }),
			),
		),
	table(rows) {
		const own = orderRows(rows);
		if (own.length === 0) return "Nothing was measured.";
		const other = own.filter((row) => !row.same);
		const where = other.map((row) => `${row.family} seed ${row.seed}`).join(", ");
		return `${own.length - other.length} of ${own.length} pairs of runs have the same events${other.length > 0 ? `; not ${where}` : ""}.`;
	},
};
