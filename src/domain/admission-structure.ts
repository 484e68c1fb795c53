/**
 * The part of admission that looks at structure: markers in disguise, blocks and elements that would swallow a kernel, a
 * false frontmatter, labels that would redirect a kernel's links. Must not look at what the text can do.
 */
import { elementFaults, newFaults } from "./admission-element.ts";
import { markerFaults } from "./admission-marker.ts";
import type { AdmissionCode, AdmissionRefusal } from "./admission-refusal.ts";
import { createBlockReader, type OpenBlock } from "./block.ts";
import { linesOf } from "./line.ts";
import { bodyOf, harnessOf, kernelsOf, type Skill } from "./skill.ts";

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
	const ids = kernelsOf(original).map(({ id }) => id);
	const segments = harnessOf(original);
	const known = [bodyOf(original), ...parent];
	return harness.flatMap((text, segment) => {
		const before = parent[segment] ?? "";
		if (text === before) return [];
		const beforeKernel = segment < harness.length - 1;
		const refuse = (code: AdmissionCode, message: string, line?: number): AdmissionRefusal =>
			line === undefined ? { code, message, segment } : { code, message, segment, line };
		return [
			...markerFaults(text, before, ids).map(({ message, line }) => refuse("marker-like", message, line)),
			...(segment === 0 && original.frontmatter === null ? frontmatterStart(text, before, refuse) : []),
			...openBlocks(text, before, beforeKernel, refuse),
			...elements(text, [before, segments[segment]!], known, beforeKernel, refuse),
			...openComment(text, before, refuse),
			...(beforeKernel ? openToggles(text, before, refuse) : []),
			...definitions(text, before, labels, refuse),
		];
	});
}

type Refuse = (code: AdmissionCode, message: string, line?: number) => AdmissionRefusal;

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

function elements(
	text: string,
	befores: readonly string[],
	known: readonly string[],
	beforeKernel: boolean,
	refuse: Refuse,
): AdmissionRefusal[] {
	const faults = elementFaults(text, beforeKernel);
	if (faults.length === 0) return [];
	const left = newFaults(
		faults,
		befores.map((before) => elementFaults(before, beforeKernel)),
	);
	// What an element can do does not depend on where it stands; what it leaves open does.
	const had = new Set(
		left.length === 0 ? [] : known.flatMap((one) => elementFaults(one, false).map(({ token }) => token)),
	);
	return left
		.filter(({ code, token }) => code !== "active-html" || !had.has(token))
		.map(({ code, message, line }) => refuse(code, message, line));
}

function openComment(text: string, before: string, refuse: Refuse): AdmissionRefusal[] {
	const odd = text.match(ODD_COMMENT)?.length ?? 0;
	if (odd > (before.match(ODD_COMMENT)?.length ?? 0))
		return [refuse("open-comment", "it ends a comment where only some readers do")];
	if (!hasOpenComment(text) || hasOpenComment(before)) return [];
	return [refuse("open-comment", "it leaves a comment open")];
}

function hasOpenComment(text: string): boolean {
	const start = text.lastIndexOf("<!--");
	return start >= 0 && !text.includes("-->", start + 2);
}

/** Browsers end a comment here, Markdown does not. */
const ODD_COMMENT = /<!--(?:-?>)|--!>/g;

/** Lines that open and close a formula or, in some hosts, a comment; an odd one swallows what follows. */
const TOGGLES = ["$$", "%%"];

function openToggles(text: string, before: string, refuse: Refuse): AdmissionRefusal[] {
	return TOGGLES.filter((mark) => hasOdd(text, mark) && !hasOdd(before, mark)).map((mark) =>
		refuse("open-block", `it leaves ${mark} open in front of a kernel`),
	);
}

function hasOdd(text: string, mark: string): boolean {
	return text.includes(mark) && rowsOf(text).filter((row) => row.trim() === mark).length % 2 === 1;
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
