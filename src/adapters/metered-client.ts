/**
 * Tells an observer of every call that has ended, so that spend and waiting are seen in one place. Knows the port alone;
 * changes no answer. Put outermost, it sees each call once, with its waits and its attempts.
 */
import { performance } from "node:perf_hooks";
import type { Role, Usage } from "../domain/dialogue.ts";
import type { ModelAnswer, ModelClient, ModelRequest, Unavailable } from "../ports/model-client.ts";

/** One call that has ended. */
export interface CallReport {
	role: Role;
	/** Name of the model that was asked. */
	model: string;
	status: "answered" | Unavailable | "aborted";
	/** Null without an answer. */
	usage: Usage | null;
	/** From the call to its end, waits included, in milliseconds. */
	ms: number;
	/** Zero when the call was aborted: how often it had been tried by then is not known. */
	attempts: number;
	/** The endpoint may have charged for a call that brought no answer. */
	maybePaid: boolean;
}

/** Passes every call on to `inner` and reports its end; `now` is a monotonic clock in milliseconds. */
export function createMeteredClient(
	inner: ModelClient,
	onAnswer: (report: CallReport) => void,
	now: () => number = () => performance.now(),
): ModelClient {
	return {
		async complete(request, options) {
			const started = now();
			let answer: ModelAnswer | null = null;
			try {
				answer = await inner.complete(request, options);
				return answer;
			} finally {
				onAnswer(reportOf(request, answer, now() - started));
			}
		},
	};
}

function reportOf(request: ModelRequest, answer: ModelAnswer | null, ms: number): CallReport {
	const call = { role: request.role, model: request.model.name, ms };
	if (answer === null) return { ...call, status: "aborted", usage: null, attempts: 0, maybePaid: true };
	if (answer.status === "answered") {
		return { ...call, status: "answered", usage: answer.reply.usage, attempts: answer.attempts, maybePaid: false };
	}
	return { ...call, status: answer.reason, usage: null, attempts: answer.attempts, maybePaid: answer.maybePaid };
}
