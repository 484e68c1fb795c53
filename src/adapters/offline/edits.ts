/**
 * The single edits from which a proposal is made: where a new line belongs, which line led astray, which says nothing. Knows
 * the reading of a reflection prompt and draws only where several lines would do.
 */
import { pickBy } from "./draws.ts";
import { readInput } from "./input-reading.ts";
import { stemsOf } from "./lexicon.ts";
import { fitOf } from "./matching.ts";
import type { FailedCheck, ReflectionReading, SectionText } from "./reflection-reading.ts";
import { sentencesOf } from "./statements.ts";
import { readText } from "./text-reading.ts";

export interface Edit {
	op: "append" | "replace" | "delete";
	section: string;
	/** Exact text of the section; null for what is appended. */
	find: string | null;
	text: string | null;
}

type Place = Pick<Edit, "section" | "find">;

/** A rule that fits less than this did not lead to an answer. */
const LEAST_RIVAL = 0.3;
const FILLERS = [
	"Think about the reader before you answer.",
	"Take care with the details of every request.",
	"Keep in mind what the request is really about.",
	"Check the answer once more before you send it.",
] as const;
const INVITES = /\b(explain|explanation|comment|two or three sentences|alternatives?|(?:below|after) the answer)\b/i;

/** Whether two lines say the same in the same order, whatever their endings and small words are. */
export function sameWords(a: string, b: string): boolean {
	const [one, other] = [stemsOf(a).join(" "), stemsOf(b).join(" ")];
	return one === other && (one !== "" || a.trim() === b.trim());
}

export function isStated(text: string, { sections }: ReflectionReading): boolean {
	return sections.some((section) => section.items.some((item) => sameWords(item.text, text)));
}

function isKept(text: string, { keep }: ReflectionReading): boolean {
	return keep.some((kept) => sameWords(kept, text));
}

/** The line that led to what was found: of the rules for that value the one that fits the input best. */
export function rivalOf(check: FailedCheck, reading: ReflectionReading): Place | undefined {
	if (check.found === undefined || check.values.includes(check.found)) return undefined;
	const text = readText(reading.document);
	const input = readInput(check.input);
	const decided = new Set(Object.entries(check.answer).map(([key, value]) => `${key} ${String(value)}`));
	const rules = text.rules
		.filter((rule) => rule.field === check.field && rule.value === check.found && !rule.against)
		.map((rule) => ({ rule, points: fitOf(rule, input, decided, text.weights) + 0.5 * rule.fallback }))
		.filter(({ points }) => points >= LEAST_RIVAL)
		.sort((a, b) => b.points - a.points);
	for (const { rule } of rules) {
		const statement = text.statements[rule.statement]?.text;
		for (const { id, items } of reading.sections) {
			const item = items.find((candidate) => candidate.text === statement);
			if (item !== undefined && !isKept(item.text, reading)) return { section: id, find: item.raw };
		}
	}
	return undefined;
}

/** A check of the form: lines that invite words around the answer go, or the demand is stated. */
export function formEdits(check: FailedCheck, reading: ReflectionReading): Edit[] {
	for (const { id, items } of reading.sections) {
		const item = items.find(({ text }) => INVITES.test(text) && !isKept(text, reading));
		if (item !== undefined) return [{ op: "delete", section: id, find: item.raw, text: null }];
	}
	const note = check.note ?? "Answer in the demanded form and add nothing to it.";
	const text = sentencesOf(note)[0] ?? note;
	const known = isStated(text, reading) || reading.rejected.some((line) => sameWords(line, text));
	const section = reading.sections.at(-1);
	return section === undefined || known ? [] : [{ op: "append", section: section.id, find: null, text: `- ${text}` }];
}

/** The section that speaks of the key, its values or the condition. */
export function sectionFor(
	check: FailedCheck,
	text: string,
	sections: readonly SectionText[],
): SectionText | undefined {
	const words = new Set([...stemsOf(text), ...stemsOf(check.field ?? "")]);
	const points = sections.map(({ items }) => {
		const own = items.map((item) => item.text).join("\n");
		const shared = new Set(stemsOf(own).filter((word) => words.has(word))).size;
		const named = check.field !== undefined && own.includes(`\`${check.field}\``) ? 2 : 0;
		return shared + named + check.values.filter((value) => own.includes(`\`${value}\``)).length;
	});
	return sections[points.indexOf(Math.max(...points))];
}

/** A line that says nothing, at the end of some section. */
export function fillerEdit(reading: ReflectionReading, prompt: string): Edit | undefined {
	const section = pickBy(reading.sections, "filler section", prompt);
	const text = pickBy(FILLERS, "filler text", prompt);
	return section === undefined ? undefined : { op: "append", section: section.id, find: null, text: `- ${text}` };
}

/** Takes away a line that is there twice or that says nothing about any value. */
export function tidyEdit(reading: ReflectionReading, prompt: string): Edit | undefined {
	const text = readText(reading.document);
	const telling = new Set(text.rules.map((rule) => text.statements[rule.statement]?.text));
	const said = new Set<string>();
	const idle: Edit[] = [];
	for (const { id, items } of reading.sections) {
		for (const item of items) {
			const useless = said.has(item.text) || !telling.has(item.text);
			said.add(item.text);
			if (useless && !isKept(item.text, reading)) idle.push({ op: "delete", section: id, find: item.raw, text: null });
		}
	}
	return pickBy(idle, "tidy", prompt);
}
