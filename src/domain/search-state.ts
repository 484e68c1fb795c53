/**
 * Where the search of a run stands, as its events tell it. Kept apart from the rest of the state, which it is a part of.
 */
import type { Consolidation, Proposal, Purpose, Stopper, VariantRecord } from "./events.ts";

/** How far the text has been shortened, for a policy that minds costs. */
export interface TrimState {
	/** The text that this began with: no child may fall behind it. */
	reference: string;
	/** Edits of the child that is measured now, beside those of the working text. */
	trying: readonly string[];
	/** What was tried, oldest first: the edits, those of them whose line a check missed, and whether the child was kept. */
	attempts: readonly { edits: readonly string[]; missed: readonly string[]; kept: boolean }[];
	/** Sections that a shorter wording was asked for. Once there is one, nothing more is taken out. */
	asked: readonly string[];
}

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
	/** Null until the text is shortened. */
	trim: TrimState | null;
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
		trim: null,
		finished: null,
	};
}

/** Nothing has been taken out of this text yet. */
export function beginTrim(reference: string): TrimState {
	return { reference, trying: [], attempts: [], asked: [] };
}
