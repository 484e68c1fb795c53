/**
 * Reads rules from a text of instructions: which value of which field under which condition. Knows the contract that was
 * read from the same text and nothing of any skill. A sentence gives a rule when it names an allowed value; the words that
 * are left are its condition.
 */
import type { Contract, Field } from "./contract-reading.ts";
import { type CountCondition, readCountConditions } from "./counts.ts";
import { stem, stemsOf, wordsOf } from "./lexicon.ts";
import { situationsOf, withoutSituations } from "./situations.ts";
import { type Statement, sentencesOf } from "./statements.ts";
import { groupsOf } from "./thesaurus.ts";

/** One way in which a condition can hold; the parts of an enumeration are ways of their own. */
export interface Alternative {
	stems: readonly string[];
	situations: readonly string[];
	counts: readonly CountCondition[];
	/** Situations that the condition denies: "without an order of their own". */
	denied: readonly string[];
	/** Those of them whose absence speaks for the rule. */
	lacked: readonly string[];
	/** Share of its points that it gives. */
	share: number;
}

export interface Rule {
	field: string;
	value: string;
	/** The text advises against the value. */
	against: boolean;
	alternatives: readonly Alternative[];
	/** What must not be so: the words after "unless", "except" and the like. */
	exceptions: readonly Alternative[];
	/** Values of the first field that the condition of a rule for another one names, as `field value`. */
	named: ReadonlySet<string>;
	/** How far the rule claims cases that nothing else claims: 0 not, 1 when unmarked, 2 when it says so. */
	fallback: 0 | 1 | 2;
	/** The sentence, for reasons and draws. */
	source: string;
	statement: number;
}

interface Mention {
	field: Field;
	value: string;
	at: number;
	against: boolean;
}

const DEFAULT =
	/\b(by default|default|otherwise|in all other|everything else|all other|normally|usually|almost (?:every|always)|in general|as a rule|rarely wrong|always|whenever nothing|in doubt)\b/i;
const AGAINST =
	/\b(?:not|never|no|don't|do not|avoid|instead of|rather than|without|neither|nor)\b(?:\W+\w+){0,2}\W*$/i;
/** Right before a value that is set outright, only a refusal of that very setting counts. */
const REFUSED = /\b(?:do not|don't|never|not)\s+(?:set|use|choose|put|write)?\s*$/i;
const EXCEPT = /\b(?:unless|except(?: for| when| if)?|but not (?:for|when|if)|other than)\b/i;
const WHEN = /\b(?:when|if|whenever|where|for|in case of|once|as soon as)\b/i;

/** All rules of the statements that define no key of the contract. */
export function readRules(statements: readonly Statement[], contract: Contract): Rule[] {
	const choices = contract.fields.filter((field) => field.values.length > 0);
	return statements
		.filter((statement) => !contract.defining.has(statement.index))
		.flatMap((statement) => rulesOf(statement, choices));
}

function rulesOf(statement: Statement, fields: readonly Field[]): Rule[] {
	const sentences = sentencesOf(statement.text);
	const saysDefault = sentences.some((sentence) => DEFAULT.test(sentence));
	const rules: Rule[] = [];
	for (const sentence of sentences) {
		const mentions = mentionsIn(sentence, statement.heading, fields);
		if (mentions.length === 0) continue;
		const parts = partsOf(sentence, mentions, fields);
		const marked = parts.condition !== undefined;
		const condition = [...alternativesOf(parts.condition ?? parts.rest), ...(marked ? [alternativeOf(parts.rest, REST)] : [])];
		const exceptions = parts.exception === undefined ? [] : alternativesOf(parts.exception);
		for (const { field, value, against } of mentions) {
			const fallback = against ? 0 : saysDefault ? 2 : marked ? 0 : 1;
			const named = namesIn(parts.condition ?? parts.rest, field === fields[0] ? [] : fields.slice(0, 1));
			const place = { source: sentence, statement: statement.index };
			rules.push({ field: field.key, value, against, alternatives: condition, exceptions, named, fallback, ...place });
		}
	}
	return rules;
}

/** Values that a sentence names: set outright, in marks, or as plain words behind the condition. */
function mentionsIn(sentence: string, heading: string, fields: readonly Field[]): Mention[] {
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
		const key = escaped(field.key);
		const value = field.values
			.map(escaped)
			.sort((a, b) => b.length - a.length)
			.join("|");
		const link =
			"\\s*(?::|=|→|->|\\bis\\b|\\bto\\b|\\bas\\b|\\bbecomes\\b|\\bshould be\\b|\\bmust be\\b|\\bstays\\b)\\s*";
		const pattern = new RegExp(
			`(?<![\\w-])${MARK}${key}${MARK}${link}(?:is )?((?:${MARK}(?:${value})${MARK}(?![\\w-])(?:\\s*(?:,|\\bor\\b|/)\\s*)?)+)`,
			"gi",
		);
		for (const match of sentence.matchAll(pattern)) {
			const before = sentence.slice(Math.max(0, match.index - 30), match.index);
			for (const one of (match[1] ?? "").matchAll(new RegExp(`(?<![\\w-])(?:${value})(?![\\w-])`, "gi"))) {
				const exact = field.values.find((candidate) => candidate.toLowerCase() === one[0].toLowerCase());
				if (exact !== undefined) found.push({ field, value: exact, at: match.index, against: REFUSED.test(before) });
			}
		}
	}
	return found;
}

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
			const words = value.split(/[-_ ]/).map((word) => `${escaped(word)}(?:s|es)?`);
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

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The condition (undefined when none is marked), the exception, and all that is left of a sentence. */
function partsOf(
	sentence: string,
	mentions: readonly Mention[],
	fields: readonly Field[],
): { condition?: string; exception?: string; rest: string } {
	let text = sentence;
	let exception: string | undefined;
	const except = EXCEPT.exec(text);
	if (except !== null && except.index > 0) {
		const tail = text.slice(except.index + except[0].length);
		const end = tail.search(/[;.:]/);
		exception = end < 0 ? tail : tail.slice(0, end);
		text = `${text.slice(0, except.index)}${end < 0 ? "" : tail.slice(end)}`;
	}
	const rest = withoutNames(text, mentions, fields);
	const first = Math.min(...mentions.map((mention) => mention.at));
	const colon = text.search(/:(?=\s)/);
	const arrow = text.search(/→|->|=>/);
	const cut = arrow > 0 ? arrow : colon;
	const extra = exception === undefined ? {} : { exception };
	if (cut > 0 && cut < first + 2 && stemsOf(text.slice(0, cut)).length > 0 && !/[`"]$/.test(text.slice(0, cut))) {
		return { condition: text.slice(0, cut), rest, ...extra };
	}
	const when = WHEN.exec(text);
	if (when === null) return { rest, ...extra };
	const tail = text.slice(when.index + when[0].length);
	const comma = when.index < first ? tail.slice(0, Math.max(0, first - when.index)).lastIndexOf(",") : -1;
	return { condition: withoutNames(comma > 0 ? tail.slice(0, comma) : tail, mentions, fields), rest, ...extra };
}

/** Values that a condition names in plain words; a word names all values of its kind, as "bars" names "grouped-bar". */
function namesIn(condition: string, fields: readonly Field[]): Set<string> {
	const words = new Set(wordsOf(condition).map(stem));
	const groups = new Set([...words].flatMap((word) => [...groupsOf(word)]));
	const named = new Set<string>();
	for (const { key, values } of fields) {
		if (!isAboutValues(condition, values)) continue;
		const said = values.filter(
			(value) => value.length > 2 && value.split(/[-_ ]/).every((part) => words.has(stem(part))),
		);
		for (const value of values) {
			if (groupsOf(stem(value)).some((group) => groups.has(group))) named.add(`${key} ${value}`);
			if (said.includes(value) || said.some((kind) => value.endsWith(kind))) named.add(`${key} ${value}`);
		}
		for (const value of values)
			if (
				words.has(stem(value.split(/[-_ ]/).at(-1) ?? value)) &&
				/[-_ ]/.test(value) &&
				value.split(/[-_ ]/).at(-1)!.length > 2
			)
				named.add(`${key} ${value}`);
	}
	return named;
}

/** Whether half of the parts of a condition name a value; one that is mentioned among other things says nothing. */
function isAboutValues(condition: string, values: readonly string[]): boolean {
	const heads = new Set(values.map((value) => stem(value.split(/[-_ ]/).at(-1) ?? value)));
	const parts = condition.split(/[;(),]/).filter((part) => stemsOf(part).length > 0);
	return parts.filter((part) => wordsOf(part).some((word) => heads.has(stem(word)))).length * 2 >= parts.length;
}

/** The text without the values and keys that it names: they are no condition. */
function withoutNames(text: string, mentions: readonly Mention[], fields: readonly Field[]): string {
	let rest = text;
	for (const { value } of mentions) rest = rest.replaceAll(new RegExp(`[\`"]${escaped(value)}[\`"]`, "g"), " ");
	for (const { key } of fields) rest = rest.replaceAll(`\`${key}\``, " ");
	return rest;
}

/**
 * The ways in which a condition can hold: the two sides of an "or", the parts of an enumeration, the inside of brackets. A
 * part that begins with a preposition says more about the part before it and is none.
 */
function alternativesOf(text: string): Alternative[] {
	const usable = (piece: string) => stemsOf(piece).length > 0 && !DEPENDENT.test(piece);
	const pieces = text
		.split(/[;()]|,\s*(?:or|and)?\s+|\s+or\s+/)
		.map((piece) => piece.trim())
		.filter(usable);
	const sides = text
		.replace(/\([^)]*\)/g, "")
		.split(/,\s*or\s+/)
		.map((side) => side.trim())
		.filter((side) => usable(side) && stemsOf(side).length > 1);
	return [
		alternativeOf(text, 1),
		...(text.includes("(") ? [alternativeOf(text.replace(/\([^)]*\)/g, ""), 0.95)] : []),
		...(sides.length > 1 ? sides.map((side) => alternativeOf(side, 0.9)) : []),
		...(pieces.length > 1 ? pieces.map((piece) => alternativeOf(piece, PIECE)) : []),
	];
}

/** Share of the points that one part of an enumeration can give. */
const PIECE = 0.6;
/** Share of the points that the words beside a condition can give. */
const REST = 0.4;
const DEPENDENT = /^(?:for|in|with|of|at|to|on|by|from|which|that|so|because|no|not|never)\b/i;
/** "without an order", "no share, rate or total": with "not" and "never" the rest of the clause is no condition either. */
const DENIED =
	/\b(without|lack of|lacks?|less than|within|no|not|never)\s+((?:[\w-]+(?: [\w-]+)?, )*[\w-]+(?: [\w-]+)? or [\w -]+|[^,;:.()]+)/gi;

function alternativeOf(text: string, share: number): Alternative {
	const plain = text.replace(/\bun(ordered|known|related|finished)\b/gi, "without $1");
	const refused = [...plain.matchAll(DENIED)].map((match) => ({ by: match[1]?.toLowerCase() ?? "", names: [...situationsOf(match[2] ?? "")] }));
	const { found, rest } = withoutSituations(text);
	const situations = found.filter((name) => !refused.some(({ names }) => names.includes(name)));
	const denied = refused.flatMap(({ by, names }) => (by === "not" || by === "never" ? [] : names));
	const lacked = refused.flatMap(({ by, names }) => (by === "no" ? [] : denied.filter((name) => names.includes(name))));
	return { stems: [...new Set(stemsOf(rest))], situations, counts: readCountConditions(text), denied, lacked, share };
}
