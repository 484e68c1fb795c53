/**
 * Which lines of a Markdown text lie in a fence or an HTML block. Knows the block rules of CommonMark as far as they can
 * hide a line: fences, the seven kinds of HTML block, and the lists and quotes that end them. Must not know markers.
 * Each line is looked at once; hostile nesting and very long lines cost no more than their length.
 */

/** A block that is open after the line that was fed last. */
export interface OpenBlock {
	kind: "fence" | "html";
	/** Number of the line that opened it, from 1. */
	line: number;
	/** CommonMark's kind 1 to 7 of an HTML block; 0 for a fence. */
	html: number;
	/** Columns before the opening, inside its container. */
	indent: number;
	/** Column where the content of the list item that holds it starts; 0 outside lists. */
	offset: number;
	/** Quote marks in front of it; 0 outside quotes. */
	quote: number;
	/** What a fence opened with, and how long its run was. */
	mark: string;
	run: number;
}

/** List markers that are looked for on one line; more of them are text, so that a line costs no more than its length. */
const DEEPEST_LIST = 32;

export type Role = "blank" | "text" | "list" | "heading" | "fence" | "html";

/** Reads a text line by line. */
export interface BlockReader {
	/** Takes the next line (without its line end) and says what it is part of. The opening and closing line of a block belong to it. */
	feed(line: string): Role;
	/** The block that is open now, or null. */
	readonly open: OpenBlock | null;
	/** Whether the last line can be continued by a plain line: it is inside a paragraph. */
	readonly paragraph: boolean;
}

/** Whether an open block would still hold a line that starts at column 0 with something visible. */
export function holdsColumnZero(open: OpenBlock | null): open is OpenBlock {
	return open !== null && open.offset === 0 && open.quote === 0;
}

export function createBlockReader(): BlockReader {
	/** Content columns of the list items that are open, outermost first. */
	const items: number[] = [];
	let open: OpenBlock | null = null;
	let paragraph = false;
	let number = 0;

	function feed(line: string): Role {
		number++;
		if (open !== null) {
			const held = open;
			const step = continueBlock(held, line);
			if (step !== "inside") open = null;
			if (step !== "leaves") {
				paragraph = false;
				return held.kind;
			}
		}
		const role = start(line);
		paragraph = (role === "text" || role === "list") && !isRule(line);
		return role;
	}

	function start(line: string): Role {
		let at = skipBlank(line, 0);
		if (at === line.length) return "blank";
		let column = columnOf(line, 0, at, 0);
		while (items.length > 0 && items[items.length - 1]! > column) items.pop();
		let base = items[items.length - 1] ?? 0;
		let listed = base > 0;
		for (let depth = 0; ; depth++) {
			if (column - base >= 4) return listed ? "list" : "text";
			const item = depth < DEEPEST_LIST ? listMarker(line, at) : 0;
			if (item === 0) break;
			listed = true;
			const afterMark = column + item;
			const next = skipBlank(line, at + item);
			const afterBlank = columnOf(line, at + item, next, afterMark);
			const empty = next === line.length;
			const content = empty || afterBlank - afterMark > 4 ? afterMark + 1 : afterBlank;
			items.push(content);
			if (empty) return "list";
			base = content;
			at = next;
			column = afterBlank;
		}
		const found = line[at] === ">" ? quoted(line, at, base) : opening(line, at, column - base, base, 0);
		if (found !== null) {
			if (!closesItself(found, line, at)) open = found;
			return found.kind;
		}
		if (isHeading(line, at)) return listed ? "list" : "heading";
		return listed ? "list" : "text";
	}

	function quoted(line: string, from: number, offset: number): OpenBlock | null {
		let depth = 0;
		let at = from;
		while (line[at] === ">") {
			depth++;
			at = skipBlank(line, at + 1);
		}
		for (let nested = 0; nested < DEEPEST_LIST; nested++) {
			const item = listMarker(line, at);
			if (item === 0) break;
			at = skipBlank(line, at + item);
		}
		return opening(line, at, 0, offset, depth);
	}

	function opening(line: string, at: number, indent: number, offset: number, quote: number): OpenBlock | null {
		const mark = line[at];
		const place = { line: number, indent, offset, quote };
		if (mark === "`" || mark === "~") {
			const run = runOf(line, at, mark);
			if (run < 3 || (mark === "`" && line.includes("`", at + run))) return null;
			return { kind: "fence", html: 0, mark, run, ...place };
		}
		if (mark !== "<") return null;
		const html = htmlKind(line, at, paragraph);
		return html === 0 ? null : { kind: "html", html, mark: "", run: 0, ...place };
	}

	return {
		feed,
		get open() {
			return open;
		},
		get paragraph() {
			return paragraph;
		},
	};
}

/** What a line does to an open block: stay inside, close it (as its last line), or leave its container. */
function continueBlock(open: OpenBlock, line: string): "inside" | "closes" | "leaves" {
	let at = skipBlank(line, 0);
	const blank = at === line.length;
	if (open.offset > 0 && !blank && columnOf(line, 0, at, 0) < open.offset) return "leaves";
	if (open.quote > 0) {
		let depth = 0;
		while (depth < open.quote && line[at] === ">") {
			depth++;
			at = skipBlank(line, at + 1);
		}
		if (depth < open.quote) return "leaves";
	}
	if (open.kind === "html") {
		if (open.html >= 6) return at === line.length ? "leaves" : "inside";
		return endsHtml(open.html, line, at) ? "closes" : "inside";
	}
	if (line[at] !== open.mark) return "inside";
	// In a quote the columns are not counted: a fence that ends too early there can hide nothing at column 0.
	if (open.quote === 0 && columnOf(line, 0, at, 0) - open.offset >= 4) return "inside";
	const run = runOf(line, at, open.mark);
	return run >= open.run && skipBlank(line, at + run) === line.length ? "closes" : "inside";
}

/** An HTML block of the kinds 1 to 5 may end on the line that it starts on. */
function closesItself(block: OpenBlock, line: string, at: number): boolean {
	return block.kind === "html" && block.html <= 5 && endsHtml(block.html, line, at);
}

const RAW_END = /<\/(?:script|pre|style|textarea)>/i;

function endsHtml(kind: number, line: string, at: number): boolean {
	if (kind === 1) return RAW_END.test(line);
	return line.includes(kind === 2 ? "-->" : kind === 3 ? "?>" : kind === 4 ? ">" : "]]>", at);
}

const RAW = /^<(?:script|pre|style|textarea)(?:[ \t>]|$)/i;
const BLOCK_TAG =
	/^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[ \t>]|\/>|$)/i;
const ANY_TAG =
	/^<(?:\/[a-z][a-z0-9-]*[ \t]*|[a-z][a-z0-9-]*(?:[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*[ \t]*\/?)>[ \t]*$/i;
/** No complete tag alone on its line is longer; a longer line is not read as one, so that the pattern cannot be led on. */
const LONGEST_TAG = 2000;

function htmlKind(line: string, at: number, paragraph: boolean): number {
	const rest = line.slice(at, at + LONGEST_TAG);
	const second = rest.charCodeAt(1);
	if (second === 33) {
		if (rest.startsWith("<!--")) return 2;
		if (rest.startsWith("<![CDATA[")) return 5;
		return /^<![a-z]/i.test(rest) ? 4 : 0;
	}
	if (second === 63) return 3;
	if (RAW.test(rest)) return 1;
	if (BLOCK_TAG.test(rest)) return 6;
	return !paragraph && line.length - at < LONGEST_TAG && ANY_TAG.test(rest) ? 7 : 0;
}

/** Length of a list marker at a position (without the blanks behind it), or 0. */
function listMarker(line: string, at: number): number {
	const mark = line.charCodeAt(at);
	let end = at;
	if (mark === 45 || mark === 43 || mark === 42) {
		if (mark !== 43 && isRule(line, at)) return 0;
		end = at + 1;
	} else if (mark >= 48 && mark <= 57) {
		end = at + 1;
		while (end - at < 9 && line.charCodeAt(end) >= 48 && line.charCodeAt(end) <= 57) end++;
		if (line[end] !== "." && line[end] !== ")") return 0;
		end++;
	} else return 0;
	const after = line[end];
	return after === undefined || after === " " || after === "\t" ? end - at : 0;
}

/** A thematic break, or the underline of a setext heading: neither starts a list nor carries a paragraph on. */
function isRule(line: string, from = 0): boolean {
	let at = skipBlank(line, from);
	const mark = line[at];
	if (mark !== "-" && mark !== "*" && mark !== "_" && mark !== "=") return false;
	let count = 0;
	for (; at < line.length; at++) {
		const unit = line[at];
		if (unit === mark) count++;
		else if (unit !== " " && unit !== "\t") return false;
	}
	return mark === "=" || count >= 3;
}

const HEADING = /^#{1,6}(?:[ \t]|$)/;

function isHeading(line: string, at: number): boolean {
	return line[at] === "#" && HEADING.test(line.slice(at, at + 8));
}

function runOf(line: string, at: number, mark: string): number {
	let end = at;
	while (line[end] === mark) end++;
	return end - at;
}

function skipBlank(line: string, from: number): number {
	let at = from;
	for (let code = line.charCodeAt(at); code === 32 || code === 9; code = line.charCodeAt(at)) at++;
	return at;
}

/** Column of position `at`, when `from` is at `column`; a tab goes to the next multiple of four. */
function columnOf(line: string, from: number, at: number, column: number): number {
	let result = column;
	for (let index = from; index < at; index++) result += line.charCodeAt(index) === 9 ? 4 - (result % 4) : 1;
	return result;
}
