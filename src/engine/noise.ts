/**
 * The A/A comparison: v0 against v0 on the cases of a split, with fresh draws of both sides, to see how much of a difference is
 * chance. Bought like the trials of a run, through the same pool and ledger; nothing is decided and nothing is promoted.
 */
import { addCost, type Cost, spentCost } from "../domain/budget.ts";
import { type Case, caseSetDigest, casesOf, type Split } from "../domain/case.ts";
import type { EventOf } from "../domain/events.ts";
import type { Settings } from "../domain/job-spec.ts";
import { drawsOf, type MeasuredNoise, type Noise, noiseKey, noiseOf } from "../domain/noise.ts";
import { openingOf, replay } from "../domain/run-state.ts";
import { createStream } from "../domain/sampling.ts";
import { MOST_CASES } from "../domain/sequential.ts";
import type { Trial } from "../domain/trial.ts";
import type { RunLog } from "../ports/run-log.ts";
import type { RunContext } from "./context.ts";
import type { Environment } from "./environment.ts";
import { callsOf, charge } from "./forecast.ts";
import { measureTrials, tasksOfTrials } from "./measure.ts";
import { casesInOrder } from "./prove.ts";
import { countPrepaid } from "./reserve.ts";
import { callsPerCase } from "./search/cover.ts";
import { watchLosses } from "./watch-losses.ts";

export interface NoisePlan {
	split: Split;
	/** Draws of each case on either side. */
	repeats: number;
}

/** Cases of the comparison: those that a proof would look at, in its order. */
export function noiseCases(context: RunContext, split: Split): Case[] {
	const cases = casesInOrder(context, split);
	return cases.slice(0, MOST_CASES);
}

/** Where a measured figure is kept: it holds for this text, the cases of this split, and this protocol. */
export function keyOfNoise(
	opened: Pick<EventOf<"run-opened">, "incumbent" | "protocol">,
	cases: readonly Case[],
	split: Split,
): string {
	return noiseKey({
		text: opened.incumbent.id,
		cases: caseSetDigest(casesOf(cases, split)),
		protocol: opened.protocol,
	});
}

export interface NoiseForecast {
	cases: number;
	trials: number;
	/** Expected paid calls, re-asks and the judge included. */
	calls: number;
	/** Paid calls when one draw in five is asked for again, and two standard errors more: a text without a clear contract comes here. */
	mostCalls: number;
	/** Smallest limit on calls with which every draw of `mostCalls` can be paid. */
	smallest: number;
	tokens: number;
	/** Null when the model has no price. */
	usd: number | null;
}

/** Calls for one answer when one in five is asked for again. */
const MANY_REASKS = 1.2;

export function forecastNoise(
	settings: Settings,
	cases: readonly Case[],
	repeats: number,
	characters: number,
): NoiseForecast {
	const draws = 2 * repeats;
	const calls = Math.ceil(draws * callsOf(cases));
	const trials = draws * cases.length;
	const judged = draws * cases.reduce((sum, entry) => sum + callsPerCase(entry) - 1, 0);
	const spread = 2 * Math.sqrt((MANY_REASKS - 1) * (2 - MANY_REASKS) * trials);
	const mostCalls = Math.max(calls, Math.ceil(MANY_REASKS * trials + judged + spread));
	// The last draws are given their money only while all their re-asks could be paid.
	const headroom = settings.maxRetries + Math.max(0, ...cases.map(callsPerCase)) - 1;
	return {
		cases: cases.length,
		trials,
		calls,
		mostCalls,
		smallest: mostCalls + headroom,
		...charge(settings.models.task, mostCalls, characters),
	};
}

export interface NoiseMeasurement {
	trials: readonly Trial[];
	noise: Noise;
	/** What the measurement has cost, whenever it was paid, with calls that were lost. */
	spent: Cost;
	/** Draws for which a limit left no room. */
	unaffordable: number;
}

/**
 * Measures the noise of v0. A measurement that was interrupted, or one with fewer repeats, is gone on with: what is stored is
 * not bought again, and counts against the limits.
 * @param log opened as a run is; it keeps the calls that were lost, and nothing of what the store tells
 * @throws what measureTrials throws, with everything paid for stored
 */
export async function measureNoise(
	log: RunLog,
	context: RunContext,
	env: Environment,
	{ split, repeats }: NoisePlan,
): Promise<NoiseMeasurement> {
	const state = replay(log.events);
	const { incumbent } = openingOf(state);
	const cases = noiseCases(context, split);
	const trials = cases.flatMap(({ id }) =>
		drawsOf(repeats).map((repeat) => ({ variant: incumbent.id, caseId: id, repeat })),
	);
	const watch = watchLosses(env.pool);
	const note = async () => {
		const { calls, tokens, usd } = watch.lost();
		if (calls > 0) await log.append(log.events.length, { type: "calls-lost", calls, tokens, usd });
	};
	const step = { type: "measure", purpose: "incumbent", generation: 0, trials } as const;
	const prepaid = await countPrepaid(env, await tasksOfTrials({ ...step, trials }, state, context, env));
	const hands = { ...env, pool: watch.pool, prepaid };
	const measured = await measureTrials({ ...step, trials }, state, context, hands).finally(note);
	const paid = measured.reduce((sum, { spend }) => {
		const calls = spend.taskCalls + spend.judgeCalls;
		return addCost(sum, { calls, trials: 1, tokens: spend.tokens, usd: spend.usd });
	}, spentCost(state.spend));
	return {
		trials: measured,
		noise: noiseOf(measured, cases, createStream(context.settings.seed, `noise ${split}`)),
		spent: paid,
		unaffordable: measured.filter(({ outcome }) => outcome.status === "failed" && outcome.reason === "budget").length,
	};
}

/** What forecasts go by, of figures that were measured on these splits. */
export function measuredNoise(figures: Readonly<Partial<Record<Split, Noise>>>): MeasuredNoise {
	const found: MeasuredNoise = {};
	for (const split of ["validation", "holdout"] as const) {
		const within = figures[split]?.quality.within;
		if (typeof within === "number") found[split] = within;
	}
	return found;
}
