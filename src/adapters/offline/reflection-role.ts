/**
 * Plays the model that proposes edits: it turns the notes of failed checks into instructions, and now and then it takes
 * away what contradicts them, adds words that say nothing, or answers in the wrong form, as such models do. Knows no skill.
 */
import type { Message } from "../../domain/dialogue.ts";
import { draw, pickBy } from "./draws.ts";
import { stemsOf } from "./lexicon.ts";
import { type FailedCheck, type ReflectionReading, readReflection, type SectionText } from "./reflection-reading.ts";
import { sentencesOf } from "./statements.ts";

interface Edit {
	op: "append" | "replace" | "delete";
	section: string;
	find: string | null;
	text: string | null;
}

interface Group {
	check: FailedCheck;
	times: number;
}

/** How often an answer is in the wrong form, and how often it adds a line that says nothing. */
const MALFORMED = 0.05;
const FILLER = 0.15;
const FILLERS = [
	"Think about the reader before you answer.",
	"Take care with the details of every request.",
	"Keep in mind what the request is really about.",
	"Check the answer once more before you send it.",
] as const;

/** A proposal for the failures that a prompt shows, as the JSON that the prompt asks for. */
export function answerReflection(messages: readonly Message[], sectionIds: readonly string[]): string {
	const prompt = messages.map((message) => message.content).join("\n");
	const asked = messages.filter((message) => message.role === "assistant").length;
	const reading = readReflection(prompt, sectionIds);
	const reply = { ...proposal(reading, prompt) };
	if (draw("malformed", prompt, asked) < (asked === 0 ? MALFORMED : MALFORMED / 8))
		return malformed(reply.edits, prompt);
	return JSON.stringify(reply);
}

function proposal(reading: ReflectionReading, prompt: string): { diagnosis: string; cause: string; edits: Edit[] } {
	if (reading.sections.length === 0) return { diagnosis: "There is no section to edit.", cause: "noise", edits: [] };
	const edits: Edit[] = [];
	const groups = groupsOf(reading.checks).slice(0, Math.max(1, reading.limits.edits));
	for (const group of groups) edits.push(...editsFor(group, reading, prompt));
	if (edits.length > 0 && edits.length < reading.limits.edits && draw("filler", prompt) < FILLER) {
		const section = pickBy(reading.sections, "filler section", prompt);
		const text = pickBy(FILLERS, "filler text", prompt);
		if (section !== undefined && text !== undefined)
			edits.push({ op: "append", section: section.id, find: null, text: `- ${text}` });
	}
	const bounded = edits
		.slice(0, reading.limits.edits)
		.filter((edit) => (edit.text?.length ?? 0) <= reading.limits.characters);
	if (bounded.length === 0) {
		const why =
			groups.length === 0 ? "No check failed." : "The text already says what is needed and it was not followed.";
		return { diagnosis: why, cause: groups.length === 0 ? "noise" : "execution-lapse", edits: [] };
	}
	const conflict = bounded.some((edit) => edit.op !== "append");
	const about = groups.map(({ check }) => check.field ?? "the form of the answer").join(", ");
	const diagnosis = conflict
		? `The text leads astray on ${about}.`
		: `The text does not say what is needed on ${about}.`;
	return { diagnosis, cause: conflict ? "skill-defect" : "missing-knowledge", edits: bounded };
}

/** Checks that want the same for the same reason, the most frequent first. */
function groupsOf(checks: readonly FailedCheck[]): Group[] {
	const groups = new Map<string, Group>();
	for (const check of checks) {
		const key = JSON.stringify([check.field, check.values, check.note]);
		const known = groups.get(key);
		if (known === undefined) groups.set(key, { check, times: 1 });
		else known.times++;
	}
	return [...groups.values()].sort((a, b) => b.times - a.times);
}

function editsFor({ check }: Group, reading: ReflectionReading, prompt: string): Edit[] {
	const text = instructionFor(check, reading, prompt);
	if (text === undefined) return formEdits(check, reading);
	const stated = reading.sections.some((section) => section.lines.some((line) => sameWords(line, text)));
	const rival = rivalOf(check, text, reading);
	const keyed = `${check.field} ${check.values.join(" ")}`;
	if (stated)
		return rival === undefined ? [] : [{ op: "delete", section: rival.section, find: rival.line, text: null }];
	const known = reading.rejected.some((line) => sameWords(line, text));
	if (known && rival === undefined) return [];
	if (rival !== undefined && (known || draw("replace", prompt, keyed) < 0.4)) {
		return [{ op: "replace", section: rival.section, find: rival.line, text: `- ${text}` }];
	}
	const section = sectionFor(check, text, reading.sections);
	return section === undefined ? [] : [{ op: "append", section: section.id, find: null, text: `- ${text}` }];
}

/** One line: the note's own words, and the wanted value with its key in marks. Without a note, what the inputs share. */
function instructionFor(check: FailedCheck, reading: ReflectionReading, prompt: string): string | undefined {
	const { field, values, note } = check;
	if (field === undefined || values.length === 0) return undefined;
	const value = pickBy(values, "value", prompt) ?? "";
	const setting = `\`${field}\`: \`${value}\``;
	const condition = note === undefined ? sharedWords(check, reading) : withoutSetting(note, field);
	return `${condition.replace(/[\s.;:,]+$/, "")}: ${setting}.`;
}

/** A note without the part that only names the setting, such as "set key to value". */
function withoutSetting(note: string, field: string): string {
	const setting = new RegExp(
		`[;:,.]?\\s*(?:and\\s+|so\\s+)?\\bset\\s+\`?${field}\`?\\s+to\\s+[\`\\w-]+(?:\\s+or\\s+[\`\\w-]+)*`,
		"i",
	);
	return note.replace(setting, "").replace(/\s+/g, " ").trim();
}

function sharedWords(check: FailedCheck, reading: ReflectionReading): string {
	const inputs = reading.checks
		.filter((other) => other.field === check.field && other.values.join() === check.values.join())
		.map((other) => other.input);
	const counts = new Map<string, number>();
	for (const input of inputs) {
		const words = new Map(
			(input.toLowerCase().match(/[a-z]{4,}/g) ?? []).flatMap((word) =>
				stemsOf(word).map((stemmed) => [stemmed, word] as const),
			),
		);
		for (const word of words.values()) counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	const ranked = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 4);
	return ranked.length === 0 ? "In general" : `Requests about ${ranked.map(([word]) => word).join(", ")}`;
}

/** A check of the form: lines that invite words around the answer go, or the demand is stated. */
function formEdits(check: FailedCheck, reading: ReflectionReading): Edit[] {
	for (const section of reading.sections) {
		const line = section.lines.find(
			(candidate) =>
				/\b(explain|explanation|comment|two or three sentences|alternatives?)\b/i.test(candidate) &&
				!reading.keep.some((kept) => sameWords(kept, candidate)),
		);
		if (line !== undefined) return [{ op: "delete", section: section.id, find: line, text: null }];
	}
	const text = check.note ?? "Answer in the demanded form and add nothing to it.";
	const known =
		reading.rejected.some((line) => sameWords(line, text)) ||
		reading.sections.some((section) => section.lines.some((line) => sameWords(line, text)));
	const section = reading.sections.at(-1);
	return section === undefined || known
		? []
		: [{ op: "append", section: section.id, find: null, text: `- ${sentencesOf(text)[0] ?? text}` }];
}

/** A line that names what was found instead, or another value of the same key, and speaks of the same or of everything. */
function rivalOf(
	check: FailedCheck,
	text: string,
	reading: ReflectionReading,
): { section: string; line: string } | undefined {
	if (check.found === undefined || check.values.includes(check.found)) return undefined;
	const words = new Set([...stemsOf(text), ...stemsOf(check.input)]);
	let best: { section: string; line: string; points: number } | undefined;
	for (const section of reading.sections) {
		for (const line of section.lines) {
			if (!line.includes(`\`${check.found}\``) || reading.keep.some((kept) => sameWords(kept, line))) continue;
			const points =
				stemsOf(line).filter((word) => words.has(word)).length +
				(/\b(always|all|default|every|normally|whenever)\b/i.test(line) ? 2 : 0);
			if (points >= 2 && points > (best?.points ?? 0)) best = { section: section.id, line, points };
		}
	}
	return best;
}

/** The section that speaks of the key, its values or the condition. */
function sectionFor(check: FailedCheck, text: string, sections: readonly SectionText[]): SectionText | undefined {
	const words = new Set([...stemsOf(text), ...stemsOf(check.field ?? "")]);
	const points = sections.map((section) => {
		const own = section.lines.join("\n");
		const shared = new Set(stemsOf(own).filter((word) => words.has(word))).size;
		const named = check.field !== undefined && own.includes(`\`${check.field}\``) ? 2 : 0;
		return shared + named + check.values.filter((value) => own.includes(`\`${value}\``)).length;
	});
	return sections[points.indexOf(Math.max(...points))];
}

function sameWords(a: string, b: string): boolean {
	const key = (text: string) => stemsOf(text).join(" ");
	return key(a) === key(b);
}

/** An answer that cannot be read as what was asked for. */
function malformed(edits: readonly Edit[], prompt: string): string {
	const first = edits[0]?.text ?? "Nothing needs to change.";
	if (draw("malformed kind", prompt) < 0.5)
		return `I would suggest the following change to the instructions:\n\n${first}`;
	return JSON.stringify({ diagnosis: "see the edits", edits }).slice(0, -3);
}
