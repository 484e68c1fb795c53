/**
 * The cases of a run as flat records, one for each case and variant, for tools that read tables. It must not know a syntax.
 *
 * Invariant: figures are the view's own, unrounded; what is not known is null.
 */
import type { Split } from "../domain/case.ts";
import type { RunView } from "./view.ts";

export interface ExportRow {
	skill: string;
	run: string;
	case: string;
	split: Split;
	group: string | null;
	weight: number;
	variant: string;
	/** `v0`, `winner` … or the first digits of the id. */
	name: string;
	quality: number | null;
	retries: number | null;
	/** Trials without a quality. */
	errors: number;
	/** Of v0 and of the compared text; null for the other variants. */
	latencyMs: number | null;
	tokens: number | null;
	/** Change in quality against v0 on this case; null for v0 and where a side is not known. */
	change: number | null;
	input: string;
}

export function* exportRows(view: RunView): Generator<ExportRow> {
	const cases = new Map(view.cases.map((entry) => [entry.id, entry]));
	const names = new Map(view.variants.map(({ id, label }) => [id, label]));
	if (view.challenger !== null) names.set(view.challenger.id, view.challengerName);
	for (const row of view.matrix.rows) {
		const known = cases.get(row.case);
		for (const [at, variant] of view.matrix.variants.entries()) {
			const errors = row.errors[at] ?? null;
			if (errors === null) continue;
			const side =
				variant === view.incumbent.id ? known?.before : variant === view.challenger?.id ? known?.after : undefined;
			const [own, base] = [row.quality[at] ?? null, row.quality[0] ?? null];
			yield {
				...{ skill: view.skill, run: view.run, case: row.case, split: row.split },
				...{ group: known?.group ?? null, weight: known?.weight ?? 1, variant, name: names.get(variant) ?? variant },
				...{ quality: own, retries: row.retries[at] ?? null, errors },
				...{ latencyMs: side?.latencyMs ?? null, tokens: side?.tokens ?? null },
				change: variant === view.incumbent.id || own === null || base === null ? null : own - base,
				input: known?.input ?? "",
			};
		}
	}
}
