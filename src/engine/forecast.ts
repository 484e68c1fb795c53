/**
 * What a run will cost and what it can prove, before the first paid call. Pure: computed from the cases, the text and the
 * settings alone, with the same rules of thumb that the search plans by.
 */
import { expectedTokens } from "../domain/budget.ts";
import { type Case, casesOf } from "../domain/case.ts";
import { costOf, type ModelSettings } from "../domain/dialogue.ts";
import type { Settings } from "../domain/job-spec.ts";
import type { MeasuredNoise } from "../domain/noise.ts";
import { provable, provableWords } from "../domain/provable.ts";
import { gatesOf, levelOf, planLooks } from "../domain/sequential.ts";
import { FRONT_CASES } from "./plan.ts";
import { inputOf } from "./protocol.ts";
import { type Causes, createCauses } from "./search/causes.ts";
import { callsPerCase, trainSample } from "./search/cover.ts";

import { PROOF_SHARE } from "./search/stop.ts";

export interface Forecast {
	/** Expected paid calls of the parts of a run. */
	opening: number;
	generation: number;
	proofs: number;
	/** Expected calls of the whole run, within the limit. */
	calls: number;
	/** Generations that the limit on calls can pay for, at most those of the job spec. */
	generations: number;
	/** Smallest limit on calls with which one generation and its first looks can be paid; above a limit that is too small. */
	smallest: number;
	/** Trials of the same. */
	smallestTrials: number;
	tokens: number;
	/** Null when a model has no price. */
	usd: number | null;
	/** Smallest mean gain in quality that all gates together prove with 80 % power, 0 to 1; null when none. */
	provable: number | null;
	/** Cases of each split that would prove half of it; null when there is none. */
	casesForHalf: number | null;
	/** Whether the noise behind both was measured with this text, these cases and these models. */
	noiseMeasured: boolean;
	/** The same in one sentence, which the report repeats. */
	proves: string;
	trainCases: number;
	validationCases: number;
	holdoutCases: number;
}

/** Re-asks and lost replies that are counted on. */
const OVERHEAD = 1.1;
/**
 * Calls of a trial that the smallest useful limit allows for, over those that are expected: one answer in five asked for again, and
 * two standard errors more, as a sample of this size may show them.
 */
const caution = (trials: number) => (1.2 + 2 * Math.sqrt((0.2 * 0.8) / Math.max(1, trials))) / OVERHEAD;
/** The proofs are set aside with so much more for re-asks. */
const RESERVE_MARGIN = 1.1;
/** Share of the causes of failures that are typically open at first. */
const TYPICAL_OPEN = 0.8;
/** Questions that one open cause typically takes until it passes or is given up. */
const TYPICAL_TRIES = 1.8;
/** Whole passes that a search typically takes beside v0's; one more where checks do not repeat, and no probe serves. */
const TYPICAL_PASSES = 3;

/** Expected calls of one trial on each of these cases. */
export function callsOf(cases: readonly Case[]): number {
	return cases.reduce((sum, entry) => sum + callsPerCase(entry), 0) * OVERHEAD;
}

/** Calls of both sides of a gate up to its look of this number, each case drawn as often as the job spec says. */
function pairCalls(cases: readonly Case[], looks: number, repeats: number, level: number): number {
	const count = planLooks(cases.length, level).slice(0, looks).at(-1)?.cases ?? 0;
	return cases.length === 0 ? 0 : 2 * repeats * (callsOf(cases) / cases.length) * count;
}

/** Causes that the checks of these cases tell of. */
function countCauses(causes: Causes, cases: readonly Case[]): number {
	const found = cases.flatMap((entry) =>
		entry.checks.map((_, index) => causes.symptomOf(entry.id, index)?.cause).filter((cause) => cause !== undefined),
	);
	return new Set(found).size;
}

/** Calls for the front beyond the proof, while the job spec's share of the limit allows them. */
function frontCalls(settings: Settings, validation: readonly Case[], level: number): number {
	const shown = validation.slice(0, FRONT_CASES);
	const proved = planLooks(validation.length, level).slice(0, 2).at(-1)?.cases ?? 0;
	const texts = 2 + settings.search.finalists;
	const calls = callsOf(shown) * settings.repeats * texts - pairCalls(validation, 2, settings.repeats, level);
	return proved === 0 || settings.search.frontShare < 1 ? 0 : Math.max(0, Math.ceil(calls));
}

/** Expected tokens and cost of `calls` calls of a model with prompts of this length. */
export function charge(
	model: ModelSettings,
	calls: number,
	characters: number,
): { tokens: number; usd: number | null } {
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

/** What the parts of a run on a train sample of this limit cost, in expected calls. */
interface Parts {
	sample: Case[];
	/** What a gate may spend on the first text. */
	level: number;
	/** Kinds of failure that are expected to be open at first, and how many of them one generation asks about. */
	open: number;
	groups: number;
	opening: number;
	generation: number;
	/** Questions and whole passes of a search that no limit cuts off. */
	questions: number;
	passes: number;
	proofs: number;
	/** First looks of the gates, as they are set aside. */
	first: number;
	/** All looks of the gates with single draws. */
	allLooks: number;
	/** With less than this, one generation and its first looks cannot be paid. */
	need: number;
	/** Trials of the same. */
	needTrials: number;
}

function partsOf(settings: Settings, cases: readonly Case[], limit: number | undefined): Parts {
	const { repeats } = settings;
	const [train, validation] = [casesOf(cases, "train"), casesOf(cases, "validation")];
	const sealed = settings.holdout === "none" ? [] : casesOf(cases, "holdout");
	const chosen = new Set(trainSample(train, limit, settings.seed));
	const sample = train.filter((entry) => chosen.has(entry.id));
	const probe = sample.slice(0, Math.ceil(sample.length / 2));
	const causes = createCauses(sample);
	const open = Math.max(1, Math.round(countCauses(causes, sample) * TYPICAL_OPEN));
	const passes = TYPICAL_PASSES + (causes.repeat ? 0 : 1);
	const groups = Math.min(open, settings.search.reflections);
	const opening = Math.ceil(callsOf(sample));
	const level = levelOf(1, gatesOf(settings.holdout, sealed.length));
	const looks = (count: number) =>
		pairCalls(validation, count, repeats, level) + pairCalls(sealed, count, repeats, level);
	const first = Math.ceil(looks(1) * RESERVE_MARGIN);
	const care = caution(sample.length);
	// As the search does it: further looks are set aside, too, while all of them fit into a share of the limit.
	const share = PROOF_SHARE * (limit ?? 0);
	const reserved = looks([3, 2].find((count) => looks(count) * RESERVE_MARGIN <= share) ?? 1);
	// The last trials are given their money only while all their re-asks could be paid.
	const headroom = settings.maxRetries + Math.max(0, ...cases.map(callsPerCase)) - 1;
	const pairs = [validation, sealed].reduce(
		(sum, split) => sum + 2 * repeats * (planLooks(split.length, level)[0]?.cases ?? 0),
		0,
	);
	return {
		sample,
		level,
		open,
		groups,
		opening,
		generation: Math.ceil(groups + callsOf(sample)),
		questions: Math.ceil(open * TYPICAL_TRIES),
		passes: Math.ceil(passes * callsOf(sample)),
		proofs: Math.ceil(looks(2)),
		first,
		allLooks: looks(3),
		need: Math.ceil(groups + care * (2 * callsOf(sample) + callsOf(probe) + reserved * RESERVE_MARGIN)) + headroom,
		needTrials: 2 * sample.length + probe.length + pairs,
	};
}

/**
 * Draws of each case and side that the proofs of a run can probably be paid with, once its search is through: 1 to the job spec's
 * `proofDraws`.
 */
export function expectedDraws(settings: Settings, cases: readonly Case[]): number {
	const { calls: limit } = settings.limits;
	const { proofDraws } = settings.search;
	if (limit === undefined) return proofDraws;
	const { opening, questions, passes, allLooks } = partsOf(settings, cases, limit);
	const left = limit - opening - questions - passes;
	return Math.max(1, Math.min(proofDraws, Math.floor(left / Math.max(1, allLooks * RESERVE_MARGIN))));
}

/** A larger limit brings a larger train sample: the smallest from here on that pays what it brings about. */
function smallestFrom(settings: Settings, cases: readonly Case[], start: number): number {
	for (let limit = start; ; ) {
		const { need } = partsOf(settings, cases, limit);
		if (need <= limit) return limit;
		limit = need;
	}
}

/**
 * The forecast of a run on these cases with a text of this length, in characters.
 * @param noise what `gepa cases noise` measured for this text, these cases and these models
 */
export function forecastRun(
	settings: Settings,
	cases: readonly Case[],
	textLength: number,
	noise: MeasuredNoise = {},
): Forecast {
	const limit = settings.limits.calls;
	const parts = partsOf(settings, cases, limit);
	const { sample, opening, generation, proofs, first } = parts;
	const smallest = smallestFrom(settings, cases, limit === undefined || parts.need <= limit ? 1 : limit);
	const affordable =
		limit === undefined
			? settings.search.generations
			: Math.max(limit < parts.need ? 0 : 1, Math.floor((limit - opening - first) / generation));
	const generations = Math.min(settings.search.generations, affordable);
	const validation = casesOf(cases, "validation");
	const search = opening + parts.questions + parts.passes;
	const wanted = Math.max(smallest, search + proofs + frontCalls(settings, validation, parts.level));
	const calls = limit === undefined ? wanted : Math.min(limit, wanted);
	const reflections = Math.min(parts.questions, calls);
	const length = textLength + cases.reduce((sum, entry) => sum + inputOf(entry).length, 0) / Math.max(1, cases.length);
	const task = charge(settings.models.task, Math.max(0, calls - reflections), length * 1.3);
	const reflection = charge(settings.models.reflection, Math.min(calls, reflections), length * 4);
	const proves = provable(cases, settings, noise, expectedDraws(settings, cases));
	return {
		opening,
		generation,
		proofs,
		calls,
		generations,
		smallest,
		smallestTrials: parts.needTrials,
		tokens: task.tokens + reflection.tokens,
		usd: task.usd === null || reflection.usd === null ? null : task.usd + reflection.usd,
		provable: proves.gain,
		casesForHalf: proves.casesForHalf,
		noiseMeasured: proves.measured,
		proves: provableWords(proves, settings.skill),
		trainCases: sample.length,
		validationCases: validation.length,
		holdoutCases: casesOf(cases, "holdout").length,
	};
}
