/** Trials that tests of objectives and of statistics are made of. */
import type { Outcome, Trial } from "../../src/domain/trial.ts";

export function trial(caseId: string, outcome: Outcome, repeat = 0, variant = "v0"): Trial {
	const spend = { taskCalls: 1, judgeCalls: 0, tokens: 100, usd: null };
	return { variant, caseId, repeat, rollout: `${caseId}-${repeat}`, outcome, spend };
}

export function measured(
	quality: number,
	rest: { latencyMs?: number; tokens?: number; retries?: number } = {},
): Outcome {
	return { status: "measured", quality, latencyMs: 1000, tokens: 100, retries: 0, scores: [], ...rest };
}

/** The contract was never met: the text's own doing, quality 0. */
export const BROKEN: Outcome = { status: "failed", reason: "contract", quality: 0, tokens: 300, retries: 2 };

/** Nothing came back: missing data. */
export const LOST: Outcome = { status: "failed", reason: "infrastructure", quality: null, tokens: null, retries: null };
