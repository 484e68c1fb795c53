/**
 * What a line says, by the words that tell: those that also stand in the train cases, their notes or what their checks want. The
 * rest ("use", "in the case of") is wording, and two lines that differ only in it say the same.
 */
import type { Case } from "../../domain/case.ts";
import type { Edit } from "../../domain/section.ts";
import { type RunContext, splitOf } from "../context.ts";
import { inputOf } from "../protocol.ts";
import { wantedOf } from "./groups.ts";
import { stemsOf } from "./words.ts";

/** Train cases whose words are looked at, at the most. */
const READ = 500;
const known = new WeakMap<RunContext, ReadonlySet<string>>();

function vocabularyOf(context: RunContext): ReadonlySet<string> {
	const found = known.get(context);
	if (found !== undefined) return found;
	const texts = (entry: Case) => [
		inputOf(entry),
		...entry.checks.flatMap((check) => [check.note ?? "", check.contract ? "" : wantedOf(check)]),
	];
	const words = new Set(
		splitOf(context, "train")
			.slice(0, READ)
			.flatMap(texts)
			.flatMap((text) => [...stemsOf(text)]),
	);
	known.set(context, words);
	return words;
}

/** The telling words of a line. */
export function tellingWords(line: string, context: RunContext): ReadonlySet<string> {
	const vocabulary = vocabularyOf(context);
	return new Set([...stemsOf(line)].filter((word) => vocabulary.has(word)));
}

/** Whether one line says all that another says; a line without telling words is covered by nothing. */
export function covers(line: ReadonlySet<string>, part: ReadonlySet<string>): boolean {
	return part.size > 0 && [...part].every((word) => line.has(word));
}

/** An append of a list is one edit a line, so that each line can be judged and taken out alone. */
export function singleLines(edit: Edit): Edit[] {
	if (edit.op !== "append" || edit.text === undefined) return [edit];
	const lines = edit.text.split("\n").filter((line) => line.trim() !== "");
	if (lines.length < 2 || !lines.every((line) => /^\s*[-*+]\s/.test(line))) return [edit];
	return lines.map((line) => ({ ...edit, text: line }));
}
