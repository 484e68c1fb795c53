/**
 * Lines and line ends. Knows nothing of Markdown. A line ends at LF, CR LF or a lone CR, as CommonMark says; joining the
 * pieces gives the text back unit by unit, so nothing that is built on lines can lose a line end.
 */

/** A line end as it is written. */
export type Eol = "\n" | "\r\n" | "\r";

/** Half-open ranges into a text: `start..end` is the line, `end..next` its line end (empty at the end of the text). */
export interface Line {
	start: number;
	end: number;
	next: number;
}

/** The lines of a text in order; the empty text has none, and a final line end starts no further line. */
export function linesOf(text: string): Line[] {
	const lines: Line[] = [];
	let start = 0;
	for (let end = nextBreak(text, 0); end >= 0; end = nextBreak(text, start)) {
		const next = end + (text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? 2 : 1);
		lines.push({ start, end, next });
		start = next;
	}
	if (start < text.length) lines.push({ start, end: text.length, next: text.length });
	return lines;
}

/** The line end that a text uses most; LF when it has none or when they tie. */
export function dominantEol(text: string): Eol {
	const count: Record<Eol, number> = { "\n": 0, "\r\n": 0, "\r": 0 };
	for (let at = nextBreak(text, 0); at >= 0; ) {
		const eol = text.charCodeAt(at) === LF ? "\n" : text.charCodeAt(at + 1) === LF ? "\r\n" : "\r";
		count[eol]++;
		at = nextBreak(text, at + eol.length);
	}
	if (count["\r\n"] > count["\n"] && count["\r\n"] >= count["\r"]) return "\r\n";
	return count["\r"] > count["\n"] ? "\r" : "\n";
}

/** The text with every line end written as `eol`. */
export function withEol(text: string, eol: Eol): string {
	return text.replace(/\r\n|\r|\n/g, eol);
}

/** Whether a text ends in a line end, or is empty, so that what follows starts a line of its own. */
export function endsLine(text: string): boolean {
	return text === "" || text.endsWith("\n") || text.endsWith("\r");
}

/** Whether the last line of a text is blank and ended. */
export function endsBlank(text: string): boolean {
	return /(?:^|\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$/.test(text);
}

const LF = 10;
const CR = 13;

function nextBreak(text: string, from: number): number {
	for (let at = from; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === LF || code === CR) return at;
	}
	return -1;
}
