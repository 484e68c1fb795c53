/**
 * The verdict in plain words: what became of the run, why, and what would change it. Composes sentences from figures that
 * are computed elsewhere and decides nothing.
 *
 * Invariant: the status is the run's own; a run that has not ended is never called proven.
 */

import { type Case, casesOf, type Split } from "../domain/case.ts";
import type { Status, Stopper } from "../domain/events.ts";
import { openingOf, type RunState } from "../domain/run-state.ts";
import { gatesOf, levelOf, MOST_CASES, planLooks } from "../domain/sequential.ts";
import { pairedDifferences, pairedTest, requiredCases } from "../domain/stats.ts";
import { formatChange, formatChangeInterval, formatValue, OBJECTIVE_NAMES, plural } from "./numbers.ts";
import { resumeNeeds } from "./resume-command.ts";
import type { ChangeView, VerdictView } from "./view.ts";
import type { Measurements } from "./view-changes.ts";
import type { VariantsView } from "./view-variants.ts";

/** Chance with which the cases that are asked for would prove a gain of the size that was seen. */
const POWER = 0.8;

interface VerdictInput {
	state: RunState;
	cases: readonly Case[];
	measurements: Measurements;
	variants: VariantsView;
	/** Flags that the command to go on needs beside those that the log tells of. */
	resumeFlags: readonly string[];
}

export function verdictOf(input: VerdictInput): VerdictView {
	const { state } = input;
	const open = state.closed === null;
	const status: Status = state.closed?.status ?? "stopped";
	const stoppedBy = state.closed?.stoppedBy ?? state.limit ?? null;
	return {
		status,
		stoppedBy,
		open,
		headline: headlineOf(input, status, open),
		...wordsOf(input, status, open, stoppedBy),
	};
}

function headlineOf({ state }: VerdictInput, status: Status, open: boolean): string {
	if (open) return "Not finished";
	switch (status) {
		case "promoted":
			return state.promotion === null ? "Promoted" : `Promoted as v${state.promotion.version}`;
		case "confirmed":
			return "Proven, not committed";
		case "kept":
			return "v0 stays";
		case "undecided":
			return "Undecided, v0 stays";
		case "stopped":
			return "Stopped, v0 stays";
	}
}

function wordsOf(
	input: VerdictInput,
	status: Status,
	open: boolean,
	stoppedBy: Stopper | null,
): Pick<VerdictView, "reason" | "change"> {
	const { state, variants } = input;
	const { promote } = openingOf(state).settings;
	const closing = sentence(state.closed?.reason ?? "");
	const seen = figures(input);
	if (open) {
		return {
			reason: join(seen, "The run has not ended; these are the figures so far."),
			change: goOn(input),
		};
	}
	if (status === "promoted")
		return {
			reason: seen || closing,
			change: "Sealed cases on which v1 loses would change this. One command takes it back: see undo.",
		};
	if (status === "confirmed") {
		const refused = state.promotionRefused;
		const why =
			refused !== null
				? `Nothing was committed: ${sentence(refused.message)}`
				: promote === "report"
					? openingOf(state).offline
						? "Nothing was committed: a simulation never is."
						: "Nothing was committed, because nobody asked for it."
					: "Nothing was committed.";
		return { reason: join(seen || closing, why), change: confirmedChange(input) };
	}
	if (status === "kept") {
		const none = variants.challenger === null ? "No text was found that differs from v0 and holds." : seen;
		return { reason: join(none, endedEarly(input), closing), change: keptChange(input, stoppedBy) };
	}
	if (status === "undecided") return { reason: join(seen, endedEarly(input), closing), change: undecidedChange(input) };
	return {
		reason: join(stopped(stoppedBy), seen, stoppedBy === null ? closing : ""),
		change: stoppedChange(input, stoppedBy),
	};
}

/** A proof may end before all the cases of the table were tried: then its figures are others, and a reader should know why. */
function endedEarly({ state, variants, measurements }: VerdictInput): string {
	const look = state.looks.at(-1);
	if (look === undefined || look.variant !== variants.challenger?.id) return "";
	const changes = measurements.changes(variants.incumbent.id, look.variant, look.gate);
	const { pairs } = look.event;
	if (pairs >= (changes?.[0]?.n ?? 0)) return "";
	return `The proof had ended after ${plural(pairs, "pair")}; the other cases were tried for the picture alone.`;
}

/** `Quality 0.612 → 0.861 on 20 validation cases (+0.249, 95 % interval …), 0.600 → 0.840 on 40 sealed cases (…).` */
function figures({ state, variants, measurements }: VerdictInput): string {
	const { challenger, challengerName, incumbent } = variants;
	if (challenger === null) return "";
	const lead = challengerName === "winner" ? "Quality" : `The ${challengerName}: quality`;
	const of = (split: Split) => measurements.changes(incumbent.id, challenger.id, split);
	const [validation, holdout, train] = [of("validation"), of("holdout"), of("train")];
	if (validation === null) {
		return train === null
			? ""
			: `${lead} ${qualityWords(train, "train")}. It was written from these and not validated.`;
	}
	const sealed = holdout === null ? "" : `, ${qualityWords(holdout, "sealed")}`;
	// Where the proof was about tokens, they come first.
	if (state.looks.some(({ variant, event }) => variant === challenger.id && event.objective === "tokens")) {
		const more = holdout === null ? "" : `, ${changeWords(holdout, "tokens", "sealed")}`;
		const name = challengerName === "winner" ? "Tokens" : `The ${challengerName}: tokens`;
		const tokens = `${name} ${changeWords(validation, "tokens", "validation")}${more}.`;
		return join(tokens, `Quality ${qualityWords(validation, "validation")}${sealed}.`);
	}
	return join(`${lead} ${qualityWords(validation, "validation")}${sealed}.`, costWords(validation));
}

/** What else changed beyond noise: what it costs, what it saves. */
function costWords(changes: readonly ChangeView[]): string {
	const list = (says: ChangeView["says"]) =>
		changes
			.filter((change) => change.objective !== "quality" && change.says === says)
			.map(({ objective, mean }) => `${OBJECTIVE_NAMES[objective]} ${formatChange(objective, mean)}`)
			.join(", ");
	const [worse, better] = [list("worse"), list("better")];
	return join(worse === "" ? "" : `It costs ${worse}.`, better === "" ? "" : `It saves ${better}.`);
}

const qualityWords = (changes: readonly ChangeView[], kind: string) => changeWords(changes, "quality", kind);

function changeWords(changes: readonly ChangeView[], objective: "quality" | "tokens", kind: string): string {
	const change = changes.find((entry) => entry.objective === objective);
	if (change === undefined || change.mean === null) return `not known on ${kind} cases`;
	const interval = change.low === null ? "" : `, 95 % interval ${formatChangeInterval(change)}`;
	const [from, to] = [formatValue(objective, change.before.mean), formatValue(objective, change.after.mean)];
	return `${from} → ${to} on ${plural(change.n, `${kind} case`)} (${formatChange(objective, change.mean)}${interval})`;
}

function confirmedChange({ state }: VerdictInput): string {
	const { skill } = openingOf(state).settings;
	if (state.promotionRefused?.reason === "base-moved") {
		return `The skill changed while the run worked: \`gepa run ${skill}\` starts again from the new text.`;
	}
	if (openingOf(state).offline)
		return "A run with a language model: a simulation shows how a run goes, and proves nothing of the text.";
	return `\`gepa run ${skill} --promote current\` commits a proven text.`;
}

function keptChange({ measurements, variants }: VerdictInput, stoppedBy: Stopper | null): string {
	const trials = measurements.trials(variants.incumbent.id, "train");
	const noneMet =
		trials.length > 0 && trials.every(({ outcome }) => outcome.status === "failed" && outcome.reason === "contract");
	if (noneMet)
		return "No reply met the output contract: look at what the model answers, and at the checks with `contract: true`.";
	if (stoppedBy === "no-signal")
		return "Cases that v0 fails in part: the figures cannot move when all pass, all fail or all err.";
	return "More or harder cases, so that there is more to learn and more to prove it on.";
}

function undecidedChange({ state, cases, measurements, variants }: VerdictInput): string {
	if (openingOf(state).settings.holdout === "required" && casesOf(cases, "holdout").length === 0) {
		return "Sealed cases: give some cases `split: holdout`, or say `holdout: none` in the job spec.";
	}
	const { challenger, incumbent } = variants;
	if (challenger !== null) {
		const { margin } = openingOf(state).settings;
		const last = state.looks.at(-1)?.event;
		if (last?.objective === "tokens" && last.p !== null && last.p <= last.alpha)
			return `More cases: fewer tokens are proved, but not that quality stays within ${margin.quality}.`;
		// The gate that could not tell is the last that was looked at.
		const split = state.looks.at(-1)?.gate ?? "validation";
		const { differences } = pairedDifferences(
			measurements.trials(challenger.id, split),
			measurements.trials(incumbent.id, split),
			"quality",
			cases,
		);
		const { mean, sd } = pairedTest(differences);
		const level = levelOf(1, gatesOf(openingOf(state).settings.holdout, casesOf(cases, "holdout").length));
		const lastAlpha = planLooks(MOST_CASES, level).at(-1)?.alpha ?? level;
		const needed = mean === null || sd === null ? Number.POSITIVE_INFINITY : requiredCases(mean, sd, lastAlpha, POWER);
		if (needed > differences.length && needed <= 1000) {
			const named = split === "holdout" ? "sealed" : "validation";
			if (needed > MOST_CASES)
				return `A larger gain: a proof looks at ${MOST_CASES} ${named} cases at the most, and a gain of this size would take about ${needed}.`;
			return `More cases: if the gain is real, about ${needed} ${named} cases would prove it four times in five; there were ${differences.length}.`;
		}
	}
	return "More validation and sealed cases; a gain of this size cannot be told from chance with these.";
}

function stopped(stoppedBy: Stopper | null): string {
	if (stoppedBy === null) return "The run ended before a decision.";
	if (stoppedBy === "cancelled") return "A person ended the run before a decision.";
	if (stoppedBy === "converged" || stoppedBy === "no-signal") return "The run ended before a decision.";
	return `The limit on ${stoppedBy} was reached before a decision.`;
}

function stoppedChange(input: VerdictInput, stoppedBy: Stopper | null): string {
	const { settings } = openingOf(input.state);
	if (stoppedBy === "cancelled" || stoppedBy === null) {
		return goOn(input);
	}
	return `A new run with a higher limit: \`gepa run ${settings.skill} --max-${stoppedBy} …\`.`;
}

/** The command stands by itself, where it can be copied whole. */
function goOn({ state, resumeFlags }: VerdictInput): string {
	const needs = resumeNeeds(openingOf(state), resumeFlags);
	return `It can go on${needs === "" ? "" : `, ${needs}`}: what is paid for is not bought again.`;
}

function sentence(text: string): string {
	const trimmed = text.trim();
	if (trimmed === "") return "";
	const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
	return /^(v0|p) /.test(ended) ? ended : capital(ended);
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function join(...parts: string[]): string {
	return parts.filter((part) => part !== "").join(" ");
}
