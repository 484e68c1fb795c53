/**
 * The variants of a run: which one won, which one is compared with v0, which ones are on the front, and why the others
 * were retired.
 *
 * Invariants: a winner has passed every gate that the job spec asks for; the front is never empty, is sorted by quality
 * with the best first, and holds the best text found even when only v0 was validated.
 */
import { type Case, casesOf, SPLITS } from "../domain/case.ts";
import type { VariantRecord } from "../domain/events.ts";
import { front, pointOf } from "../domain/front.ts";
import { openingOf, type RunState, searchOf } from "../domain/run-state.ts";
import type { ChallengerName, VariantState, VariantView, ViewContext } from "./view.ts";
import type { Measurements } from "./view-changes.ts";

export interface VariantsView {
	incumbent: VariantView;
	winner: VariantView | null;
	challenger: VariantView | null;
	challengerName: ChallengerName;
	front: readonly VariantView[];
	variants: readonly VariantView[];
	labelOf: (id: string) => string;
}

/** All variants of the run, v0 first, then by generation and order of admission. */
export function variantsOf(
	state: RunState,
	cases: readonly Case[],
	measurements: Measurements,
	context: Pick<ViewContext, "files">,
): VariantsView {
	const v0 = openingOf(state).incumbent.id;
	const winnerId = winnerOf(state, cases);
	const challengerId = winnerId ?? bestTextOf(state);
	const frontIds = frontOf(state, measurements, challengerId);
	const labelOf = (id: string) => (id === v0 ? "v0" : id.slice(0, 8));
	const stateOf = (id: string): VariantState =>
		id === v0 ? "incumbent" : id === winnerId ? "winner" : id === challengerId ? "best" : "retired";

	const view = (record: VariantRecord): VariantView => ({
		id: record.id,
		label: labelOf(record.id),
		parents: record.parents,
		operator: record.operator,
		generation: record.generation,
		bytes: record.harness.reduce((sum, text) => sum + Buffer.byteLength(text, "utf8"), 0),
		edits: record.patch.length,
		file: context.files[record.id] ?? null,
		scorecards: {
			train: measurements.scorecard(record.id, "train"),
			validation: measurements.scorecard(record.id, "validation"),
			holdout: measurements.scorecard(record.id, "holdout"),
		},
		change: measurements.sizes(record.id),
		onFront: frontIds.includes(record.id),
		state: stateOf(record.id),
		reason: stateOf(record.id) === "retired" ? retirementOf(state, record, measurements) : "",
	});

	const variants = Object.values(state.variants).map(view);
	variants.sort((a, b) => Number(b.id === v0) - Number(a.id === v0) || a.generation - b.generation);
	const byId = new Map(variants.map((entry) => [entry.id, entry]));
	const find = (id: string | null) => (id === null ? null : (byId.get(id) ?? null));
	return {
		incumbent: byId.get(v0) as VariantView,
		winner: find(winnerId),
		challenger: find(challengerId),
		challengerName:
			winnerId !== null ? "winner" : frontIds.some((id) => id === challengerId) ? "best text" : "tested text",
		front: frontIds.flatMap((id) => byId.get(id) ?? []),
		variants,
		labelOf,
	};
}

/**
 * The variant that passed the gates: better on validation, and better on the sealed cases too where the job spec requires
 * them. Required cases that do not exist prove nothing, so then there is no winner.
 */
function winnerOf(state: RunState, cases: readonly Case[]): string | null {
	const passed = (gate: "validation" | "holdout") =>
		state.looks.filter((look) => look.gate === gate && look.answer === "better").map((look) => look.variant);
	const validated = passed("validation");
	if (openingOf(state).settings.holdout === "none") return validated.at(-1) ?? null;
	if (casesOf(cases, "holdout").length === 0) return null;
	const confirmed = new Set(passed("holdout"));
	return validated.filter((id) => confirmed.has(id)).at(-1) ?? null;
}

/** What came nearest to winning: passed validation, else chosen at the end of the search, else the working text. */
function bestTextOf(state: RunState): string | null {
	const v0 = openingOf(state).incumbent.id;
	const validated = state.looks.filter((look) => look.gate === "validation" && look.answer === "better").at(-1);
	const search = searchOf(state);
	const chosen = [validated?.variant, search.finished?.finalist, search.working.id].find(
		(id) => id !== undefined && id !== v0,
	);
	return chosen ?? null;
}

/**
 * Latency is told apart only beyond its measured noise, the half width of v0's own interval: otherwise every text would be on
 * the front for being a little faster by chance.
 */
function frontOf(state: RunState, measurements: Measurements, bestText: string | null): string[] {
	const points = Object.keys(state.variants).flatMap((id) => {
		const card = measurements.scorecard(id, "validation");
		return card === null ? [] : [pointOf(id, card)];
	});
	const v0 = openingOf(state).incumbent.id;
	const noise = measurements.scorecard(v0, "validation")?.latencyMs;
	const latencyMs = noise?.low != null && noise.high !== null ? (noise.high - noise.low) / 2 : 0;
	const ids = front(points, { latencyMs }).map((point) => point.id);
	if (ids.length === 0) ids.push(v0);
	const validated = points.some((point) => point.id !== v0);
	if (!validated && bestText !== null) ids.push(bestText);
	return ids;
}

function retirementOf(state: RunState, record: VariantRecord, measurements: Measurements): string {
	const look = state.looks.filter((entry) => entry.variant === record.id && entry.answer !== "continue").at(-1);
	if (look) return `${look.gate}: ${look.event.reason}`;
	if (measurements.scorecard(record.id, "validation") !== null) return "validated for the front, not chosen";
	if (SPLITS.every((split) => measurements.scorecard(record.id, split) === null))
		return "a step of the search, never measured by itself";
	const lost = state.dropped.filter((entry) => record.patch.includes(entry.edit)).length;
	return lost > 0 ? `${lost} of its edits did not hold` : "the search went on from a later text";
}
