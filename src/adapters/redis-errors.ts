/** What Redis says when it cannot serve for a while, told from what is wrong for good. Knows the words of its errors alone. */

/** Full, read-only, loading its data, or in the middle of a change of masters: it passes, or a person ends it. */
const PASSING = /^(?:OOM|READONLY|LOADING|MISCONF|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|NOREPLICAS)\b/;

/** Whether the same command may succeed later. */
export function passes(error: unknown): boolean {
	const text = error instanceof Error ? error.message : String(error);
	return PASSING.test(text) || /\b(?:OOM command not allowed|You can't write against a read only replica)/.test(text);
}

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;

/** Repeats a step for as long as Redis cannot serve, waiting longer each time. @throws what is wrong for good */
export async function insist<T>(
	step: () => Promise<T>,
	onTrouble: (error: Error) => void = () => undefined,
): Promise<T> {
	for (let ms = SHORTEST_MS; ; ms = Math.min(2 * ms, LONGEST_MS)) {
		try {
			return await step();
		} catch (error) {
			if (!passes(error)) throw error;
			onTrouble(error as Error);
		}
		await new Promise((resolve) => setTimeout(resolve, ms));
	}
}
