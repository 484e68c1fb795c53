/**
 * The matrix of cases and variants: as a table that reads without a script, and as packed figures from which the script makes
 * pages of it. Must not compute: figures come from the view.
 */
import { formatValue, plural, UNKNOWN } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { RunView } from "./view.ts";
import type { MatrixRow } from "./view-matrix.ts";
import { visibleLine } from "./visible-text.ts";

/** Columns and rows of the table that is there without a script. */
const COLUMNS = 8;
const ROWS = 250;
const GLIMPSE = 60;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** @param detailed ids of the cases whose details are in the page */
export function matrixTable(view: RunView, detailed: ReadonlySet<string>): Child {
	const { variants, rows } = view.matrix;
	if (rows.length === 0) return null;
	const shown = rows.slice(0, ROWS);
	const left = rows.length - shown.length;
	const columns = variants.slice(0, COLUMNS);
	const more = variants.length - columns.length;
	return html`<h3>Case by variant</h3><p class="note">Quality of every text on every case, greatest changes first. ↻ retries, ! trials without a quality; an empty cell was not tried.</p>
<div id="matrix"><div class="wide" role="region" aria-label="Case by variant" tabindex="0"><table class="matrix"><thead><tr><th scope="col">case</th><th scope="col">split</th>${columns.map((id) => html`<th scope="col" class="n">${columnName(view, id)}</th>`)}</tr></thead>
<tbody>${shown.map((row, index) => matrixRow(row, index, columns.length, detailed))}</tbody></table></div>
${left > 0 && html`<p class="note">and ${plural(left, "more case")}: in pages where scripts are allowed, and in report.json</p>`}${more > 0 && html`<p class="note">and ${plural(more, "more variant")}: in pages where scripts are allowed, and in report.json</p>`}</div>`;
}

function columnName(view: RunView, id: string): string {
	if (id === view.incumbent.id) return "v0";
	if (id === view.challenger?.id) return view.challengerName;
	return view.variants.find((variant) => variant.id === id)?.label ?? id;
}

function matrixRow(row: MatrixRow, index: number, width: number, detailed: ReadonlySet<string>): SafeHtml {
	const name = detailed.has(row.case)
		? html`<a href="#case-${index}"><code>${row.case}</code></a>`
		: html`<code>${row.case}</code>`;
	return html`<tr><th scope="row">${name}</th><td>${row.split === "holdout" ? "sealed" : row.split}</td>${Array.from({ length: width }, (_, at) => cell(row, at))}</tr>`;
}

function cell(row: MatrixRow, at: number): SafeHtml {
	const errors = row.errors[at] ?? null;
	if (errors === null) return html`<td></td>`;
	const quality = row.quality[at] ?? null;
	const retries = row.retries[at] ?? 0;
	const marks = [retries > 0 ? `↻${round(retries)}` : "", errors > 0 ? `!${errors}` : ""].filter((mark) => mark !== "");
	const shade = quality === null ? "none" : `q${Math.round(quality * 10)}`;
	return html`<td class="n ${shade}">${quality === null ? UNKNOWN : formatValue("quality", quality)}${marks.length > 0 && html` <span class="m">${marks.join(" ")}</span>`}</td>`;
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}

/** What the script needs of the matrix; a cell is four characters, or a dot where there is no trial. */
export interface MatrixData {
	columns: string[];
	/** Index of the compared text among the columns; -1 when there is none. */
	after: number;
	/** Case id, split, glimpse of the input, cells; in the order of the view. */
	rows: [id: string, split: string, glimpse: string, cells: string][];
}

export function matrixData(view: RunView): MatrixData {
	const { variants, rows } = view.matrix;
	const inputs = new Map(view.cases.map((entry) => [entry.id, entry.input]));
	return {
		columns: variants.map((id) => columnName(view, id)),
		after: view.challenger === null ? -1 : variants.indexOf(view.challenger.id),
		rows: rows.map((row) => [
			row.case,
			row.split === "holdout" ? "sealed" : row.split,
			visibleLine((inputs.get(row.case) ?? "").slice(0, GLIMPSE * 4), GLIMPSE),
			variants.map((_, at) => packed(row, at)).join(""),
		]),
	};
}

/** Quality in thousandths (two digits of base 64, 4095 when not known), retries in tenths, errors. */
function packed(row: MatrixRow, at: number): string {
	const errors = row.errors[at] ?? null;
	if (errors === null) return ".";
	const quality = row.quality[at] ?? null;
	const thousandths = quality === null ? 4095 : Number((quality * 1000).toFixed(0));
	const digit = (value: number) => DIGITS[Math.min(63, Math.max(0, Math.round(value)))] ?? "A";
	return `${digit(Math.floor(thousandths / 64))}${digit(thousandths % 64)}${digit((row.retries[at] ?? 0) * 10)}${digit(errors)}`;
}
