/**
 * Numbers with what they count, on both sides: conditions such as "more than five parts" in a rule, and facts such as "12
 * regions" in an input. Knows no subject; a condition holds, is broken, or cannot be told.
 */
import { isStopWord, numberOf, stem } from "./lexicon.ts";
import { groupsOf } from "./thesaurus.ts";

/** What is counted, where the noun itself does not match: points in time, records, or anything else. */
type CountClass = "time" | "record" | "thing";

export interface CountFact {
	stems: readonly string[];
	sort: CountClass;
	count: number;
}

export interface CountCondition {
	stems: readonly string[];
	sort: CountClass;
	min: number;
	max: number;
	/** Fuzzy words such as "few" weigh less than figures. */
	exact: boolean;
}

type CountVerdict = "holds" | "holds-loosely" | "broken" | "broken-loosely" | "unknown";

const stems = (words: string) => new Set(words.split(/\s+/).map(stem));
const TIME = stems("date month year week day quarter hour period minute moment timestamp snapshot wave");
const RECORD =
	stems(`row record observation point response respondent answer sample participant dot reading person people patient
	student pupil trainee employee customer visitor volunteer child adult interview subject test run`);
/** Nouns that stand for whatever is counted. */
const ANY =
	stems(`category part group item series line slice element class kind type option entry row record observation point
	dot period moment`);
const PERSON = stem("person");
const UNITS =
	stems(`percent pct eur euro dollar usd kg km gram metre meter mile million billion thousand degree px pixel january
	february march april june july august september october november december cent gb mb ms second am pm st nd rd
	th time fold factor`);

const NAMED =
	"zero|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|a hundred|a thousand|a dozen";
const NUMBER = `(\\d[\\d,]*(?:\\.\\d+)?[km]?|${NAMED})`;
const NOUN =
	"((?:[ -]+(?!(?:and|or|but|then|is|are|was|were|in|on|at|of|from|by|to|with|per|that|which)\\b)[a-z][a-z'’]*){0,3})";

type Bounds = (first: number, second: number) => readonly [min: number, max: number];

function shape(source: string, bounds: Bounds): readonly [RegExp, Bounds] {
	return [new RegExp(`\\b${source}`, "g"), bounds];
}

const MORE = "(?:more than|over|above|exceeds?|exceeding|greater than|beyond)";
const AT_LEAST = "(?:at least|no fewer than|not fewer than|minimum of)";
const AT_MOST = "(?:at most|up to|no more than|not more than|maximum of|a maximum of)";
const LESS = "(?:fewer than|less than|under|below)";
const UNBOUNDED = Number.POSITIVE_INFINITY;

const SHAPES: readonly (readonly [RegExp, Bounds])[] = [
	shape(`(?:between|from)? ?${NUMBER} (?:and|to|or|–|-) ${NUMBER}${NOUN}`, (first, second) => [first, second]),
	shape(`${MORE} (?:about )?${NUMBER}${NOUN}`, (first) => [first + 1, UNBOUNDED]),
	shape(`${AT_LEAST} ${NUMBER}${NOUN}`, (first) => [first, UNBOUNDED]),
	shape(`${NUMBER} or more${NOUN}`, (first) => [first, UNBOUNDED]),
	shape(`${AT_MOST} ${NUMBER}${NOUN}`, (first) => [0, first]),
	shape(`${NUMBER} or (?:fewer|less)${NOUN}`, (first) => [0, first]),
	shape(`${LESS} (?:about )?${NUMBER}${NOUN}`, (first) => [0, first - 1]),
	shape(`(?:exactly |just |only )?${NUMBER}${NOUN}`, (first) => [first, first]),
];

const FUZZY: readonly (readonly [RegExp, number, number])[] = [
	[new RegExp(`\\b(?:a )?(?:few|handful of|small number of)${NOUN}`, "g"), 1, 6],
	[
		new RegExp(`\\b(?:many|lots of|numerous|a lot of|large number of|dozens of)${NOUN}`, "g"),
		8,
		Number.POSITIVE_INFINITY,
	],
	[new RegExp(`\\b(?:hundreds of)${NOUN}`, "g"), 100, UNBOUNDED],
	[new RegExp(`\\b(?:thousands of|very many)${NOUN}`, "g"), 1000, UNBOUNDED],
	[new RegExp(`\\b(?:several|multiple)${NOUN}`, "g"), 3, UNBOUNDED],
	[new RegExp(`\\b(?:a single)${NOUN}`, "g"), 1, 1],
];

/** What a text says about counts as conditions; each stretch of the text is read once. */
export function readCountConditions(text: string): CountCondition[] {
	const conditions: CountCondition[] = [];
	let rest = text.toLowerCase();
	for (const [pattern, bounds] of SHAPES) {
		rest = rest.replace(pattern, (...match: unknown[]) => {
			const groups = match.slice(1, -2).map(String);
			const numbers = groups.slice(0, -1).map((word) => numberOf(word.replace(/^a /, "")) ?? Number.NaN);
			const [min, max] = bounds(numbers[0] ?? Number.NaN, numbers[1] ?? Number.NaN);
			const noun = nounOf(groups.at(-1) ?? "");
			if (noun !== undefined && !Number.isNaN(min) && max !== 1) conditions.push({ ...noun, min, max, exact: true });
			return " ; ";
		});
	}
	for (const [pattern, min, max] of FUZZY) {
		for (const match of rest.matchAll(pattern)) {
			const noun = nounOf(match[1] ?? "");
			if (noun !== undefined) conditions.push({ ...noun, min, max, exact: false });
		}
	}
	return conditions;
}

const PLAIN = new RegExp(`\\b${NUMBER}${NOUN}`, "g");

/** A count behind its noun: "adverts (48,000)". */
const AFTER = /([a-z]{3,}) ?[,(] ?(\d[\d,]*\d)(?=[).;]|,\s|\s?$)/g;

/** Counts that an input states, such as "12 regions"; years and amounts of money or measure are none. */
export function readCountFacts(text: string): CountFact[] {
	const facts: CountFact[] = [];
	for (const match of text.toLowerCase().matchAll(PLAIN)) {
		const count = numberOf((match[1] ?? "").replace(/^a /, ""));
		const before = text[match.index - 1] ?? " ";
		if (count === undefined || match[1] === "one" || /[-€$£.,\d]/.test(before) || (count >= 1900 && count <= 2100))
			continue;
		const noun = nounOf(match[2] ?? "");
		if (noun !== undefined) facts.push({ ...noun, count });
	}
	for (const match of text.toLowerCase().matchAll(AFTER)) {
		const noun = nounOf(match[1] ?? "");
		const count = numberOf(match[2] ?? "");
		if (noun !== undefined && count !== undefined && count >= 10 && (count < 1900 || count > 2100))
			facts.push({ ...noun, count });
	}
	return facts;
}

function nounOf(text: string): { stems: string[]; sort: CountClass } | undefined {
	const words = text.split(/[ -]+/).filter((word) => word.length > 1 && !isStopWord(word));
	const found = words.map(stem);
	if (found.length === 0 || UNITS.has(found[0] ?? "")) return undefined;
	return { stems: found, sort: classOf(found) };
}

/** The class of what a noun phrase counts. */
export function classOf(found: readonly string[]): CountClass {
	if (found.some((word) => TIME.has(word))) return "time";
	return found.some((word) => RECORD.has(word)) ? "record" : "thing";
}

/** Whether a noun is one of those of a condition, or a person where the condition counts persons. */
function isLike(word: string, nouns: readonly string[]): boolean {
	return (
		nouns.includes(word) || (nouns.includes(PERSON) && groupsOf(word).some((group) => groupsOf(PERSON).includes(group)))
	);
}

/** Whether the facts meet a condition; "loosely" when only the class of what is counted agrees. */
export function judgeCount(condition: CountCondition, facts: readonly CountFact[]): CountVerdict {
	const within = (fact: CountFact) => fact.count >= condition.min && fact.count <= condition.max;
	const same = facts.filter((fact) => fact.stems.some((word) => isLike(word, condition.stems)));
	if (same.length > 0) return same.some(within) ? "holds" : "broken";
	if (!condition.stems.some((word) => ANY.has(word))) return "unknown";
	const alike = facts.filter((fact) => fact.sort === condition.sort);
	if (alike.some(within)) return condition.sort === "record" ? "holds" : "holds-loosely";
	if (condition.sort !== "record") return alike.length > 0 ? "broken-loosely" : "unknown";
	// Whatever there is many of can be the records: 84,000 trips are 84,000 points.
	const most = Math.max(0, ...facts.filter((fact) => fact.sort !== "time").map((fact) => fact.count));
	if (condition.min > 0 && most >= condition.min) return "holds-loosely";
	return alike.length > 0 || most > condition.max ? "broken-loosely" : "unknown";
}
