/**
 * What a run will cost and what it can prove, before the first paid call. Pure: computed from the cases, the text and the
 * settings alone, with the same rules of thumb that the search plans by.
 */
import { expectedTokens } from "../domain/budget.ts";
import { type Case, casesOf } from "../domain/case.ts";
import { costOf, type ModelSettings } from "../domain/dialogue.ts";
import type { Settings } from "../domain/job-spec.ts";
import { alphaAt, looksFor } from "../domain/sequential.ts";
import { provableGain } from "../domain/stats.ts";
import { FRONT_CASES } from "./plan.ts";
import { inputOf } from "./protocol.ts";
import { callsPerCase, trainSample } from "./search/cover.ts";
import { signatureOf } from "./search/groups.ts";

export interface Forecast {
	/** Expected paid calls of the parts of a run. */
	opening: number;
	generation: number;
	proofs: number;
	/** Expected calls of the whole run, within the limit. */
	calls: number;
	/** Generations that the limit on calls can pay for, at most those of the job spec. */
	generations: number;
	/** Smallest limit on calls with which one generation and its first looks can be paid. */
	smallest: number;
	tokens: number;
	/** Null when a model has no price. */
	usd: number | null;
	/** Smallest mean gain in quality that the validation cases can prove with 80 % power, 0 to 1; null when none. */
	provable: number | null;
	trainCases: number;
	validationCases: number;
	holdoutCases: number;
}

/** Re-asks and lost replies that are counted on. */
const OVERHEAD = 1.1;
/** Share of the families of checks that typically fail at first. */
const TYPICAL_OPEN = 0.8;
/** Questions that one open family typically takes until it passes or is given up. */
const TYPICAL_TRIES = 1.8;
/** Questions and probes of a generation, with those that are asked a second time. */
const SECOND_ROUND = 1.5;
/** Spread of the paired differences of quality that cases typically show. */
const TYPICAL_SD = 0.3;
const POWER = 0.8;

const callsOf = (cases: readonly Case[]) => cases.reduce((sum, entry) => sum + callsPerCase(entry), 0) * OVERHEAD;

/** Calls of both sides of a gate up to its look of this number, each case drawn as often as the job spec says. */
function pairCalls(cases: readonly Case[], looks: number, repeats: number): number {
	const count = looksFor(cases.length).slice(0, looks).at(-1) ?? 0;
	return cases.length === 0 ? 0 : 2 * repeats * (callsOf(cases) / cases.length) * count;
}

/** Families of checks that scoring goes by: those that want the same are one. */
function familiesOf(cases: readonly Case[]): number {
	const scoring = cases.flatMap((entry) => entry.checks.filter((check) => !check.contract && check.weight > 0));
	return new Set(scoring.map(signatureOf)).size;
}

/** Calls for the front beyond the proof, while the job spec's share of the limit allows them. */
function frontCalls(settings: Settings, validation: readonly Case[]): number {
	const shown = validation.slice(0, FRONT_CASES);
	const proved = looksFor(validation.length).slice(0, 2).at(-1) ?? 0;
	const texts = 2 + settings.search.finalists;
	const calls = callsOf(shown) * settings.repeats * texts - pairCalls(validation, 2, settings.repeats);
	return proved === 0 || settings.search.frontShare < 1 ? 0 : Math.max(0, Math.ceil(calls));
}

/** Expected tokens and cost of `calls` calls of a model with prompts of this length. */
function charge(model: ModelSettings, calls: number, characters: number): { tokens: number; usd: number | null } {
	const each = expectedTokens(characters, model);
	const usage = {
		prompt: each.prompt * calls,
		completion: each.completion * calls,
		cached: 0,
		reasoning: 0,
		estimated: true,
	};
	return { tokens: usage.prompt + usage.completion, usd: costOf(usage, model.price) };
}

/** The forecast of a run on these cases with a text of this length, in characters. */
export function forecastRun(settings: Settings, cases: readonly Case[], textLength: number): Forecast {
	const { repeats } = settings;
	const limit = settings.limits.calls;
	const [train, validation, holdout] = [
		casesOf(cases, "train"),
		casesOf(cases, "validation"),
		casesOf(cases, "holdout"),
	];
	const chosen = new Set(trainSample(train, limit, settings.seed));
	const sample = train.filter((entry) => chosen.has(entry.id));
	const open = Math.max(1, Math.round(familiesOf(sample) * TYPICAL_OPEN));
	const groups = Math.min(open, settings.search.reflections);
	const typical = Math.min(
		settings.search.generations,
		1 + Math.ceil((open * TYPICAL_TRIES) / (groups * settings.search.rounds)),
	);
	const opening = Math.ceil(callsOf(sample));
	const generation = Math.ceil(
		SECOND_ROUND * (groups + callsOf(sample.slice(0, Math.ceil(sample.length / 2)))) + callsOf(sample),
	);
	const sealed = settings.holdout === "none" ? [] : holdout;
	const proofs = Math.ceil(pairCalls(validation, 2, repeats) + pairCalls(sealed, 2, repeats));
	const first = Math.ceil(pairCalls(validation, 1, repeats) + pairCalls(sealed, 1, repeats));
	const smallest = opening + Math.ceil(groups / 2 + callsOf(sample)) + first;
	const affordable =
		limit === undefined ? settings.search.generations : Math.max(0, Math.floor((limit - opening - first) / generation));
	const generations = Math.min(settings.search.generations, affordable);
	const rounds = Math.min(typical, Math.max(1, generations));
	const wanted = opening + generation * rounds + proofs + frontCalls(settings, validation);
	const calls = limit === undefined ? wanted : Math.min(limit, wanted);
	const reflections = groups * rounds;
	const length = textLength + cases.reduce((sum, entry) => sum + inputOf(entry).length, 0) / Math.max(1, cases.length);
	const task = charge(settings.models.task, Math.max(0, calls - reflections), length * 1.3);
	const reflection = charge(settings.models.reflection, Math.min(calls, reflections), length * 4);
	const looks = looksFor(validation.length);
	const last = looks.at(-1);
	const gain =
		last === undefined ? Number.POSITIVE_INFINITY : provableGain(last, TYPICAL_SD, alphaAt(last, looks, 1), POWER);
	return {
		opening,
		generation,
		proofs,
		calls,
		generations,
		smallest,
		tokens: task.tokens + reflection.tokens,
		usd: task.usd === null || reflection.usd === null ? null : task.usd + reflection.usd,
		provable: Number.isFinite(gain) && gain < 1 ? gain : null,
		trainCases: sample.length,
		validationCases: validation.length,
		holdoutCases: holdout.length,
	};
}
