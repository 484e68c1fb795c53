/**
 * Variants: complete harnesses named by their content. Knows how two of them are merged section by section; must not know
 * how good they are. Invariant: equal harness text, equal id.
 */
import { digest } from "./digest.ts";
import { linesOf } from "./line.ts";
import { joinSections, type Section, sectionsOf } from "./section.ts";
import { type Skill, settleHarness } from "./skill.ts";

export interface Variant {
	/** The first 12 hex digits of the SHA-256 of its harness segments. */
	id: string;
	/** Text of each harness segment, in order. */
	harness: readonly string[];
	/** Ids of the variants that it was made from; none for the incumbent. */
	parents: readonly string[];
	/** How it came to be, such as incumbent, edit or merge. */
	operator: string;
}

/** Content identity of a harness: 12 hex digits (48 bits), plenty for the variants of a run. */
export function variantId(harness: readonly string[]): string {
	return digest(harness).slice(0, 12);
}

/** A variant of a skill; a segment in front of a kernel is given the line end that the file would have there. */
export function createVariant(
	skill: Skill,
	harness: readonly string[],
	parents: readonly string[],
	operator: string,
): Variant {
	const settled = settleHarness(skill, harness);
	return { id: variantId(settled), harness: settled, parents, operator };
}

/** A section that two variants changed in ways that cannot both stand. */
export interface SectionConflict {
	section: string;
	base: string | null;
	a: string | null;
	b: string | null;
}

/**
 * Merges two harnesses that come from one base, section by section: what one side changed is taken, what both changed
 * alike is taken once, lines that both only appended are united. Everything else is a conflict, in which `a` stands.
 * @throws RangeError when the three do not have the same number of segments.
 */
export function mergeBySection(
	base: readonly string[],
	a: readonly string[],
	b: readonly string[],
): { harness: string[]; conflicts: SectionConflict[] } {
	if (base.length !== a.length || base.length !== b.length)
		throw new RangeError("a merge needs harnesses with the same number of segments");
	const origin = byId(sectionsOf(base));
	const left = byId(sectionsOf(a));
	const right = byId(sectionsOf(b));
	const conflicts: SectionConflict[] = [];
	const merged: Section[] = [];
	for (const id of orderOf(left, right)) {
		const texts = { base: textOf(origin, id), a: textOf(left, id), b: textOf(right, id) };
		const { text, conflict } = mergeText(texts.base, texts.a, texts.b);
		if (conflict) conflicts.push({ section: id, ...texts });
		const section = left.get(id) ?? right.get(id);
		if (text !== null && section !== undefined) merged.push({ ...section, text });
	}
	const harness = joinSections(separated(merged));
	while (harness.length < base.length) harness.push("");
	return { harness, conflicts };
}

function byId(sections: readonly Section[]): Map<string, Section> {
	return new Map(sections.map((section) => [section.id, section]));
}

function textOf(sections: ReadonlyMap<string, Section>, id: string): string | null {
	return sections.get(id)?.text ?? null;
}

/** The ids of `a` in order; those that only `b` has come behind the section that they follow in `b`. Segments stay together. */
function orderOf(a: ReadonlyMap<string, Section>, b: ReadonlyMap<string, Section>): string[] {
	const order = [...a.keys()];
	const segmentOf = (id: string) => (a.get(id) ?? b.get(id))!.segment;
	let previous: string | null = null;
	for (const [id, { segment }] of b) {
		if (!a.has(id)) {
			const after =
				previous !== null && segmentOf(previous) === segment
					? order.indexOf(previous) + 1
					: order.findIndex((other) => segmentOf(other) >= segment);
			order.splice(after < 0 ? order.length : after, 0, id);
		}
		previous = id;
	}
	return order;
}

function mergeText(
	base: string | null,
	a: string | null,
	b: string | null,
): { text: string | null; conflict: boolean } {
	if (a === b || b === base) return { text: a, conflict: false };
	if (a === base) return { text: b, conflict: false };
	const union = base === null || a === null || b === null ? null : uniteAppended(base, a, b);
	return union === null ? { text: a ?? b, conflict: true } : { text: union, conflict: false };
}

/** Both sides only added lines behind what the base says: the lines of `a`, then those of `b` that are new. */
function uniteAppended(base: string, a: string, b: string): string | null {
	const content = base.trimEnd();
	const addedA = appendedTo(content, a);
	const addedB = appendedTo(content, b);
	if (addedA === null || addedB === null) return null;
	const said = new Set(rowsOf(addedA).map((row) => row.trim()));
	const more = rowsOf(addedB).filter((row) => row.trim() !== "" && !said.has(row.trim()));
	if (more.length === 0) return a;
	const eol = /\r\n|\r|\n/.exec(addedA)?.[0] ?? "\n";
	const body = a.trimEnd();
	return body + more.map((row) => eol + row).join("") + a.slice(body.length);
}

function appendedTo(content: string, text: string): string | null {
	if (!text.startsWith(content)) return null;
	const added = text.slice(content.length);
	return /^[ \t]*[\r\n]/.test(added) ? added.trimEnd() : null;
}

function rowsOf(text: string): string[] {
	return linesOf(text).map(({ start, end }) => text.slice(start, end));
}

/** A section that was last in its variant may have no final line end; in front of another one it needs one. */
function separated(sections: readonly Section[]): Section[] {
	return sections.map((section, index) => {
		const next = sections[index + 1];
		const open =
			next !== undefined && next.segment === section.segment && section.text !== "" && !/[\r\n]$/.test(section.text);
		return open ? { ...section, text: `${section.text}\n\n` } : section;
	});
}
