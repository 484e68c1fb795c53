/**
 * The machine-readable renderings: the document that `gepa run --json` prints, which other tools rely on, and `report.json`
 * with everything the view holds.
 *
 * It must not compute: figures come from the view. Invariants: no field of the documented shape is renamed or left out;
 * keys stand in a fixed order; equal views give equal bytes. Of equal runs (same text, cases, settings and replies) on
 * different machines these fields may differ, and no others:
 * - names and clock: `run`, `startedAt`, `seconds` (also `spend.seconds`, and `used` of the limit `minutes`), `harvested`,
 *   `resume` (it names the run and folders);
 * - paths: `file`, `report`, `reportPath`, `repositoryPath`;
 * - commits, whose ids hold a time: `base.commit`, `promotion.commit`, `revert`, `promotionRefused.message`;
 * - measured latency: every `latencyMs` (scorecards, case sides), the members of `changes` for it, whoever is on the front for
 *   it (`front`, `onFront`, and the `state` and `reason` of variants that say so), and sentences that quote it:
 *   `verdict.reason`, `verdict.change`, `answers`, `gates[].reason`, `caveats`; also `shrinkage` of it, and `progress[].seconds`.
 */
import { SPLITS, type Split } from "../domain/case.ts";
import type { Status, Stopper } from "../domain/events.ts";
import { type Estimate, OBJECTIVES, type Scorecard } from "../domain/objective.ts";
import { REPORT_VERSION, type ReportDocument } from "../domain/report-schema.ts";
import type { RunView, VariantView } from "./view.ts";

interface VariantResult {
	variant: string;
	file: string | null;
	validation: Scorecard;
	holdout: Scorecard;
}

/** What `gepa run --json` prints. */
export interface RunResult {
	schemaVersion: 1;
	run: string;
	skill: string;
	status: Status;
	stoppedBy: Stopper | null;
	/** Why, in the words of the report. */
	reason: string;
	/** Whether built-in rules answered instead of a language model. */
	simulation: boolean;
	incumbent: VariantResult;
	winner: VariantResult | null;
	front: { variant: string; file: string | null; validation: Scorecard }[];
	spend: {
		trials: number;
		modelCalls: number;
		reflectionCalls: number;
		tokens: number;
		usd: number | null;
		seconds: number;
		harvested: number;
	};
	variants: { proposed: number; refused: number; admitted: number; validated: number };
	promotion: { commit: string; branch: string; version: number; kernelSha256: string } | null;
	/** Null when it has not been written. */
	report: string | null;
}

const NOTHING: Estimate = { mean: null, low: null, high: null, n: 0, errors: 0 };

/** A scorecard with all four objectives, also where there is no trial: then n is 0 and the figures are null. */
function whole(card: Scorecard | null): Scorecard {
	return Object.fromEntries(OBJECTIVES.map((objective) => [objective, card?.[objective] ?? NOTHING])) as Scorecard;
}

function variantResult(variant: VariantView): VariantResult {
	const { validation, holdout } = variant.scorecards;
	return { variant: variant.id, file: variant.file, validation: whole(validation), holdout: whole(holdout) };
}

/** The result of a run. A run that has not ended has the status `stopped`. */
export function runResult(view: RunView): RunResult {
	const { spend, promotion, verdict } = view;
	return {
		schemaVersion: 1,
		run: view.run,
		skill: view.skill,
		status: verdict.status,
		stoppedBy: verdict.stoppedBy,
		reason: verdict.reason,
		simulation: view.offline,
		incumbent: variantResult(view.incumbent),
		winner: view.winner === null ? null : variantResult(view.winner),
		front: view.front.map(({ id, file, scorecards }) => ({
			variant: id,
			file,
			validation: whole(scorecards.validation),
		})),
		spend: {
			trials: spend.trials,
			modelCalls: spend.modelCalls,
			reflectionCalls: spend.reflectionCalls,
			tokens: spend.tokens,
			usd: spend.usd,
			seconds: spend.seconds,
			harvested: spend.harvested,
		},
		variants: view.counts,
		promotion:
			promotion === null
				? null
				: {
						commit: promotion.commit,
						branch: promotion.ref.replace(/^refs\/heads\//, ""),
						version: promotion.version,
						kernelSha256: promotion.kernelSha256,
					},
		report: view.reportPath,
	};
}

/**
 * The text of `report.json`: the view with `schemaVersion` in front, keys in a fixed order, two spaces of indentation.
 * Variants stand once, under `variants`; `incumbent`, `winner`, `challenger` and `front` name them by id, `wins` and
 * `losses` name cases by id.
 */
export function reportJson(view: RunView): string {
	const { matrix, ...document } = reportDocument(view);
	const rows = matrix.rows.map((row) => `      ${JSON.stringify(sorted(row))}`).join(",\n");
	const text = JSON.stringify({ schemaVersion: document.schemaVersion, ...(sorted(document) as object) }, null, 2);
	// A row of the matrix is one line: a large run has thousands of them, and a line for each figure would be a million.
	const table = `"matrix": {\n    "variants": ${JSON.stringify(matrix.variants)},\n    "rows": [${rows === "" ? "" : `\n${rows}\n    `}]\n  }`;
	return `${text.slice(0, -2)},\n  ${table}\n}\n`;
}

/** The content of `report.json`. */
export function reportDocument(view: RunView): ReportDocument {
	const { incumbent, winner, challenger, front, wins, losses, ...rest } = view;
	return {
		schemaVersion: REPORT_VERSION,
		...(rest as Mutable<typeof rest>),
		incumbent: incumbent.id,
		winner: winner?.id ?? null,
		challenger: challenger?.id ?? null,
		front: front.map((variant) => variant.id),
		variants: view.variants.map((variant) => ({
			...variant,
			parents: [...variant.parents],
			scorecards: bySplit(variant),
		})),
		wins: wins.map((entry) => entry.id),
		losses: losses.map((entry) => entry.id),
	};
}

/** The same value to the compiler, without its promise that nobody changes it. */
type Mutable<T> = T extends object ? { -readonly [Key in keyof T]: Mutable<T[Key]> } : T;

function bySplit(variant: VariantView): Record<Split, Scorecard | null> {
	return Object.fromEntries(SPLITS.map((split) => [split, variant.scorecards[split]])) as Record<
		Split,
		Scorecard | null
	>;
}

/** The same value with the keys of every object in order of code units. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
