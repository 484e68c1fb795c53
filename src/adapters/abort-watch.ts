/**
 * Tells many waiters of one signal that it has aborted. A signal that thousands of tasks share gets one listener instead of
 * thousands, and a waiter is forgotten in constant time.
 */

const watchers = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls back once when the signal aborts, at once when it has. @returns a function that forgets the waiter. */
export function onAbort(signal: AbortSignal, tell: () => void): () => void {
	if (signal.aborted) {
		tell();
		return () => undefined;
	}
	let waiting = watchers.get(signal);
	if (waiting === undefined) {
		const created = new Set<() => void>();
		waiting = created;
		watchers.set(signal, created);
		signal.addEventListener(
			"abort",
			() => {
				for (const each of [...created]) each();
				created.clear();
			},
			{ once: true },
		);
	}
	const entry = (): void => tell();
	waiting.add(entry);
	return () => void waiting.delete(entry);
}
