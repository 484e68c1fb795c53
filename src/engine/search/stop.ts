/**
 * When to stop, and what may still be bought. The proofs are reserved first; a step of the search is opened only when its
 * expected cost fits into what is left beside them. The ledger guards the limits to the call; this only plans.
 */
import { addCost, type Cost, exceeded, NO_COST, spentCost } from "../../domain/budget.ts";
import type { Case } from "../../domain/case.ts";
import type { RunState } from "../../domain/run-state.ts";
import { levelOf, planLooks } from "../../domain/sequential.ts";
import { modelCalls } from "../../domain/spend.ts";
import { gatesIn, type RunContext, splitOf } from "../context.ts";
import { callsPerCase } from "./cover.ts";

/** Re-asks that are counted on while nothing has been measured yet. */
const EXPECTED_REASKS = 1.1;

/** Task calls a trial has cost so far, on average: at least 1. */
export function callsPerTrial(state: RunState): number {
	if (state.spend.trials === 0) return EXPECTED_REASKS;
	return Math.max(1, state.spend.taskCalls / state.spend.trials);
}

/** Expected cost of trials on these cases, one trial each. */
export function trialsCost(state: RunState, cases: readonly Case[]): Cost {
	const reasks = callsPerTrial(state);
	const calls = cases.reduce((sum, entry) => sum + reasks + (callsPerCase(entry) - 1), 0);
	const tokens = state.spend.trials === 0 ? 0 : (state.spend.tokens / Math.max(1, modelCalls(state.spend))) * calls;
	const usd = state.spend.usd === null ? null : (state.spend.usd / Math.max(1, modelCalls(state.spend))) * calls;
	return { calls: Math.ceil(calls), trials: cases.length, tokens, usd };
}

/** Expected cost of `count` reflections. */
export function reflectionsCost(state: RunState, count: number): Cost {
	const each = modelCalls(state.spend) === 0 ? 0 : 1 / modelCalls(state.spend);
	return {
		calls: count,
		trials: 0,
		tokens: state.spend.tokens * each * count * 2,
		usd: state.spend.usd === null ? null : state.spend.usd * each * count * 2,
	};
}

/** Share of the limit on calls that may be set aside for the proofs; below it, further looks are reserved too. */
export const PROOF_SHARE = 0.36;
/** Looks of a gate with single draws, at the most. */
const MOST_LOOKS = 3;
/** Re-asks in the proofs may be more than those seen so far. */
const PROOF_MARGIN = 1.1;

/** Cases that a gate looks at within its first `looks` looks. */
function casesAt(context: RunContext, split: "validation" | "holdout", looks: number): readonly Case[] {
	if (split === "holdout" && context.settings.holdout === "none") return [];
	const cases = splitOf(context, split);
	const planned = planLooks(cases.length, levelOf(1, gatesIn(context))).slice(0, looks);
	return cases.slice(0, planned.at(-1)?.cases ?? 0);
}

/** Expected cost of both sides on a gate's first `looks` looks. */
export function gateCost(state: RunState, context: RunContext, split: "validation" | "holdout", looks: number): Cost {
	const side = trialsCost(state, casesAt(context, split, looks));
	const sides = Array.from({ length: 2 * context.settings.repeats }, () => side).reduce(addCost);
	const more = (amount: number) => Math.ceil(amount * PROOF_MARGIN);
	return { ...sides, calls: more(sides.calls), tokens: more(sides.tokens) };
}

/**
 * What the proofs of one text will want: both gates, with as many looks as fit into a share of the limit on calls, at least the
 * first. Set aside before anything else is bought.
 */
export function proofReserve(state: RunState, context: RunContext): Cost {
	const { calls } = context.settings.limits;
	const upTo = (looks: number) =>
		addCost(gateCost(state, context, "validation", looks), gateCost(state, context, "holdout", looks));
	const affordable = [3, 2].find((looks) => calls === undefined || upTo(looks).calls <= calls * PROOF_SHARE);
	return upTo(affordable ?? 1);
}

/** What the proofs of one text cost with all their looks, the last of them with so many draws of each case and side. */
export function proofsCost(state: RunState, context: RunContext, draws: number): Cost {
	const single = addCost(
		gateCost(state, context, "validation", MOST_LOOKS),
		gateCost(state, context, "holdout", MOST_LOOKS),
	);
	return Array.from({ length: draws }, () => single).reduce(addCost);
}

/** The most draws of each case and side that the proofs can be paid with, up to what the job spec allows. */
export function affordableDraws(state: RunState, context: RunContext): number {
	const { proofDraws } = context.settings.search;
	for (let draws = proofDraws; draws > 1; draws--) {
		if (forbids(state, context, proofsCost(state, context, draws), NO_COST) === null) return draws;
	}
	return 1;
}

/** The limit that forbids a step of this cost beside the reserve, or null. */
export function forbids(
	state: RunState,
	context: RunContext,
	cost: Cost,
	reserve: Cost,
): "calls" | "trials" | "tokens" | "usd" | null {
	return exceeded(context.settings.limits, addCost(addCost(spentCost(state.spend), cost), reserve));
}
