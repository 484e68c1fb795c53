/**
 * When the endpoint fails. A single lost answer is missing data; a cause that concerns every call, or a flood of losses, ends
 * the conducting with the state saved, before money is spent on decisions that rest on nothing.
 */

import type { Dialogue } from "../domain/trial.ts";
import { InterruptedError, LaterError, UnavailableError } from "../errors.ts";

/** Answers lost to outages in one step, as a share, above which the step is not written down. */
const FLOOD = 0.5;
/** Losses that come after every attempt has failed. What a text or its answers bring about (too long, cut off, unreadable) is
 * missing data of that text, and no reason to end the run. */
const OUTAGES: ReadonlySet<string> = new Set(["connection", "server", "worker"]);

/** @throws for a loss after which no other call of this run can succeed. */
export function assertGoing(dialogue: Dialogue): void {
	switch (dialogue.loss?.reason) {
		case "config":
			throw new UnavailableError({
				message: `the model endpoint refuses the requests of this run: ${dialogue.loss.message}`,
				hint: "Check the key, the model name and the base URL: gepa config shows which are in force.",
			});
		case "rate-limit":
			throw new LaterError({
				message: `the model endpoint asks us to come back later: ${dialogue.loss.message}`,
				hint: "The run is saved; resume it later.",
			});
		case "cancelled":
			throw new InterruptedError("stopped; what was paid for is saved");
	}
}

/**
 * `first` says that nothing has been answered in this run before: then no text of ours can be what the endpoint trips over, and
 * every loss counts.
 * @throws UnavailableError when more than half of a step's answers were lost to outages.
 */
export function assertNoFlood(dialogues: readonly Dialogue[], first = false): void {
	const counts = (reason: string) => OUTAGES.has(reason) || (first && reason !== "budget");
	const lost = dialogues.filter((dialogue) => dialogue.loss !== undefined && counts(dialogue.loss.reason));
	const example = lost[0]?.loss;
	if (example === undefined || lost.length <= FLOOD * dialogues.length) return;
	throw new UnavailableError({
		message: `${lost.length} of ${dialogues.length} answers were lost, the first one so: ${example.reason}: ${example.message}`,
		hint: "The run is saved; resume it when the endpoint is well again.",
	});
}
