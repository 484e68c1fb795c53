/**
 * Whether the metric can move at all. Searching a metric that is always perfect, always zero or always broken only spends.
 */
import { openingOf, type RunState, searchOf } from "../../domain/run-state.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { isTrimmed } from "./trim.ts";
import { trialsOf } from "./view.ts";

/** More missing outcomes than this share, and nothing that is measured can be trusted. */
const BROKEN = 0.5;

/** Why there is nothing to search, in a sentence; null when there is. Looks at the incumbent's train trials. */
export function signalComplaint(state: RunState, context: RunContext): string | null {
	const sample = trainSampleOf(state, context);
	const trials = trialsOf(state, openingOf(state).incumbent.id);
	const qualities = sample.flatMap((entry) => trials.get(entry.id)?.outcome.quality ?? []);
	const missing = sample.length - qualities.length;
	if (sample.length === 0) return "there are no train cases";
	if (missing > BROKEN * sample.length)
		return `${missing} of ${sample.length} train trials of v0 have no outcome; mend the endpoint, the judge or the checks first`;
	const retries = sample.some((entry) => (trials.get(entry.id)?.outcome.retries ?? 0) > 0);
	// A perfect text can still be shorter.
	if (qualities.every((quality) => quality === 1) && !retries && !isTrimmed(context))
		return "v0 is perfect on every train case: the metric cannot show a gain";
	const outcomes = sample.flatMap((entry) => trials.get(entry.id)?.outcome ?? []);
	if (outcomes.length > 0 && outcomes.every((outcome) => outcome.status === "failed" && outcome.reason === "contract"))
		return "no reply met the output contract: look at the replies and at the contract checks";
	if (qualities.every((quality) => quality === 0))
		return "v0 scores 0 on every train case: the checks, or the model, are probably wrong";
	return null;
}

/** Whether the search has only just begun, so that the signal is still to be looked at. */
export function isFresh(state: RunState): boolean {
	const search = searchOf(state);
	return (
		search.generation === 0 && search.passes.length === 1 && search.proposals.length === 0 && search.pending === null
	);
}
