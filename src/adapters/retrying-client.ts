/**
 * The one owner of repeated calls. Knows which failures pass by themselves (rate limit, server, connection) and how long
 * to wait; must not know HTTP. Invariants: a call that may have been charged is never repeated here, an answer is
 * returned as soon as there is one, and between two attempts there is always a wait.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ModelAnswer, ModelClient, Unavailable } from "../ports/model-client.ts";

export interface RetryOptions {
	/** Attempts of one call at the most, the first included (6). */
	maxAttempts?: number;
	/** Longest wait that is obeyed, in milliseconds (60 000). A longer one ends the call at once, with what was asked. */
	maxWaitMs?: number;
	/** Uniform in [0, 1); spreads the attempts of calls that failed together. */
	random?: () => number;
	/** Rejects with the signal's reason when it aborts. */
	sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
	/** Told before each wait. */
	onWait?: (wait: { ms: number; attempt: number; reason: Unavailable; message: string }) => void;
}

const PASSING: ReadonlySet<Unavailable> = new Set(["rate-limit", "server", "connection"]);
const FIRST_BACKOFF_MS = 500;
const SHORTEST_WAIT_MS = 100;
const LONGEST_BACKOFF_MS = 8_000;

/** Repeats calls that failed for a passing reason. `attempts` of the answer counts every attempt of the call. */
export function createRetryingClient(inner: ModelClient, options: RetryOptions = {}): ModelClient {
	const { maxAttempts = 6, maxWaitMs = 60_000, random = Math.random, sleep = sleepAbortably, onWait } = options;
	return {
		async complete(request, { signal }) {
			let attempts = 0;
			for (let attempt = 1; ; attempt++) {
				signal.throwIfAborted();
				const answer = await inner.complete(request, { signal });
				attempts += answer.attempts;
				const ms = attempt < maxAttempts ? waitBefore(answer, attempt, maxWaitMs, random) : null;
				if (ms === null || answer.status === "answered") return { ...answer, attempts };
				onWait?.({ ms, attempt, reason: answer.reason, message: answer.message });
				await sleep(ms, signal);
			}
		},
	};
}

/**
 * The wait before the next attempt in milliseconds, or null when there shall be none. Without a wish of the endpoint:
 * 0.5 s doubled each time up to 8 s, less up to a quarter (as the official clients do). With one: never shorter than asked,
 * and growing from 0.1 s where the endpoint asks for next to nothing.
 */
function waitBefore(answer: ModelAnswer, attempt: number, maxWaitMs: number, random: () => number): number | null {
	if (answer.status === "answered" || answer.maybePaid || !PASSING.has(answer.reason)) return null;
	const doubled = 2 ** (attempt - 1);
	if (answer.retryAfterMs === undefined) {
		return Math.min(Math.min(FIRST_BACKOFF_MS * doubled, LONGEST_BACKOFF_MS) * (1 - random() * 0.25), maxWaitMs);
	}
	if (answer.retryAfterMs > maxWaitMs) return null;
	return Math.max(answer.retryAfterMs, Math.min(SHORTEST_WAIT_MS * doubled, LONGEST_BACKOFF_MS)) * (1 + random() * 0.1);
}

async function sleepAbortably(ms: number, signal: AbortSignal): Promise<void> {
	try {
		await delay(ms, undefined, { signal });
	} catch (error) {
		signal.throwIfAborted();
		throw error;
	}
}
