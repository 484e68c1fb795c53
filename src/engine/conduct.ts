/**
 * The dull body: takes the next step, performs it, writes the event, folds it. What it performs is paid for under content
 * keys, so a conductor that was killed anywhere takes the same step again and finds its answers already there.
 */

import type { Cost } from "../domain/budget.ts";
import type { RunEvent, Stopper } from "../domain/events.ts";
import { evolve, type RunState, replay } from "../domain/run-state.ts";
import type { Task } from "../domain/trial.ts";
import { BudgetError } from "../errors.ts";
import type { RunLog } from "../ports/run-log.ts";
import { consolidate, taskOf } from "./consolidate.ts";
import type { RunContext } from "./context.ts";
import type { Environment } from "./environment.ts";
import { exampleProposals } from "./exemplify.ts";
import { measureTrials, tasksOfTrials } from "./measure.ts";
import { plan } from "./plan.ts";
import { askProposals, questionOf } from "./propose.ts";
import { countPrepaid } from "./reserve.ts";
import type { MeasureStep, ReflectStep, Step } from "./steps.ts";
import { watchLosses } from "./watch-losses.ts";

/** The search stops at this share of the minutes, so that the proofs fit into the rest. */
const MINUTES_FOR_SEARCH = 0.85;

/** More steps than any run takes: a search that goes round in circles is a bug and must not spend. */
const MAX_STEPS = 10_000;

type Doable = Exclude<Step, { type: "done" }>;

async function perform(step: Doable, state: RunState, context: RunContext, env: Environment): Promise<RunEvent> {
	switch (step.type) {
		case "measure":
			return performMeasure(step, state, context, env);
		case "reflect":
			return performReflect(step, state, context, env);
		case "consolidate":
			return { ...(await consolidate(step, state, context, env)), ...refusal(state, env) };
		case "decide":
			return step.event;
		case "promote":
			return env.promote(step.variant, state);
	}
}

async function performMeasure(
	step: MeasureStep,
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<RunEvent> {
	// Once all trials have asked for their money it is known what the limits refused them; later refusals are others' own.
	let limited = {};
	const trials = await measureTrials(step, state, context, env, () => {
		limited = refusal(state, env);
	});
	const { purpose, generation } = step;
	return { type: "trials-measured", purpose, generation, trials, ...limited };
}

async function performReflect(
	step: ReflectStep,
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<RunEvent> {
	const asked = await askProposals(step, state, context, env);
	const proposals = [...asked, ...(await exampleProposals(step.examples, state, context, env))];
	const { generation, groups } = step;
	return { type: "proposals-received", generation, groups, proposals, ...refusal(state, env) };
}

/** Every task of a step, as far as it can be told before any answer is there. */
async function tasksOf(step: Doable, state: RunState, context: RunContext, env: Environment): Promise<Task[]> {
	switch (step.type) {
		case "measure":
			return tasksOfTrials(step, state, context, env);
		case "reflect":
			return Promise.all(step.requests.map((request) => questionOf(request, state, context, env)));
		case "consolidate":
			return [taskOf(step, state, context)];
		default:
			return [];
	}
}

/** The limit that the ledger ran into, once. A part of the event whose money it cut, so that no kill can part the two. */
function refusal(state: RunState, env: Environment): { limit?: Stopper } {
	const { refusedBy } = env.ledger;
	return refusedBy !== null && state.limit === null ? { limit: refusedBy } : {};
}

/** The limits of now count: they may have been raised since the run was opened. */
function outOfTime(state: RunState, context: RunContext, env: Environment): boolean {
	const { minutes } = context.settings.limits;
	return (
		minutes !== undefined &&
		state.limit === null &&
		!state.search?.finished &&
		env.minutes() >= minutes * MINUTES_FOR_SEARCH
	);
}

/**
 * Conducts a run that has been opened to its end.
 * @returns the final state, closed.
 * @throws InterruptedError, UnavailableError, LaterError with everything paid for stored; conducting again goes on.
 */
export async function conduct(log: RunLog, context: RunContext, env: Environment): Promise<RunState> {
	let state = replay(log.events);
	let sequence = log.events.length;
	let first = true;
	const write = async (event: RunEvent) => {
		await log.append(sequence, event);
		sequence += 1;
		state = evolve(state, event);
	};
	for (let steps = 0; steps < MAX_STEPS; steps++) {
		if (outOfTime(state, context, env)) await write({ type: "limit-reached", limit: "minutes" });
		const step = plan(state, context);
		if (step.type === "done") return state;
		const watch = watchLosses(env.pool);
		// Only the step that an earlier conducting left unfinished can have answers that no event tells of.
		const prepaid = first ? await countPrepaid(env, await tasksOf(step, state, context, env)) : new Map<string, Cost>();
		first = false;
		const performed = await perform(step, state, context, { ...env, pool: watch.pool, prepaid }).catch(
			async (error: unknown) => {
				const lost = watch.lost();
				if (lost.calls > 0) await write({ type: "calls-lost", calls: lost.calls, tokens: lost.tokens, usd: lost.usd });
				throw error;
			},
		);
		await write(performed);
	}
	throw new BudgetError({
		message: `the run took ${MAX_STEPS} steps without an end`,
		hint: "This is a bug of ours; please report it with the run's events.jsonl.",
	});
}
