/**
 * Where the search of a run stands, as its events tell it. Kept apart from the rest of the state, which it is a part of.
 */
import type { Consolidation, Move, Proposal, Purpose, Stopper, VariantRecord } from "./events.ts";

/** Where the search stands. */
export interface SearchState {
	generation: number;
	round: number;
	move: Move;
	/** Groups to reflect on next; undefined means all open ones. */
	groups: readonly string[] | undefined;
	working: VariantRecord;
	/** For each train case, the variant whose measurement the search goes by. */
	view: Readonly<Record<string, string>>;
	/** The variant that is to be measured now, with its cases. */
	pending: { variant: string; cases: readonly string[]; purpose: Purpose } | null;
	/** Groups to ask about while the pending variant is measured. */
	alongside: readonly string[];
	/** Groups that were asked about last. */
	asked: readonly string[];
	/** Proposals that wait to be combined. */
	proposals: readonly Proposal[];
	/** What was done with them already. */
	consolidated: readonly Consolidation[];
	/** How often each group was worked on. */
	worked: Readonly<Record<string, number>>;
	/** Whether an edit held so far in this generation. */
	held: boolean;
	/** Generations in a row without an edit that held. */
	stalled: number;
	/** Variants that were measured on the whole train sample and adopted, oldest first. */
	passes: readonly string[];
	/** Whether the last pruning, the one that ends the search, was begun. */
	pruned: boolean;
	/** Edits that came back after pruning. */
	restored: readonly string[];
	finished: { finalist: string; others: readonly string[]; stoppedBy: Stopper; reason: string } | null;
}

/** The search of a run that has just been opened: v0 is to be measured on the train sample. */
export function beginSearch(incumbent: VariantRecord, sample: readonly string[]): SearchState {
	return {
		generation: 0,
		round: 0,
		move: "measure",
		groups: undefined,
		working: incumbent,
		view: {},
		pending: { variant: incumbent.id, cases: sample, purpose: "incumbent" },
		alongside: [],
		asked: [],
		proposals: [],
		consolidated: [],
		worked: {},
		held: false,
		stalled: 0,
		passes: [],
		pruned: false,
		restored: [],
		finished: null,
	};
}
