/**
 * Scores a trial: a rollout's dialogue against the checks of its case. Knows no model and no store, so that an edited check
 * re-scores what is stored for nothing. Its invariant: what is not known is never a number. A judge or an endpoint that
 * failed gives missing data; only the text's own doing gives a quality of 0.
 */
import type { Case } from "../domain/case.ts";
import type { Check, CheckResult, CheckTools } from "../domain/check.ts";
import { type Dialogue, type Failure, type Outcome, usageOf } from "../domain/trial.ts";
import { scoreCheck } from "./check-score.ts";
import { unusable } from "./reply-use.ts";

export type RubricCheck = Extract<Check, { type: "rubric" }>;

/** Answers of one call of the judge, in the order of `rubricsOf`; null where it gave no clear answer. */
export interface JudgeVerdicts {
	verdicts: readonly ({ pass: boolean } | null)[];
}

export interface TrialToScore {
	case: Pick<Case, "checks">;
	dialogue: Dialogue;
	judgement?: JudgeVerdicts | undefined;
	/** Results of checks that are neither pure nor judged (command, tools), by the index of the check in the case. */
	elsewhere?: ReadonlyMap<number, CheckResult> | undefined;
	tools: CheckTools;
}

export interface ScoredTrial {
	outcome: Outcome;
	/** The reply that was scored: the last usable one; null when there is none. */
	output: string | null;
	/** Result of every check of the case in order, contracts too; empty when there is no output. */
	results: CheckResult[];
}

/** The criteria that the judge is asked about, in the order of the case. A contract is never one: it must be pure. */
export function rubricsOf(checks: readonly Check[]): RubricCheck[] {
	return checks.filter((check): check is RubricCheck => check.type === "rubric" && !check.contract);
}

/**
 * Quality is the weighted mean of the scores of the checks that are no contract (0 to 1). Latency is the sum over the
 * replies in milliseconds, tokens are prompt and completion of all replies, retries are the replies after the first.
 */
export function scoreTrial(trial: TrialToScore): ScoredTrial {
	const { dialogue } = trial;
	const output = dialogue.replies.findLast((reply) => unusable(reply) === undefined)?.text ?? null;
	const results = output === null ? [] : resultsOf(trial, output);
	return { outcome: outcomeOf(trial, results), output, results };
}

function resultsOf({ case: { checks }, judgement, elsewhere, tools }: TrialToScore, output: string): CheckResult[] {
	const rubrics = rubricsOf(checks);
	return checks.map((check, index) => {
		const given = elsewhere?.get(index);
		if (given !== undefined) return given;
		if (check.type !== "rubric" || check.contract) return scoreCheck(check, output, tools);
		const verdict = judgement?.verdicts[rubrics.indexOf(check)];
		if (verdict === undefined || verdict === null) return { status: "error", reason: "the judge gave no verdict" };
		return { status: "scored", score: verdict.pass !== check.not ? 1 : 0 };
	});
}

function outcomeOf({ case: { checks }, dialogue }: TrialToScore, results: readonly CheckResult[]): Outcome {
	if (!dialogue.complete) {
		const reason = dialogue.loss?.reason === "budget" ? "budget" : "infrastructure";
		return { status: "failed", reason, quality: null, tokens: null, retries: null };
	}
	const usage = usageOf(dialogue.replies);
	const cost = { tokens: usage.prompt + usage.completion, retries: Math.max(0, dialogue.replies.length - 1) };
	const failure = failureOf(checks, dialogue, results);
	if (failure !== undefined)
		return { status: "failed", reason: failure, quality: failure === "contract" ? 0 : null, ...cost };

	const scores = results.map((result, index) =>
		result.status === "scored" && !checks[index]?.contract ? result.score : null,
	);
	const counted = checks.flatMap((check, index) => {
		const score = scores[index];
		return typeof score === "number" && check.weight > 0 ? [{ score, weight: check.weight }] : [];
	});
	const weight = counted.reduce((sum, entry) => sum + entry.weight, 0);
	const quality = Math.min(1, counted.reduce((sum, entry) => sum + entry.score * entry.weight, 0) / weight);
	const latencyMs = dialogue.replies.reduce((sum, reply) => sum + reply.latencyMs, 0);
	return { status: "measured", quality, latencyMs, ...cost, scores };
}

/** Why a complete dialogue is no measurement, or undefined when it is one. */
function failureOf(checks: readonly Check[], dialogue: Dialogue, results: readonly CheckResult[]): Failure | undefined {
	const erred = checks.filter((_, index) => results[index]?.status === "error");
	if (!dialogue.met) {
		if (erred.some((check) => check.contract)) return "check";
		const last = dialogue.replies.at(-1);
		const cause = results.length > 0 || last === undefined ? undefined : unusable(last)?.kind;
		// An empty answer is the text's own doing, like one in the wrong form.
		return cause === "truncated" || cause === "refused" ? cause : "contract";
	}
	const counting = erred.filter((check) => !check.contract && check.weight > 0);
	if (counting.some((check) => check.type !== "rubric")) return "check";
	if (counting.length > 0) return "judge";
	return checks.some((check) => !check.contract && check.weight > 0) ? undefined : "check";
}
