/**
 * The parts of one step, under way side by side. The first that fails stops the others: what waits is not sent any more, since
 * the step cannot be written down, and what was the matter is told by the first failure and not by those it brought about.
 */

export interface Together<T> {
	/** Aborts with the run's signal, and when a part has failed. */
	signal: AbortSignal;
	readonly failed: boolean;
	/** Stops all parts for a failure that is known before its part has come to rest. */
	fail(error: unknown): void;
	/** Adds a part; when it fails, `release` is called once no further part will be begun. */
	add(part: Promise<T>, release?: () => void): void;
	/** Results in the order in which the parts were added. @throws the first failure, once every part has come to rest. */
	results(): Promise<T[]>;
}

export function createTogether<T>(run: AbortSignal): Together<T> {
	const stop = new AbortController();
	const parts: Promise<T>[] = [];
	let failure: { error: unknown } | null = null;
	const fail = (error: unknown): void => {
		if (failure !== null) return;
		failure = { error };
		stop.abort();
	};
	return {
		signal: AbortSignal.any([run, stop.signal]),
		get failed() {
			return failure !== null;
		},
		fail,
		add(part, release) {
			parts.push(part);
			part.catch((error: unknown) => {
				fail(error);
				release?.();
			});
		},
		async results() {
			const settled = await Promise.allSettled(parts);
			if (failure !== null) throw failure.error;
			return settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
		},
	};
}
