/**
 * Two files of results beside each other, for whoever changed something: `npx tsx test/bench/compare.ts BEFORE.jsonl AFTER.jsonl`. With
 * `--search rounds=3` the runs of the second file that had this setting, beside those of the first that had none: both may be the same
 * file. Only jobs that are on both sides count, each with itself: equal seeds share the luck of the endpoint.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import { keyOf, type Row, type RunRow } from "./job.ts";
import { keyValues } from "./key-values.ts";
import { cell, mean, table } from "./markdown.ts";
import { readRows } from "./results-file.ts";

/** A Markdown table of the cells that both have runs of. */
export function compareRows(before: readonly Row[], after: readonly Row[]): string {
	const runs = (rows: readonly Row[]) =>
		new Map(rows.flatMap((row) => (row.job === "run" ? [[jobKey(row), row] as const] : [])));
	const old = runs(before);
	const cells = new Map<string, { was: RunRow; is: RunRow }[]>();
	for (const [key, is] of runs(after)) {
		const was = old.get(key);
		if (was === undefined) continue;
		const name = `${is.mode}|${is.family}|${is.budget}|${is.start}`;
		cells.set(name, [...(cells.get(name) ?? []), { was, is }]);
	}
	if (cells.size === 0) return "The two have no run in common.";
	const head = [
		"mode",
		"family",
		"budget",
		"from",
		"runs",
		"score before",
		"after",
		"change",
		"paid",
		"length",
		"proved",
	];
	return table(
		head,
		[...cells].map(([name, pairs]) => [
			...name.split("|"),
			String(pairs.length),
			mean(pairs.map(({ was }) => was.score)).toFixed(3),
			mean(pairs.map(({ is }) => is.score)).toFixed(3),
			signed(cell(pairs.map(({ was, is }) => is.score - was.score))),
			signed(mean(pairs.map(({ was, is }) => is.paid - was.paid)).toFixed(0)),
			signed(mean(pairs.map(({ was, is }) => is.length - was.length)).toFixed(2)),
			signed(String(pairs.filter(({ is }) => is.won).length - pairs.filter(({ was }) => was.won).length)),
		]),
	);
}

const signed = (figure: string) => (figure.startsWith("-") || Number.parseFloat(figure) === 0 ? figure : `+${figure}`);

/** The name of the job that a row is of, whatever setting of the search it was measured with. */
function jobKey(row: RunRow): string {
	const { job, mode, family, budget, seed, draws, start, sealed, deep, stand } = row;
	return keyOf({ job, mode, family, budget, seed, draws, start, sealed, deep, stand, search: {} });
}

/** Rows of runs with exactly this setting of the search. */
function withSearch(rows: readonly Row[], search: RunRow["search"]): Row[] {
	return rows.filter((row) => row.job === "run" && isDeepStrictEqual(row.search, search));
}

if (process.argv[1]?.endsWith("compare.ts")) {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { search: { type: "string", multiple: true, default: [] } },
	});
	const [before, after = before] = positionals;
	if (!before || !after) throw new Error("usage: compare.ts BEFORE.jsonl [AFTER.jsonl] [--search key=value]");
	const [first, second] = [withSearch(readRows(before), {}), withSearch(readRows(after), keyValues(values.search))];
	process.stdout.write(`${compareRows(first, second)}\n`);
}
