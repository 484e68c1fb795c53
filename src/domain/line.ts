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
	let lf = text.indexOf("\n");
	let cr = text.indexOf("\r");
	for (let start = 0; start < text.length; ) {
		if (lf >= 0 && lf < start) lf = text.indexOf("\n", start);
		if (cr >= 0 && cr < start) cr = text.indexOf("\r", start);
		const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf < 0 ? text.length : lf;
		const next = end === text.length ? end : end === cr && lf === cr + 1 ? end + 2 : end + 1;
		lines.push({ start, end, next });
		start = next;
	}
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

const LF = 10;

function nextBreak(text: string, from: number): number {
	for (let at = from; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === LF || code === 13) return at;
	}
	return -1;
}
