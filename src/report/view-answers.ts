/**
 * The five questions of a reader who has two minutes, each with its answer in a sentence or two: what changed, is it better, how
 * sure is that, what does it cost, how is it undone. Composes words from figures that are computed elsewhere.
 *
 * Invariant: a text is called better or proved only where the gates said so.
 */
import { OBJECTIVES } from "../domain/objective.ts";
import {
	formatChange,
	formatChangeInterval,
	formatCount,
	formatP,
	formatPercent,
	formatValue,
	OBJECTIVE_NAMES,
	plural,
} from "./numbers.ts";
import { GATE_NAMES } from "./plain-words.ts";
import type { ChangeView, GateView, RunView } from "./view.ts";

/** What to do with the text, as one word. */
export type Decision = "promote" | "keep" | "undecided";

export interface AnswersView {
	decision: Decision;
	changed: string;
	better: string;
	sure: string;
	cost: string;
	undo: string;
}

export function answersOf(view: Omit<RunView, "answers">): AnswersView {
	return {
		decision: decisionOf(view),
		changed: changedOf(view),
		better: betterOf(view),
		sure: sureOf(view),
		cost: costOf(view),
		undo: undoOf(view),
	};
}

type Answered = Omit<RunView, "answers">;

function decisionOf({ verdict, winner }: Answered): Decision {
	if (verdict.open) return "undecided";
	if (winner !== null && (verdict.status === "promoted" || verdict.status === "confirmed")) return "promote";
	return verdict.status === "kept" ? "keep" : "undecided";
}

function changedOf({
	challenger,
	challengerName,
	incumbent,
	document,
	capabilities,
	edits,
	promotion,
}: Answered): string {
	if (challenger === null) return "Nothing: no text that differs from v0 came of this run.";
	const sections = document.filter((part) => part.kind === "section" && part.before !== part.after).length;
	const size = `${formatCount(incumbent.bytes)} → ${formatCount(challenger.bytes)} bytes`;
	const what = `${plural(edits.length, "edit")} in ${plural(sections, "section")} of the harness, the part that may change (${size})`;
	const count = (change: "gained" | "lost") => capabilities.filter((entry) => entry.change === change).length;
	const [gained, lost] = [count("gained"), count("lost")];
	const can =
		gained + lost === 0
			? "It can do nothing that v0 could not: no new command, host, file or tool."
			: `Capabilities: ${gained} gained, ${lost} lost; they are listed under the change.`;
	const lead = promotion === null ? `Nothing in the repository. The ${challengerName} has ` : "";
	return `${lead}${what}. Kernel and frontmatter are byte-equal. ${can}`;
}

function betterOf({ challenger, challengerName, changes, winner, gates, settings }: Answered): string {
	if (challenger === null) return "There is nothing to compare.";
	const quality = (list: readonly ChangeView[] | null) => list?.find((change) => change.objective === "quality");
	const [validation, holdout] = [quality(changes.validation), quality(changes.holdout)];
	if (validation === undefined) return `Not known: the ${challengerName} was not validated.`;
	const words = (change: ChangeView, kind: string) =>
		`${formatValue("quality", change.before.mean)} → ${formatValue("quality", change.after.mean)} on ${plural(change.n, `${kind} case`)}`;
	const sealed = holdout === undefined ? "" : `, ${words(holdout, "sealed")}`;
	const tokens = changes.validation?.find((change) => change.objective === "tokens");
	if (winner !== null && tokens !== undefined && gates.some(({ objective }) => objective === "tokens")) {
		const [from, to] = [formatValue("tokens", tokens.before.mean), formatValue("tokens", tokens.after.mean)];
		return `Yes, in tokens: ${from} → ${to}. Quality ${words(validation, "validation")}${sealed}: proved to be at most ${settings.qualityMargin} lower.`;
	}
	const lead = winner !== null ? "Yes" : validation.says === "worse" ? "No, it is worse" : "Not proved";
	return `${lead}: quality ${words(validation, "validation")}${sealed}.`;
}

function sureOf(view: Answered): string {
	const { challenger, changes, gates, shrinkage, winner } = view;
	if (challenger === null) return "Nothing was tested.";
	const last = (gate: GateView["gate"]) =>
		gates.filter((entry) => entry.gate === gate && entry.variant === challenger.id).at(-1);
	const ended = [last("validation"), last("holdout")].flatMap((gate) => gate ?? []);
	if (ended.length === 0) return "No proof was attempted.";
	const quality = changes.validation?.find((change) => change.objective === "quality");
	const interval =
		quality?.low == null
			? ""
			: ` The change on validation cases is ${formatChange("quality", quality.mean)}, 95 % interval ${formatChangeInterval(quality)}.`;
	const kept = shrinkage.find((entry) => entry.objective === "quality")?.kept;
	const again = kept == null ? "" : ` Seen again on sealed cases: ${formatPercent(kept)} of it.`;
	const passed = ended.some(({ answer }) => answer === "better");
	const lead = winner !== null ? "Proved" : passed ? "Half proved" : "Not proved";
	return `${lead}: ${ended.map(gateWords).join("; ")}. p is the chance that luck alone looks so good.${interval}${again}`;
}

/** `the test on sealed cases passed after 20 pairs (p < 0.001, at most 0.005 allowed)`. */
function gateWords({ gate, p, alpha, pairs, answer }: GateView): string {
	const ended: Readonly<Record<string, string>> = {
		better: "passed",
		"not-better": "ended as not better",
		undecided: "ended without a proof",
	};
	const chance = `p ${formatP(p)}, at most ${formatP(alpha)} allowed`;
	return `the test on ${GATE_NAMES[gate]} ${ended[answer] ?? "has not ended"} after ${plural(pairs, "pair")} (${chance})`;
}

function costOf({ challenger, changes, spend, offline, winner, gates }: Answered): string {
	const list = changes.validation ?? changes.train;
	const words = OBJECTIVES.flatMap((objective) => {
		const change = list?.find((entry) => entry.objective === objective);
		if (objective === "quality" || change === undefined || change.mean === null) return [];
		const from = change.before.mean;
		const share = objective === "tokens" && from !== null && from > 0 ? [formatPercent(change.mean / from, true)] : [];
		const isProved = winner !== null && gates.some((gate) => gate.objective === objective);
		const notes = [...share, ...(change.says === "unclear" && !isProved ? ["unclear"] : [])];
		const aside = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
		return [`${OBJECTIVE_NAMES[objective]} ${formatChange(objective, change.mean)}${aside}`];
	});
	const run = `The run cost ${plural(spend.modelCalls, "call")}, ${offline ? "free" : spend.cost}.`;
	if (challenger === null || words.length === 0) return run;
	return `A request with it: ${words.join(", ")}. ${run}`;
}

function undoOf(view: Answered): string {
	if (view.revert !== null) return `One command in the skills repository: \`${view.revert}\`.`;
	return view.verdict.open ? "Nothing has been committed." : "Nothing to undo: nothing was committed, v0 is in place.";
}
