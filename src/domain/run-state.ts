/**
 * The state of a run: the fold of its events, and nothing else. Asking the same log twice gives the same state, on any
 * machine; what is not in an event does not exist here.
 */
import type {
	EventOf,
	GroupRecord,
	Promotion,
	Proposal,
	Purpose,
	Refusal,
	RunEvent,
	Status,
	Stopper,
	TracedEdit,
	VariantRecord,
} from "./events.ts";
import { beginSearch, beginTrim, type SearchState, type TrimState } from "./search-state.ts";
import { addUsd, type Spend } from "./spend.ts";
import type { Trial } from "./trial.ts";

export interface Look {
	gate: "validation" | "holdout";
	variant: string;
	answer: EventOf<"look-taken">["answer"];
	event: EventOf<"look-taken">;
}

export interface RunState {
	opened: EventOf<"run-opened"> | null;
	variants: Readonly<Record<string, VariantRecord>>;
	edits: Readonly<Record<string, TracedEdit>>;
	/** Trials by variant, in the order of the log. */
	trials: Readonly<Record<string, readonly Trial[]>>;
	/** Splits on which each variant has trials, with the purposes they were made for. */
	purposes: Readonly<Record<string, readonly Purpose[]>>;
	proposals: readonly (Proposal & { generation: number })[];
	groups: Readonly<Record<string, GroupRecord>>;
	refusals: readonly (Refusal & { generation: number })[];
	dropped: readonly { edit: string; reason: string; generation: number }[];
	search: SearchState | null;
	looks: readonly Look[];
	holdoutOpened: string | null;
	limit: Stopper | null;
	spend: Spend;
	promotion: Promotion | null;
	promotionRefused: { reason: string; message: string } | null;
	closed: { status: Status; stoppedBy: Stopper | null; reason: string } | null;
}

export const INITIAL: RunState = {
	opened: null,
	variants: {},
	edits: {},
	trials: {},
	purposes: {},
	proposals: [],
	groups: {},
	refusals: [],
	dropped: [],
	search: null,
	looks: [],
	holdoutOpened: null,
	limit: null,
	spend: { trials: 0, taskCalls: 0, judgeCalls: 0, reflectionCalls: 0, tokens: 0, usd: 0 },
	promotion: null,
	promotionRefused: null,
	closed: null,
};

/** The run's opening event. @throws Error when the run is not open yet: a bug of the caller. */
export function openingOf(state: RunState): EventOf<"run-opened"> {
	if (!state.opened) throw new Error("the run has not been opened");
	return state.opened;
}

/** The search of an open run. @throws Error when the run is not open yet. */
export function searchOf(state: RunState): SearchState {
	if (!state.search) throw new Error("the run has not been opened");
	return state.search;
}

/** The variant of an id. @throws Error for an id that no event admitted. */
export function variantOf(state: RunState, id: string): VariantRecord {
	const variant = state.variants[id];
	if (!variant) throw new Error(`no variant ${id} in this run`);
	return variant;
}

function opened(state: RunState, event: EventOf<"run-opened">): RunState {
	return {
		...state,
		opened: event,
		variants: { [event.incumbent.id]: event.incumbent },
		search: beginSearch(event.incumbent, event.trainSample),
	};
}

function measured(state: RunState, event: EventOf<"trials-measured">): RunState {
	const trials: Record<string, readonly Trial[]> = { ...state.trials };
	const purposes: Record<string, readonly Purpose[]> = { ...state.purposes };
	const added = new Map<string, Trial[]>();
	const spend = { ...state.spend };
	for (const trial of event.trials) {
		const list = added.get(trial.variant) ?? [];
		list.push(trial);
		added.set(trial.variant, list);
		// What the limits left no room for was not tried.
		if (trial.outcome.status !== "failed" || trial.outcome.reason !== "budget") spend.trials += 1;
		spend.taskCalls += trial.spend.taskCalls;
		spend.judgeCalls += trial.spend.judgeCalls;
		spend.tokens += trial.spend.tokens;
		spend.usd = addUsd(spend.usd, trial.spend.usd);
	}
	for (const [variant, list] of added) {
		trials[variant] = [...(trials[variant] ?? []), ...list];
		purposes[variant] = [...new Set([...(purposes[variant] ?? []), event.purpose])];
	}
	const search = searchOf(state);
	const limit = state.limit ?? event.limit ?? null;
	if (event.purpose !== "incumbent") return { ...state, trials, purposes, spend, limit };
	const view = Object.fromEntries(event.trials.map((trial) => [trial.caseId, trial.variant]));
	return {
		...state,
		trials,
		purposes,
		spend,
		limit,
		search: { ...search, view, pending: null, passes: [search.working.id] },
	};
}

function received(state: RunState, event: EventOf<"proposals-received">): RunState {
	const search = searchOf(state);
	const spend = { ...state.spend };
	for (const proposal of event.proposals) {
		spend.reflectionCalls += proposal.calls;
		spend.tokens += proposal.tokens;
		spend.usd = addUsd(spend.usd, proposal.usd);
	}
	const worked = { ...search.worked };
	for (const group of event.groups) worked[group.id] = (worked[group.id] ?? 0) + 1;
	return {
		...state,
		spend,
		limit: state.limit ?? event.limit ?? null,
		proposals: [
			...state.proposals,
			...event.proposals.map((proposal) => ({ ...proposal, generation: event.generation })),
		],
		groups: { ...state.groups, ...Object.fromEntries(event.groups.map((group) => [group.id, group])) },
		search: { ...search, worked, proposals: event.proposals, consolidated: [] },
	};
}

function consolidated(state: RunState, event: EventOf<"proposals-consolidated">): RunState {
	const search = searchOf(state);
	const spend = { ...state.spend };
	spend.reflectionCalls += event.calls;
	spend.tokens += event.tokens;
	spend.usd = addUsd(spend.usd, event.usd);
	return {
		...state,
		spend,
		limit: state.limit ?? event.limit ?? null,
		search: {
			...search,
			proposals: event.proposal === null ? search.proposals : [event.proposal],
			consolidated: [...search.consolidated, event.operator],
			trim: search.trim && {
				...search.trim,
				asked: event.section === undefined ? search.trim.asked : [...search.trim.asked, event.section],
			},
		},
	};
}

function admitted(state: RunState, event: EventOf<"variant-admitted">): RunState {
	const search = searchOf(state);
	const isTrim = event.purpose === "trim";
	return {
		...state,
		variants: { ...state.variants, [event.variant.id]: event.variant },
		edits: { ...state.edits, ...Object.fromEntries(event.edits.map((edit) => [edit.id, edit])) },
		refusals: [...state.refusals, ...event.refusals.map((refusal) => ({ ...refusal, generation: search.generation }))],
		search: {
			...search,
			proposals: [],
			pending: { variant: event.variant.id, cases: event.cases, purpose: event.purpose },
			pruned: isTrim ? search.pruned : event.purpose === "prune",
			trim: isTrim ? trying(search.trim, event) : search.trim,
		},
	};
}

function judged(state: RunState, event: EventOf<"edits-judged">): RunState {
	const search = searchOf(state);
	const view = { ...search.view };
	const pending = search.pending;
	if (event.adopted && event.variant !== null && pending) {
		for (const id of pending.cases) if (!event.except.includes(id)) view[id] = event.variant;
	}
	const isPass = pending?.purpose === "pass" || pending?.purpose === "prune" || pending?.purpose === "trim";
	// A text of an earlier run that does not help says nothing of this run's questions.
	const isStart = state.variants[event.variant ?? ""]?.operator === "start";
	const wholePass = event.adopted && event.variant !== null && isPass;
	return {
		...state,
		variants: { ...state.variants, [event.working.id]: state.variants[event.working.id] ?? event.working },
		dropped: [...state.dropped, ...event.dropped.map((entry) => ({ ...entry, generation: event.generation }))],
		refusals: [...state.refusals, ...event.refusals.map((refusal) => ({ ...refusal, generation: event.generation }))],
		search: {
			...search,
			generation: search.generation + 1,
			working: event.working,
			view,
			pending: null,
			proposals: [],
			stalled: event.kept.length > 0 ? 0 : search.stalled + (isStart ? 0 : 1),
			passes: wholePass && event.variant !== null ? [...search.passes, event.variant] : search.passes,
			restored: [...search.restored, ...event.restored],
			// Lines came back to a text that no whole pass has seen.
			pruned: search.pruned && !(pending?.purpose === "prune" && !event.adopted && event.restored.length > 0),
			trim: search.trim && tried(search.trim, event),
		},
	};
}

/** The first text that is admitted for trimming is the one to be trimmed; each later one lacks something more. */
function trying(trim: TrimState | null, event: EventOf<"variant-admitted">): TrimState {
	return trim === null ? beginTrim(event.variant.id) : { ...trim, trying: event.edits.map((edit) => edit.id) };
}

/** Trimming after a child was judged. */
function tried(trim: TrimState, event: EventOf<"edits-judged">): TrimState {
	if (trim.trying.length === 0) return trim;
	const attempt = { edits: trim.trying, missed: event.restored, kept: event.adopted };
	return { ...trim, trying: [], attempts: [...trim.attempts, attempt] };
}

/** The state after one more event. Pure and total: every event of the union has its case. */
export function evolve(state: RunState, event: RunEvent): RunState {
	switch (event.type) {
		case "run-opened":
			return opened(state, event);
		case "trials-measured":
			return measured(state, event);
		case "proposals-received":
			return received(state, event);
		case "proposals-consolidated":
			return consolidated(state, event);
		case "variant-admitted":
			return admitted(state, event);
		case "edits-judged":
			return judged(state, event);
		case "search-finished": {
			const { finalist, others, stoppedBy, reason, draws = 1 } = event;
			return { ...state, search: { ...searchOf(state), finished: { finalist, others, stoppedBy, reason, draws } } };
		}
		case "look-taken":
			return {
				...state,
				looks: [...state.looks, { gate: event.gate, variant: event.variant, answer: event.answer, event }],
			};
		case "calls-lost": {
			const { spend } = state;
			const usd = addUsd(spend.usd, event.usd);
			return {
				...state,
				spend: { ...spend, taskCalls: spend.taskCalls + event.calls, tokens: spend.tokens + event.tokens, usd },
			};
		}
		case "holdout-opened":
			return { ...state, holdoutOpened: event.variant };
		case "limit-reached":
			return { ...state, limit: state.limit ?? event.limit };
		case "promotion-done":
			return { ...state, promotion: event };
		case "promotion-refused":
			return { ...state, promotionRefused: { reason: event.reason, message: event.message } };
		case "run-closed":
			return { ...state, closed: { status: event.status, stoppedBy: event.stoppedBy, reason: event.reason } };
	}
}

/** The fold of a whole log. */
export function replay(events: readonly RunEvent[]): RunState {
	return events.reduce(evolve, INITIAL);
}
