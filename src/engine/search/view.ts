/**
 * What the search sees: for each train case the trial that it goes by at the moment, be it of the working text itself or of
 * the relative it was last measured with. An estimate on purpose; proofs never look here.
 */
import { type Case, casesOf } from "../../domain/case.ts";
import { openingOf, type RunState, searchOf } from "../../domain/run-state.ts";
import type { Trial } from "../../domain/trial.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { type Causes, createCauses } from "./causes.ts";
import { causesIn, type Finding, type Group, groupsOf, symptomsOf } from "./groups.ts";

/** First draw of a variant on a case, if it was measured there. */
export function firstTrial(state: RunState, variant: string, caseId: string): Trial | undefined {
	return state.trials[variant]?.find((trial) => trial.caseId === caseId && trial.repeat === 0);
}

/** First draws of a variant by case. */
export function trialsOf(state: RunState, variant: string): ReadonlyMap<string, Trial> {
	const byCase = new Map<string, Trial>();
	for (const trial of state.trials[variant] ?? []) if (trial.repeat === 0) byCase.set(trial.caseId, trial);
	return byCase;
}

/** The trial that the search goes by for each case of the train sample. */
export function viewOf(state: RunState): (caseId: string) => Trial | undefined {
	const { view } = searchOf(state);
	const indexes = new Map<string, ReadonlyMap<string, Trial>>();
	return (caseId) => {
		const variant = view[caseId];
		if (variant === undefined) return undefined;
		const index = indexes.get(variant) ?? trialsOf(state, variant);
		indexes.set(variant, index);
		return index.get(caseId);
	};
}

/** Train cases that causes are looked for in, at the most; with more of them, only those of the sample are. */
const CAUSES_FROM = 200;
const known = new WeakMap<RunContext, Causes>();

/** The causes of a case set: of all its train cases, or of those with the given ids where they are many. */
export function causesAmong(cases: readonly Case[], sample: readonly string[]): Causes {
	const train = casesOf(cases, "train");
	const ids = new Set(sample);
	return createCauses(train.length <= CAUSES_FROM ? train : train.filter((entry) => ids.has(entry.id)));
}

/** The causes of a run, made once for each context. */
export function causesOf(state: RunState, context: RunContext): Causes {
	const causes = known.get(context) ?? causesAmong(context.cases, openingOf(state).trainSample);
	known.set(context, causes);
	return causes;
}

/**
 * Groups of the train sample as the search sees them now. A check that failed before a line came for its cause says nothing any
 * more once another check of its symptom passes with that line: it is left out until it is measured again.
 */
export function currentGroups(state: RunState, context: RunContext): Group[] {
	const groups = groupsOf(trainSampleOf(state, context), viewOf(state), causesOf(state, context));
	const outdated = outdatedIn(state, groups);
	if (outdated.size === 0) return groups;
	return groups
		.map((group) => {
			const findings = group.findings.filter((finding) => !outdated.has(nameOf(finding)));
			return {
				...group,
				findings,
				failing: findings.filter((finding) => finding.failed).length,
				total: findings.length,
			};
		})
		.filter((group) => group.total > 0);
}

const nameOf = (finding: Finding) => `${finding.caseId} ${finding.check}`;

/** Failing findings that a line has outdated which came later and helped others of the same symptom. */
function outdatedIn(state: RunState, groups: readonly Group[]): ReadonlySet<string> {
	const { view, working } = searchOf(state);
	const causeOf = new Map(groups.map((group) => [group.id, group.cause]));
	const lines = new Map<string, string[]>();
	for (const id of working.patch) {
		const cause = causeOf.get(state.edits[id]?.group ?? "");
		if (cause !== undefined) lines.set(cause, [...(lines.get(cause) ?? []), id]);
	}
	const isCurrent = (group: Group, finding: Finding) => {
		const had = state.variants[view[finding.caseId] ?? ""]?.patch ?? [];
		return (lines.get(group.cause) ?? []).every((id) => had.includes(id));
	};
	const outdated = new Set<string>();
	for (const cause of causesIn(groups)) {
		if (!lines.has(cause.id)) continue;
		for (const symptom of symptomsOf(groups, cause.id)) {
			if (!symptom.findings.some((finding) => !finding.failed && isCurrent(symptom, finding))) continue;
			for (const finding of symptom.findings)
				if (finding.failed && !isCurrent(symptom, finding)) outdated.add(nameOf(finding));
		}
	}
	return outdated;
}

/** Weighted mean quality over the cases that have a value, 0 to 1; null when none has. */
export function meanQuality(
	cases: readonly { id: string; weight: number }[],
	trialOf: (caseId: string) => Trial | undefined,
): number | null {
	let sum = 0;
	let weight = 0;
	for (const entry of cases) {
		const quality = trialOf(entry.id)?.outcome.quality;
		if (quality === null || quality === undefined) continue;
		sum += quality * entry.weight;
		weight += entry.weight;
	}
	return weight === 0 ? null : sum / weight;
}
