/**
 * Money and its equivalents. Limits, what is left of them, what a step costs at the worst and as expected, and the forecast
 * that is printed before the first paid call. Pure arithmetic: who pays and when is not known here.
 */
import { costOf, type ModelSettings } from "./dialogue.ts";
import type { Limits } from "./job-spec.ts";
import { modelCalls, type Spend } from "./spend.ts";
import type { Task } from "./trial.ts";

/** An amount in every unit that can be limited. */
export interface Cost {
	calls: number;
	trials: number;
	tokens: number;
	/** null when a price is unknown; such an amount is not held against a limit in USD. */
	usd: number | null;
}

export const NO_COST: Cost = { calls: 0, trials: 0, tokens: 0, usd: 0 };

export function addCost(a: Cost, b: Cost): Cost {
	return {
		calls: a.calls + b.calls,
		trials: a.trials + b.trials,
		tokens: a.tokens + b.tokens,
		usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
	};
}

/** What a run has spent, as a cost. */
export function spentCost(spend: Spend): Cost {
	return { calls: modelCalls(spend), trials: spend.trials, tokens: spend.tokens, usd: spend.usd };
}

/** Limit that an amount would pass, or null when it fits. Amounts in USD without a price fit always. */
export function exceeded(limits: Limits, amount: Cost): "calls" | "trials" | "tokens" | "usd" | null {
	if (limits.calls !== undefined && amount.calls > limits.calls) return "calls";
	if (limits.trials !== undefined && amount.trials > limits.trials) return "trials";
	if (limits.tokens !== undefined && amount.tokens > limits.tokens) return "tokens";
	if (limits.usd !== undefined && amount.usd !== null && amount.usd > limits.usd) return "usd";
	return null;
}

/** A token is at least about two bytes of ordinary text in every tokenizer of the field; the worst case counts on that. */
const BYTES_PER_TOKEN_WORST = 2;
/** Length of an answer when the job spec limits none. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/** What a task can cost at the worst: every re-ask used, every answer at its limit, each repeated in the next prompt. */
export function worstCost(task: Pick<Task, "messages" | "model" | "maxRetries">, trials: 0 | 1): Cost {
	const calls = 1 + task.maxRetries;
	const prompt = Math.ceil(
		task.messages.reduce((sum, message) => sum + Buffer.byteLength(message.content), 0) / BYTES_PER_TOKEN_WORST,
	);
	const output = task.model.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
	const promptTokens = calls * prompt + (output * calls * (calls - 1)) / 2;
	const usage = { prompt: promptTokens, completion: calls * output, cached: 0, reasoning: 0, estimated: true };
	return { calls, trials, tokens: promptTokens + calls * output, usd: costOf(usage, task.model.price) };
}

/** Expected tokens of one call with this text: about four characters a token, and a tenth of the output limit, at least 100. */
export function expectedTokens(promptCharacters: number, model: ModelSettings): { prompt: number; completion: number } {
	return {
		prompt: Math.ceil(promptCharacters / 4),
		completion: Math.max(100, Math.round((model.maxOutputTokens ?? 1_000) / 10)),
	};
}
