/**
 * The brain: from the state of a run to its next step. Pure; the same state gives the same step on any machine, whatever the
 * order in which answers arrived. Reads top-down as the story of a run: measure v0, search, prove, confirm, promote, close.
 */

import { type Cost, NO_COST } from "../domain/budget.ts";
import type { RunEvent, Stopper } from "../domain/events.ts";
import { openingOf, type RunState, searchOf } from "../domain/run-state.ts";
import { type RunContext, splitOf } from "./context.ts";
import { answerOf, casesInOrder, gateStep, missingTrials } from "./prove.ts";
import { planSearch } from "./search/search.ts";
import { forbids, gateCost, proofReserve, proofsCost, trialsCost } from "./search/stop.ts";
import type { Step, TrialRequest } from "./steps.ts";

const decide = (event: RunEvent): Step => ({ type: "decide", event });

/** The next step of a run. */
export function plan(state: RunState, context: RunContext): Step {
	if (state.closed) return { type: "done" };
	if (state.limit === "cancelled")
		return close(state, "stopped", "cancelled", "the run was cancelled; what was paid for is kept");
	const search = searchOf(state);
	if (!search.finished) return planSearch(state, context);
	return planProof(state, context, search.finished.finalist);
}

function close(
	state: RunState,
	status: "promoted" | "confirmed" | "kept" | "undecided" | "stopped",
	stoppedBy: Stopper | null,
	reason: string,
): Step {
	return decide({
		type: "run-closed",
		status,
		stoppedBy: stoppedBy ?? searchOf(state).finished?.stoppedBy ?? null,
		reason,
	});
}

/** After the search: prove on validation, confirm on holdout, promote. */
function planProof(state: RunState, context: RunContext, finalist: string): Step {
	const incumbent = openingOf(state).incumbent.id;
	if (finalist === incumbent) return fillFront(state, context) ?? close(state, "kept", null, keptReason(state));
	const step = gateStep(state, context, "validation", finalist);
	// A look after which the sealed cases could not be paid any more would only spend.
	if (step) return affordable(state, context, withFront(state, context, step), gateCost(state, context, "holdout", 1));
	const validation = answerOf(state, "validation", finalist);
	if (validation?.answer !== "better") {
		const status = validation?.answer === "not-better" ? "kept" : "undecided";
		return (
			fillFront(state, context) ??
			close(state, status, null, validation?.reason ?? "there are no validation cases to prove anything on")
		);
	}
	const sealed = splitOf(context, "holdout");
	if (context.settings.holdout === "none") return promoteOrClose(state, context, finalist);
	if (sealed.length === 0) {
		return (
			fillFront(state, context) ??
			close(state, "undecided", null, "the job spec requires holdout cases and there are none")
		);
	}
	if (state.holdoutOpened === null) {
		const limit = forbids(state, context, gateCost(state, context, "holdout", 1), NO_COST);
		if (limit !== null)
			return close(state, "stopped", limit, `the limit on ${limit} leaves no room for the sealed cases`);
		return decide({ type: "holdout-opened", variant: finalist });
	}
	const sealedStep = gateStep(state, context, "holdout", finalist);
	if (sealedStep) return affordable(state, context, sealedStep);
	const holdout = answerOf(state, "holdout", finalist);
	if (holdout?.answer === "better") return promoteOrClose(state, context, finalist);
	const status = holdout?.answer === "not-better" ? "kept" : "undecided";
	return (
		fillFront(state, context) ??
		close(state, status, null, `on the sealed cases: ${holdout?.reason ?? "no look was possible"}`)
	);
}

/** The reason why v0 stays although nothing failed a gate. */
function keptReason(state: RunState): string {
	return searchOf(state).finished?.reason ?? "nothing was found that looks better than v0";
}

/**
 * The trials of a look together with those that the front will want anyway, where they are to be had: one wave instead of
 * several. The looks go by their own cases all the same.
 */
function withFront(state: RunState, context: RunContext, step: Step): Step {
	if (step.type !== "measure") return step;
	const draws = searchOf(state).finished?.draws ?? 1;
	const reserve = draws > 1 ? proofsCost(state, context, draws) : proofReserve(state, context);
	const front = fillFront(state, context, reserve);
	if (front?.type !== "measure") return step;
	const wanted = new Set(step.trials.map(nameOf));
	return { ...step, trials: [...step.trials, ...front.trials.filter((trial) => !wanted.has(nameOf(trial)))] };
}

const nameOf = (trial: TrialRequest) => `${trial.variant} ${trial.caseId} ${trial.repeat}`;

/** A proof is paid for from what was reserved; where even that is gone the run stops without an answer. */
function affordable(state: RunState, context: RunContext, step: Step, reserve: Cost = NO_COST): Step {
	if (step.type !== "measure") return step;
	const cases = step.trials.flatMap((trial) => context.byId.get(trial.caseId) ?? []);
	const limit = forbids(state, context, trialsCost(state, cases), reserve);
	if (limit === null) return step;
	const last = state.looks.at(-1)?.event;
	// Every case has been looked at: what is too dear is only more of the same.
	if (last !== undefined && step.trials.some(({ repeat }) => repeat >= context.settings.repeats))
		return close(state, "undecided", null, `${last.reason}; the limit on ${limit} leaves no room for more draws`);
	return close(state, "stopped", limit, `the limit on ${limit} leaves no room for the proof`);
}

function promoteOrClose(state: RunState, context: RunContext, finalist: string): Step {
	const filling = fillFront(state, context);
	if (filling) return filling;
	if (state.promotion) return close(state, "promoted", null, "the winner is proved and committed");
	if (state.promotionRefused)
		return close(state, "confirmed", null, `proved, not committed: ${state.promotionRefused.message}`);
	if (context.settings.promote === "report")
		return close(state, "confirmed", null, "the winner is proved; nobody asked for a commit");
	return { type: "promote", variant: finalist };
}

/** Validation cases on which the front is shown, at the most. */
export const FRONT_CASES = 40;

/** Validation of v0, the finalist and a few others for the report, while the budget is ample. Null when done or not to be had. */
function fillFront(state: RunState, context: RunContext, reserve: Cost = NO_COST): Step | null {
	const search = searchOf(state);
	if (!search.finished || search.finished.stoppedBy === "no-signal" || state.limit !== null) return null;
	const variants = [...new Set([openingOf(state).incumbent.id, search.finished.finalist, ...search.finished.others])];
	const cases = casesInOrder(context, "validation").slice(0, FRONT_CASES);
	const trials = missingTrials(state, variants, cases, context.settings.repeats);
	if (trials.length === 0) return null;
	const cost = trialsCost(
		state,
		trials.flatMap((trial) => context.byId.get(trial.caseId) ?? []),
	);
	const { limits, search: thresholds } = context.settings;
	const ampleShare = thresholds.frontShare;
	const share = {
		...limits,
		...(limits.calls === undefined ? {} : { calls: Math.floor(limits.calls * ampleShare) || 1 }),
		...(limits.usd === undefined ? {} : { usd: limits.usd * ampleShare }),
		...(limits.tokens === undefined ? {} : { tokens: Math.floor(limits.tokens * ampleShare) || 1 }),
		...(limits.trials === undefined ? {} : { trials: Math.floor(limits.trials * ampleShare) || 1 }),
	};
	const ample = { ...context, settings: { ...context.settings, limits: share } };
	if (forbids(state, ample, cost, reserve) !== null) return null;
	return { type: "measure", purpose: "finalist", generation: search.generation, trials };
}
