/**
 * The search as a sequence of moves: measure what is pending, judge it, ask about what fails, combine the answers, and prune and
 * stop when nothing is open or affordable. Each question it answers has a file of its own beside this one.
 */
import { admitHarness } from "../../domain/admission.ts";
import { addCost, type Cost } from "../../domain/budget.ts";
import type { EventOf, RunEvent, Stopper, VariantRecord } from "../../domain/events.ts";
import { openingOf, type RunState, searchOf } from "../../domain/run-state.ts";
import { caseOf, type RunContext, trainSampleOf } from "../context.ts";
import { recordOf } from "../patch.ts";
import { inputOf } from "../protocol.ts";
import type { Step, TrialRequest } from "../steps.ts";
import { recordOfGroup, requestsFor } from "./ask.ts";
import { combine } from "./combine.ts";
import { consolidationOf } from "./consolidation.ts";
import { coveringCases, probeCases } from "./cover.ts";
import { examplesFor } from "./examples.ts";
import { chooseFinalists } from "./finalists.ts";
import { type Group, worthOf } from "./groups.ts";
import { judgeMeasured } from "./judge.ts";
import { openCauses, symptomToAsk } from "./open-causes.ts";
import { planPruning } from "./prune.ts";
import { isFresh, signalComplaint } from "./signal.ts";
import { affordableDraws, forbids, proofReserve, reflectionsCost, trialsCost } from "./stop.ts";
import { isTrimmed, planTrim } from "./trim.ts";
import { judgeTrimmed } from "./trim-judge.ts";
import { causesOf, currentGroups, trialsOf } from "./view.ts";

const decide = (event: RunEvent): Step => ({ type: "decide", event });

/** The next step of the search. */
export function planSearch(state: RunState, context: RunContext): Step {
	const search = searchOf(state);
	if (search.pending)
		return (
			measurePending(state, context) ??
			decide(search.pending.purpose === "trim" ? judgeTrimmed(state, context) : judgeMeasured(state, context))
		);
	if (state.limit !== null) return finish(state, context, state.limit, `the limit on ${state.limit} was reached`);
	if (isFresh(state)) {
		const complaint = signalComplaint(state, context);
		if (complaint !== null) return finish(state, context, "no-signal", complaint);
		const start = startingText(state, context);
		if (start !== null) return start;
	}
	// Once the text is being shortened nothing is asked about failures any more.
	if (search.trim) return trimOn(state, context);
	return search.proposals.length > 0 ? combineProposals(state, context) : ask(state, context);
}

function trimOn(state: RunState, context: RunContext): Step {
	const trimming = planTrim(state, context);
	return "step" in trimming ? trimming.step : finish(state, context, trimming.stoppedBy, trimming.reason);
}

/** The trials of the pending variant that are still to come; null when all are there. */
function measurePending(state: RunState, context: RunContext): Step | null {
	const { pending, generation } = searchOf(state);
	if (!pending) return null;
	const known = trialsOf(state, pending.variant);
	const trials: TrialRequest[] = pending.cases
		.filter((id) => !known.has(id) && caseOf(context, id))
		.map((caseId) => ({ variant: pending.variant, caseId, repeat: 0 }));
	return trials.length === 0 ? null : { type: "measure", purpose: pending.purpose, generation, trials };
}

/**
 * The text that an earlier run left undecided is the first child of v0: it is measured whole, and kept when it is better. Null when
 * there is none, when it cannot be built or is not admitted any more, or when a pass is all that the limits leave room for.
 */
function startingText(state: RunState, context: RunContext): Step | null {
	const { start, incumbent } = openingOf(state);
	if (start === undefined) return null;
	const variant = recordOf(
		{ ...state, edits: Object.fromEntries(start.edits.map((edit) => [edit.id, edit])) },
		start.edits,
		{
			parents: [incumbent.id],
			operator: "start",
			generation: 0,
		},
	);
	const caseTexts = trainSampleOf(state, context).map(inputOf);
	const maxBytes = context.settings.search.harnessBytes;
	const admission = admitHarness(context.skill, incumbent.harness, variant.harness, { maxBytes, caseTexts });
	const sample = trainSampleOf(state, context);
	const cost = addCost(trialsCost(state, sample), generationCost(state, context, []));
	if (variant.id === incumbent.id || !admission.ok) return null;
	if (forbids(state, context, cost, proofReserve(state, context)) !== null) return null;
	const edits = start.edits.filter((edit) => variant.patch.includes(edit.id));
	const cases = sample.map((entry) => entry.id);
	return decide({ type: "variant-admitted", variant, edits, refusals: [], cases, purpose: "pass" });
}

/** Expected cost of asking about these groups and measuring what comes of it, once in part and once whole. */
function generationCost(state: RunState, context: RunContext, groups: readonly Group[]): Cost {
	const probe = coveringCases(groups).map((id) => caseOf(context, id));
	const pass = trialsCost(state, trainSampleOf(state, context));
	return addCost(addCost(reflectionsCost(state, groups.length), trialsCost(state, probe)), pass);
}

/** A later generation is opened only for at least this much quality: less is lost in the noise of its own measurement. */
const WORTH = 0.02;

/** Asks about what is open, unless the search is at its end. */
function ask(state: RunState, context: RunContext): Step {
	const { stalled, generation } = searchOf(state);
	// The text of an earlier run takes a generation of its own, before anything is asked.
	const first = openingOf(state).start === undefined ? 0 : 1;
	const { search: settings } = context.settings;
	if (stalled >= settings.stall)
		return settle(state, context, "converged", `${stalled} generations without an edit that held`);
	if (generation >= settings.generations + first)
		return settle(state, context, "converged", `${generation} generations are done`);
	const all = currentGroups(state, context);
	const open = openCauses(state, all, settings.openChance);
	if (open.length === 0)
		return settle(state, context, "converged", "no failure is left that slips of the model do not explain");
	if (generation > first && worthOf(open, all) < WORTH)
		return settle(state, context, "converged", "what still fails is not worth another generation");
	const groups = toAsk(state, context, open.slice(0, settings.reflections), all);
	const limit = forbids(state, context, generationCost(state, context, groups), proofReserve(state, context));
	if (limit !== null)
		return settle(state, context, limit, `the limit on ${limit} leaves no room for another generation`);
	const requests = requestsFor(state, context, groups, all);
	const examples = examplesFor(state, context, groups);
	return { type: "reflect", generation, groups: groups.map(recordOfGroup), requests, examples };
}

/** Where checks repeat, a question is about one symptom; where none is like another, about all that the cause shows. */
function toAsk(state: RunState, context: RunContext, causes: readonly Group[], all: readonly Group[]): Group[] {
	const { worked } = searchOf(state);
	return causesOf(state, context).repeat ? causes.map((cause) => symptomToAsk(cause, all, worked)) : [...causes];
}

/** A probe of more than this share of the sample saves little of a whole pass, and tells less. */
const PROBED = 0.34;

/**
 * One child of all that was proposed; the search goes on without one when nothing was admitted. The first child is measured whole,
 * a later one with few edits where it should help, if one check tells enough about one edit. A child that lost or reworded
 * something is measured whole as well: what it breaks may be anywhere.
 */
function combineProposals(state: RunState, context: RunContext): Step {
	const search = searchOf(state);
	const groups = currentGroups(state, context);
	const consolidation = consolidationOf(state, context, groups);
	if (consolidation) return consolidation;
	const { edits, patch, refusals } = combine(state, context, search.proposals, groups);
	if (edits.length === 0) return goOn(state, refusals);
	const probes = probeCases(groups, new Set(edits.map((edit) => edit.group)));
	const sample = trainSampleOf(state, context).map((entry) => entry.id);
	const isFirst = search.passes.length < 2;
	const loses =
		edits.some((traced) => traced.edit.op !== "append") ||
		search.working.patch.some((id) => !patch.some((traced) => traced.id === id));
	const whole = isFirst || loses || !causesOf(state, context).repeat || probes.length > sample.length * PROBED;
	const variant = recordOf(state, patch, {
		parents: [search.working.id],
		operator: "reflect",
		generation: search.generation,
	});
	return decide({
		type: "variant-admitted",
		variant,
		edits,
		refusals,
		cases: whole ? sample : probes,
		purpose: whole ? "pass" : "probe",
	});
}

/** The search goes on with the text that it has: nothing was measured that could be judged. */
function goOn(state: RunState, refusals: EventOf<"edits-judged">["refusals"]): Step {
	const { generation, working } = searchOf(state);
	const nothing = { variant: null, adopted: false, except: [], kept: [], dropped: [], restored: [] };
	return decide({
		type: "edits-judged",
		generation,
		working,
		...nothing,
		refusals,
		reason: "no proposal was admitted",
	});
}

/** With so many edits that only probes have seen, a text is measured on the whole sample before it is handed out. */
const PASS_AFTER = 3;

/** Edits of the working text that no whole pass has seen. */
function freshEdits(state: RunState): number {
	const search = searchOf(state);
	const last = state.variants[search.passes.at(-1) ?? ""];
	return search.working.patch.filter((id) => !last?.patch.includes(id)).length;
}

/** The working text without its suspect lines; null when there are none. Whether they are missed, the pass will tell. */
function prunedText(state: RunState, context: RunContext): VariantRecord | null {
	const search = searchOf(state);
	const pruning = planPruning(state, context, currentGroups(state, context));
	if (pruning === null) return null;
	const variant = recordOf(state, pruning.patch, {
		parents: [search.working.id],
		operator: "prune",
		generation: search.generation,
	});
	return variant.id === search.working.id ? null : variant;
}

/**
 * Before the search ends, what is suspect is taken out of the text and what only probes have seen is confirmed, in one whole pass
 * where it can be paid. What that shows may open the search again.
 */
function settle(state: RunState, context: RunContext, stoppedBy: Stopper, reason: string): Step {
	const search = searchOf(state);
	const cost = trialsCost(state, trainSampleOf(state, context));
	const affordable = forbids(state, context, cost, proofReserve(state, context)) === null;
	const pruned = search.pruned || !affordable ? null : prunedText(state, context);
	const variant = pruned ?? (affordable && !search.pruned && freshEdits(state) >= PASS_AFTER ? search.working : null);
	if (variant === null) {
		const trimming = isTrimmed(context) ? planTrim(state, context) : null;
		return trimming && "step" in trimming ? trimming.step : finish(state, context, stoppedBy, reason);
	}
	const cases = trainSampleOf(state, context).map((entry) => entry.id);
	return decide({ type: "variant-admitted", variant, edits: [], refusals: [], cases, purpose: "prune" });
}

function finish(state: RunState, context: RunContext, stoppedBy: Stopper, reason: string): Step {
	const draws = affordableDraws(state, context);
	return decide({ type: "search-finished", ...chooseFinalists(state, context), stoppedBy, reason, draws });
}
