/**
 * What a winner has to be better at than v0, by the policy of the job spec. Where that depends on the text it is settled by train
 * trials, so that the cases of the proof have no say in what is proved on them.
 */
import { openingOf, type RunState } from "../../domain/run-state.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { meanOf, pairedOf, standardError } from "./paired.ts";

/** A gain in quality of this many standard errors on train cases can be proved on others. */
const PROVABLE = 3;

/** The objective in which this text is to be proved better; the others are reported, and quality is guarded. */
export function provenObjective(state: RunState, context: RunContext, variant: string): "quality" | "tokens" {
	const { policy, margin } = context.settings;
	if (policy !== "balanced") return policy === "cheapest" ? "tokens" : "quality";
	const pair = [openingOf(state).incumbent.id, variant] as const;
	const sample = trainSampleOf(state, context);
	const quality = pairedOf(state, sample, pair, ({ outcome }) => outcome.quality);
	const tokens = pairedOf(state, sample, pair, ({ outcome }) => outcome.tokens);
	const gain = meanOf(quality);
	const isPlain = gain > Math.max(margin.quality, PROVABLE * standardError(quality));
	return isPlain || meanOf(tokens) >= 0 ? "quality" : "tokens";
}
