/**
 * Bounds how many calls are under way at once. Knows a number and nothing of models. Invariants: calls start in the order
 * in which they were made; one that is aborted while it waits rejects at once and never starts.
 */
import pLimit from "p-limit";
import type { ModelAnswer, ModelClient } from "../ports/model-client.ts";
import { onAbort } from "./abort-watch.ts";

/** At most `concurrency` (1 or more) calls of `inner` at once. */
export function createLimitedClient(inner: ModelClient, { concurrency }: { concurrency: number }): ModelClient {
	const limit = pLimit(concurrency);
	return {
		complete(request, options) {
			const { signal } = options;
			return new Promise<ModelAnswer>((resolve, reject) => {
				const forget = onAbort(signal, () => reject(signal.reason));
				const start = async () => {
					forget();
					signal.throwIfAborted();
					return inner.complete(request, options);
				};
				limit(start).then(resolve, reject);
			});
		},
	};
}
