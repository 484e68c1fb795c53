/**
 * `report.md`, and the body of a promotion's commit. Aggregates and ids only: no text of a case, no output, so that either
 * may be shown where the cases may not.
 *
 * Invariant: foreign text cannot become markup, a link, a mention or an image, and nothing in it is invisible.
 */

import { code, type Form, LINE, plain, sentences, table } from "./markdown-text.ts";
import {
	directionArrow,
	formatChange,
	formatChangeInterval,
	formatCount,
	formatInterval,
	formatP,
	formatPercent,
	formatSeconds,
	formatUsd,
	formatValue,
	OBJECTIVE_NAMES,
	plural,
	SAYS_MARKS,
	UNKNOWN,
} from "./numbers.ts";
import { editPlace, GATE_NAMES, gateAnswer } from "./plain-words.ts";
import { undoCommand } from "./undo-command.ts";
import type { CaseView, ChangeView, EditView, RunView } from "./view.ts";
import { visibleLine, withoutCommand } from "./visible-text.ts";

/** A command is of use only when it is whole. */
const COMMAND = 2_000;

/** The whole report as Markdown. */
export function reportMarkdown(view: RunView): string {
	const blocks = [
		`# ${plain(view.skill)}: ${plain(view.verdict.headline)}`,
		stamp(view),
		`${sentences(view.verdict.reason)}\n\n${sentences(view.verdict.change)}`,
		answers(view),
		objectivesBlock(view),
		shrinkage(view),
		front(view),
		edits(view),
		capabilities(view),
		topCases(view),
		refusals(view),
		gates(view),
		spendBlock(view),
		kernelAndRevert(view),
		["## Method and caveats", ...[...view.caveats, ...view.method].map((line) => `- ${sentences(line)}`)].join("\n"),
	];
	return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** The body of a promotion's commit: verdict, objectives, cost, top wins and losses by id, how to revert. */
export function commitBody(view: RunView): string {
	const revert = "To undo: git revert <this commit>";
	const blocks = [
		stamp(view),
		objectivesBlock(view, "text"),
		topCases(view, "text"),
		spendLine(view),
		`Run ${visibleLine(view.run, LINE)}${view.reportPath === null ? "" : `, report ${visibleLine(view.reportPath, LINE)}`}.`,
		revert,
	];
	return blocks
		.filter((block) => block !== "")
		.join("\n\n")
		.split("\n")
		.map(withoutCommand)
		.join("\n");
}

function stamp(view: RunView): string {
	return view.offline ? "**Simulation.** Built-in rules answered, no language model was involved." : "";
}

/** The five questions of a reader in a hurry. */
function answers({ answers: { changed, better, sure, cost, undo } }: RunView): string {
	const rows = [
		["What changed", changed],
		["Is it better", better],
		["How sure", sure],
		["At what cost", cost],
		["How to undo", undo],
	] as const;
	return rows.map(([question, answer]) => `- **${question}:** ${sentences(answer)}`).join("\n");
}

function shrinkage(view: RunView): string {
	if (view.shrinkage.length === 0) return "";
	const rows = view.shrinkage.map(({ objective, validation, holdout, difference, kept }) => [
		`${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}`,
		formatChange(objective, validation),
		formatChange(objective, holdout),
		formatChange(objective, difference),
		kept === null ? UNKNOWN : formatPercent(kept),
	]);
	return `### Shrinkage\n\n${table(["objective", "validation", "sealed", "difference", "seen again"], rows)}`;
}

function capabilities(view: RunView): string {
	const lines = view.capabilities.map(({ change, kind, token }) => `- ${change}: ${kind}, ${code(token)}`);
	return lines.length === 0 ? "" : `### Capabilities\n\n${lines.join("\n")}`;
}

function objectivesBlock(view: RunView, form: Form = "markdown"): string {
	const { challenger } = view;
	if (challenger === null) return "";
	const after = view.challengerName;
	const tables = (["validation", "holdout", "train"] as const).flatMap((split) => {
		const changes = view.changes[split];
		if (changes === null || (form === "text" && split === "train")) return [];
		const title =
			split === "holdout"
				? "Sealed cases"
				: split === "validation"
					? "Validation cases"
					: "Train cases (the text was written from these)";
		const heading = form === "markdown" ? `### ${title}` : `${title}:`;
		return [
			`${heading}\n\n${table(["objective", "v0", after, "change", "95 % interval", "n", "errors"], changes.map(row), form)}`,
		];
	});
	return form === "markdown" ? ["## Objectives", ...tables].join("\n\n") : tables.join("\n\n");
}

function row(change: ChangeView): string[] {
	const { objective, before, after } = change;
	const mark = SAYS_MARKS[change.says];
	return [
		`${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}`,
		formatValue(objective, before.mean),
		formatValue(objective, after.mean),
		`${formatChange(objective, change.mean)} ${mark.glyph} ${mark.word}`,
		formatChangeInterval(change),
		`${change.n}`,
		`${before.errors} / ${after.errors}`,
	];
}

function front(view: RunView): string {
	const rows = view.front.map((variant) => {
		const card = variant.scorecards.validation;
		const cell = (objective: "quality" | "latencyMs" | "tokens" | "retries") =>
			card === null
				? UNKNOWN
				: `${formatValue(objective, card[objective].mean)} (${formatInterval(objective, card[objective])})`;
		return [
			`${code(variant.label)} ${variant.state}`,
			cell("quality"),
			cell("latencyMs"),
			cell("tokens"),
			cell("retries"),
			`${card?.quality.n ?? 0}`,
		];
	});
	const others = plural(view.variants.length - view.front.length, "other variant");
	return `## Front (validation)\n\n${table(["variant", "quality ↑", "latency ↓", "tokens ↓", "retries ↓", "n"], rows)}\n\n${others} beaten in all four by another, or not validated.`;
}

function edits(view: RunView): string {
	if (view.edits.length === 0) return "";
	const line = (edit: EditView) => {
		const { earned } = edit;
		const { does, title } = editPlace(edit, view.document);
		const effect =
			earned === null || earned.after === null
				? ""
				: `: failing ${earned.before.failing} of ${earned.before.total} → ${earned.after.failing} of ${earned.after.total} (train)`;
		return `- ${does} ${code(title)}, for ${plain(edit.group, 120)}${effect}`;
	};
	return ["## The change", ...view.edits.map(line)].join("\n");
}

function topCases(view: RunView, form: Form = "markdown"): string {
	const line = (entry: CaseView) => {
		const id = form === "markdown" ? code(entry.id) : visibleLine(entry.id, LINE);
		const [from, to] = [
			formatValue("quality", entry.before?.quality ?? null),
			formatValue("quality", entry.after?.quality ?? null),
		];
		return `- ${id} (${entry.split}): ${from} → ${to}`;
	};
	const list = (title: string, entries: readonly CaseView[]) => {
		const heading = form === "markdown" ? `### ${title}` : `${title}:`;
		return [heading, ...(entries.length === 0 ? ["none"] : entries.map(line))].join("\n");
	};
	if (view.challenger === null) return "";
	const lists = [list("Top wins", view.wins), list("Top losses", view.losses)].join("\n\n");
	return form === "markdown" ? `## Cases\n\n${lists}` : lists;
}

function refusals(view: RunView): string {
	const { proposed, refused, admitted } = view.counts;
	const lines = [
		...view.unusable.map(({ reason, count }) => `- ${plural(count, "proposal")} of no use: ${plain(reason)}`),
		...view.refusals.map(
			({ code: why, count, messages }) =>
				`- ${plural(count, "edit")} refused, ${code(why)}: ${messages.map((text) => plain(text)).join("; ")}`,
		),
		...view.dropped.map(
			(edit) =>
				`- edit in ${code(editPlace(edit, view.document).title)} for ${plain(edit.group, 120)} taken out: ${plain(edit.dropped ?? "")}`,
		),
	];
	const summary = `${plural(proposed, "proposal")}, ${formatCount(refused)} refused wholly or in part, ${plural(admitted, "variant")} admitted.`;
	return [`## Refused and taken out\n\n${summary}`, lines.join("\n")].filter((part) => part !== "").join("\n\n");
}

function gates(view: RunView): string {
	if (view.gates.length === 0) return "";
	const rows = view.gates.map((gate) => [
		GATE_NAMES[gate.gate],
		code(gate.label),
		`${gate.pairs}`,
		`${formatChange(gate.objective, gate.objective === "tokens" && gate.mean !== null ? -gate.mean : gate.mean)} ${gate.objective}`,
		`${formatP(gate.p)} (at most ${formatP(gate.alpha)})`,
		plain(gateAnswer(gate.answer)),
	]);
	return `## Proofs\n\n${table(["on", "text", "pairs", "mean change", "p", "answer"], rows)}`;
}

function spendLine({ spend, verdict }: RunView): string {
	if (verdict.open)
		return `${plural(spend.modelCalls, "call")} paid for so far, ${plural(spend.trials, "trial")}, ${formatCount(spend.tokens)} tokens, ${spend.cost}, ${formatSeconds(spend.seconds)}.`;
	return `Spent: ${plural(spend.modelCalls, "model call")} (${formatCount(spend.reflectionCalls)} reflection, ${formatCount(spend.judgeCalls)} judge), ${plural(spend.trials, "trial")}, ${formatCount(spend.tokens)} tokens, ${spend.cost}, ${formatSeconds(spend.seconds)}.`;
}

function spendBlock(view: RunView): string {
	const limits = view.spend.limits.map(({ limit, used, of }) => {
		const amount = (value: number) =>
			limit === "usd" ? formatUsd(value) : limit === "minutes" ? value.toFixed(1) : formatCount(value);
		return `- ${limit}: ${used === null ? UNKNOWN : amount(used)} of ${amount(of)}`;
	});
	const harvested =
		view.spend.harvested === 0 ? "" : ` ${plural(view.spend.harvested, "answer")} had been paid for before.`;
	return [`## Spend\n\n${spendLine(view)}${harvested}`, limits.join("\n")].filter((part) => part !== "").join("\n\n");
}

function kernelAndRevert(view: RunView): string {
	const lines = [
		`## Kernel and undoing`,
		"",
		`Kernel ${code(view.kernelSha256)}, byte-equal in every variant. Base ${code(view.base.commit)}, ${code(view.base.path)}.`,
	];
	if (view.promotion !== null) {
		const { commit, ref, tag } = view.promotion;
		lines.push("", `Committed as ${code(commit)} on ${code(ref)}, tag ${code(tag)}.`);
	}
	if (view.revert !== null && view.repositoryPath === null)
		lines.push("", `To undo: ${code(view.revert)} in the skills repository.`);
	else if (view.revert !== null) lines.push("", `To undo: ${code(undoCommand(view) ?? "", COMMAND)}`);
	if (view.resume !== null) lines.push("", `To go on: ${code(view.resume, COMMAND)}`);
	return lines.join("\n");
}
