/**
 * Search by estimate, prove against v0. The finalist must beat v0 in a paired, sequential test on validation, and once more
 * on the sealed holdout, which counts as burned as soon as it is opened. Three answers; only `better` hands anything out.
 */
import type { Case, Split } from "../domain/case.ts";
import type { EventOf, RunEvent } from "../domain/events.ts";
import { openingOf, type RunState, searchOf } from "../domain/run-state.ts";
import { createStream } from "../domain/sampling.ts";
import { decideLook, type Look, levelOf, planLooks } from "../domain/sequential.ts";
import { pairedDifferences, pairedTest } from "../domain/stats.ts";
import type { Trial } from "../domain/trial.ts";
import { gatesIn, type RunContext, splitOf } from "./context.ts";
import { doubtOfQuality, type Guard } from "./quality-guard.ts";
import { provenObjective } from "./search/objective.ts";
import type { Step, TrialRequest } from "./steps.ts";

type Gate = "validation" | "holdout";
type LookEvent = EventOf<"look-taken">;

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

interface Taking {
	gate: Gate;
	variant: string;
	look: Look;
	isLast: boolean;
	guard: Guard;
	cases: readonly Case[];
}

function takeLook(
	state: RunState,
	context: RunContext,
	{ gate, variant, look, isLast, guard, cases }: Taking,
): LookEvent {
	const { margin } = context.settings;
	const incumbent = openingOf(state).incumbent.id;
	const objective = provenObjective(state, context, variant);
	const [after, before] = [onCases(state, variant, cases), onCases(state, incumbent, cases)];
	const { differences, missing, lost } = pairedDifferences(after, before, objective, cases);
	const attempt = attemptOf(state, gate, variant);
	const decision = decideLook({ differences, missing, lost, alpha: look.alpha, isLast });
	const { low, high } = pairedTest(differences);
	const draws = Math.max(1, ...after.map(({ repeat }) => repeat + 1));
	const told =
		objective === "tokens" ? decision.reason.replace("mean difference", "mean saving of tokens") : decision.reason;
	const reason = look.draws > 1 ? `${told} (${draws} draws of each)` : told;
	const doubt =
		objective === "quality" || decision.answer !== "better"
			? null
			: doubtOfQuality({ after, before, cases, margin: margin.quality, ...guard });
	return {
		type: "look-taken",
		gate,
		variant,
		attempt,
		objective,
		pairs: differences.length,
		...(look.draws > 1 && { draws }),
		answer: doubt === null ? decision.answer : isLast ? "undecided" : "continue",
		p: decision.p,
		alpha: decision.alpha,
		mean: decision.mean,
		low,
		high,
		reason: doubt === null ? reason : `${reason}; but ${doubt}`,
	};
}

/** Whether each case has got the same quality and tokens at the second draw as at the first, `repeats` being one draw. */
function answersAlike(state: RunState, variant: string, cases: readonly Case[], repeats: number): boolean {
	const trials = onCases(state, variant, cases);
	return cases.every((entry) => {
		const own = trials.filter((trial) => trial.caseId === entry.id && trial.repeat < 2 * repeats);
		const seen = own.map(({ outcome: { quality, tokens } }) => `${quality} ${tokens}`);
		return new Set(seen).size <= 1;
	});
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
	const level = levelOf(attemptOf(state, gate, variant), gatesIn(context));
	const looks = planLooks(ordered.length, level, searchOf(state).finished?.draws);
	const taken = state.looks.filter((look) => look.gate === gate && look.variant === variant).length;
	const look = looks[taken];
	if (look === undefined) return null;
	const cases = ordered.slice(0, look.cases);
	const sides = [openingOf(state).incumbent.id, variant];
	const { repeats } = context.settings;
	for (let round = 1; round <= look.draws; round++) {
		if (round > 2 && sides.every((side) => answersAlike(state, side, cases, repeats))) break;
		// The second draws are bought before the rest of them: a model that answers alike has nothing to add.
		const draws = (round === 1 || round === 2 ? round : look.draws) * repeats;
		const trials = missingTrials(state, sides, cases, draws);
		if (trials.length > 0) return { type: "measure", purpose: gate, generation: state.search?.generation ?? 0, trials };
	}
	const whole = looks.filter(({ cases: size }) => size === looks.at(-1)?.cases);
	const guard = { isWhole: whole.includes(look), alpha: level / whole.length };
	const event = takeLook(state, context, { gate, variant, look, isLast: look === looks.at(-1), guard, cases });
	return { type: "decide", event: event satisfies RunEvent };
}
