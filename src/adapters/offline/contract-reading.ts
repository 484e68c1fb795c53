/**
 * Reads the output contract from a text: the keys of the JSON object that is asked for, the values each may take, the limits
 * of free text, and how clearly one bare object is demanded. Knows no skill; a contract may be written as a list, as a
 * sentence, as a JSON example or come as a schema with the request.
 */
import { type ParsedText, type Statement, sentencesOf } from "./statements.ts";

export interface Field {
	key: string;
	/** Allowed values; empty for free text. */
	values: readonly string[];
	kind: "choice" | "text" | "number" | "boolean" | "list";
	/** What the contract says about the key. */
	description: string;
	/** The earliest of the allowed values wins when several are due. */
	firstWins: boolean;
	limit: { words: number; characters: number };
}

export interface Contract {
	fields: readonly Field[];
	/** Statements that define keys; they are no rules. */
	defining: ReadonlySet<number>;
	demandsBare: boolean;
	/** Share of the text, as a count of sentences, that asks for words around the object. */
	invitations: number;
}

const TOKEN = '[`"“]([^`"“”\\s]{1,40})[`"”]';
const KEY = new RegExp(
	`^(?:\\*\\*)?(?:${TOKEN}|([A-Za-z_][\\w-]*))(?:\\*\\*)?\\s*(\\([^)]*\\))?\\s*(?::|=|—|–|-\\s|\\bis\\b|\\bmust be\\b)\\s*(.*)$`,
);
const INLINE = new RegExp(
	`${TOKEN}(?:\\s+(?:is|must be|may be|can be|takes))?\\s*(?:\\(|:)?\\s*(?:exactly |always )?(?:one of|either|\\()\\s*(.*)$`,
);
const FREE_TEXT = /\b(sentences?|text|strings?|words|characters|explanation|free)\b/i;

/** The contract of a parsed text; a schema that came with the request goes first. */
export function readContract(parsed: ParsedText, schema?: Readonly<Record<string, unknown>>): Contract {
	const fields = new Map<string, Field>();
	const defining = new Set<number>();
	for (const field of fieldsOfSchema(schema)) fields.set(field.key, field);
	for (const statement of parsed.statements) {
		const field = choiceOf(statement);
		if (field === undefined) continue;
		if (!fields.has(field.key)) fields.set(field.key, field);
		if (sameValues(fields.get(field.key), field)) defining.add(statement.index);
	}
	const headings = new Set([...defining].map((index) => parsed.statements[index]?.heading));
	for (const statement of parsed.statements) {
		const field = headings.has(statement.heading) ? freeTextOf(statement) : undefined;
		if (field === undefined || fields.has(field.key)) continue;
		fields.set(field.key, field);
		defining.add(statement.index);
	}
	for (const example of [...parsed.fences, ...parsed.statements.map((statement) => statement.text)]) {
		for (const field of fieldsOfExample(example)) if (!fields.has(field.key)) fields.set(field.key, field);
	}
	return { fields: [...fields.values()], defining, ...mannersOf(parsed.statements) };
}

function sameValues(known: Field | undefined, found: Field): boolean {
	return known !== undefined && found.values.every((value) => known.values.includes(value));
}

function fieldOf(key: string, values: readonly string[], description: string): Field {
	const kind = kindOf(values, description);
	return {
		key,
		values,
		kind,
		description,
		firstWins: /\b(first|earliest)\b[^.;]*\b(list|order|these)\b/i.test(description),
		limit: {
			words: numberBefore(description, /(\d+)\s+words/i) ?? 40,
			characters: numberBefore(description, /(\d+)\s+char/i) ?? 300,
		},
	};
}

function kindOf(values: readonly string[], description: string): Field["kind"] {
	if (values.length === 2 && values.includes("true") && values.includes("false")) return "boolean";
	if (values.length > 0) return "choice";
	if (/\b(array|list) of\b/i.test(description)) return "list";
	if (/^\s*(an? )?(integer|whole number|number)\b/i.test(description)) return "number";
	if (/^\s*(an? )?boolean\b|\btrue or false\b/i.test(description)) return "boolean";
	return "text";
}

function numberBefore(text: string, pattern: RegExp): number | undefined {
	const found = pattern.exec(text)?.[1];
	return found === undefined ? undefined : Number(found);
}

/** A statement such as "`key`: one of `a`, `b`", where hardly anything but values follows. */
function choiceOf(statement: Statement): Field | undefined {
	const line = KEY.exec(statement.text);
	const inline = line === null ? INLINE.exec(statement.text) : null;
	const key = line?.[1] ?? line?.[2] ?? inline?.[1];
	const rest = line?.[4] ?? inline?.[2];
	if (key === undefined || rest === undefined) return undefined;
	const values = leadingValues(rest);
	return values.length < 2 ? undefined : fieldOf(key, values, `${line?.[3] ?? ""} ${rest}`);
}

/** Values listed at the start of a text: in backticks or quotes, with nothing between them but commas, bars and "or". */
function leadingValues(text: string): string[] {
	const values: string[] = [];
	let rest = text.replace(
		/^\s*(?:exactly |always )?(?:one of|either|any of)?\s*(?:the (?:following|values?))?\s*[:(]?\s*/i,
		"",
	);
	const item = /^[`"“]([^`"“”]{1,60})[`"”](?:\s*\([^)]*\))?(\s*(?:,\s*(?:or|and)?|\||\/|\bor\b|\band\b)\s*)?/;
	for (let match = item.exec(rest); match !== null; match = item.exec(rest)) {
		if (match[1] !== undefined) values.push(match[1]);
		rest = rest.slice(match[0].length);
		if (match[2] === undefined) break;
	}
	return [...new Set(values)];
}

function freeTextOf(statement: Statement): Field | undefined {
	const line = KEY.exec(statement.text);
	const key = line?.[1];
	const rest = line?.[4];
	if (key === undefined || rest === undefined) return undefined;
	const field = fieldOf(key, [], rest);
	return field.kind !== "text" || FREE_TEXT.test(rest) ? field : undefined;
}

/** Keys of the first JSON object in a text; a string such as "a | b" lists the values. */
function fieldsOfExample(text: string): Field[] {
	const start = text.indexOf("{");
	const end = text.lastIndexOf("}");
	if (start < 0 || end < start) return [];
	const fields: Field[] = [];
	for (const match of text
		.slice(start, end + 1)
		.matchAll(/"([\w-]+)"\s*:\s*(?:"([^"]*)"|(\[)|(true|false)|(-?\d[\d.]*)|<([^>]*)>)/g)) {
		const [, key = "", string, list, flag, number, slot] = match;
		const stated = (string ?? slot ?? "").replace(/^<|>$/g, "");
		const options = stated
			.split(/\s*\|\s*|,\s*(?:or )?|\s+or\s+/)
			.map((option) => option.replace(/^one of:?\s*/, "").trim());
		const values = options.length > 1 && options.every((option) => /^[\w-]+$/.test(option)) ? options : [];
		const description = list ? "list of items" : flag ? "boolean" : number ? "number" : stated;
		fields.push(fieldOf(key, values, description));
	}
	return fields;
}

function fieldsOfSchema(schema: Readonly<Record<string, unknown>> | undefined): Field[] {
	const properties = schema?.properties;
	if (typeof properties !== "object" || properties === null) return [];
	return Object.entries(properties as Record<string, Record<string, unknown> | undefined>).map(([key, property]) => {
		const allowed = Array.isArray(property?.enum) ? property.enum.map(String) : [];
		const type = property?.type;
		const description =
			type === "array" ? "list of items" : typeof type === "string" && type !== "string" ? type : "text";
		return fieldOf(key, allowed, `${description} ${String(property?.description ?? "")}`);
	});
}

const DEMAND =
	/\b(only|bare|nothing else|no (?:other )?(?:text|prose|words|commentary|explanation)|exclusively|alone|nothing but)\b/i;
const OBJECT = /\b(json|object)\b/i;
const WORDS_AROUND =
	/\b(explain|explanation|describe|comment|summari[sz]e|greet|introduce|offer|add|sentences?|paragraph|help)\w*\b/i;
const AROUND =
	/\b(before|after|below|above|under|beside|around|following)\b[^.]{0,30}\b(answer|object|json|reply|it)\b/i;
const NEGATION = /\b(no|not|never|without|don't|nothing|avoid|instead)\b/i;

function mannersOf(statements: readonly Statement[]): Pick<Contract, "demandsBare" | "invitations"> {
	let demandsBare = false;
	let invitations = 0;
	for (const sentence of statements.flatMap((statement) => sentencesOf(statement.text))) {
		if (DEMAND.test(sentence) && OBJECT.test(sentence)) demandsBare = true;
		else if (WORDS_AROUND.test(sentence) && AROUND.test(sentence) && !NEGATION.test(sentence)) invitations++;
	}
	return { demandsBare, invitations };
}
