/**
 * Case by variant: what every text did on every case. Kept as columns of numbers, because a large run has a million cells.
 *
 * It must not judge. Invariant: a cell without a trial is null in every list, and a trial without a quality counts as an error.
 */
import { SPLITS, type Split } from "../domain/case.ts";
import type { Trial } from "../domain/trial.ts";
import type { VariantView } from "./view.ts";
import type { Measurements } from "./view-changes.ts";

export interface MatrixRow {
	/** Id of the case. */
	case: string;
	split: Split;
	/** Mean quality of each variant, in the order of the columns; null where nothing is known. */
	quality: readonly (number | null)[];
	retries: readonly (number | null)[];
	/** Trials without a quality; null where there is no trial. */
	errors: readonly (number | null)[];
}

export interface MatrixView {
	/** Ids of the variants, one a column: v0, the compared text, then those that were validated and the others, each by quality. */
	variants: readonly string[];
	/** Cases with the greatest change between v0 and the compared text first, whichever way; then by id. */
	rows: readonly MatrixRow[];
}

interface Cells {
	split: Split;
	quality: (number | null)[];
	retries: (number | null)[];
	errors: (number | null)[];
}

/** @param challenger id of the text that v0 is compared with; null when there is none */
export function matrixView(
	variants: readonly VariantView[],
	challenger: string | null,
	measurements: Measurements,
): MatrixView {
	const columns = variants
		.filter((variant) => SPLITS.some((split) => variant.scorecards[split] !== null))
		.sort((a, b) => rank(a, challenger) - rank(b, challenger) || qualityOf(b) - qualityOf(a) || (a.id < b.id ? -1 : 1));
	const found = new Map<string, Cells>();
	for (const [at, { id }] of columns.entries()) {
		for (const split of SPLITS) {
			const byCase = new Map<string, Trial[]>();
			for (const trial of measurements.trials(id, split)) {
				const own = byCase.get(trial.caseId);
				if (own === undefined) byCase.set(trial.caseId, [trial]);
				else own.push(trial);
			}
			for (const [caseId, trials] of byCase) {
				const cells = found.get(caseId) ?? emptyCells(split, columns.length);
				found.set(caseId, cells);
				cells.quality[at] = average(trials, "quality");
				cells.retries[at] = average(trials, "retries");
				cells.errors[at] = trials.filter(({ outcome }) => outcome.quality === null).length;
			}
		}
	}
	const after = columns.findIndex(({ id }) => id === challenger);
	const rows = [...found].map(([id, cells]): MatrixRow => ({ case: id, ...cells }));
	const change = new Map(rows.map((row) => [row.case, after < 0 ? -1 : sizeOf(row.quality[0], row.quality[after])]));
	rows.sort((a, b) => (change.get(b.case) ?? 0) - (change.get(a.case) ?? 0) || (a.case < b.case ? -1 : 1));
	return { variants: columns.map(({ id }) => id), rows };
}

function emptyCells(split: Split, width: number): Cells {
	const none = () => new Array<number | null>(width).fill(null);
	return { split, quality: none(), retries: none(), errors: none() };
}

function average(trials: readonly Trial[], objective: "quality" | "retries"): number | null {
	let [sum, known] = [0, 0];
	for (const { outcome } of trials) {
		const value = outcome[objective];
		if (value === null) continue;
		sum += value;
		known += 1;
	}
	return known === 0 ? null : sum / known;
}

/** Size of a change; what cannot be compared comes last. Rounded, so that equal changes are equal whatever the order of adding. */
function sizeOf(before: number | null | undefined, after: number | null | undefined): number {
	return before == null || after == null ? -1 : Math.round(Math.abs(after - before) * 1e9);
}

/** Not by who is on the front: that hangs on measured latency, and equal runs have equal columns. */
function rank(variant: VariantView, challenger: string | null): number {
	if (variant.state === "incumbent") return 0;
	if (variant.id === challenger) return 1;
	return variant.scorecards.validation === null ? 3 : 2;
}

function qualityOf({ scorecards }: VariantView): number {
	return (scorecards.validation ?? scorecards.train)?.quality.mean ?? -1;
}
