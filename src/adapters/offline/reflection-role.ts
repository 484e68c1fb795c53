/**
 * Plays the model that proposes edits: it turns the notes of failed checks into instructions, and now and then it takes
 * away what contradicts them, adds words that say nothing, or answers in the wrong form, as such models do. Knows no skill.
 */
import type { Message } from "../../domain/dialogue.ts";
import { draw, pickBy } from "./draws.ts";
import { type Edit, fillerEdit, formEdits, isStated, rivalOf, sameWords, sectionFor, tidyEdit } from "./edits.ts";
import { stemsOf } from "./lexicon.ts";
import { type FailedCheck, type ReflectionReading, readReflection } from "./reflection-reading.ts";

interface Proposal {
	diagnosis: string;
	cause: string;
	edits: Edit[];
}

/** How often an answer is in the wrong form; how often a line that says nothing is added or taken away. */
const MALFORMED = 0.05;
const FILLS = 0.15;
const TIDIES = 0.15;
/** How often a line that led astray is replaced and not only contradicted. */
const REPLACES = 0.4;

/** A proposal for the failures that a prompt shows, as the JSON that the prompt asks for. */
export function answerReflection(messages: readonly Message[], sectionIds: readonly string[]): string {
	const asked = messages.filter((message) => message.role === "assistant").length;
	const own =
		asked === 0
			? messages
			: messages.slice(
					0,
					messages.findIndex((message) => message.role === "assistant"),
				);
	const prompt = own.map((message) => message.content).join("\n");
	const reply = proposal(readReflection(prompt, sectionIds), prompt);
	const share = asked === 0 ? MALFORMED : MALFORMED / 8;
	return draw("malformed", prompt, asked) < share ? malformed(reply, prompt) : JSON.stringify(reply);
}

function proposal(reading: ReflectionReading, prompt: string): Proposal {
	const { edits: most, characters } = reading.limits;
	const checks = distinct(reading.checks).slice(0, most);
	const found = checks.flatMap((check) => editsFor(check, reading, prompt));
	const extra = [
		draw("fills", prompt) < FILLS ? fillerEdit(reading, prompt) : undefined,
		draw("tidies", prompt) < TIDIES ? tidyEdit(reading, prompt) : undefined,
	].filter((edit) => edit !== undefined);
	const edits = [...found, ...(found.length > 0 ? extra : [])]
		.filter((edit) => (edit.text?.length ?? 0) <= characters)
		.slice(0, most);
	if (edits.length === 0) {
		const lapse = checks.length > 0;
		const diagnosis = lapse ? "The text says what is needed and it was not followed." : "No check failed.";
		return { diagnosis, cause: lapse ? "execution-lapse" : "noise", edits };
	}
	const about = [...new Set(checks.map((check) => check.field ?? "the form of the answer"))].join(", ");
	const astray = found.some((edit) => edit.op !== "append");
	const diagnosis = astray
		? `A line of the text leads astray on ${about}.`
		: `The text does not say what is needed on ${about}.`;
	return { diagnosis, cause: astray ? "skill-defect" : "missing-knowledge", edits };
}

/** Checks that want different things or for different reasons, the most frequent first. */
function distinct(checks: readonly FailedCheck[]): FailedCheck[] {
	const groups = new Map<string, { check: FailedCheck; times: number }>();
	for (const check of checks) {
		const key = JSON.stringify([check.field, check.values, check.note]);
		const known = groups.get(key);
		if (known === undefined) groups.set(key, { check, times: 1 });
		else known.times++;
	}
	return [...groups.values()].sort((a, b) => b.times - a.times).map(({ check }) => check);
}

function editsFor(check: FailedCheck, reading: ReflectionReading, prompt: string): Edit[] {
	const text = instructionFor(check, reading, prompt);
	if (text === undefined) return formEdits(check, reading);
	const rival = rivalOf(check, reading);
	if (isStated(text, reading)) return rival === undefined ? [] : [{ ...rival, op: "delete", text: null }];
	const tried = reading.rejected.some((line) => sameWords(line, text));
	if (rival !== undefined && (tried || draw("replaces", prompt, text) < REPLACES)) {
		return [{ ...rival, op: "replace", text: `- ${text}` }];
	}
	const section = tried ? undefined : sectionFor(check, text, reading.sections);
	return section === undefined ? [] : [{ op: "append", section: section.id, find: null, text: `- ${text}` }];
}

/** One line: the note's own words, and the wanted value with its key in marks. Without a note, what the inputs share. */
function instructionFor(check: FailedCheck, reading: ReflectionReading, prompt: string): string | undefined {
	const { field, values, note } = check;
	const value = pickBy(values, "value", prompt);
	if (field === undefined || value === undefined) return undefined;
	const condition = note === undefined ? sharedWords(check, reading) : withoutSetting(note, field);
	return `${condition.replace(/[\s.;:,]+$/, "")}: \`${field}\`: \`${value}\`.`;
}

/** A note without the part that only names the setting, such as "set key to value". */
function withoutSetting(note: string, field: string): string {
	const key = field.replace(/[^\w-]/g, ".");
	const setting = new RegExp(
		`[;:,.]?\\s*(?:and\\s+|so\\s+)?\\bset\\s+\`?${key}\`?\\s+to\\s+[\`\\w-]+(?:\\s+or\\s+[\`\\w-]+)*`,
		"i",
	);
	return note.replace(setting, "").replace(/\s+/g, " ").trim();
}

/** The words that most of the inputs with the same failure have in common. */
function sharedWords(check: FailedCheck, reading: ReflectionReading): string {
	const same = reading.checks.filter(
		(other) => other.field === check.field && other.values.join() === check.values.join(),
	);
	const counts = new Map<string, { word: string; times: number }>();
	for (const { input } of same) {
		const words = new Map<string, string>();
		for (const word of input.toLowerCase().match(/[a-z]{4,}/g) ?? [])
			for (const key of stemsOf(word)) words.set(key, word);
		for (const [key, word] of words) counts.set(key, { word, times: (counts.get(key)?.times ?? 0) + 1 });
	}
	const ranked = [...counts.values()].sort((a, b) => b.times - a.times || (a.word < b.word ? -1 : 1)).slice(0, 4);
	return ranked.length === 0 ? "In general" : `Requests about ${ranked.map(({ word }) => word).join(", ")}`;
}

/** An answer that cannot be read as what was asked for: prose, or JSON that breaks off. */
function malformed(reply: Proposal, prompt: string): string {
	const first = reply.edits[0]?.text ?? "Nothing needs to change.";
	if (draw("malformed kind", prompt) < 0.5) return `I would suggest this change to the instructions:\n\n${first}`;
	return JSON.stringify(reply).slice(0, -3);
}
