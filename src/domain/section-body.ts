/**
 * How the body of one section changes when text is appended, replaced or deleted. Works on text alone: knows no ids, no
 * other section and no model. Invariant: blank lines around the body stay as they are, and no edit leaves two in a row that
 * were not there.
 */
import { type Eol, endsBlank, linesOf } from "./line.ts";

export interface Body {
	body: string;
	/** Whether a heading line stands directly above. */
	headed: boolean;
	eol: Eol;
}

export type Done = { body: string } | { code: "not-found" | "ambiguous" | "duplicate" | "no-change"; message: string };

/** Lines at the end of the content, before trailing blank lines. A list stays a list: its new line comes directly below. */
export function appendText({ body, headed, eol }: Body, text: string): Done {
	const added = trimBlankLines(text);
	const present = new Set(rows(body).map(foldLine));
	const fresh = rows(added).filter((row) => row.trim() !== "");
	if (fresh.every((row) => present.has(foldLine(row))))
		return { code: "duplicate", message: "the section holds this already" };
	const { lead, content, tail } = around(body);
	if (content === "") {
		const gap = headed && lead === "" ? eol : "";
		return { body: headed ? gap + firstBlank(lead) + added + eol + restBlank(lead) : lead + added + eol };
	}
	const last = lastItem(content);
	const isItem = ITEM.test(added);
	const onlyNew = isItem && rows(added).every((row) => ITEM.test(row)) ? keepFresh(added, present, eol) : added;
	if (last === null) return { body: lead + content + eol + (isTableRow(content, added) ? "" : eol) + onlyNew + tail };
	if (isItem) return { body: lead + content + eol + onlyNew + tail };
	const listed =
		added.includes("\n") || added.includes("\r") || /^\s*(?:#|```|~~~|\||<|>)/.test(added)
			? null
			: nextBullet(last) + added.trim();
	return { body: lead + content + eol + (listed ?? eol + added) + tail };
}

/** The text found, or the whole body when `find` is absent, is replaced. */
export function replaceText(body: Body, find: string | undefined, text: string): Done {
	if (text.trim() === "") return deleteText(body, find);
	if (find === undefined) {
		const { lead, tail } = around(body.body);
		const gap = body.headed && lead === "" && body.body.trim() === "" ? body.eol : lead;
		return { body: gap + trimBlankLines(text) + (tail || body.eol) };
	}
	const place = locate(body.body, find);
	if ("code" in place) return place;
	const replaced = /[\r\n]$/.test(body.body.slice(place.start, place.end))
		? `${trimBlankLines(text)}${body.eol}`
		: trimEol(text);
	return { body: body.body.slice(0, place.start) + replaced + body.body.slice(place.end) };
}

/** The text found, or the whole body when `find` is absent, goes; a line of which nothing is left goes with it. */
export function deleteText(body: Body, find: string | undefined): Done {
	if (find === undefined) {
		const { content, tail } = around(body.body);
		if (content === "") return { code: "no-change", message: "the section has no body to delete" };
		return { body: body.headed ? dropFirstEol(tail) : "" };
	}
	const place = locate(body.body, find);
	if ("code" in place) return place;
	const lineStart = startOfLine(body.body, place.start);
	const lineEnd = endOfLine(body.body, place.end);
	const left = body.body.slice(lineStart, place.start) + body.body.slice(place.end, lineEnd.end);
	const empty = left.replace(ITEM, "").trim() === "";
	if (!empty) return { body: body.body.slice(0, place.start) + body.body.slice(place.end) };
	return { body: closeGap(body.body.slice(0, lineStart), body.body.slice(lineEnd.next)) };
}

const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;

function rows(text: string): string[] {
	return linesOf(text).map(({ start, end }) => text.slice(start, end));
}

/** Two lines are the same when they differ in blanks and bullets only. */
function foldLine(line: string): string {
	return line.replace(ITEM, "").trim().replace(/\s+/g, " ");
}

function keepFresh(added: string, present: ReadonlySet<string>, eol: Eol): string {
	return rows(added)
		.filter((row) => !present.has(foldLine(row)))
		.join(eol);
}

/** Blank lines in front, content without its last line end, and what is behind it. */
function around(body: string): { lead: string; content: string; tail: string } {
	const lines = linesOf(body);
	const isBlank = ({ start, end }: { start: number; end: number }) => body.slice(start, end).trim() === "";
	const first = lines.find((line) => !isBlank(line));
	const last = lines.findLast((line) => !isBlank(line));
	if (first === undefined || last === undefined) return { lead: body, content: "", tail: "" };
	return { lead: body.slice(0, first.start), content: body.slice(first.start, last.end), tail: body.slice(last.end) };
}

function firstBlank(blank: string): string {
	const [line] = linesOf(blank);
	return line === undefined ? "" : blank.slice(0, line.next);
}

function restBlank(blank: string): string {
	const [line] = linesOf(blank);
	return line === undefined ? "" : blank.slice(line.next);
}

function dropFirstEol(text: string): string {
	return restBlank(text);
}

/** The last line of the content that starts a list item, when the content ends in a list; else null. */
function lastItem(content: string): string | null {
	const lines = rows(content);
	for (let at = lines.length - 1; at >= 0; at--) {
		const line = lines[at]!;
		if (ITEM.test(line) && !/^\s*([-*])(?:\s*\1){2,}\s*$/.test(line)) return line;
		if (line.trim() === "" || !/^[ \t]+/.test(line)) return null;
	}
	return null;
}

function nextBullet(line: string): string {
	const bullet = (ITEM.exec(line)?.[0] ?? "- ").trimEnd();
	const number = /\d+/.exec(bullet);
	return `${number === null ? bullet : bullet.replace(/\d+/, String(Number(number[0]) + 1))} `;
}

function isTableRow(content: string, added: string): boolean {
	return added.trimStart().startsWith("|") && (rows(content).at(-1) ?? "").trimStart().startsWith("|");
}

function trimBlankLines(text: string): string {
	return text.replace(/^(?:[ \t]*(?:\r\n|\r|\n))+/, "").trimEnd();
}

function trimEol(text: string): string {
	return text.replace(/(?:\r\n|\r|\n)+$/, "");
}

/** Where a text stands; when it stands there more than once, the place where it is a whole line, if there is one such place. */
function locate(
	body: string,
	find: string,
): { start: number; end: number } | { code: "not-found" | "ambiguous"; message: string } {
	const wanted = body.includes(find) ? find : find.trim();
	const start = wanted === "" ? -1 : body.indexOf(wanted);
	if (start < 0) return { code: "not-found", message: "the text to find is not in the section" };
	if (body.indexOf(wanted, start + 1) < 0) return { start, end: start + wanted.length };
	const line = wanted.trim();
	const whole = linesOf(body).filter((place) => body.slice(place.start, place.end).trim() === line);
	const [only] = whole;
	if (only !== undefined && whole.length === 1) return { start: only.start, end: only.end };
	return { code: "ambiguous", message: "the text to find is in the section more than once" };
}

function startOfLine(text: string, at: number): number {
	return Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
}

/** End of the line that holds the unit before `at`, and of its line end. */
function endOfLine(text: string, at: number): { end: number; next: number } {
	if (/[\r\n]/.test(text[at - 1] ?? "")) return { end: at, next: at };
	const rest = text.slice(at).search(/[\r\n]/);
	if (rest < 0) return { end: text.length, next: text.length };
	const end = at + rest;
	return { end, next: end + (text.startsWith("\r\n", end) ? 2 : 1) };
}

/** Joins what was before and after a deleted line; of two blank lines that meet, one is left. */
function closeGap(before: string, after: string): string {
	const blankBefore = before === "" || endsBlank(before);
	const first = linesOf(after)[0];
	if (!blankBefore || first === undefined || after.slice(first.start, first.end).trim() !== "") return before + after;
	return before + after.slice(first.next);
}
