/**
 * When the endpoint fails. A single lost answer is missing data; a cause that concerns every call, or a flood of losses, ends
 * the conducting with the state saved, before money is spent on decisions that rest on nothing.
 */

import type { Dialogue } from "../domain/trial.ts";
import { InterruptedError, LaterError, UnavailableError } from "../errors.ts";

/** Lost answers in one step, as a share, above which the step is not written down. */
const FLOOD = 0.5;
/** So few answers that are lost one by one (cut off, unreadable, too late) say nothing about the endpoint. */
const FEW = 2;
/** Losses that come after every attempt has failed: one of them is an outage. */
const OUTAGES: ReadonlySet<string> = new Set(["connection", "server"]);

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

/** @throws UnavailableError when more than half of a step's answers were lost, and that is no matter of one or two. */
export function assertNoFlood(dialogues: readonly Dialogue[]): void {
	const lost = dialogues.filter((dialogue) => dialogue.loss !== undefined && dialogue.loss.reason !== "budget");
	const first = lost[0];
	if (first?.loss === undefined || lost.length <= FLOOD * dialogues.length) return;
	if (lost.length <= FEW && !lost.some((dialogue) => OUTAGES.has(dialogue.loss?.reason ?? ""))) return;
	throw new UnavailableError({
		message: `${lost.length} of ${dialogues.length} answers were lost, the first one so: ${first.loss.reason}: ${first.loss.message}`,
		hint: "The run is saved; resume it when the endpoint is well again.",
	});
}
