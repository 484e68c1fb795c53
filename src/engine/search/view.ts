/**
 * What the search sees: for each train case the trial that it goes by at the moment, be it of the working text itself or of
 * the relative it was last measured with. An estimate on purpose; proofs never look here.
 */
import { openingOf, type RunState, searchOf } from "../../domain/run-state.ts";
import type { Trial } from "../../domain/trial.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { type Group, groupsOf } from "./groups.ts";

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

/** Groups of the train sample as the search sees them now. */
export function currentGroups(state: RunState, context: RunContext): Group[] {
	return groupsOf(trainSampleOf(state, context), viewOf(state));
}

/** Whether checks of the group fail now that passed under v0: something that was added since is too broad for them. */
export function hasRegressed(state: RunState, group: Group): boolean {
	const v0 = trialsOf(state, openingOf(state).incumbent.id);
	return group.findings.some((finding) => {
		if (!finding.failed || finding.check < 0) return false;
		const outcome = v0.get(finding.caseId)?.outcome;
		return outcome?.status === "measured" && outcome.scores[finding.check] === 1;
	});
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
