/**
 * `csv` and `jsonl`: the cases of a run for spreadsheets and for programs.
 *
 * Invariant: no cell of the table is run by a spreadsheet (OWASP, CSV injection): text that would begin a formula, also behind
 * white space or invisible characters, gets an apostrophe in front. Figures stay figures. JSON lines hold the same text, with what a
 * terminal would obey written as JSON writes it.
 */
import { type ExportRow, exportRows } from "./export-rows.ts";
import type { RunView } from "./view.ts";
import { escapeJson, visible } from "./visible-text.ts";

const COLUMNS = [
	...(["skill", "run", "case", "split", "group", "weight", "variant", "name", "quality", "retries", "errors"] as const),
	...(["latencyMs", "tokens", "change", "input"] as const),
] satisfies (keyof ExportRow)[];

/** What begins a formula or a command in a spreadsheet, in narrow and wide forms, behind anything that it would skip. */
const FORMULA = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}'"]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20\u2212]/u;
const LEADING_CONTROL = /^[\t\r\n]/;

/** RFC 4180 with CRLF, in UTF-8, a head line first. */
export function reportCsv(view: RunView): string {
	const lines = [COLUMNS.join(",")];
	for (const row of exportRows(view)) lines.push(COLUMNS.map((column) => cell(row[column])).join(","));
	return `${lines.join("\r\n")}\r\n`;
}

function cell(value: string | number | null): string {
	if (value === null) return "";
	if (typeof value === "number") return String(value);
	const inert = FORMULA.test(value) || LEADING_CONTROL.test(value) ? `'${value}` : value;
	const text = visible(inert);
	return /[",\n\r\t;']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record a line, as {@link exportRows} has them. */
export function reportJsonl(view: RunView): string {
	const lines: string[] = [];
	for (const row of exportRows(view)) lines.push(escapeJson(JSON.stringify(row)));
	return lines.map((line) => `${line}\n`).join("");
}
