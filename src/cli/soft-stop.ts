/** What a command that spends does on the first signal. The second one ends the process elsewhere. */
import { setTimeout as delay } from "node:timers/promises";
import type { Io } from "./io.ts";

/** How long calls under way may take to end after the first signal, in milliseconds. */
const GRACE_MS = 20_000;

/** On the first signal: says so, and cuts the calls under way when the grace is over. Returns how to stop listening. */
export function onSoftStop(io: Io, hard: AbortController): () => void {
	const listen = () => {
		io.err("\nStopping: calls under way are finished and kept. Ctrl-C again ends at once.");
		void delay(GRACE_MS, undefined, { ref: false }).then(() => hard.abort());
	};
	io.signal.addEventListener("abort", listen, { once: true });
	return () => io.signal.removeEventListener("abort", listen);
}
