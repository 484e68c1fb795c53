/** A text as the reflection model sees it: kernels as they are, sections under their ids, in document order. */
import { sectionsOf } from "../domain/section.ts";
import type { Skill } from "../domain/skill.ts";

export type DocumentPart = { kind: "kernel"; text: string } | { kind: "section"; id: string; text: string };

/** The parts of a skill with this harness; sections without any text are left out unless nothing else is there to edit. */
export function documentOf(skill: Skill, harness: readonly string[]): DocumentPart[] {
	const sections = sectionsOf(harness);
	return skill.segments.flatMap((segment): DocumentPart[] => {
		if (segment.kind === "kernel") return [{ kind: "kernel", text: segment.text }];
		return sections
			.filter((section) => section.segment === segment.index)
			.map((section) => ({ kind: "section", id: section.id, text: section.text.trim() }));
	});
}
