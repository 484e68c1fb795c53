/** The table of the README, in its form: ours by kind of family and budget, and the recorded figures of others. */
import type { FamilyName } from "../support/stand.ts";
import { type ReferenceRow, type Row, runsOf } from "./job.ts";
import { mean, table } from "./markdown.ts";
import { RIVALS } from "./rivals.ts";

/** How the README names the kinds: in the first row of a kind, and in the others. */
const NAMES: Readonly<Record<string, readonly [string, string]>> = {
	plain: ["plain", "plain"],
	conflict: ["rules with exceptions", "rules with exceptions"],
	rubric: ["short texts under a noisy judge", "short texts"],
};

/** @param all whether others that the README leaves out are shown as well */
export function readmeTable(
	rows: readonly Row[],
	families: readonly FamilyName[],
	budgets: readonly number[],
	all: boolean,
): string {
	const kinds = [...new Set(families.map(({ kind }) => kind))];
	return table(
		["tasks", "optimizer", ...budgets.map((budget, at) => (at === 0 ? `${budget} calls` : String(budget)))],
		kinds.flatMap((kind) => {
			const [first, label] = NAMES[kind] ?? [kind, kind];
			const names = families.filter((family) => family.kind === kind).map(({ name }) => name);
			return [
				[
					`${first} (${worth(rows, names)})`,
					"**gepa (this project)**",
					...budgets.map((budget) => ours(rows, names, budget)),
				],
				...RIVALS.filter((rival) => rival.kind === kind && (all || rival.shown)).map((rival) => [
					label,
					rival.name,
					...budgets.map((budget) => {
						const entry = rival.scores[budget];
						if (entry === undefined) return "–";
						return `${entry.score.toFixed(3)}${entry.paid === undefined ? "" : ` (${entry.paid.toLocaleString("en")})`}`;
					}),
				]),
			];
		}),
	);
}

function ours(rows: readonly Row[], names: readonly string[], budget: number): string {
	const own = runsOf(rows, "score").filter((row) => names.includes(row.family) && row.budget === budget);
	if (own.length === 0) return "–";
	const scores = own.map((row) => row.score);
	const paid = Math.round(mean(own.map((row) => row.paid))).toLocaleString("en");
	return `${mean(scores).toFixed(3)}, worst ${Math.min(...scores).toFixed(2)} (${paid} paid)`;
}

/** What there is to gain: the seed text, and the text that states everything. */
function worth(rows: readonly Row[], names: readonly string[]): string {
	const own = rows.filter((row): row is ReferenceRow => row.job === "reference" && names.includes(row.family));
	const several = names.length > 1 ? `${names.length} families` : "1 family";
	if (own.length === 0) return several;
	const seed = mean(own.map((row) => row.seedScore)).toFixed(2);
	const full = mean(own.map((row) => row.fullScore)).toFixed(2);
	return `${several}; v0 ${seed}, all rules stated ${full}`;
}
