/**
 * The skill's document before and after, in order: protected parts as they are, harness sections side by side.
 *
 * It must not change a byte of what it shows. Invariant: joining the protected parts and one side of the sections in order
 * gives that side's document.
 */
import { openingOf, type RunState } from "../domain/run-state.ts";
import { type Section, sectionsOf } from "../domain/section.ts";
import { harnessOf, parseSkill } from "../domain/skill.ts";
import type { DocumentPart } from "./view.ts";

/** All parts of the document; `after` is the compared harness, v0's own when there is none. */
export function documentOf(state: RunState, after: readonly string[] | null): DocumentPart[] {
	const { base, incumbent } = openingOf(state);
	const skill = parseSkill(Buffer.from(base.bytes, "base64"), base.path);
	const old = incumbent.harness.length === harnessOf(skill).length ? incumbent.harness : harnessOf(skill);
	const young = after ?? old;
	const parts: DocumentPart[] = [];
	if (skill.frontmatter !== null)
		parts.push({ kind: "frontmatter", text: skill.frontmatter.text + skill.frontmatter.eol });
	for (const segment of skill.segments) {
		if (segment.kind === "kernel") {
			parts.push({ kind: "kernel", id: segment.id, sha256: segment.sha256, text: segment.text + segment.eol });
		} else {
			const own = (section: Section) => section.segment === segment.index && section.text !== "";
			parts.push(...pair(sectionsOf(old).filter(own), sectionsOf(young).filter(own)));
		}
	}
	return parts;
}

/** Sections of equal id side by side, in order; one that has no partner stands alone. */
function pair(before: readonly Section[], after: readonly Section[]): DocumentPart[] {
	const parts: DocumentPart[] = [];
	const push = (section: Section, old: string, young: string) =>
		parts.push({ kind: "section", id: section.id, title: section.heading, before: old, after: young });
	let next = 0;
	for (const section of after) {
		const at = before.findIndex((old, index) => index >= next && old.id === section.id);
		if (at < 0) {
			push(section, "", section.text);
			continue;
		}
		for (const gone of before.slice(next, at)) push(gone, gone.text, "");
		push(section, (before[at] as Section).text, section.text);
		next = at + 1;
	}
	for (const gone of before.slice(next)) push(gone, gone.text, "");
	return parts;
}
