/**
 * A skill as bytes: frontmatter, kernel regions, and the harness around them. The only module that takes a SKILL.md apart
 * and puts it together again. Knows no models and no rules of admission. Invariant: a rebuilt file holds the original
 * bytes of its frontmatter and kernels, because nothing else is ever written in their place.
 */
import { InputError, type Problem } from "../errors.ts";
import { sha256 } from "./digest.ts";
import { type FrontmatterFields, frontmatterLines, readFields } from "./frontmatter.ts";
import { dominantEol, type Eol, endsLine, type Line, linesOf } from "./line.ts";
import { findRegions } from "./region.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Largest SKILL.md that is read, in bytes: 99 % of public skills are below 50 KB, and scanners must stay quick. */
export const MAX_SKILL_BYTES = 256 * 1024;

/** The protected YAML block with both of its `---` lines, without the line end behind it. */
export interface Frontmatter extends FrontmatterFields {
	/** Byte offsets in the file. */
	start: number;
	end: number;
	sha256: string;
	text: string;
	/** The line end behind it; empty when the file ends there. */
	eol: string;
}

export interface HarnessSegment {
	kind: "harness";
	/** Position among the harness segments, from 0. */
	index: number;
	/** Number of its first line in the file, from 1. */
	line: number;
	text: string;
}

/** A kernel region with both marker lines, without the line end behind it (a file may end there without one). */
export interface KernelSegment {
	kind: "kernel";
	id: string;
	line: number;
	text: string;
	bytes: Uint8Array;
	sha256: string;
	eol: string;
}

export type Segment = HarnessSegment | KernelSegment;

export interface Skill {
	/** The file as it was read. */
	bytes: Uint8Array;
	/** Whether it starts with a UTF-8 byte order mark. */
	bom: boolean;
	/** The line end that the file uses most. */
	eol: Eol;
	frontmatter: Frontmatter | null;
	/** Harness and kernels in turn, a harness segment (maybe empty) first and last. */
	segments: readonly Segment[];
	/** What a person should know but that stops nothing. */
	notes: readonly Problem[];
}

/**
 * Takes a SKILL.md apart.
 * @throws InputError with every problem found and its line: no UTF-8 text, over 256 KiB, frontmatter that is never closed,
 * markers that are malformed, unclosed, nested, duplicated or hidden by an open block.
 */
export function parseSkill(bytes: Uint8Array, file = "SKILL.md"): Skill {
	const source = readText(bytes, file);
	const bom = source.startsWith("\uFEFF");
	const text = bom ? source.slice(1) : source;
	const lines = linesOf(text);
	const head = frontmatterLines(text, lines);
	const problems: Problem[] = [];
	if (head < 0) {
		problems.push({
			message: "the frontmatter that starts here is never closed",
			place: { file, line: 1 },
			expected: "a second line that is exactly ---",
		});
	}
	const notes: Problem[] = [];
	const found = findRegions(text, lines, Math.max(head, 0), file);
	problems.push(...found.problems);
	if (problems.length > 0) throw unusable(problems);
	const measure = byteMeasure(text, bom ? 3 : 0);
	const frontmatter = head > 0 ? readFrontmatter(text, lines.slice(0, head), measure, notes, file) : null;
	const segments = cut(text, lines, head, found.regions, measure, bytes);
	return { bytes, bom, eol: dominantEol(text), frontmatter, segments, notes: [...notes, ...found.notes] };
}

function readText(bytes: Uint8Array, file: string): string {
	if (bytes.length > MAX_SKILL_BYTES) {
		let line = 1;
		for (let at = 0; at < MAX_SKILL_BYTES; at++) if (bytes[at] === 10) line++;
		throw unusable([
			{
				message: `the file has ${bytes.length} bytes; the limit of ${MAX_SKILL_BYTES} is passed on line ${line}`,
				place: { file, line },
				expected: "at most 256 KiB",
				hint: "Move reference material into files beside SKILL.md.",
			},
		]);
	}
	const decoded = decodeUtf8(bytes);
	if ("text" in decoded) return decoded.text;
	const { message, expected, line } = decoded.problem;
	throw unusable([{ message, expected, place: { file, line }, hint: "Save the file as UTF-8." }]);
}

function unusable(problems: Problem[]): InputError {
	const first = problems[0]!;
	const listed = problems.map(({ message, place, expected }) => {
		return `line ${place.line}: ${message}${expected === undefined ? "" : ` (expected: ${expected})`}`;
	});
	const complaint = { message: `this skill cannot be used. ${listed.join("; ")}`, place: first.place };
	return new InputError(first.hint === undefined ? complaint : { ...complaint, hint: first.hint }, problems);
}

/** Byte offset of a position in the text; positions must be asked for in ascending order. */
type ByteMeasure = (position: number) => number;

function byteMeasure(text: string, start: number): ByteMeasure {
	let position = 0;
	let offset = start;
	return (next) => {
		offset += Buffer.byteLength(text.slice(position, next), "utf8");
		position = next;
		return offset;
	};
}

function readFrontmatter(
	text: string,
	lines: readonly Line[],
	measure: ByteMeasure,
	notes: Problem[],
	file: string,
): Frontmatter {
	const last = lines[lines.length - 1]!;
	const block = text.slice(0, last.end);
	const { fields, duplicates } = readFields(lines.slice(1, -1).map((line) => text.slice(line.start, line.end)));
	for (const key of duplicates) {
		notes.push({ message: `the frontmatter names ${key} twice`, place: { file, line: 1 }, expected: "each key once" });
	}
	const start = measure(0);
	return {
		...fields,
		start,
		end: measure(last.end),
		sha256: sha256(block),
		text: block,
		eol: text.slice(last.end, last.next),
	};
}

function cut(
	text: string,
	lines: readonly Line[],
	head: number,
	regions: readonly { id: string; first: number; last: number }[],
	measure: ByteMeasure,
	bytes: Uint8Array,
): Segment[] {
	const segments: Segment[] = [];
	let line = head;
	let from = head > 0 ? lines[head - 1]!.next : 0;
	for (const [index, region] of regions.entries()) {
		const start = lines[region.first]!.start;
		const { end, next } = lines[region.last]!;
		segments.push({ kind: "harness", index, line: line + 1, text: text.slice(from, start) });
		const slice = bytes.subarray(measure(start), measure(end));
		segments.push({
			kind: "kernel",
			id: region.id,
			line: region.first + 1,
			text: text.slice(start, end),
			bytes: slice,
			sha256: sha256(slice),
			eol: text.slice(end, next),
		});
		from = next;
		line = region.last + 1;
	}
	segments.push({ kind: "harness", index: regions.length, line: line + 1, text: text.slice(from) });
	return segments;
}

/** The harness: the text of each harness segment in order. */
export function harnessOf(skill: Skill): string[] {
	return skill.segments.filter((segment) => segment.kind === "harness").map((segment) => segment.text);
}

/** The kernel regions in order. */
export function kernelsOf(skill: Skill): KernelSegment[] {
	return skill.segments.filter((segment) => segment.kind === "kernel");
}

/**
 * The harness as the file would hold it: a segment in front of a kernel ends its line.
 * @throws RangeError when the number of segments is not the skill's.
 */
export function settleHarness(skill: Skill, harness: readonly string[]): string[] {
	const count = (skill.segments.length + 1) / 2;
	if (harness.length !== count) throw new RangeError(`this skill has ${count} harness segments, got ${harness.length}`);
	return harness.map((text, index) => (index === count - 1 || endsLine(text) ? text : text + skill.eol));
}

/** The whole file with another harness, from the original bytes of frontmatter and kernels. */
export function rebuildSkill(skill: Skill, harness: readonly string[]): Uint8Array {
	const settled = settleHarness(skill, harness);
	const parts: Uint8Array[] = [];
	if (skill.bom) parts.push(skill.bytes.subarray(0, 3));
	const text = (value: string) => parts.push(encoder.encode(value));
	if (skill.frontmatter !== null) {
		parts.push(skill.bytes.subarray(skill.frontmatter.start, skill.frontmatter.end));
		text(skill.frontmatter.eol || (skill.segments.length === 1 && settled[0] === "" ? "" : skill.eol));
	}
	for (const segment of skill.segments) {
		if (segment.kind === "harness") text(settled[segment.index]!);
		else {
			parts.push(segment.bytes);
			text(segment.eol || (settled[settled.length - 1] === "" ? "" : skill.eol));
		}
	}
	return concat(parts);
}

/** Compares a rebuilt file with the skill that it was made from: same frontmatter, same kernels, same order, byte for byte. */
export function proveKernel(original: Skill, rebuilt: Uint8Array): { ok: true } | { ok: false; reason: string } {
	let again: Skill;
	try {
		again = parseSkill(rebuilt);
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		return { ok: false, reason: error.message };
	}
	const reason = difference(original, again);
	return reason === null ? { ok: true } : { ok: false, reason };
}

function difference(original: Skill, again: Skill): string | null {
	if (original.bom !== again.bom) return "the byte order mark changed";
	if ((original.frontmatter === null) !== (again.frontmatter === null)) {
		return again.frontmatter === null ? "the frontmatter is gone" : "the file has gained a frontmatter";
	}
	if (original.frontmatter !== null && again.frontmatter !== null) {
		const before = original.bytes.subarray(original.frontmatter.start, original.frontmatter.end);
		if (!equalBytes(before, again.bytes.subarray(again.frontmatter.start, again.frontmatter.end)))
			return "the frontmatter changed";
	}
	const before = kernelsOf(original);
	const after = kernelsOf(again);
	if (before.length !== after.length) return `the file has ${after.length} kernel regions instead of ${before.length}`;
	for (const [index, region] of before.entries()) {
		const other = after[index]!;
		if (region.id !== other.id) return `kernel region ${index + 1} is ${other.id} instead of ${region.id}`;
		if (!equalBytes(region.bytes, other.bytes)) return `the bytes of kernel region ${region.id} changed`;
		if (region.eol !== "" && region.eol !== other.eol) return `the line end behind kernel region ${region.id} changed`;
	}
	return null;
}

/** What a model gets: kernel and harness in document order, without frontmatter and byte order mark. */
export function bodyOf(skill: Skill): string {
	return skill.segments
		.map((segment) => (segment.kind === "kernel" ? segment.text + segment.eol : segment.text))
		.join("");
}

const encoder = new TextEncoder();

function concat(parts: readonly Uint8Array[]): Uint8Array {
	const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
	return a.length === b.length && Buffer.compare(a, b) === 0;
}
