/**
 * What a run holds fixed beside its settings: the parsed v0 and the cases. Pure input of every decision.
 */
import { type Case, casesOf, type Split } from "../domain/case.ts";
import type { Settings } from "../domain/job-spec.ts";
import type { RunState } from "../domain/run-state.ts";
import { openingOf } from "../domain/run-state.ts";
import { gatesOf } from "../domain/sequential.ts";
import type { Skill } from "../domain/skill.ts";

export interface RunContext {
	skill: Skill;
	settings: Settings;
	/** Every valid case of the skill. */
	cases: readonly Case[];
	byId: ReadonlyMap<string, Case>;
}

export function createContext(skill: Skill, settings: Settings, cases: readonly Case[]): RunContext {
	return { skill, settings, cases, byId: new Map(cases.map((entry) => [entry.id, entry])) };
}

/** The case of an id. @throws Error for an id that is not in the set: the log belongs to other cases. */
export function caseOf(context: RunContext, id: string): Case {
	const found = context.byId.get(id);
	if (!found) throw new Error(`the run's log names case ${id}, which is not in the case set`);
	return found;
}

/** Tests in a row that a text of this run must pass, for what each may spend. */
export function gatesIn({ settings, cases }: Pick<RunContext, "settings" | "cases">): number {
	return gatesOf(settings.holdout, casesOf(cases, "holdout").length);
}

/** Cases of a split in order of id. */
export function splitOf(context: RunContext, split: Split): Case[] {
	return casesOf(context.cases, split);
}

/** The train cases that the search works on, in the order of the run's opening. */
export function trainSampleOf(state: RunState, context: RunContext): Case[] {
	return openingOf(state).trainSample.map((id) => caseOf(context, id));
}
