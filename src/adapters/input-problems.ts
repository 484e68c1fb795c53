/**
 * What a schema has against a document, in sentences for the person who wrote it: where, what stands there, what was
 * expected, and the known word that was probably meant. Knows zod's issues and nothing of any particular schema.
 */
import type { z } from "zod";
import type { Place, Problem } from "../errors.ts";
import { nearestWord } from "./nearest-word.ts";

/** Longest list of expected words that is still read. */
const MOST_WORDS = 24;
const LONGEST_VALUE = 60;

/** What is needed of a document: its value and where its parts stand. */
export interface LocatedDocument {
	readonly value: unknown;
	placeOf(path: readonly PropertyKey[]): Place;
	placeOfKey(path: readonly PropertyKey[], key: string): Place;
}

interface ProblemOptions {
	/** The schema that complained; with it, unknown keys get the nearest known one. */
	schema?: z.ZodType;
	/** Where in the document the value that the schema looked at lies (the top). */
	at?: readonly PropertyKey[];
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** One problem for each issue, in document order of the schema's complaints. */
export function problemsOf(
	error: { issues: readonly Issue[] },
	document: LocatedDocument,
	options: ProblemOptions = {},
): Problem[] {
	return error.issues.flatMap((issue) => problemsOfIssue(issue, document, options));
}

function problemsOfIssue(issue: Issue, document: LocatedDocument, { schema, at = [] }: ProblemOptions): Problem[] {
	const path = [...at, ...issue.path];
	const place = document.placeOf(path);
	const found = lookUp(document.value, path);
	if (issue.code === "unrecognized_keys") {
		const known = schema === undefined ? [] : knownKeys(schema, issue.path, lookUp(document.value, at).value);
		return issue.keys.map((key) => unknownKey(key, known, document.placeOfKey(path, key)));
	}
	if (issue.code === "custom") return [{ message: issue.message, place }];
	const { expected, words } = expectation(issue);
	if (!found.exists && issue.path.length > 0) {
		return [
			{ message: `the key ${quote(String(path[path.length - 1]))}${inside(issue.path)} is missing`, place, expected },
		];
	}
	const problem = { message: `${nameOf(issue.path)} is ${show(found.value)}`, place, expected };
	const hint = suggestion(found.value, expected, words);
	return [hint === null ? problem : { ...problem, hint }];
}

function unknownKey(key: string, known: readonly string[], place: Place): Problem {
	const meant = nearestWord(key, known);
	const problem: Problem = { message: `the key ${quote(key)} is not known here`, place };
	if (known.length > 0 && known.length <= MOST_WORDS) problem.expected = `one of ${known.join(", ")}`;
	if (meant !== null) problem.hint = `Did you mean ${quote(meant)}?`;
	return problem;
}

function suggestion(value: unknown, expected: string, words: readonly string[]): string | null {
	if (typeof value === "string") {
		const meant = nearestWord(value, words);
		return meant === null ? null : `Did you mean ${quote(meant)}?`;
	}
	return expected === "text" && (typeof value === "number" || typeof value === "boolean") ? "Put it in quotes." : null;
}

const KINDS: Record<string, string> = {
	string: "text",
	object: "a map",
	record: "a map",
	array: "a list",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
};

function expectation(issue: Issue): { expected: string; words: readonly string[] } {
	switch (issue.code) {
		case "invalid_type":
			return { expected: KINDS[issue.expected] ?? issue.expected, words: [] };
		case "invalid_value":
			return oneOf(issue.values.map(String));
		case "invalid_union": {
			const { options } = issue as { options?: readonly unknown[] };
			if (options !== undefined) return oneOf(options.map(String));
			const kinds = issue.errors.flatMap((branch) => branch.slice(0, 1).map((first) => expectation(first).expected));
			return { expected: [...new Set(kinds)].join(" or ") || "another value", words: [] };
		}
		case "too_small":
			return {
				expected: bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum),
				words: [],
			};
		case "too_big":
			return {
				expected: bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum),
				words: [],
			};
		default:
			return { expected: issue.message, words: [] };
	}
}

function oneOf(words: readonly string[]): { expected: string; words: readonly string[] } {
	return { expected: words.length === 1 ? words[0]! : `one of ${words.join(", ")}`, words };
}

function bound(origin: string, relation: string, limit: number | bigint): string {
	const unit = origin === "string" ? " character" : origin === "array" ? " item" : "";
	return `${relation} ${limit}${unit}${unit !== "" && limit !== 1 ? "s" : ""}`;
}

function lookUp(value: unknown, path: Path): { exists: boolean; value: unknown } {
	let current = value;
	for (const step of path) {
		if (typeof current !== "object" || current === null || !Object.hasOwn(current, step))
			return { exists: false, value: undefined };
		current = (current as Record<PropertyKey, unknown>)[step];
	}
	return { exists: current !== undefined, value: current };
}

/** `checks[0].pattern` */
function nameOf(path: Path): string {
	if (path.length === 0) return "this";
	return path
		.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? String(step) : `.${String(step)}`))
		.join("");
}

function inside(path: Path): string {
	return path.length < 2 ? "" : ` in ${nameOf(path.slice(0, -1))}`;
}

function show(value: unknown): string {
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (typeof value === "object" && value !== null) return "a map";
	if (value === null || value === undefined) return "empty";
	if (typeof value === "string") return value === "" ? "an empty text" : quote(value);
	return String(value);
}

function quote(text: string): string {
	return JSON.stringify(text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
}

/** What of a schema's definition matters for finding the keys that it knows at a path. */
interface Definition {
	type: string;
	shape?: Record<string, z.ZodType>;
	element?: z.ZodType;
	innerType?: z.ZodType;
	options?: readonly z.ZodType[];
	discriminator?: string;
}

/** The keys that a schema knows at a path; of a union, those of the member that the value chose by its discriminator. */
function knownKeys(schema: z.ZodType, path: Path, value: unknown): string[] {
	const def = schema.def as unknown as Definition;
	if (def.innerType !== undefined) return knownKeys(def.innerType, path, value);
	if (def.options !== undefined) {
		const member = def.options.find((option) => isChosen(option, def.discriminator, value));
		return member === undefined ? [] : knownKeys(member, path, value);
	}
	const [step, ...rest] = path;
	if (step === undefined) return Object.keys(def.shape ?? {});
	const next = def.shape?.[String(step)] ?? def.element;
	return next === undefined ? [] : knownKeys(next, rest, lookUp(value, [step]).value);
}

function isChosen(option: z.ZodType, discriminator: string | undefined, value: unknown): boolean {
	if (discriminator === undefined) return false;
	const { shape } = option.def as unknown as Definition;
	return shape?.[discriminator]?.safeParse(lookUp(value, [discriminator]).value).success === true;
}
