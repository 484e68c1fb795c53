/**
 * How the figures came about and what they do not show, in sentences. Knows settings and counts only; every rendering prints
 * the same sentences.
 */
import type { EventOf } from "../domain/events.ts";
import { formatValue, OBJECTIVE_NAMES, plural } from "./numbers.ts";
import type { ChangeView, GateView, RunView } from "./view.ts";
import type { NoiseView } from "./view-certainty.ts";

/** What was done, in the order in which it was done. */
export function methodOf(
	{ settings, guidance = [], start }: Pick<EventOf<"run-opened">, "settings" | "guidance" | "start">,
	counts: RunView["caseCounts"],
	sample: number,
	texts: number,
): string[] {
	const holdout =
		settings.holdout === "none"
			? "The job spec asks for no confirmation on sealed cases."
			: counts.holdout === 0
				? "There are no sealed cases, so nothing could be confirmed or promoted."
				: "A text that passes is confirmed once on sealed cases, which the search never sees.";
	const confirmed = settings.holdout === "required" && counts.holdout > 0;
	return [
		`The search worked on ${plural(sample, "train case")} of ${counts.train}; ${plural(texts, "text")} beside v0 ${texts === 1 ? "was" : "were"} tried. It looks at quality, tokens and retries, never at time.`,
		...(start === undefined ? [] : [`The search started from the text that run ${start.run} left undecided.`]),
		...(guidance.length === 0
			? []
			: [`The reflection model was told ${plural(guidance.length, "note")} of reviewers on earlier runs.`]),
		`The proof tries v0 and a text on the same validation cases (there are ${counts.validation}), in turn, and looks up to four times whether luck explains the difference (one-sided sign-flip test). However many texts are tried, the chance of a wrong proof ${confirmed ? "here and on the sealed cases together is 0.5 %" : "in the whole run is 5 %"} at the most. Quality may not be more than ${settings.margin.quality} below v0 under any policy (here: ${settings.policy}).`,
		holdout,
		"Figures are means over cases by weight (latency: the median), with 95 % intervals over cases; cases of one group count as one. A change compares the cases that both sides know: after less before. It is called better or worse only when chance alone would show it at most once in twenty (p at most .05, both ways): quality by itself, the three others after Holm's correction for their number, and only where the interval of the change leaves 0 out.",
		"A failed trial has no latency. Errors of the infrastructure or of a judge are missing data: they are counted, never scored.",
		"Tokens are prompt and completion of all calls of a trial, re-asks included. Retries are re-asks because the output contract was not met.",
	];
}

/** What a careful reader should hold against the figures. */
export function caveatsOf(view: {
	offline: boolean;
	changes: RunView["changes"];
	gates: readonly GateView[];
	usd: number | null;
	noise: NoiseView | null;
	/** Whether the text to be judged came about by taking out what no train case missed. */
	isShortened: boolean;
	/** Cases whose expectation the reflection model takes to be wrong. */
	suspects: readonly string[];
}): string[] {
	const caveats: string[] = [];
	if (view.offline) {
		caveats.push(
			"This is a simulation: built-in rules answered instead of a language model. The figures say nothing about any model.",
		);
	}
	if (view.isShortened) {
		caveats.push(
			"This text was shortened: what no train case missed is gone. Cases do not hold everything that a skill says, and a loss on requests that are rarer than one in twenty may go unseen: read the change.",
		);
	}
	const validation = view.changes.validation?.[0];
	if (validation !== undefined && validation.n < 20) {
		caveats.push(
			`Only ${plural(validation.n, "validation case")} could be paired: the intervals are wide, and only large gains can be proved.`,
		);
	}
	// Latency is told in its row alone: these sentences are the same on every machine.
	const loose = (view.changes.validation ?? []).filter(
		({ objective, held, says }) => objective !== "latencyMs" && held === false && says !== "better",
	);
	if (loose.length > 0)
		caveats.push(
			`Not proved to stay within what the job spec allows to lose, on validation cases: ${loose.map((change) => OBJECTIVE_NAMES[change.objective]).join(", ")}.`,
		);
	const tried = new Set(view.gates.filter((gate) => gate.gate === "validation").map((gate) => gate.variant)).size;
	if (tried > 1)
		caveats.push(
			`${tried} texts were tried on the validation cases; the levels of the tests allow for it, the means of the best do not.`,
		);
	const errors = lossesOf(view.changes);
	if (errors > 0)
		caveats.push(
			`${plural(errors, "trial")} on validation and sealed cases gave no quality, so their cases may be missing from the pairs.`,
		);
	if (view.suspects.length > 0) caveats.push(suspectWords(view.suspects));
	if (view.noise !== null) caveats.push(noiseWords(view.noise));
	if (view.changes.validation !== null && view.changes.holdout === null)
		caveats.push("Nothing was measured on sealed cases, so nobody knows how much of the gain would be seen again.");
	caveats.push(
		"Not measured: requests that no case stands for, other models, and what the skill does with tools that the cases do not use.",
	);
	if (view.usd === null) caveats.push("No price is known for at least one model, so there is no figure in US dollars.");
	return caveats;
}

/** Suspects that are named. */
const MOST_SUSPECTS = 10;

function suspectWords(cases: readonly string[]): string {
	const named = cases.slice(0, MOST_SUSPECTS).join(", ");
	const rest = cases.length > MOST_SUSPECTS ? ` and ${cases.length - MOST_SUSPECTS} more` : "";
	return `The reflection model takes the expectation of ${cases.length === 1 ? "a case" : "some cases"} to be wrong: ${named}${rest}. Look at the checks; nothing was edited for that.`;
}

/** How small a gain these cases could tell from chance. */
function noiseWords({ sd, pairs, provable }: NoiseView): string {
	const floor =
		provable === null
			? "no gain could be proved reliably with them"
			: `a true gain below ${formatValue("quality", provable)} would be missed more than once in five`;
	return `Noise floor: the differences of single cases spread by ${formatValue("quality", sd)} around their mean (${plural(pairs, "pair")}); ${floor}.`;
}

function lossesOf(changes: Readonly<Record<string, readonly ChangeView[] | null>>): number {
	return ["validation", "holdout"].reduce((sum, split) => {
		const quality = changes[split]?.[0];
		return sum + (quality === undefined ? 0 : quality.before.errors + quality.after.errors);
	}, 0);
}
