/**
 * Harness segments as sections, and edits on sections. A section is a heading with what stands below it up to the next
 * heading; text before the first heading is one too. Knows no kernel. Invariant: joining sections gives back the segments
 * byte for byte, and the id of a section depends on headings only, never on what its own or another body says.
 */
import { z } from "zod";
import { createBlockReader } from "./block.ts";
import { dominantEol, type Eol, endsBlank, linesOf, withEol } from "./line.ts";
import { appendText, type Done, deleteText, replaceText } from "./section-body.ts";
import { harnessOf, type Skill } from "./skill.ts";

/** Edits of one proposal: a reflection that wants more has not decided what matters. */
export const MAX_EDITS = 12;
/** Length of the text of one edit, in characters: a rule with an example fits, a rewritten skill does not. */
export const MAX_EDIT_CHARS = 2000;

export interface Section {
	/** Slug of the heading, made unique; with several harness segments the number of the segment is in front: `2/warnings`. */
	id: string;
	/** Harness segment that holds it, from 0. */
	segment: number;
	/** Text of the heading; null for text before the first heading of its segment. */
	heading: string | null;
	/** 1 to 6; 0 without a heading. */
	level: number;
	/** All of it: blank lines in front, heading line, body. */
	text: string;
}

export const EDIT_OPS = ["append", "replace", "delete"] as const;

/** What a model may ask for. `find` is an exact text in the body of the section; absent, the whole body is meant and the heading stays. */
export const editSchema = z
	.object({
		op: z.enum(EDIT_OPS),
		section: z.string().min(1).max(200),
		find: z.string().min(1).max(MAX_EDIT_CHARS).optional(),
		text: z.string().max(MAX_EDIT_CHARS).optional(),
	})
	.refine((edit) => edit.op === "delete" || (edit.text !== undefined && edit.text.trim() !== ""), {
		message: "append and replace need a text",
	});
export type Edit = z.infer<typeof editSchema>;

export type EditResult =
	| { edit: Edit; status: "applied" }
	| { edit: Edit; status: "refused"; code: EditRefusal; message: string };

export type EditRefusal =
	| "too-many"
	| "too-long"
	| "unknown-section"
	| "missing-text"
	| "not-found"
	| "ambiguous"
	| "duplicate"
	| "no-change"
	| "open-block";

/** Splits a skill's harness, or its segments, into sections. Each segment has at least one. */
export function sectionsOf(source: Skill | readonly string[]): Section[] {
	const harness = "segments" in source ? harnessOf(source) : source;
	return harness.flatMap((text, segment) => splitSegment(text, segment, harness.length > 1 ? `${segment}/` : ""));
}

/** The harness segments that these sections were made from; the inverse of {@link sectionsOf}. */
export function joinSections(sections: readonly Section[]): string[] {
	const harness: string[] = [];
	for (const { segment, text } of sections) {
		while (harness.length <= segment) harness.push("");
		harness[segment] += text;
	}
	return harness;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const PREFACE = "_intro";

function splitSegment(text: string, segment: number, prefix: string): Section[] {
	const starts: { at: number; heading: string | null; level: number }[] = [{ at: 0, heading: null, level: 0 }];
	const reader = createBlockReader();
	let blankSoFar = true;
	for (const { start, end } of linesOf(text)) {
		const line = text.slice(start, end);
		const role = reader.feed(line);
		if (role === "heading") {
			const found = HEADING.exec(line);
			// Blank lines in front of the first heading are no section of their own.
			if (blankSoFar) starts.pop();
			starts.push({ at: blankSoFar ? 0 : start, heading: (found?.[2] ?? "").trim(), level: found?.[1]?.length ?? 1 });
		}
		if (role !== "blank") blankSoFar = false;
	}
	const used = new Set<string>();
	return starts.map(({ at, heading, level }, index) => {
		const slug = unique(heading === null ? PREFACE : slugOf(heading), used);
		return { id: prefix + slug, segment, heading, level, text: text.slice(at, starts[index + 1]?.at) };
	});
}

function slugOf(heading: string): string {
	const slug = heading
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, "-")
		.replace(/^-|-$/g, "");
	return [...slug].slice(0, 60).join("") || "section";
}

function unique(slug: string, used: Set<string>): string {
	let id = slug;
	for (let count = 2; used.has(id); count++) id = `${slug}-${count}`;
	used.add(id);
	return id;
}

/**
 * Applies edits one after the other, each on what the earlier ones left. An edit that does not fit is refused with a code
 * and changes nothing; the others stand. New text takes the line end of its section.
 */
export function applyEdits(
	sections: readonly Section[],
	edits: readonly Edit[],
): { sections: Section[]; results: EditResult[] } {
	let current = [...sections];
	const results: EditResult[] = [];
	for (const [index, edit] of edits.entries()) {
		const done: EditDone =
			index < MAX_EDITS ? applyEdit(current, edit) : no("too-many", `a proposal has at most ${MAX_EDITS} edits`);
		if ("sections" in done) {
			current = done.sections;
			results.push({ edit, status: "applied" });
		} else results.push({ edit, status: "refused", ...done });
	}
	return { sections: current, results };
}

type No = { code: EditRefusal; message: string };
type EditDone = { sections: Section[] } | No;

function no(code: EditRefusal, message: string): No {
	return { code, message };
}

function applyEdit(sections: Section[], edit: Edit): EditDone {
	if ((edit.text?.length ?? 0) > MAX_EDIT_CHARS || (edit.find?.length ?? 0) > MAX_EDIT_CHARS) {
		return no("too-long", `the text of an edit has at most ${MAX_EDIT_CHARS} characters`);
	}
	const index = sections.findIndex((section) => section.id === edit.section);
	const section = sections[index];
	if (section === undefined) return no("unknown-section", `there is no section ${edit.section}`);
	if (edit.op !== "delete" && (edit.text ?? "").trim() === "") return no("missing-text", `${edit.op} needs a text`);
	const { head, body } = parts(section);
	const eol = eolOf(section, sections);
	const text = withEol(withoutHeading(edit.text ?? "", section), eol);
	const find = edit.find === undefined ? undefined : withEol(withoutHeading(edit.find, section), eol);
	const done = changeBody(edit.op, { body, headed: head.trim() !== "", eol }, find === "" ? undefined : find, text);
	if ("code" in done) return done;
	const changed = head + done.body;
	if (changed === section.text) return no("no-change", "the section says exactly this already");
	const next = replaceAt(sections, index, changed);
	// A list that goes may leave a fence that ended with it: then what follows would be read as code.
	if (leavesOpen(changed) && (!leavesOpen(section.text) || next.length < sections.length))
		return no("open-block", "it would leave a fence or an HTML block open");
	return { sections: next };
}

function changeBody(
	op: Edit["op"],
	body: Parameters<typeof appendText>[0],
	find: string | undefined,
	text: string,
): Done {
	if (op === "append") return appendText(body, text);
	return op === "replace" ? replaceText(body, find, text) : deleteText(body, find);
}

/** Heading line (with the blank lines in front and the line end behind it) and body. Without a heading the head is blank. */
function parts(section: Section): { head: string; body: string } {
	if (section.heading === null) return { head: "", body: section.text };
	const line = linesOf(section.text).find(({ start, end }) => section.text.slice(start, end).trim() !== "");
	return { head: section.text.slice(0, line?.next ?? 0), body: section.text.slice(line?.next ?? 0) };
}

/** A model that quotes a whole section repeats its heading; the heading is not its to change. */
function withoutHeading(text: string, { heading }: Section): string {
	if (heading === null) return text;
	const [first] = linesOf(text);
	const found = first === undefined ? null : HEADING.exec(text.slice(first.start, first.end));
	return found !== null && (found[2] ?? "").trim() === heading
		? text.slice(first!.next).replace(/^(?:[ \t]*(?:\r\n|\r|\n))+/, "")
		: text;
}

function eolOf(section: Section, sections: readonly Section[]): Eol {
	return dominantEol(/[\r\n]/.test(section.text) ? section.text : sections.map(({ text }) => text).join(""));
}

/** Whether a text leaves something open that a blank line does not end. */
function leavesOpen(text: string): boolean {
	const reader = createBlockReader();
	for (const { start, end } of linesOf(text)) reader.feed(text.slice(start, end));
	return reader.open !== null && reader.open.html < 6;
}

/**
 * Puts a changed text in place. Where its headings and what follows cannot have changed, the other sections stay as they
 * are; else the segment is split again.
 */
function replaceAt(sections: readonly Section[], index: number, text: string): Section[] {
	const old = sections[index]!;
	const changed = sections.map((section, at) => (at === index ? { ...section, text } : section));
	const [alone, ...more] = splitSegment(text, old.segment, "");
	const next = sections[index + 1];
	const follows = next !== undefined && next.segment === old.segment;
	const isSealed = !follows || (next.text.startsWith("#") && endsBlank(text) && !leavesOpen(text));
	const isAlike =
		more.length === 0 && alone?.heading === old.heading && alone.level === old.level && text.trim() !== "";
	if (isAlike && isSealed) return changed;
	return sectionsOf(joinSections(changed));
}
