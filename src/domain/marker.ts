/**
 * The grammar of the marker lines that delimit a kernel region. A marker only says where a region is; it proves nothing:
 * that is the pin's work. Must not know where a line stands, only what it says.
 */
import { bare, unmask } from "./disguise.ts";

export interface Marker {
	edge: "begin" | "end";
	/** In lowercase. */
	id: string;
}

const MARKER = /^<!--[ \t]+kernel:(begin|end)[ \t]+id=([a-z0-9]+(?:-[a-z0-9]+)*)(?:[ \t]+v=1)?[ \t]+-->[ \t]*$/i;
/** No marker is longer; what is longer is not read as one. */
const LONGEST = 300;

/** What a line says as a marker, or null. The line comes without its line end. Only plain ASCII at column 0 is a marker. */
export function readMarker(line: string): Marker | null {
	if (line.charCodeAt(0) !== 60 || line.length > LONGEST) return null;
	const found = MARKER.exec(line);
	return found === null ? null : { edge: found[1]!.toLowerCase() as Marker["edge"], id: found[2]!.toLowerCase() };
}

/** Writes a marker line without a line end. */
export function writeMarker({ edge, id }: Marker): string {
	return `<!-- kernel:${edge} id=${id} -->`;
}

const LIKE = /kernel\s*:\s*(?:begin|end)/i;
/** A comment that was meant as a marker: colon forgotten or replaced, another word for begin or end. */
const MEANT = /<\s*!\s*-[-\s]*\/?\s*kernel[\s:_./=-]*(?:begin|end|start|stop|close)\b/i;

/** Whether a text would pass for a marker, in any disguise. Over several lines too, when several are given. */
export function looksLikeMarker(text: string): boolean {
	if (LIKE.test(text) || MEANT.test(text)) return true;
	const plain = unmask(text);
	if (LIKE.test(plain) || MEANT.test(plain)) return true;
	const stripped = bare(plain);
	return stripped !== plain && LIKE.test(stripped);
}

/** Why a line that looks like a marker is none, for the person who wrote it. */
export function whyNoMarker(line: string): { message: string; expected: string } {
	const expected = writeMarker({ edge: /end/i.test(line) ? "end" : "begin", id: "some-name" });
	const version = /\bv=(\S+)/i.exec(line)?.[1];
	if (version !== undefined && version !== "1" && readMarker(line.replace(/\bv=\S+/i, "v=1").trim()) !== null) {
		return {
			message: `this kernel marker has an unknown version v=${version.slice(0, 20)}`,
			expected: "v=1, or no version",
		};
	}
	if (readMarker(line.trim()) !== null) return { message: "this kernel marker does not start at column 1", expected };
	if (/[^\t -~]/.test(line))
		return { message: "this line looks like a kernel marker but holds characters that are not plain ASCII", expected };
	return { message: "this line looks like a kernel marker but is malformed", expected };
}
