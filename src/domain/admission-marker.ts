/**
 * The part of admission that looks for text which would pass for a kernel marker: to the grammar, to a person who reads
 * quickly, or to a model that takes a look-alike for the real thing. Must not look at anything else.
 */
import { bare, unmask } from "./disguise.ts";
import { linesOf } from "./line.ts";
import { looksLikeMarker } from "./marker.ts";

export interface MarkerFault {
	message: string;
	/** Line within the text, from 1; absent when lines make it up together. */
	line?: number;
}

/** Marker-like text that is not in the text before. `ids` are the kernel regions of the skill. */
export function markerFaults(text: string, before: string, ids: readonly string[]): MarkerFault[] {
	const known = new Set(rowsOf(before));
	const rows = rowsOf(text);
	const found: MarkerFault[] = rows.flatMap((row, index) => {
		if (known.has(row) || !(looksLikeMarker(row) || resembles(row, ids))) return [];
		return [{ message: `this line would pass for a kernel marker: ${row.trim().slice(0, 80)}`, line: index + 1 }];
	});
	found.push(...commentFaults(text, before, ids).filter(({ line }) => found.every((one) => one.line !== line)));
	if (found.length > 0) return found;
	// Spread over several lines it is no marker by our grammar, but nobody needs it.
	const added = rows.map((row) => (known.has(row) ? "\u0001" : row)).join("\n");
	return looksLikeMarker(added) ? [{ message: "lines of this text together would pass for a kernel marker" }] : [];
}

const EDGE = "(?:b[e3]g[i1l|!]n|[e3]nd|start|st[o0]p)";
/** Digits and strokes for letters, and `m` for `rn`. */
const DRAWN = new RegExp(`k[e3](?:rn|m)[e3][l1i|!]\\s*:\\s*${EDGE}`, "i");
const SPACED = /(?<![a-z])[a-z:](?:[ \t._·-]{1,2}[a-z:]){5,40}(?![a-z])/gi;
const SQUEEZED = new RegExp(`kernel:?${EDGE}`, "i");

function resembles(row: string, ids: readonly string[]): boolean {
	if (!/k/i.test(row) && !/[^ -~\t]|&/.test(row)) return false;
	const unmasked = unmask(row);
	return [...new Set([unmasked, bare(unmasked)])].some((plain) => reads(plain, ids));
}

function reads(plain: string, ids: readonly string[]): boolean {
	if (DRAWN.test(plain)) return true;
	for (const [spaced] of plain.matchAll(SPACED)) if (SQUEEZED.test(spaced.replace(/[ \t._·-]/g, ""))) return true;
	return /kernel/i.test(plain) && ids.some((id) => namesEdge(plain, id));
}

/** "end of kernel output-contract", "kernel output-contract ends here". */
function namesEdge(plain: string, id: string): boolean {
	const name = id.replaceAll("-", "[ _-]");
	return new RegExp(
		`(?:begin|start|end|clos|stop)\\w*\\s+(?:of\\s+)?(?:the\\s+)?kernel[\\s:"'=-]+(?:id[\\s:=]+)?${name}\\b|kernel[\\s:"'=-]+(?:id[\\s:=]+)?${name}["']?\\s*(?:begins?|starts?|ends?|stops?|closes?)\\b`,
		"i",
	).test(plain);
}

const COMMENT = /<!-{2,}([\s\S]*?)(?:--!?>|$)/g;

/** New comments that name a region, carry an id, or hold letters that could be drawn to look like a marker. */
function commentFaults(text: string, before: string, ids: readonly string[]): MarkerFault[] {
	const faults: MarkerFault[] = [];
	for (const [now, then, isBad] of [
		[text, before, (body: string) => /(?=\p{L})[^a-z]/iu.test(body)],
		[unmask(text), unmask(before), (body: string) => namesRegion(body, ids)],
	] as const) {
		const known = new Set(Array.from(then.matchAll(COMMENT), ([whole]) => whole));
		for (const match of now.matchAll(COMMENT)) {
			if (known.has(match[0]) || !isBad(match[1]!)) continue;
			const line = rowsOf(now.slice(0, match.index + 1)).length;
			const message = `this comment would pass for a kernel marker: ${match[0].replace(/\s+/g, " ").slice(0, 80)}`;
			if (faults.every((fault) => fault.line !== line)) faults.push({ message, line });
		}
	}
	return faults;
}

function namesRegion(body: string, ids: readonly string[]): boolean {
	const folded = body.toLowerCase();
	const words = folded.replace(/[^a-z0-9]+/g, "-");
	return /\bid\s*=|kernel/.test(folded) || ids.some((id) => `-${words}-`.includes(`-${id}-`));
}

function rowsOf(text: string): string[] {
	return linesOf(text).map(({ start, end }) => text.slice(start, end));
}
