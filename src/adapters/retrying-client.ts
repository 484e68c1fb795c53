/**
 * The one owner of repeated calls. Knows which failures pass by themselves (rate limit, server, connection) and how long
 * to wait; must not know HTTP. Invariants: a call that may have been charged is never repeated here, an answer is
 * returned as soon as there is one, between two attempts there is always a wait, and a signal that has aborted ends the wait
 * and starts no attempt, whether or not the call under way listens to it.
 */
import type { ModelAnswer, ModelClient, Unavailable } from "../ports/model-client.ts";
import { onAbort } from "./abort-watch.ts";

/** A wait between two attempts of one call. */
export interface Wait {
	/** Its length in milliseconds. */
	ms: number;
	/** The attempt that has failed, from 1. */
	attempt: number;
	/** Attempts at the most. */
	of: number;
	reason: Unavailable;
	message: string;
}

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
	onWait?: (wait: Wait) => void;
}

const PASSING: ReadonlySet<Unavailable> = new Set(["rate-limit", "server", "connection"]);
const FIRST_BACKOFF_MS = 500;
const SHORTEST_WAIT_MS = 100;
const LONGEST_BACKOFF_MS = 8_000;

/**
 * Repeats calls that failed for a passing reason. `attempts` of the answer counts every attempt of the call. When the signal
 * aborts between two attempts, the last answer is given back: what it cost is known.
 */
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
				// The signal may have come while the call went on to its end: there is no wait, and nobody is told of one. The
				// answer so far is known to have cost nothing, and that is worth more than a rejection.
				if (signal.aborted) return { ...answer, attempts };
				onWait?.({ ms, attempt, of: maxAttempts, reason: answer.reason, message: answer.message });
				const stopped = await sleep(ms, signal).then(
					() => false,
					() => true,
				);
				if (stopped) return { ...answer, attempts };
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

/** Calls share one signal and may all wait at once: each is a waiter of the watch, never a listener of the signal. */
function sleepAbortably(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			forget();
			resolve();
		}, ms);
		const forget = onAbort(signal, () => {
			clearTimeout(timer);
			reject(signal.reason);
		});
	});
}
