/**
 * When to stop, and what may still be bought. The proofs are reserved first; a step of the search is opened only when its
 * expected cost fits into what is left beside them. The ledger guards the limits to the call; this only plans.
 */
import { addCost, type Cost, exceeded, spentCost } from "../../domain/budget.ts";
import type { Case } from "../../domain/case.ts";
import type { RunState } from "../../domain/run-state.ts";
import { looksFor } from "../../domain/sequential.ts";
import { modelCalls } from "../../domain/spend.ts";
import { type RunContext, splitOf } from "../context.ts";
import { callsPerCase } from "./cover.ts";

/** Re-asks that are counted on while nothing has been measured yet. */
const EXPECTED_REASKS = 1.1;
/** Below this many calls only the first look of each proof is reserved: a small budget proves large gains or none. */
const SMALL_BUDGET = 240;

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

/** What the proofs of one text will want: both sides on the first looks of validation and, when sealed cases exist, of holdout. */
export function proofReserve(state: RunState, context: RunContext): Cost {
	const { limits } = context.settings;
	const looks = limits.calls !== undefined && limits.calls < SMALL_BUDGET ? 1 : 2;
	const sides = (["validation", "holdout"] as const).map((split) => {
		const cases = split === "holdout" && context.settings.holdout === "none" ? [] : splitOf(context, split);
		const count = looksFor(cases.length).slice(0, looks).at(-1) ?? 0;
		const each = trialsCost(state, cases.slice(0, count));
		return Array.from({ length: context.settings.repeats }, () => each).reduce(addCost);
	});
	return sides.reduce((sum, side) => addCost(sum, addCost(side, side)), { calls: 0, trials: 0, tokens: 0, usd: 0 });
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
