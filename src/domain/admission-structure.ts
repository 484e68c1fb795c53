/**
 * The part of admission that looks at structure: markers in disguise, blocks and elements that would swallow a kernel, a
 * false frontmatter, labels that would redirect a kernel's links. Must not look at what the text can do.
 */
import type { AdmissionCode, AdmissionRefusal } from "./admission-refusal.ts";
import { createBlockReader, type OpenBlock } from "./block.ts";
import { linesOf } from "./line.ts";
import { looksLikeMarker } from "./marker.ts";
import { kernelsOf, type Skill } from "./skill.ts";

/** Structural refusals of a proposed harness; both harnesses come settled. */
export function addedStructure(
	original: Skill,
	parent: readonly string[],
	harness: readonly string[],
): AdmissionRefusal[] {
	const labels = labelsIn(
		kernelsOf(original)
			.map(({ text }) => text)
			.join("\n"),
	);
	return harness.flatMap((text, segment) => {
		const before = parent[segment] ?? "";
		if (text === before) return [];
		const beforeKernel = segment < harness.length - 1;
		const refuse = (code: AdmissionCode, message: string, line?: number): AdmissionRefusal =>
			line === undefined ? { code, message, segment } : { code, message, segment, line };
		return [
			...markers(text, before, refuse),
			...(segment === 0 && original.frontmatter === null ? frontmatterStart(text, before, refuse) : []),
			...openBlocks(text, before, beforeKernel, refuse),
			...(beforeKernel ? openElements(text, before, refuse) : []),
			...openComment(text, before, refuse),
			...definitions(text, before, labels, refuse),
		];
	});
}

type Refuse = (code: AdmissionCode, message: string, line?: number) => AdmissionRefusal;

function markers(text: string, before: string, refuse: Refuse): AdmissionRefusal[] {
	const known = new Set(rowsOf(before));
	const rows = rowsOf(text);
	const found = rows.flatMap((row, index) => {
		if (known.has(row) || !looksLikeMarker(row)) return [];
		return [refuse("marker-like", `this line would pass for a kernel marker: ${row.trim().slice(0, 80)}`, index + 1)];
	});
	if (found.length > 0) return found;
	// Spread over several lines it is no marker by our grammar, but nobody needs it.
	const added = rows.map((row) => (known.has(row) ? "\u0001" : row)).join("\n");
	return looksLikeMarker(added)
		? [refuse("marker-like", "lines of this text together would pass for a kernel marker")]
		: [];
}

function frontmatterStart(text: string, before: string, refuse: Refuse): AdmissionRefusal[] {
	if (!text.trimStart().startsWith("---") || before.trimStart().startsWith("---")) return [];
	return [refuse("frontmatter-start", "the file would start with ---, which is read as frontmatter", 1)];
}

function openBlocks(text: string, before: string, beforeKernel: boolean, refuse: Refuse): AdmissionRefusal[] {
	const open = openAtEnd(text);
	if (open === null) return [];
	const old = openAtEnd(before);
	const isSame = old !== null && old.kind === open.kind && old.html === open.html;
	// The last segment may leave open what its parent left open; in front of a kernel only what runs to the next blank line.
	if (isSame && (!beforeKernel || open.html >= 6)) return [];
	if (!beforeKernel && open.html >= 6) return [];
	const what = open.kind === "fence" ? "a fence" : "an HTML block";
	return [refuse("open-block", `it leaves ${what} open${beforeKernel ? " in front of a kernel" : ""}`, open.line)];
}

function openAtEnd(text: string): OpenBlock | null {
	const reader = createBlockReader();
	for (const row of rowsOf(text)) reader.feed(row);
	return reader.open;
}

/** Elements whose content is hidden, folded away, or no longer read as Markdown. */
const HOLDERS =
	/<(\/?)(details|template|div|section|span|dialog|noscript|iframe|object|svg|math|title|xmp|plaintext|noembed|noframes|select|textarea|script|style|pre|canvas|audio|video|table|del|s)\b[^<>]*>/gi;

function openElements(text: string, before: string, refuse: Refuse): AdmissionRefusal[] {
	const old = balance(before);
	return [...balance(text)].flatMap(([name, open]) => {
		if (open <= Math.max(0, old.get(name) ?? 0)) return [];
		return [refuse("open-element", `it leaves <${name}> open in front of a kernel`)];
	});
}

/** Openings minus closings of each element, outside fences. A closing without an opening closes nothing that counts. */
function balance(text: string): Map<string, number> {
	const open = new Map<string, number>();
	const reader = createBlockReader();
	for (const row of rowsOf(text)) {
		if (reader.feed(row) === "fence") continue;
		for (const [whole, slash, tag] of row.matchAll(HOLDERS)) {
			const name = tag!.toLowerCase();
			const count = open.get(name) ?? 0;
			if (slash === "/") open.set(name, Math.max(0, count - 1));
			else if (!whole.endsWith("/>")) open.set(name, count + 1);
		}
	}
	return open;
}

function openComment(text: string, before: string, refuse: Refuse): AdmissionRefusal[] {
	if (!hasOpenComment(text) || hasOpenComment(before)) return [];
	return [refuse("open-comment", "it leaves a comment open")];
}

function hasOpenComment(text: string): boolean {
	const start = text.lastIndexOf("<!--");
	return start >= 0 && !text.includes("-->", start + 2);
}

const LABEL = /\[((?:[^[\]\\]|\\[\s\S]){1,999})\]/g;
const DEFINITION = /\[((?:[^[\]\\]|\\[\s\S]){1,999})\]:/g;

/** In Markdown the first definition of a label wins, wherever it stands. */
function definitions(text: string, before: string, labels: ReadonlySet<string>, refuse: Refuse): AdmissionRefusal[] {
	if (labels.size === 0) return [];
	const known = new Set(Array.from(before.matchAll(DEFINITION), ([, label]) => foldLabel(label!)));
	return Array.from(text.matchAll(DEFINITION)).flatMap((match) => {
		const label = foldLabel(match[1]!);
		if (!labels.has(label) || known.has(label)) return [];
		return [
			refuse(
				"link-definition",
				`it defines [${label.slice(0, 60)}], a label that a kernel uses`,
				rowsOf(text.slice(0, match.index + 1)).length,
			),
		];
	});
}

function labelsIn(text: string): Set<string> {
	return new Set(Array.from(text.matchAll(LABEL), ([, label]) => foldLabel(label!)));
}

function foldLabel(label: string): string {
	return label.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
}

function rowsOf(text: string): string[] {
	return linesOf(text).map(({ start, end }) => text.slice(start, end));
}
