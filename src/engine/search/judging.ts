/**
 * Which kind of task a run has met. Where checks repeat, an edit can be judged by the checks it was written for; where no two
 * want the same, one check says too little, and only a whole child can be judged, by its mean.
 */
import { type RunContext, splitOf } from "../context.ts";
import { repeatingShare } from "./groups.ts";

export type Judging = "apart" | "whole";

/** Checks repeat when at least this share of them has two others of its kind. */
const REPEATING = 0.5;

/** How edits are judged on these cases. */
export function judgingOf(context: RunContext): Judging {
	return repeatingShare(splitOf(context, "train")) >= REPEATING ? "apart" : "whole";
}
