/**
 * Where the search of a run stands, as its events tell it. Kept apart from the rest of the state, which it is a part of.
 */
import type { Consolidation, Proposal, Purpose, Stopper, VariantRecord } from "./events.ts";

/** Where the search stands. */
export interface SearchState {
	generation: number;
	working: VariantRecord;
	/** For each train case, the variant whose measurement the search goes by. */
	view: Readonly<Record<string, string>>;
	/** The variant that is to be measured now, with its cases. */
	pending: { variant: string; cases: readonly string[]; purpose: Purpose } | null;
	/** Proposals that wait to be combined. */
	proposals: readonly Proposal[];
	/** What was done with them already. */
	consolidated: readonly Consolidation[];
	/** How often each group was worked on. */
	worked: Readonly<Record<string, number>>;
	/** Generations in a row without an edit that held. */
	stalled: number;
	/** Variants that were measured on the whole train sample and adopted, oldest first. */
	passes: readonly string[];
	/** Whether the text was pruned, or confirmed as it is, and nothing was added since. */
	pruned: boolean;
	/** Edits that came back after pruning. */
	restored: readonly string[];
	finished: { finalist: string; others: readonly string[]; stoppedBy: Stopper; reason: string; draws: number } | null;
}

/** The search of a run that has just been opened: v0 is to be measured on the train sample. */
export function beginSearch(incumbent: VariantRecord, sample: readonly string[]): SearchState {
	return {
		generation: 0,
		working: incumbent,
		view: {},
		pending: { variant: incumbent.id, cases: sample, purpose: "incumbent" },
		proposals: [],
		consolidated: [],
		worked: {},
		stalled: 0,
		passes: [],
		pruned: false,
		restored: [],
		finished: null,
	};
}
