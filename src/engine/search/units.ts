/**
 * What can be taken out of a text by itself: items of lists with what belongs to them, paragraphs, tables and fenced blocks.
 * Headings and HTML stay, and so does what is too long for one edit. Knows the harness only, so that a kernel is never a unit.
 */
import { createBlockReader } from "../../domain/block.ts";
import { linesOf } from "../../domain/line.ts";
import { applyEdits, type Edit, joinSections, MAX_EDIT_CHARS, type Section, sectionsOf } from "../../domain/section.ts";

export interface Unit {
	/** Id of its section. */
	section: string;
	/** From the first line to the end of the last, without its line end. */
	text: string;
	/** Where it starts in the text of its section. */
	at: number;
	/** An item of a list, or a block: a paragraph, a table, a fence. */
	kind: "item" | "block";
}

const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const WORD = /[\p{L}\p{N}]/u;

/** The units of a harness in document order. */
export function unitsOf(harness: readonly string[]): Unit[] {
	return sectionsOf(harness).flatMap((section) => unitsOfSection(section));
}

interface Open {
	role: "text" | "list" | "fence";
	start: number;
	end: number;
	/** Width of the blanks before a list item. */
	indent: number;
	/** Whether a blank line has come since its last line. */
	parted: boolean;
}

function unitsOfSection({ id, text }: Section): Unit[] {
	const reader = createBlockReader();
	const found: Open[] = [];
	let open = null as Open | null;
	for (const { start, end } of linesOf(text)) {
		const line = text.slice(start, end);
		const role = reader.feed(line);
		if (role === "blank") {
			if (open !== null) open.parted = true;
		} else if (role === "heading" || role === "html") {
			open = null;
		} else {
			const item = role === "list" ? ITEM.exec(line) : null;
			const indent = item?.[1]?.length ?? 0;
			// A line of a list that starts no item of its own, or one further in, belongs to the item above it.
			const belongs = open?.role === role && (role === "list" ? item === null || indent > open.indent : !open.parted);
			if (open === null || !belongs) {
				open = { role, start, end, indent, parted: false };
				found.push(open);
			}
			open.end = end;
			open.parted = false;
		}
	}
	return found
		.map(({ role, start, end }): Unit => {
			return { section: id, text: text.slice(start, end), at: start, kind: role === "list" ? "item" : "block" };
		})
		.filter((unit) => WORD.test(unit.text) && unit.text.length <= MAX_EDIT_CHARS);
}

/** Units that can be told from each other by what stands around them. */
const places = (text: string, part: string) => text.split(part).length - 1;

/** Edits that take one unit out of its section: the plainest first. A text that stands there twice is found by its neighbours. */
function removals(section: Section, { text: unit, at }: Unit): Edit[] {
	const { id, text } = section;
	const edits: Edit[] = [];
	if (places(text, unit) === 1) edits.push({ op: "delete", section: id, find: unit });
	const lines = linesOf(text);
	const end = at + unit.length;
	const fits = (find: string) => find.length <= MAX_EDIT_CHARS && places(text, find) === 1;
	for (const { start } of lines.filter((line) => line.start < at).reverse()) {
		const [find, rest] = [text.slice(start, end), text.slice(start, at).trimEnd()];
		if (rest.trim() === "" || !fits(find)) continue;
		edits.push({ op: "replace", section: id, find, text: rest });
		break;
	}
	for (const line of lines.filter((other) => other.start > end)) {
		const [find, rest] = [text.slice(at, line.end), text.slice(end, line.end).replace(/^\s*[\r\n]+/, "")];
		if (rest.trim() === "" || !fits(find)) continue;
		edits.push({ op: "replace", section: id, find, text: rest });
		break;
	}
	return edits;
}

export interface Removal {
	/** Index of the unit among those of the text that the removal began with. */
	unit: number;
	edit: Edit;
}

/**
 * Takes units out of a text one after the other, in the order given. What cannot be taken out without touching another unit, or
 * makes a text that `admits` refuses, stays.
 * @param alive indexes of the units of the text, in document order, as the caller counts them
 */
export function removeUnits(
	harness: readonly string[],
	alive: readonly number[],
	wanted: readonly number[],
	admits: (harness: readonly string[]) => boolean,
): { harness: string[]; removals: Removal[] } {
	let current = [...harness];
	let left = [...alive];
	const removed: Removal[] = [];
	for (const index of wanted) {
		const place = left.indexOf(index);
		const sections = sectionsOf(current);
		const units = unitsOf(current);
		const unit = units[place];
		const section = sections.find((other) => other.id === unit?.section);
		if (unit === undefined || section === undefined) continue;
		const rest = units.filter((other) => other !== unit).map((other) => other.text);
		for (const edit of removals(section, unit)) {
			const applied = applyEdits(sections, [edit]);
			if (applied.results[0]?.status !== "applied") continue;
			const next = joinSections(applied.sections);
			const after = unitsOf(next).map((other) => other.text);
			const isAlone = after.length === rest.length && after.every((text, at) => text === rest[at]);
			if (!isAlone || !admits(next)) continue;
			current = next;
			left = left.filter((other) => other !== index);
			removed.push({ unit: index, edit });
			break;
		}
	}
	return { harness: current, removals: removed };
}
