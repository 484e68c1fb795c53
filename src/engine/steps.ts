/**
 * The steps that `plan` decides on and `conduct` performs. A step says what is to be done in terms of the run; it holds no
 * text of a case and no connection to anything.
 */
import type { Consolidation, GroupRecord, Purpose, RunEvent } from "../domain/events.ts";

export interface TrialRequest {
	variant: string;
	caseId: string;
	repeat: number;
}

/** One question to the reflection model about one group of failures. */
export interface ReflectionRequest {
	/** Id of the proposal that will come of it. */
	id: string;
	group: GroupRecord;
	/** Case and the index of its failing check (-1: the contract), with the variant whose trial failed. */
	failing: { caseId: string; check: number; variant: string }[];
	passing: { caseId: string; variant: string } | null;
	/** Edits tried for this group that did not hold. */
	rejected: { text: string; effect: string }[];
	/** Lines that must stay. */
	keep: string[];
	variant: string;
}

/** One train case that is to become an example for a group. */
export interface ExampleRequest {
	/** Id of the proposal that will come of it. */
	id: string;
	group: string;
	caseId: string;
	/** Index of its failing check. */
	check: number;
	/** Rollout whose answer passed every check; null when none did. */
	rollout: string | null;
}

export interface MeasureStep {
	type: "measure";
	purpose: Purpose;
	generation: number;
	trials: TrialRequest[];
}

export interface ReflectStep {
	type: "reflect";
	generation: number;
	groups: GroupRecord[];
	requests: ReflectionRequest[];
	examples: ExampleRequest[];
}

/** One question about all proposals of a generation, or about a section that is to be said shorter. */
export interface ConsolidateStep {
	type: "consolidate";
	operator: Consolidation;
	generation: number;
	/** Id of the proposal that stands for all afterwards. */
	id: string;
	/** Failing checks, for a ranking to go by. */
	failing: { caseId: string; check: number }[];
	/** The section to say shorter, for a reformulation. */
	section?: string;
}

export type Step =
	| MeasureStep
	| ReflectStep
	| ConsolidateStep
	/** A decision that needs nothing but to be written down. */
	| { type: "decide"; event: RunEvent }
	| { type: "promote"; variant: string }
	| { type: "done" };
