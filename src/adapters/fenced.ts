/** The end of a conductor that was cut off while another one has gone on with its run. Knows nothing of how that is noticed. */
import { LaterError } from "../errors.ts";

/** Nothing of what this conductor does counts any more. */
export class FencedError extends LaterError {}

export function fenced(run: string): FencedError {
	return new FencedError({
		message: `fenced: another conductor has taken over run ${run}, so nothing more is written here`,
		hint: "Nothing has to be done: the run goes on there.",
	});
}
