/**
 * A model client whose calls pass a gate that all workers share. Knows what a call weighs and how it ended; must not know how the
 * gate counts.
 */
import type { ModelAnswer, ModelClient, ModelRequest } from "../ports/model-client.ts";
import type { CallEnd, EndpointGate } from "./endpoint-limits.ts";

/** Reckoned where a model has no limit of its own: answers are mostly short. */
const ANSWER_TOKENS = 500;
const BYTES_PER_TOKEN = 4;

export function createGatedClient(inner: ModelClient, gate: EndpointGate): ModelClient {
	return {
		async complete(request, options) {
			const estimate = tokensOf(request);
			const leave = await gate.enter(estimate, options.signal);
			let end: CallEnd = { moreTokens: 0, outcome: "failed", retryAfterMs: 0 };
			try {
				const answer = await inner.complete(request, options);
				end = endOf(answer, estimate);
				return answer;
			} finally {
				// A Redis that is away must not keep an answer that was paid for.
				void leave(end).catch(() => undefined);
			}
		},
	};
}

function tokensOf({ messages, model }: ModelRequest): number {
	const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
	return bytes / BYTES_PER_TOKEN + Math.min(model.maxOutputTokens ?? ANSWER_TOKENS, ANSWER_TOKENS);
}

function endOf(answer: ModelAnswer, estimate: number): CallEnd {
	if (answer.status === "answered") {
		const { prompt, completion } = answer.reply.usage;
		return { moreTokens: prompt + completion - estimate, outcome: "answered", retryAfterMs: 0 };
	}
	const outcome = answer.reason === "rate-limit" ? "too-much" : "failed";
	return { moreTokens: -estimate, outcome, retryAfterMs: outcome === "too-much" ? (answer.retryAfterMs ?? 0) : 0 };
}
