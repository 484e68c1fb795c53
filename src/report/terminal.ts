/**
 * The summary that closes `gepa run` and that `gepa runs show` prints: at most 80 columns, readable without colour.
 *
 * Invariant: foreign text cannot move the cursor, colour, hide or reorder anything, nor start a command of a CI log.
 */
import { OBJECTIVES } from "../domain/objective.ts";
import {
	directionArrow,
	formatChange,
	formatChangeInterval,
	formatCount,
	formatSeconds,
	formatValue,
	OBJECTIVE_NAMES,
	plural,
	SAYS_MARKS,
	UNKNOWN,
} from "./numbers.ts";
import { undoCommand } from "./undo-command.ts";
import type { ChangeView, LimitView, RunView } from "./view.ts";
import { clip, visibleLine, withoutCommand } from "./visible-text.ts";

const WIDTH = 80;
/** Length of a bar, and room for what stands before the bars. */
const BAR = 8;
const LEAD = 20;

type Style = "bold" | "dim" | "green" | "red" | "yellow";
type Paint = (style: Style, text: string) => string;

const CODES: Readonly<Record<Style, [number, number]>> = {
	bold: [1, 22],
	dim: [2, 22],
	green: [32, 39],
	red: [31, 39],
	yellow: [33, 39],
};

/** The summary, ending in a newline. `color` must be false where NO_COLOR is set or the output is no terminal. */
export function terminalReport(view: RunView, { color }: { color: boolean }): string {
	const paint: Paint = (style, text) => (color ? `\u001B[${CODES[style][0]}m${text}\u001B[${CODES[style][1]}m` : text);
	const blocks = [
		[...title(view, paint), ...wrap(view.verdict.reason), ...wrap(view.verdict.change)],
		objectives(view, paint),
		cases(view, paint),
		spend(view, paint),
		places(view, paint),
	];
	return `${blocks
		.filter((block) => block.length > 0)
		.map((block) => block.map(withoutCommand).join("\n"))
		.join("\n\n")}\n`;
}

function title(view: RunView, paint: Paint): string[] {
	const style: Style = view.winner !== null ? "green" : view.verdict.status === "kept" ? "bold" : "yellow";
	const name = clip(withoutCommand(visibleLine(view.skill, 40)), 40);
	const lines = [
		paint("bold", `${name}: `) + paint(style, clip(withoutCommand(visibleLine(view.verdict.headline, 38)), 38)),
	];
	if (view.offline) lines.push(paint("yellow", "Simulation: built-in rules answered, no language model was involved."));
	return lines;
}

function objectives(view: RunView, paint: Paint): string[] {
	const { challenger } = view;
	if (challenger === null) return alone(view, paint);
	const after = view.challengerName;
	const tables = (["validation", "holdout", "train"] as const).flatMap((split) => {
		const changes = view.changes[split];
		if (changes === null || (split === "train" && view.changes.validation !== null)) return [];
		const name = split === "holdout" ? "sealed" : split;
		return [
			[
				paint("dim", columns([`${name} (${changes[0]?.n ?? 0})`, "v0", after, "change", "95 % interval"])),
				...changes.map((change) => row(change, paint)),
				...bars(changes, after),
			],
		];
	});
	return tables.flatMap((table, index) => (index === 0 ? table : ["", ...table]));
}

function row(change: ChangeView, paint: Paint): string {
	const { objective } = change;
	const mark = SAYS_MARKS[change.says];
	const errors = change.before.errors + change.after.errors;
	const style: Style = change.says === "better" ? "green" : change.says === "worse" ? "red" : "dim";
	const known = objective === "quality" && errors > 0 ? ` (${errors} err)` : "";
	return (
		columns([
			`${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}`,
			formatValue(objective, change.before.mean),
			formatValue(objective, change.after.mean),
			formatChange(objective, change.mean),
			formatChangeInterval(change),
		]).padEnd(MARK) + paint(style, `${mark.glyph} ${mark.word}${known}`)
	);
}

/**
 * All four objectives as bars, two a line: v0, then the text. Quality on its scale of 0 to 1, the others against the greater of
 * both; what is not known is a dash.
 */
function bars(changes: readonly ChangeView[], after: string): string[] {
	const cells = changes.map(({ objective, before, after: now }) => {
		const full = objective === "quality" ? 1 : Math.max(before.mean ?? 0, now.mean ?? 0);
		const name = OBJECTIVE_NAMES[objective].padEnd(8);
		return `${name}${bar(before.mean, full)} → ${bar(now.mean, full)}`;
	});
	const lead = `  v0 → ${after}`;
	return [0, 2].map((at) => (at === 0 ? lead : "").padEnd(LEAD) + cells.slice(at, at + 2).join("   "));
}

function bar(value: number | null, full: number): string {
	if (value === null) return UNKNOWN.padEnd(BAR);
	const filled = full === 0 ? 0 : Math.min(BAR, Math.max(0, Math.round((value / full) * BAR)));
	return "█".repeat(filled) + "░".repeat(BAR - filled);
}

function alone(view: RunView, paint: Paint): string[] {
	const card = view.incumbent.scorecards.validation ?? view.incumbent.scorecards.train;
	if (card === null) return [];
	const split = view.incumbent.scorecards.validation === null ? "train" : "validation";
	const rows = OBJECTIVES.map((objective) =>
		columns([
			`${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}`,
			formatValue(objective, card[objective].mean),
		]),
	);
	return [paint("dim", columns([`${split} (${card.quality.n})`, "v0"])), ...rows];
}

const WIDTHS = [16, 9, 12, 11, 21] as const;
const MARK = 70;

function columns(cells: readonly string[]): string {
	const padded = cells.map((cell, index) => {
		const width = WIDTHS[index] ?? 0;
		return index === 0 ? cell.padEnd(width) : index >= 4 ? `  ${cell.padEnd(width - 2)}` : cell.padStart(width);
	});
	return padded.join("").trimEnd();
}

function cases(view: RunView, paint: Paint): string[] {
	if (view.challenger === null) return [];
	const list = (label: string, entries: RunView["wins"]) => {
		const words = entries
			.slice(0, 3)
			.map((entry) => `${visibleLine(entry.id, 24)} ${formatChange("quality", entry.change)}`);
		return labelled(label, words.length === 0 ? "none" : words.join(", "), paint);
	};
	return [...list("top wins", view.wins), ...list("top losses", view.losses)];
}

function spend(view: RunView, paint: Paint): string[] {
	const { spend: own, counts } = view;
	const words = [
		callWords(view),
		plural(own.trials, "trial"),
		`${formatCount(own.tokens)} tokens`,
		own.cost,
		formatSeconds(own.seconds),
	];
	if (own.harvested > 0) words.push(`${formatCount(own.harvested)} already paid for`);
	const limits = own.limits.flatMap((limit) => limitWords(limit));
	return [
		...labelled("spent", words.join(", "), paint),
		...(limits.length === 0 ? [] : labelled("of limits", limits.join(", "), paint)),
		...labelled(
			"texts",
			`${plural(counts.proposed, "proposal")}, ${formatCount(counts.refused)} refused, ${plural(counts.admitted, "variant")}, ${formatCount(counts.validated)} validated, ${formatCount(view.front.length)} on the front`,
			paint,
		),
	];
}

/** Of an open run only the sum is known of what its log does not speak of yet. */
function callWords({ spend: own, verdict }: RunView): string {
	if (verdict.open) return `${plural(own.modelCalls, "call")} paid for so far`;
	return `${plural(own.modelCalls, "model call")} (${formatCount(own.reflectionCalls)} reflection)`;
}

function limitWords({ limit, used, of }: LimitView): string[] {
	if (used === null) return [`${limit} ${UNKNOWN}`];
	return [`${limit} ${Math.round((used / of) * 100)} %`];
}

function places(view: RunView, paint: Paint): string[] {
	const lines: string[] = [];
	const add = (label: string, text: string) => lines.push(...labelled(label, text, paint, true));
	add("run", view.run);
	if (view.promotion !== null)
		add(
			"commit",
			`${view.promotion.commit.slice(0, 12)} on ${view.promotion.ref.replace(/^refs\/heads\//, "")}, tag ${view.promotion.tag}`,
		);
	const best = view.challenger?.file;
	if (best != null && view.promotion === null) add(view.winner === null ? "best text" : "winner", best);
	add("kernel", `${view.kernelSha256.slice(0, 16)}… unchanged`);
	if (view.reportPath !== null) add("report", view.reportPath);
	if (view.resume !== null) add("go on", view.resume);
	const undo = undoCommand(view);
	if (undo !== null) add("undo", undo);
	return lines;
}

/** A label and its text, wrapped under itself; a path or command (`whole`) is never broken. */
function labelled(label: string, text: string, paint: Paint, whole = false): string[] {
	const indent = 12;
	const lines = whole ? [visibleLine(text, 2_000)] : wrap(text, WIDTH - indent);
	return lines.map((line, index) => (index === 0 ? paint("dim", label.padEnd(indent)) : " ".repeat(indent)) + line);
}

/** Words in lines of at most `width` columns; a word that is longer is cut. Backticks of our own sentences are kept. */
function wrap(text: string, width = WIDTH): string[] {
	const lines: string[] = [];
	let line = "";
	for (const spoken of visibleLine(text, 2_000).split(/ (?=\S)(?!%|ms\b|s\b|min\b|→ )/)) {
		// Defused before it is measured: that makes it longer.
		const word = withoutCommand(spoken);
		const fits = [...word].length <= width ? word : `${[...word].slice(0, width - 1).join("")}…`;
		if (line !== "" && [...line].length + 1 + [...fits].length > width) {
			lines.push(line);
			line = fits;
		} else line = line === "" ? fits : `${line} ${fits}`;
	}
	return line === "" ? lines : [...lines, line];
}
