/**
 * What a person should know about a set of cases before money is spent on it, although every case is well formed. Knows what
 * a run needs of its cases; stops nothing.
 */
import { type Case, SPLITS } from "../domain/case.ts";
import type { Check } from "../domain/check.ts";
import { sha256 } from "../domain/digest.ts";
import { formatPlace, type Place, type Problem } from "../errors.ts";

/** Below this number of validation cases almost no improvement can be proved. */
const FEW_VALIDATION = 8;
/** Types that only a dialogue with tools, or a program, could answer. */
const NOT_RUN: ReadonlySet<Check["type"]> = new Set(["command", "tool-used", "tool-sequence"]);

/** Warnings about the whole set first, then about single cases. */
export function findCaseWarnings(
	cases: readonly Case[],
	places: ReadonlyMap<string, Place>,
	folder: string,
): Problem[] {
	if (cases.length === 0) return [];
	const place = { file: folder };
	const placeOf = (entry: Case): Place => places.get(entry.id) ?? place;
	return [
		...splitWarnings(cases).map((warning) => ({ ...warning, place })),
		...noteWarning(cases, placeOf),
		...notRunWarning(cases, placeOf),
		...twins(cases, placeOf),
	];
}

function splitWarnings(cases: readonly Case[]): Omit<Problem, "place">[] {
	const [train, validation, holdout] = SPLITS.map((split) => cases.filter((entry) => entry.split === split).length) as [
		number,
		number,
		number,
	];
	const warnings: Omit<Problem, "place">[] = [];
	if (train === 0)
		warnings.push({
			message: "no case is in train",
			hint: "The search learns from train cases; without one it cannot start.",
		});
	if (validation < FEW_VALIDATION) {
		warnings.push({
			message: `only ${validation} validation cases`,
			expected: `at least ${FEW_VALIDATION}`,
			hint: "With so few, hardly any improvement can be proved.",
		});
	}
	if (holdout === 0)
		warnings.push({
			message: "no case is in holdout",
			hint: "Nothing is promoted without them unless the job spec says `holdout: none`.",
		});
	return warnings;
}

function noteWarning(cases: readonly Case[], placeOf: (entry: Case) => Place): Problem[] {
	const lacking = cases.filter(
		(entry) => entry.split === "train" && entry.checks.some(({ note }) => note === undefined),
	);
	const [first] = lacking;
	if (first === undefined) return [];
	const checks = lacking.flatMap((entry) => entry.checks.filter(({ note }) => note === undefined)).length;
	const message = `${checks} checks of ${lacking.length} train cases have no note; the first is ${first.id}`;
	return [{ message, place: placeOf(first), hint: "A note tells the reflection model why a failed check matters." }];
}

function notRunWarning(cases: readonly Case[], placeOf: (entry: Case) => Place): Problem[] {
	const touched = cases.filter((entry) => entry.checks.some(({ type }) => NOT_RUN.has(type)));
	const [first] = touched;
	if (first === undefined) return [];
	const types = [
		...new Set(touched.flatMap((entry) => entry.checks.map(({ type }) => type).filter((type) => NOT_RUN.has(type)))),
	].sort();
	const message = `${touched.length} cases have checks that cannot be run here (${types.join(", ")}); the first is ${first.id}`;
	return [
		{
			message,
			place: placeOf(first),
			hint: "They count as missing data, never as a score; weight: 0 reports them only.",
		},
	];
}

/** The same input in two splits: what was learnt on one would be proved on the other. */
function twins(cases: readonly Case[], placeOf: (entry: Case) => Place): Problem[] {
	const seen = new Map<string, Case>();
	const warnings: Problem[] = [];
	for (const entry of cases) {
		const key = sha256(JSON.stringify([entry.input ?? entry.messages, entry.args ?? null]));
		const first = seen.get(key);
		if (first === undefined) seen.set(key, entry);
		else if (first.split !== entry.split && warnings.length < 10) {
			const message = `${entry.id} (${entry.split}) has the same input as ${first.id} (${first.split}) at ${formatPlace(placeOf(first))}`;
			warnings.push({ message, place: placeOf(entry), hint: "Give both one group, so that they share a split." });
		}
	}
	return warnings;
}
