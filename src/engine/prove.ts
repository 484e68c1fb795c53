/**
 * Search by estimate, prove against v0. The finalist must beat v0 in a paired, sequential test on validation, and once more
 * on the sealed holdout, which counts as burned as soon as it is opened. Three answers; only `better` hands anything out.
 */
import type { Case, Split } from "../domain/case.ts";
import type { EventOf, RunEvent } from "../domain/events.ts";
import type { Policy } from "../domain/job-spec.ts";
import { openingOf, type RunState } from "../domain/run-state.ts";
import { createStream } from "../domain/sampling.ts";
import { decideLook, levelOf, looksFor } from "../domain/sequential.ts";
import { nonInferior, pairedDifferences, pairedTest } from "../domain/stats.ts";
import type { Trial } from "../domain/trial.ts";
import { gatesIn, type RunContext, splitOf } from "./context.ts";
import type { Step, TrialRequest } from "./steps.ts";

type Gate = "validation" | "holdout";
type LookEvent = EventOf<"look-taken">;

/** What a winner has to be better at under each policy; the other objectives are reported, and quality is guarded. */
export function provenObjective(policy: Policy): "quality" | "tokens" {
	return policy === "cheapest" ? "tokens" : "quality";
}

/** Cases of a split in the order in which looks take them: drawn by the run's seed, so that every look is a random sample. */
export function casesInOrder(context: RunContext, split: Split): Case[] {
	return createStream(context.settings.seed, `${split}-order`).shuffle(splitOf(context, split));
}

/**
 * Trials that the sides still lack on these cases, `repeats` of each, interleaved so that drift of the endpoint meets all alike.
 */
export function missingTrials(
	state: RunState,
	variants: readonly string[],
	cases: readonly Case[],
	repeats: number,
): TrialRequest[] {
	const known = new Map(
		variants.map((variant) => [
			variant,
			new Set(state.trials[variant]?.map((trial) => `${trial.caseId} ${trial.repeat}`)),
		]),
	);
	return cases.flatMap((entry) =>
		Array.from({ length: repeats }, (_, repeat) => repeat).flatMap((repeat) =>
			variants.flatMap((variant) =>
				known.get(variant)?.has(`${entry.id} ${repeat}`) ? [] : [{ variant, caseId: entry.id, repeat }],
			),
		),
	);
}

function onCases(state: RunState, variant: string, cases: readonly Case[]): Trial[] {
	const wanted = new Set(cases.map((entry) => entry.id));
	return (state.trials[variant] ?? []).filter((trial) => wanted.has(trial.caseId));
}

/**
 * Which text this is on a gate, counted from 1: the price of trying several. The runs that left the search its start have tried
 * theirs on these cases, too.
 */
function attemptOf(state: RunState, gate: Gate, variant: string): number {
	const before = openingOf(state).start?.tried?.[gate] ?? 0;
	const tried = [...new Set(state.looks.filter((look) => look.gate === gate).map((look) => look.variant))];
	const place = tried.indexOf(variant);
	return before + (place >= 0 ? place : tried.length) + 1;
}

function takeLook(
	state: RunState,
	context: RunContext,
	gate: Gate,
	variant: string,
	look: number,
	looks: readonly number[],
	cases: readonly Case[],
): LookEvent {
	const { policy, margin } = context.settings;
	const incumbent = openingOf(state).incumbent.id;
	const objective = provenObjective(policy);
	const [after, before] = [onCases(state, variant, cases), onCases(state, incumbent, cases)];
	const { differences, missing, lost } = pairedDifferences(after, before, objective, cases);
	const attempt = attemptOf(state, gate, variant);
	const level = levelOf(attempt, gatesIn(context));
	const decision = decideLook({ differences, missing, lost, look, looks, level });
	const { low, high } = pairedTest(differences);
	const guarded =
		objective === "quality" || decision.answer !== "better" || keepsQuality(after, before, cases, margin.quality);
	return {
		type: "look-taken",
		gate,
		variant,
		attempt,
		objective,
		pairs: differences.length,
		answer: guarded ? decision.answer : look === looks.at(-1) ? "undecided" : "continue",
		p: decision.p,
		alpha: decision.alpha,
		mean: decision.mean,
		low,
		high,
		reason: guarded
			? decision.reason
			: `${decision.reason}; but quality is not proved to stay within ${margin.quality}`,
	};
}

function keepsQuality(
	after: readonly Trial[],
	before: readonly Trial[],
	cases: readonly Case[],
	margin: number,
): boolean {
	return nonInferior(pairedDifferences(after, before, "quality", cases).differences, margin, 0.05).nonInferior;
}

/** The answer of a gate so far; null when no look was taken. */
export function answerOf(state: RunState, gate: Gate, variant: string): LookEvent | null {
	return state.looks.findLast((look) => look.gate === gate && look.variant === variant)?.event ?? null;
}

/** The next step of a gate: trials that are missing for the next look, or the look itself. Null when its answer stands. */
export function gateStep(state: RunState, context: RunContext, gate: Gate, variant: string): Step | null {
	const last = answerOf(state, gate, variant);
	if (last !== null && last.answer !== "continue") return null;
	const ordered = casesInOrder(context, gate);
	const looks = looksFor(ordered.length, levelOf(attemptOf(state, gate, variant), gatesIn(context)));
	const taken = state.looks.filter((look) => look.gate === gate && look.variant === variant).length;
	const look = looks[taken];
	if (look === undefined) return null;
	const cases = ordered.slice(0, look);
	const trials = missingTrials(state, [openingOf(state).incumbent.id, variant], cases, context.settings.repeats);
	if (trials.length > 0) return { type: "measure", purpose: gate, generation: state.search?.generation ?? 0, trials };
	return { type: "decide", event: takeLook(state, context, gate, variant, look, looks, cases) satisfies RunEvent };
}
