/**
 * The comparison of two runs as text, Markdown and a page: one set of tables in three syntaxes. Must not compute a figure.
 *
 * Invariant: foreign text is made harmless for the syntax that it goes into.
 */
import { sha256 } from "../domain/digest.ts";
import { table as markdownTable, plain } from "./markdown-text.ts";
import {
	directionArrow,
	formatChange,
	formatChangeInterval,
	formatCount,
	formatValue,
	OBJECTIVE_NAMES,
} from "./numbers.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { html, rawStyle } from "./safe-html.ts";
import type { RunView } from "./view.ts";
import type { CaseComparison, ComparisonView } from "./view-compare.ts";
import { visibleLine, withoutCommand } from "./visible-text.ts";

interface Table {
	title: string;
	head: string[];
	rows: string[][];
}

const CELL = 60;

function tablesOf(view: ComparisonView): Table[] {
	const { first, second } = view;
	const night = (of: RunView) => of.startedAt.slice(0, 16).replace("T", " ");
	const edits = (of: RunView) => formatCount(of.edits.length);
	const spend = (of: RunView) => `${formatCount(of.spend.modelCalls)} calls, ${of.spend.cost}`;
	const tables: Table[] = [
		{
			title: "Runs",
			head: ["", "first", "second"],
			rows: [
				["run", first.run, second.run],
				["started", night(first), night(second)],
				["verdict", first.verdict.headline, second.verdict.headline],
				["task model", first.models.task, second.models.task],
				["edits", edits(first), edits(second)],
				["spent", spend(first), spend(second)],
			],
		},
		{
			title: "Text of the second against text of the first, on common cases",
			head: ["cases", "pairs", "change in quality", "95 % interval", "better", "worse"],
			rows: view.splits.map(({ split, pairs, better, worse, ...change }) => [
				split === "holdout" ? "sealed" : split,
				`${pairs}`,
				formatChange("quality", change.mean),
				formatChangeInterval({ objective: "quality", low: change.low, high: change.high }),
				`${better}`,
				`${worse}`,
			]),
		},
		{
			title: "Objectives",
			head: ["", "first: v0", "first: text", "second: v0", "second: text"],
			rows: view.objectives.map(({ split, objective, values }) => [
				`${split === "holdout" ? "sealed" : split} ${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}`,
				...values.map((value) => formatValue(objective, value)),
			]),
		},
		caseTable("Largest wins of the second", view.wins),
		caseTable("Largest losses of the second", view.losses),
	];
	return tables.filter(({ rows }) => rows.length > 0);
}

function caseTable(title: string, cases: readonly CaseComparison[]): Table {
	return {
		title,
		head: ["case", "split", "first", "second", "change"],
		rows: cases.map((entry) => [
			entry.id,
			entry.split === "holdout" ? "sealed" : entry.split,
			formatValue("quality", entry.first),
			formatValue("quality", entry.second),
			formatChange("quality", entry.change),
		]),
	};
}

const titleOf = ({ second }: ComparisonView) => `${second.skill}: two runs side by side`;

/** For a terminal: at most 80 columns for usual names. */
export function comparisonText(view: ComparisonView): string {
	const tables = tablesOf(view).map(({ title, head, rows }) => {
		const safe = rows.map((cells) => cells.map((cell) => visibleLine(cell, CELL)));
		return `${title}\n${markdownTable(head, safe, "text")}`;
	});
	const cautions = view.cautions.map((line) => `- ${visibleLine(line, 400)}`).join("\n");
	return `${[visibleLine(titleOf(view)), ...tables, cautions].join("\n\n").split("\n").map(withoutCommand).join("\n")}\n`;
}

export function comparisonMarkdown(view: ComparisonView): string {
	const tables = tablesOf(view).map(({ title, head, rows }) => {
		const safe = rows.map((cells) => cells.map((cell) => plain(cell, CELL)));
		return `## ${title}\n\n${markdownTable(head, safe)}`;
	});
	const cautions = view.cautions.map((line) => `- ${plain(line, 400)}`).join("\n");
	return `${[`# ${plain(titleOf(view))}`, ...tables, cautions].join("\n\n")}\n`;
}

/** One page without a script. */
export function comparisonHtml(view: ComparisonView): string {
	const style = `'sha256-${Buffer.from(sha256(PAGE_STYLE), "hex").toString("base64")}'`;
	const policy = `default-src 'none'; style-src ${style}; base-uri 'none'; form-action 'none'`;
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(view)}</title>
${rawStyle(PAGE_STYLE)}
</head>
<body>
<header><h1>${titleOf(view)}</h1></header>
<main>
${tablesOf(view).map(
	({ title, head, rows }) =>
		html`<section><h2>${title}</h2><div class="wide" role="region" aria-label="${title}" tabindex="0"><table><thead><tr>${head.map((name, at) => (name === "" ? html`<td></td>` : html`<th scope="col" class="${at === 0 ? "" : "n"}">${name}</th>`))}</tr></thead><tbody>${rows.map(([name, ...cells]) => html`<tr><th scope="row">${name ?? ""}</th>${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>`)}</tbody></table></div></section>`,
)}
<section><h2>With care</h2><ul class="plain">${view.cautions.map((line) => html`<li>${line}</li>`)}</ul></section>
</main>
</body>
</html>
`.markup;
}

/** For programs: figures unrounded, the runs by their ids and verdicts. */
export function comparisonDocument({ first, second, ...rest }: ComparisonView): Record<string, unknown> {
	const runOf = ({ run, skill, startedAt, verdict, spend }: RunView) => ({ run, skill, startedAt, verdict, spend });
	return { first: runOf(first), second: runOf(second), ...rest };
}
