/**
 * Finds the allowed values that a sentence names, and whether it is for or against them. Knows the fields of a contract and
 * nothing of conditions. A value that several fields allow belongs to the one that the sentence or its heading names.
 */
import type { Field } from "./contract-reading.ts";
import { stem, stemsOf, wordsOf } from "./lexicon.ts";
import { remembering } from "./memo.ts";
import { groupsOf } from "./thesaurus.ts";

export interface Mention {
	field: Field;
	value: string;
	at: number;
	against: boolean;
}

const AGAINST =
	/\b(?:not|never|no|don't|do not|avoid|instead of|rather than|without|neither|nor)\b(?:\W+\w+){0,2}\W*$/i;
/** Right before a value that is set outright, only a refusal of that very setting counts. */
const REFUSED = /\b(?:do not|don't|never|not)\s+(?:set|use|choose|put|write)?\s*$/i;

/** Values that a sentence names: set outright, in marks, or as plain words behind the condition. */
export function mentionsIn(sentence: string, heading: string, fields: readonly Field[]): Mention[] {
	const outright = outrightMentions(sentence, fields);
	if (outright.length > 0) return outright;
	const marked = markedMentions(sentence, heading, fields);
	return marked.length > 0 ? marked : plainMentions(sentence, heading, fields);
}

const MARK = "[`\"“'*]*";

/** "set `key` to `value`", "`key`: `value`", "key = value", with further values after "or". */
function outrightMentions(sentence: string, fields: readonly Field[]): Mention[] {
	const found: Mention[] = [];
	for (const field of fields) {
		const [setting, value] = patternsOf(JSON.stringify([field.key, ...field.values]));
		for (const match of sentence.matchAll(setting)) {
			const before = sentence.slice(Math.max(0, match.index - 30), match.index);
			for (const [one] of (match[1] ?? "").matchAll(value)) {
				const exact = field.values.find((candidate) => candidate.toLowerCase() === one.toLowerCase());
				if (exact !== undefined) found.push({ field, value: exact, at: match.index, against: REFUSED.test(before) });
			}
		}
	}
	return found;
}

const LINK = "\\s*(?::|=|→|->|\\b(?:is|to|as|becomes|should be|must be|stays)\\b)\\s*(?:is )?";

/** How a field is set, and its values; the name holds the key and the values as JSON. */
const patternsOf = remembering(500, (name): readonly [setting: RegExp, value: RegExp] => {
	const [key = "", ...values] = (JSON.parse(name) as string[]).map(escaped);
	const value = values.sort((a, b) => b.length - a.length).join("|");
	const list = `(?:${MARK}(?:${value})${MARK}(?![\\w-])(?:\\s*(?:,|\\bor\\b|/)\\s*)?)+`;
	return [
		new RegExp(`(?<![\\w-])${MARK}${key}${MARK}${LINK}(${list})`, "gi"),
		new RegExp(`(?<![\\w-])(?:${value})(?![\\w-])`, "gi"),
	];
});

function markedMentions(sentence: string, heading: string, fields: readonly Field[]): Mention[] {
	const found: Mention[] = [];
	for (const match of sentence.matchAll(/[`"“]([^`"“”\s]{1,40})[`"”]/g)) {
		const value = match[1] ?? "";
		const owner = ownerOf(value, sentence, match.index, heading, fields);
		if (owner !== undefined)
			found.push({ field: owner, value, at: match.index, against: AGAINST.test(sentence.slice(0, match.index)) });
	}
	return found;
}

/** Which field a value belongs to, when several allow it: the one that the sentence or its heading names. */
function ownerOf(
	value: string,
	sentence: string,
	at: number,
	heading: string,
	fields: readonly Field[],
): Field | undefined {
	const owners = fields.filter((field) => field.values.includes(value));
	if (owners.length < 2) return owners[0];
	const nearness = owners.map((field) => {
		const places = [...sentence.toLowerCase().matchAll(/[a-z][\w-]*/g)].filter(
			(word) => stem(word[0]) === stem(field.key.toLowerCase()),
		);
		return Math.min(...places.map((place) => Math.abs(place.index - at)), Number.POSITIVE_INFINITY);
	});
	const nearest = Math.min(...nearness);
	if (Number.isFinite(nearest)) return owners[nearness.indexOf(nearest)];
	const title = new Set(stemsOf(heading));
	const named = owners.filter((field) => title.has(stem(field.key.toLowerCase())));
	return named.length === 1 ? named[0] : undefined;
}

function plainMentions(sentence: string, heading: string, fields: readonly Field[]): Mention[] {
	const from = sentence.search(
		/:|→|->|\b(?:use|choose|prefer|draw|take|answer|say|pick|give|assign|treat \w+ as|becomes?|goes to|route\w* to)\b/i,
	);
	if (from < 0) return [];
	const found: Mention[] = [];
	for (const field of fields) {
		for (const value of field.values) {
			const words = partsOf(value).map((word) => `${escaped(word)}(?:s|es)?`);
			const place = new RegExp(`(?<![\\w-])${words.join("[-_ ]")}(?![\\w-])`, "i").exec(sentence.slice(from));
			if (place === null) continue;
			const at = from + place.index;
			if (ownerOf(value, sentence, at, heading, fields) !== field) continue;
			found.push({ field, value, at, against: AGAINST.test(sentence.slice(0, at)) });
		}
	}
	return found.filter(
		(mention) =>
			!found.some(
				(other) =>
					other !== mention &&
					other.field === mention.field &&
					other.value.length > mention.value.length &&
					other.value.includes(mention.value),
			),
	);
}

/** Values that a condition names in plain words; a word names all values of its kind, as "bars" names "grouped-bar". */
export function namesIn(condition: string, fields: readonly Field[]): Set<string> {
	const words = new Set(wordsOf(condition).map(stem));
	const groups = new Set([...words].flatMap((word) => [...groupsOf(word)]));
	const named = new Set<string>();
	for (const { key, values } of fields) {
		if (!isAboutValues(condition, values)) continue;
		const said = values.filter((value) => value.length > 2 && partsOf(value).every((part) => words.has(stem(part))));
		for (const value of values) {
			const head = partsOf(value).at(-1) ?? value;
			const byHead = head !== value && head.length > 2 && words.has(stem(head));
			const near = groupsOf(stem(value)).some((group) => groups.has(group));
			if (byHead || near || said.some((kind) => value.endsWith(kind))) named.add(`${key} ${value}`);
		}
	}
	return named;
}

function partsOf(value: string): string[] {
	return value.split(/[-_ ]/);
}

/** Whether half of the parts of a condition name a value; one that is mentioned among other things says nothing. */
function isAboutValues(condition: string, values: readonly string[]): boolean {
	const heads = new Set(values.map((value) => stem(partsOf(value).at(-1) ?? value)));
	const parts = condition.split(/[;(),]/).filter((part) => stemsOf(part).length > 0);
	return parts.filter((part) => wordsOf(part).some((word) => heads.has(stem(word)))).length * 2 >= parts.length;
}

/** A text as a pattern that matches it. */
export function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
