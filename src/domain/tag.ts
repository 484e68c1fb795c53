/**
 * Finds the HTML tags of a Markdown text. Reads quotes and line ends as a browser does, and leaves out fences, code spans and
 * comments as CommonMark does. Where readers of Markdown differ, it sees an opening tag rather than miss one, and trusts a
 * closing tag only where every reader would. Knows no element by name. Each part of a text is looked at a bounded number of times.
 */
import { createBlockReader } from "./block.ts";
import { linesOf } from "./line.ts";

export interface Tag {
	/** In lowercase. */
	name: string;
	closing: boolean;
	/** Name in lowercase and value, null without one. */
	attributes: readonly { name: string; value: string | null }[];
	/** Line within the text, from 1. */
	line: number;
	/** Whether it stands in an HTML block; else in a paragraph, heading or list item, which ends what it leaves open. */
	block: boolean;
	/** Whether nothing else is on its line, so that some readers may start an HTML block with it. */
	alone: boolean;
	/** First line of the lines that it shares a paragraph or HTML block with. */
	chunk: number;
	/** Whether it ends; an HTML block can leave a tag open. */
	finished: boolean;
	/** For a closing tag: which openings it closes for sure. */
	closes: "any" | "same-line" | "none";
	/** How many links, images and definitions start before it in its paragraph; a tag inside one is text. */
	links: number;
}

/** No tag in running text is longer; what is longer counts as one with an attribute without a name. */
const LONGEST_TAG = 1000;

/** The tags in order. */
export function tagsOf(text: string): Tag[] {
	if (!/<[a-z/!?]/i.test(text)) return [];
	return chunksOf(text).flatMap((chunk) => (chunk.text.includes("<") ? scan(chunk) : []));
}

/** Neighbouring lines that one tag can spread over. */
interface Chunk {
	/** Joined by LF, without the marks of a quote. */
	text: string;
	/** Number of its first line. */
	line: number;
	block: boolean;
}

const QUOTED = /^(?:[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)*[ \t]*>/;
const QUOTE_MARKS = /^[ \t]*(?:>[ \t]?)+/;
/** Lines that start a block of their own wherever they stand. */
const ITEM = /^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/;
const NEW_QUOTE = /^ {0,3}>/;

function chunksOf(text: string): Chunk[] {
	const chunks: Chunk[] = [];
	const reader = createBlockReader();
	let rows: string[] = [];
	let first = 0;
	let block = false;
	let quoted = false;
	const finish = () => {
		if (rows.length > 0) chunks.push({ text: rows.join("\n"), line: first, block });
		rows = [];
	};
	for (const [index, { start, end }] of linesOf(text).entries()) {
		const row = text.slice(start, end);
		const role = reader.feed(row);
		const isHtml = role === "html";
		const isNew = isHtml
			? !block || reader.open?.line === index + 1
			: block || role === "heading" || ITEM.test(row) || (!quoted && NEW_QUOTE.test(row));
		if (isNew || role === "blank" || role === "fence") finish();
		if (role === "fence" || role === "blank") continue;
		if (rows.length === 0) {
			first = index + 1;
			block = isHtml;
			quoted = QUOTED.test(row);
		}
		rows.push(quoted ? row.replace(QUOTE_MARKS, "") : row);
		if (role === "heading") finish();
	}
	finish();
	return chunks;
}

function scan(chunk: Chunk): Tag[] {
	const { text, block } = chunk;
	const tags: Tag[] = [];
	const lastEnd = text.lastIndexOf(">");
	const lastComment = text.lastIndexOf("-->");
	/** Whether a code span or comment may be open that only some readers see: then nothing is left out any more. */
	let doubtful = false;
	const titled = block ? -1 : text.search(TITLED);
	const count = createCount(chunk);
	for (let at = 0; at < text.length; ) {
		const unit = text[at];
		if (titled >= 0 && at > titled) doubtful = true;
		if (unit === "\\" && !block) at += 2;
		else if (unit === "`" && !block) {
			const end = doubtful ? -1 : endOfCode(text, at);
			if (end < 0) {
				doubtful = true;
				at += runOf(text, at);
			} else at = end;
		} else if (unit !== "<") at++;
		else if (text.startsWith("<!--", at)) {
			const end = doubtful ? -1 : text.indexOf("-->", at + 2);
			const isPlain = end > at + 3 && !/^-?>|--|-$/.test(text.slice(at + 4, end));
			if (!isPlain) doubtful = true;
			if (block && at + 2 > lastComment && tags.at(-1)?.name !== "!--") tags.push(openTag(chunk, count(at), "!--"));
			at = isPlain ? end + 3 : at + 4;
		} else if (/[!?]/.test(text[at + 1] ?? "")) {
			// A declaration or instruction: browsers end it at the first sign that looks like an end, Markdown does not.
			doubtful = true;
			if (block && at > lastEnd) tags.push(openTag(chunk, count(at), text.slice(at + 1, at + 2)));
			at += 2;
		} else if (!/^<\/?[a-z]/i.test(text.slice(at, at + 3))) at++;
		else if (!block && at > lastEnd) break;
		else {
			const step = takeTag(chunk, at, count(at), doubtful);
			if (step.tag !== null) tags.push(step.tag);
			if (step.doubt) doubtful = true;
			at = step.next;
		}
	}
	return tags;
}

/** The start of a link or definition that can have a title, in which a code span, comment or tag that seems to start does not. */
const TITLED = /\]\((?![^\s()<>"'`\\]{0,200}\))|\]:/;
const LINKS = /\]\(|\]:|!\[/g;

interface Place {
	line: number;
	links: number;
}

/** Line of a position and number of links before it; positions must be asked for in ascending order. */
function createCount(chunk: Chunk): (at: number) => Place {
	const starts = chunk.block ? [] : Array.from(chunk.text.matchAll(LINKS), ({ index }) => index);
	let line = chunk.line;
	let links = 0;
	let counted = 0;
	return (at) => {
		for (; counted < at; counted++) if (chunk.text.charCodeAt(counted) === 10) line++;
		while (links < starts.length && starts[links]! < at) links++;
		return { line, links };
	};
}

interface Step {
	tag: Tag | null;
	next: number;
	doubt: boolean;
}

const STRICT =
	/^<(?:\/[a-z][a-z0-9-]*\s*|[a-z][a-z0-9-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>$/i;

function takeTag({ text, block, line }: Chunk, at: number, place: Place, doubtful: boolean): Step {
	const limit = Math.min(text.length, at + LONGEST_TAG);
	const read = readTag(text, at, limit);
	const isCut = read.end < 0 && limit < text.length;
	// In running text what does not end is no tag, and what holds a scheme or an at sign is an address.
	if (!block && ((read.end < 0 && !isCut) || /[:@]/.test(read.name))) {
		return { tag: null, next: at + 1, doubt: text.slice(at, limit).includes("`", 1) && /[:@]/.test(read.name) };
	}
	const end = read.end < 0 ? limit : read.end;
	const whole = text.slice(at, end);
	const isStrict = read.end >= 0 && STRICT.test(whole);
	const tag: Tag = {
		name: read.name,
		closing: read.closing,
		attributes: isCut ? [...read.attributes, { name: "", value: null }] : read.attributes,
		...place,
		block,
		alone: isStrict && isAlone(text, at, end),
		chunk: line,
		finished: read.end >= 0,
		closes: !read.closing || !isStrict || doubtful ? "none" : block ? "any" : reach(text, at, place.links),
	};
	// The underline of a heading can cut a tag of several lines in two.
	const isSpread = !block && whole.includes("\n");
	const skips = block || (isStrict && !isSpread && !doubtful) || isCut;
	const doubt = !block && (isSpread || tag.alone || (!isStrict && whole.includes("`")));
	return { tag, next: skips ? end : at + 1, doubt };
}

/** Something else than a tag that an HTML block leaves open. */
function openTag({ line: chunk, block }: Chunk, place: Place, name: string): Tag {
	return {
		name,
		closing: false,
		attributes: [],
		...place,
		block,
		alone: false,
		chunk,
		finished: false,
		closes: "none",
	};
}

function isAlone(text: string, at: number, end: number): boolean {
	const lineEnd = text.indexOf("\n", end);
	if (text.slice(end, lineEnd < 0 ? text.length : lineEnd).trim() !== "") return false;
	return /^[\s>+*\d.)-]*$/.test(text.slice(text.lastIndexOf("\n", at) + 1, at));
}

/** Blanks of HTML; a no-break space is none. */
const BLANK = " \t\n\f\r";

/** As a browser reads it, from `<`; `end` is -1 when it does not end before the limit. */
function readTag(
	text: string,
	from: number,
	limit: number,
): { name: string; closing: boolean; attributes: { name: string; value: string | null }[]; end: number } {
	const closing = text[from + 1] === "/";
	const until = (start: number, stops: string) => {
		let at = start;
		while (at < limit && !stops.includes(text[at]!)) at++;
		return at;
	};
	const past = (start: number, skipped: string) => {
		let at = start;
		while (at < limit && skipped.includes(text[at]!)) at++;
		return at;
	};
	let at = until(from + (closing ? 2 : 1), `${BLANK}/>`);
	const name = text.slice(from + (closing ? 2 : 1), at).toLowerCase();
	const attributes: { name: string; value: string | null }[] = [];
	for (;;) {
		at = past(at, `${BLANK}/`);
		if (at >= limit) return { name, closing, attributes, end: -1 };
		if (text[at] === ">") return { name, closing, attributes, end: at + 1 };
		const nameEnd = until(at + 1, `${BLANK}/>=`);
		const attribute = { name: text.slice(at, nameEnd).toLowerCase(), value: null as string | null };
		attributes.push(attribute);
		at = past(nameEnd, BLANK);
		if (text[at] !== "=" || at >= limit) continue;
		at = past(at + 1, BLANK);
		const quote = text[at];
		const isQuoted = quote === '"' || quote === "'";
		const start = isQuoted ? at + 1 : at;
		const end = isQuoted ? text.indexOf(quote, start) : until(start, `${BLANK}>`);
		if (end < 0 || end >= limit) return { name, closing, attributes, end: -1 };
		attribute.value = text.slice(start, end);
		at = isQuoted ? end + 1 : end;
	}
}

/** Links and definitions hide a tag in their title, images in their text; cells of a table and indented code keep one to themselves. */
function reach(text: string, at: number, links: number): Tag["closes"] {
	const start = text.lastIndexOf("\n", at) + 1;
	const end = text.indexOf("\n", at);
	const row = text.slice(start, end < 0 ? text.length : end);
	const lead = /^[\s>+*\d.)-]*/.exec(row)![0];
	const isAlone = row.includes("|") || /\t| {4}/.test(lead) || links > 0;
	return isAlone ? "same-line" : "any";
}

function runOf(text: string, at: number): number {
	let end = at;
	while (text[end] === "`") end++;
	return end - at;
}

/** Where the code span that starts here ends on the same line, or -1. */
function endOfCode(text: string, at: number): number {
	const length = runOf(text, at);
	const lineEnd = text.indexOf("\n", at);
	const stop = lineEnd < 0 ? text.length : lineEnd;
	for (let next = text.indexOf("`", at + length); next >= 0 && next < stop; ) {
		const run = runOf(text, next);
		if (run === length) return next + run;
		next = text.indexOf("`", next + run);
	}
	return -1;
}
