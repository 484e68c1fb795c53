/** What each operator earned, over the runs of the other modes that start from the seed text, or from a bloated one. */
import { isRun } from "../job.ts";
import { share, table } from "../markdown.ts";
import type { OperatorFigures } from "../operators.ts";
import type { Mode, Plan } from "./mode.ts";

export const operators: Mode = {
	name: "operators",
	title: "Operators",
	note: ({ deep }) =>
		`Texts that each made, and means over the adopted: train quality on the cases that were measured (the luck of the draw is in it, and for a pass what came before it), ${deep ? "" : "test score (only with --deep), "}length in lengths of the seed text, rules and empty lines by the stand's answer key. For merge and rank: answers of use, and what they did to the list of edits. For edits: those that are in the last text of the search.`,
	jobs: () => [],
	table(rows, plan) {
		const own = rows
			.filter(isRun)
			.filter((row) => (row.start === "seed" || row.mode === "policies") && row.mode !== "useless");
		if (own.length === 0) return "Nothing was measured.";
		const kinds = [...new Set(plan.families.map(({ kind }) => kind))];
		return table(
			[
				"families",
				"operator",
				"texts",
				"adopted",
				"train quality",
				"test score",
				"length",
				"rules",
				"empty lines",
				"tokens",
				"retries",
				"calls a text",
			],
			kinds.flatMap((kind) => {
				const figures = own.filter((row) => kindOf(plan, row.family) === kind).flatMap((row) => row.operators);
				return sums(figures).map((one) => [
					kind,
					one.operator,
					String(one.texts),
					share(one.adopted, one.texts),
					each(one.quality, one.adopted, 3),
					each(one.test, one.adopted, 3),
					each(one.length, one.adopted, 2),
					each(one.rules, one.adopted, 2),
					each(one.empty, one.adopted, 2),
					each(one.tokens, one.adopted, 0),
					each(one.retries, one.adopted, 2),
					one.texts === 0 || one.calls === 0 ? "–" : (one.calls / one.texts).toFixed(0),
				]);
			}),
		);
	},
};

const kindOf = (plan: Plan, name: string) => plan.families.find((family) => family.name === name)?.kind;

function each(sum: number | null, count: number, digits: number): string {
	if (sum === null || count === 0) return "–";
	const value = sum / count;
	return `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
}

function sums(figures: readonly OperatorFigures[]): OperatorFigures[] {
	const add = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : a + b);
	const found = new Map<string, OperatorFigures>();
	for (const one of figures) {
		const known = found.get(one.operator);
		found.set(
			one.operator,
			known === undefined
				? one
				: {
						operator: one.operator,
						texts: known.texts + one.texts,
						adopted: known.adopted + one.adopted,
						quality: add(known.quality, one.quality),
						test: add(known.test, one.test),
						length: add(known.length, one.length),
						rules: add(known.rules, one.rules),
						empty: add(known.empty, one.empty),
						tokens: add(known.tokens, one.tokens),
						retries: add(known.retries, one.retries),
						calls: known.calls + one.calls,
					},
		);
	}
	return [...found.values()].sort((a, b) => (a.operator < b.operator ? -1 : 1));
}
