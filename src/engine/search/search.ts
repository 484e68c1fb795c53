/**
 * The search as a sequence of moves: measure what is pending, judge it, ask about what fails, combine the answers, prune, and
 * stop when nothing is open or affordable. Each question it answers has a file of its own beside this one.
 */
import { addCost, type Cost } from "../../domain/budget.ts";
import type { EventOf, RunEvent, Stopper, VariantRecord } from "../../domain/events.ts";
import { type RunState, searchOf } from "../../domain/run-state.ts";
import { caseOf, type RunContext, trainSampleOf } from "../context.ts";
import { recordOf } from "../patch.ts";
import type { ConsolidateStep, MeasureStep, ReflectStep, Step, TrialRequest } from "../steps.ts";
import { recordOfGroup, requestsFor } from "./ask.ts";
import { combine } from "./combine.ts";
import { coveringCases, probeCases } from "./cover.ts";
import { chooseFinalists } from "./finalists.ts";
import { type Group, openGroups, unlikeGroups, worthOf } from "./groups.ts";
import { judgeMeasured } from "./judge.ts";
import { judgingOf } from "./judging.ts";
import { createReferences } from "./owners.ts";
import { planPruning } from "./prune.ts";
import { isFresh, signalComplaint } from "./signal.ts";
import { forbids, proofReserve, reflectionsCost, trialsCost } from "./stop.ts";
import { currentGroups, trialsOf } from "./view.ts";

const decide = (event: RunEvent): Step => ({ type: "decide", event });

/** The next step of the search. */
export function planSearch(state: RunState, context: RunContext): Step {
	const search = searchOf(state);
	if (search.pending) return awaitPending(state, context) ?? decide(judgeMeasured(state, context));
	if (state.limit !== null) return finish(state, context, state.limit, `the limit on ${state.limit} was reached`);
	if (isFresh(state)) {
		const complaint = signalComplaint(state, context);
		if (complaint !== null) return finish(state, context, "no-signal", complaint);
	}
	if (search.proposals.length > 0) return combineProposals(state, context);
	switch (search.move) {
		case "reflect":
			return ask(state, context);
		case "measure":
			return passOrGoOn(state, context);
		case "finish":
			return finish(state, context, "converged", "nothing is left to work on");
	}
}

/** What is still to come for the pending variant: its trials, and the questions asked alongside. Null when all is there. */
function awaitPending(state: RunState, context: RunContext): Step | null {
	const measure = pendingTrials(state, context);
	const reflect = questionsAlongside(state, context);
	if (measure && reflect) return { type: "both", measure, reflect };
	return measure ?? reflect;
}

function pendingTrials(state: RunState, context: RunContext): MeasureStep | null {
	const { pending, generation } = searchOf(state);
	if (!pending) return null;
	const known = trialsOf(state, pending.variant);
	const trials: TrialRequest[] = pending.cases
		.filter((id) => !known.has(id) && caseOf(context, id))
		.map((caseId) => ({ variant: pending.variant, caseId, repeat: 0 }));
	return trials.length === 0 ? null : { type: "measure", purpose: pending.purpose, generation, trials };
}

function questionsAlongside(state: RunState, context: RunContext): ReflectStep | null {
	const { alongside } = searchOf(state);
	if (alongside.length === 0) return null;
	const all = currentGroups(state, context);
	return questions(
		state,
		all,
		all.filter((group) => alongside.includes(group.id)),
	);
}

function questions(state: RunState, all: readonly Group[], groups: readonly Group[]): ReflectStep {
	const { generation, round } = searchOf(state);
	return {
		type: "reflect",
		generation,
		round,
		groups: groups.map(recordOfGroup),
		requests: requestsFor(state, groups, all),
	};
}

/** Expected cost of asking about these groups and measuring what comes of it, once in part and once whole. */
function roundCost(state: RunState, context: RunContext, groups: readonly Group[]): Cost {
	const probe = coveringCases(groups).map((id) => caseOf(context, id));
	const pass = trialsCost(state, trainSampleOf(state, context));
	return addCost(addCost(reflectionsCost(state, groups.length), trialsCost(state, probe)), pass);
}

/** A later generation is opened only for at least this much quality: less is lost in the noise of its own measurement. */
const WORTH = 0.02;

function ask(state: RunState, context: RunContext): Step {
	const search = searchOf(state);
	const { search: thresholds } = context.settings;
	if (search.round === 0 && search.stalled >= thresholds.stall + (judgingOf(context) === "whole" ? 1 : 0))
		return settle(state, context, "converged", `${search.stalled} generations without an edit that held`);
	if (search.round === 0 && search.generation >= thresholds.generations)
		return settle(state, context, "converged", `${search.generation} generations are done`);
	const all = currentGroups(state, context);
	const wanted = search.groups;
	const whole = judgingOf(context) === "whole";
	const groups =
		wanted === undefined
			? whole
				? unlikeGroups(all, search.worked, thresholds, createReferences(context))
				: openGroups(all, search.worked, thresholds)
			: all.filter((group) => wanted.includes(group.id) && group.failing > 0).slice(0, thresholds.reflections);
	if (groups.length === 0) {
		return search.round === 0
			? settle(state, context, "converged", "no kind of failure is left that is worth asking about")
			: passOrGoOn(state, context);
	}
	if (search.round === 0 && search.generation > 0 && worthOf(groups, all) < WORTH) {
		return settle(state, context, "converged", "what still fails is not worth another generation");
	}
	const limit = forbids(state, context, roundCost(state, context, groups), proofReserve(state, context));
	if (limit !== null)
		return search.round === 0
			? settle(state, context, limit, `the limit on ${limit} leaves no room for another generation`)
			: passOrGoOn(state, context);
	return alongsideOf(state, context, groups) ?? questions(state, all, groups);
}

/** A later generation with no more questions than this does not fill the slots: it is asked beside the last pruning. */
const FEW = 4;

/** Asks while a whole pass is measured, where one is due anyway: neither has to wait for the other. */
function alongsideOf(state: RunState, context: RunContext, groups: readonly Group[]): Step | null {
	const search = searchOf(state);
	const ids = groups.map((group) => group.id);
	if (search.round > 0) {
		if (freshEdits(state) < PASS_AFTER) return null;
		return admitPass(state, context, prunedText(state, context) ?? search.working, "pass", ids);
	}
	if (search.generation === 0 || groups.length > FEW || search.pruned) return null;
	const pruned = prunedText(state, context);
	return pruned === null ? null : admitPass(state, context, pruned, "prune", ids);
}

/** Edits of the working text that no whole pass has seen. */
function freshEdits(state: RunState): number {
	const search = searchOf(state);
	const last = state.variants[search.passes.at(-1) ?? ""];
	return search.working.patch.filter((id) => !last?.patch.includes(id)).length;
}

/** A probe of this share of the sample is no cheaper than the whole pass that would follow it, and tells less. */
const WHOLE_SHARE = 0.8;

/** One child of all that was proposed; the search goes on without one when nothing was admitted. */
function combineProposals(state: RunState, context: RunContext): Step {
	const search = searchOf(state);
	const groups = currentGroups(state, context);
	const consolidation = judgingOf(context) === "whole" ? consolidationOf(state, context, groups) : null;
	if (consolidation) return consolidation;
	const { edits, patch, refusals } = combine(state, context, search.proposals, groups);
	if (edits.length === 0) {
		const next = search.pruned
			? ({ move: "finish", generation: true } as const)
			: ({ move: search.round === 0 ? "reflect" : "measure", generation: search.round === 0 } as const);
		return goOn(state, { refusals, next, reason: "no proposal was admitted" });
	}
	const asked = new Set(search.proposals.map((proposal) => proposal.group));
	const probes = probeCases(groups, asked);
	const sample = trainSampleOf(state, context).map((entry) => entry.id);
	const whole = judgingOf(context) === "whole" || probes.length >= sample.length * WHOLE_SHARE;
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
		alongside: [],
		purpose: whole ? "pass" : "probe",
	});
}

/** Share of the merged edits that a ranking keeps: the rest is mostly general advice. */
const RANKED = 0.65;
/** So few edits are all taken: there is nothing to choose. */
const TO_RANK = 4;

/** The question that the proposals still need before they become a child: first merged, then ranked; null when neither. */
function consolidationOf(state: RunState, context: RunContext, groups: readonly Group[]): ConsolidateStep | null {
	const { proposals, consolidated, generation } = searchOf(state);
	const usable = proposals.filter((proposal) => proposal.status === "usable");
	const edits = usable.reduce((sum, proposal) => sum + proposal.edits.length, 0);
	const operator =
		!consolidated.includes("merge") && usable.length > 1
			? "merge"
			: !consolidated.includes("rank") && edits > TO_RANK
				? "rank"
				: null;
	if (operator === null || forbids(state, context, reflectionsCost(state, 1), proofReserve(state, context)) !== null)
		return null;
	const failing = groups
		.filter((group) => group.id !== group.family)
		.flatMap((group) => group.findings.filter((finding) => finding.failed).slice(0, 1));
	return {
		type: "consolidate",
		operator,
		generation,
		id: `g${generation}.${operator}`,
		keep: Math.max(TO_RANK, Math.ceil(edits * RANKED)),
		failing: failing.map(({ caseId, check }) => ({ caseId, check })),
	};
}

/** A whole pass is due after this many new edits; fewer are left to their probes, and to the pass that ends the search. */
const PASS_AFTER = 3;

/** A whole pass of the working text, pruned, where it is due and affordable; else the next generation. */
function passOrGoOn(state: RunState, context: RunContext): Step {
	const search = searchOf(state);
	const fresh = freshEdits(state);
	const limit = forbids(state, context, trialsCost(state, trainSampleOf(state, context)), proofReserve(state, context));
	if (limit !== null) return finish(state, context, limit, `the limit on ${limit} leaves no room for a whole pass`);
	if (fresh >= PASS_AFTER) return admitPass(state, context, prunedText(state, context) ?? search.working, "pass", []);
	const reason = fresh === 0 ? "the text did not change in this generation" : "too little is new for a whole pass";
	return goOn(state, { refusals: [], next: { move: "reflect", generation: true }, reason });
}

/** The search goes on with the text that it has: nothing was measured that could be judged. */
function goOn(state: RunState, parts: Pick<EventOf<"edits-judged">, "refusals" | "next" | "reason">): Step {
	const { generation, working } = searchOf(state);
	const nothing = { variant: null, adopted: false, except: [], kept: [], dropped: [], restored: [] };
	return decide({ type: "edits-judged", generation, working, ...nothing, ...parts });
}

function admitPass(
	state: RunState,
	context: RunContext,
	variant: VariantRecord,
	purpose: "pass" | "prune",
	alongside: string[],
): Step {
	const cases = trainSampleOf(state, context).map((entry) => entry.id);
	return decide({ type: "variant-admitted", variant, edits: [], refusals: [], cases, alongside, purpose });
}

/** The working text without its suspect lines; null when there are none. Whether they are missed, the pass will tell. */
function prunedText(state: RunState, context: RunContext): VariantRecord | null {
	const search = searchOf(state);
	if (judgingOf(context) === "whole") return null;
	const pruning = planPruning(state, context, currentGroups(state, context));
	if (pruning === null) return null;
	const variant = recordOf(state, pruning.patch, {
		parents: [search.working.id],
		operator: "prune",
		generation: search.generation,
	});
	return variant.id === search.working.id ? null : variant;
}

/** Before the search ends the text is pruned once more, where something is suspect and a whole pass can be paid. */
function settle(state: RunState, context: RunContext, stoppedBy: Stopper, reason: string): Step {
	const search = searchOf(state);
	const pruned = search.pruned ? null : prunedText(state, context);
	const cost = trialsCost(state, trainSampleOf(state, context));
	if (pruned === null || forbids(state, context, cost, proofReserve(state, context)) !== null) {
		return finish(state, context, stoppedBy, reason);
	}
	return admitPass(state, context, pruned, "prune", []);
}

function finish(state: RunState, context: RunContext, stoppedBy: Stopper, reason: string): Step {
	return decide({ type: "search-finished", ...chooseFinalists(state, context), stoppedBy, reason });
}
