/**
 * Case by case: v0 beside the compared text, with what each check said.
 *
 * It must not judge. Invariant: every case that either side was tried on appears once, and a side that is not known is null,
 * never zero.
 */
import { type Case, SPLITS } from "../domain/case.ts";
import type { Check } from "../domain/check.ts";
import { outcomeValue } from "../domain/objective.ts";
import type { Trial } from "../domain/trial.ts";
import type { CaseSide, CaseView } from "./view.ts";
import type { Measurements } from "./view-changes.ts";

/** How many wins and losses are named at the top. */
const TOP = 5;

/** The tried cases in order of split and id. */
export function casesView(
	cases: readonly Case[],
	before: string,
	after: string | null,
	measurements: Measurements,
): CaseView[] {
	return SPLITS.flatMap((split) => {
		const old = byCase(measurements.trials(before, split));
		const young = after === null ? new Map<string, Trial[]>() : byCase(measurements.trials(after, split));
		return cases
			.filter((entry) => entry.split === split && (old.has(entry.id) || young.has(entry.id)))
			.sort((a, b) => (a.id < b.id ? -1 : 1))
			.map((entry) => caseView(entry, old.get(entry.id), young.get(entry.id)));
	});
}

/** The greatest changes among validation and sealed cases (train cases when there are no others): gains, or losses. */
export function topChanges(cases: readonly CaseView[], direction: "wins" | "losses"): CaseView[] {
	const sign = direction === "wins" ? 1 : -1;
	// Rounded, so that equal changes are equal whatever the order in which they were added up.
	const sizeOf = ({ change }: CaseView) => Math.round(sign * (change ?? 0) * 1e9);
	const known = cases.filter((entry) => entry.change !== null);
	const unseen = known.filter((entry) => entry.split !== "train");
	return (unseen.length > 0 ? unseen : known)
		.filter((entry) => sizeOf(entry) > 0)
		.sort((a, b) => sizeOf(b) - sizeOf(a) || (a.id < b.id ? -1 : 1))
		.slice(0, TOP);
}

function byCase(trials: readonly Trial[]): Map<string, Trial[]> {
	const found = new Map<string, Trial[]>();
	for (const trial of trials) found.set(trial.caseId, [...(found.get(trial.caseId) ?? []), trial]);
	return found;
}

function caseView(entry: Case, before: readonly Trial[] | undefined, after: readonly Trial[] | undefined): CaseView {
	const sides = { before: side(entry, before), after: side(entry, after) };
	const [from, to] = [sides.before?.quality ?? null, sides.after?.quality ?? null];
	return {
		id: entry.id,
		split: entry.split,
		group: entry.group ?? null,
		weight: entry.weight,
		input: entry.input ?? (entry.messages ?? []).map((message) => `${message.role}: ${message.content}`).join("\n\n"),
		checks: entry.checks.map((check) => ({
			label: checkLabel(check),
			note: check.note ?? null,
			contract: check.contract,
		})),
		...sides,
		change: from === null || to === null ? null : to - from,
	};
}

function side(entry: Case, trials: readonly Trial[] | undefined): CaseSide | null {
	if (trials === undefined) return null;
	const of = (objective: "quality" | "latencyMs" | "tokens" | "retries") =>
		average(trials.map((trial) => outcomeValue(trial.outcome, objective)));
	return {
		quality: of("quality"),
		latencyMs: of("latencyMs"),
		tokens: of("tokens"),
		retries: of("retries"),
		trials: trials.length,
		failures: trials.flatMap(({ outcome }) => (outcome.status === "failed" ? [outcome.reason] : [])),
		rollouts: trials.map((trial) => trial.rollout),
		scores: entry.checks.map((_, index) =>
			average(trials.map(({ outcome }) => (outcome.status === "measured" ? (outcome.scores[index] ?? null) : null))),
		),
	};
}

function average(values: readonly (number | null)[]): number | null {
	const known = values.filter((value) => value !== null);
	return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** What a check wants, in a few words: its type and its own fields. */
function checkLabel(check: Check): string {
	const { type, note: _note, weight: _weight, contract: _contract, not, ...own } = check;
	const fields = Object.entries(own).filter(([, value]) => value !== undefined && value !== false && value !== "");
	const words = fields.map(([name, value]) => {
		if (name === "schema") return "";
		const text = name === "path" || name === "unit" ? String(value) : JSON.stringify(value);
		return ["path", "value", "values", "criterion", "pattern"].includes(name) ? text : `${name} ${text}`;
	});
	return [not ? "not" : "", type, ...words].filter((word) => word !== "").join(" ");
}
