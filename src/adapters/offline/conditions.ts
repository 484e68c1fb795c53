/**
 * Reads the condition of a sentence: where it stands, the ways in which it can hold, what it denies and what it excepts. Knows
 * grammar as far as word order and punctuation show it, and nothing of what follows from a condition.
 */
import type { Field } from "./contract-reading.ts";
import { type CountCondition, readCountConditions } from "./counts.ts";
import { stemsOf } from "./lexicon.ts";
import { remembering } from "./memo.ts";
import { escaped, type Mention } from "./mentions.ts";
import { situationsOf, withoutSituations } from "./situations.ts";

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

const EXCEPT = /\b(?:unless|except(?: for| when| if)?|but not (?:for|when|if)|other than)\b/i;
const WHEN = /(?<!\b(?:also|even) )\b(?:when|if|whenever|where|for|in case of|once|as soon as)\b/i;

/** The condition (undefined when none is marked), the exception, and all that is left of a sentence. */
export function partsOf(
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
		const more = WHEN.exec(text.slice(first));
		const tail =
			more === null ? "" : `; ${withoutNames(text.slice(first + more.index + more[0].length), mentions, fields)}`;
		return { condition: text.slice(0, cut) + tail, rest, ...extra };
	}
	// Of clauses parted by semicolons the one that names the value holds its condition.
	const from = text.lastIndexOf(";", first) + 1;
	const clause = WHEN.test(text.slice(from)) ? text.slice(from) : text;
	const at = first - (text.length - clause.length);
	const when = WHEN.exec(clause);
	if (when === null) return { rest, ...extra };
	const tail = clause.slice(when.index + when[0].length);
	const end = when.index < at ? endOfCondition(tail.slice(0, Math.max(0, at - when.index))) : -1;
	return { condition: withoutNames(end > 0 ? tail.slice(0, end) : tail, mentions, fields), rest, ...extra };
}

/** Where a condition that stands in front ends: at the verb that begins the instruction, else at the last comma. */
function endOfCondition(text: string): number {
	const verb = text.search(/\b(?:set|use|choose|draw|take|prefer|answer|give|put)\b/i);
	return verb > 0 ? verb : text.lastIndexOf(",");
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
export function alternativesOf(text: string): Alternative[] {
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
const DEPENDENT = /^(?:for|in|with|of|at|to|on|by|from|which|that|so|because|no|not|never)\b/i;
/** "without an order", "no share, rate or total". What is "not" or "never" to be done is what such inputs ask for. */
const DENIED =
	/\b(without|lack of|lacks?|less than|within|no|not|never)\s+((?:[\w-]+(?: [\w-]+)?, )*[\w-]+(?: [\w-]+)? or [\w -]+|[^,;:.()]+)/gi;

/** A condition that is met in one way; `share` is the part of its points that it gives. */
export function alternativeOf(text: string, share: number): Alternative {
	return { ...read(text), share };
}

// Variants of one text have most of their sentences in common.
const read = remembering(4_000, (text: string): Omit<Alternative, "share"> => {
	const plain = text.replace(/\bun(ordered|known|related|finished)\b/gi, "without $1");
	const refused = [...plain.matchAll(DENIED)].map((match) => ({
		by: match[1]?.toLowerCase() ?? "",
		names: [...situationsOf(match[2] ?? "")],
	}));
	const denied = refused.flatMap(({ by, names }) => (by === "not" || by === "never" ? [] : names));
	const lacked = refused.flatMap(({ by, names }) => (by === "no" ? [] : denied.filter((name) => names.includes(name))));
	const { found, rest } = withoutSituations(text);
	const situations = found.filter((name) => !refused.some(({ names }) => names.includes(name)));
	return { stems: [...new Set(stemsOf(rest))], situations, counts: readCountConditions(text), denied, lacked };
});
