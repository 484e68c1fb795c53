/**
 * JSON schemas from files, evaluated by Ajv. Knows no check. A schema is untrusted: its size is bounded before it is
 * compiled, nothing is fetched, its patterns run on the engine that is handed in, and its evaluation is stopped at a deadline
 * (a few nested references can multiply the work without end).
 */
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { withinTime } from "./time-bound.ts";

const MOST_BYTES = 64 * 1024;
const MOST_LEVELS = 60;
const MOST_CACHED = 200;
const MOST_COMPLAINTS = 10;
const LONGEST_COMPLAINT = 200;
const LIMIT_MS = 1_000;
/** Without these the work is at most the size of the schema times that of the value, and a deadline, which costs time itself, is not needed. */
const MULTIPLIES = /\$ref|\$dynamicRef|\$recursiveRef|uniqueItems/;

type Schema = boolean | Readonly<Record<string, unknown>>;
type CompilePattern = (pattern: string) => { test(text: string): boolean | null } | null;
type SchemaCheck = (schema: Schema, value: unknown) => readonly string[] | null;

/**
 * @param compilePattern turns a pattern into something that tests a text, or null when it cannot
 * @returns a function that gives the complaints about a value (at most ten, none when it is valid), or null when the schema
 * cannot be used: it is malformed, too large, refers to what is not in it, holds a pattern that does not compile, or takes too long
 */
export function createSchemaCheck(compilePattern: CompilePattern): SchemaCheck {
	const compiled = new Map<string, ValidateFunction | null>();
	const texts = new WeakMap<object, string>();

	/** Schemas are compared by content, and their text is made once for each object. */
	const textOf = (schema: Schema): string => {
		if (typeof schema === "boolean") return String(schema);
		const known = texts.get(schema);
		if (known !== undefined) return known;
		const text = nestsTooDeeply(schema) ? "" : JSON.stringify(schema);
		texts.set(schema, text);
		return text;
	};

	const validatorOf = (schema: Schema): ValidateFunction | null => {
		const text = textOf(schema);
		if (text === "" || text.length > MOST_BYTES) return null;
		let validate = compiled.get(text);
		if (validate === undefined) {
			validate = compile(JSON.parse(text), compilePattern);
			if (compiled.size >= MOST_CACHED) compiled.clear();
			compiled.set(text, validate);
		}
		return validate;
	};

	const canMultiply = (schema: Schema): boolean => MULTIPLIES.test(textOf(schema));

	return (schema, value) => {
		const validate = validatorOf(schema);
		if (validate === null) return null;
		try {
			const valid = canMultiply(schema) ? withinTime(LIMIT_MS, () => validate(value)) : validate(value);
			if (valid === undefined) return null;
			return valid ? [] : complaintsOf(validate);
		} catch {
			return null;
		}
	};
}

/** Each schema has an Ajv of its own, so that equal `$id`s in two cases do not meet. */
function compile(schema: Schema, compilePattern: CompilePattern): ValidateFunction | null {
	const regExp = Object.assign((pattern: string) => compileForAjv(pattern, compilePattern), { code: "regExp" });
	const options = { strict: false, logger: false, validateFormats: false, code: { regExp } } as const;
	const { $schema: dialect, ...bare } = typeof schema === "boolean" ? { $schema: undefined } : schema;
	for (const Dialect of dialectsOf(dialect)) {
		try {
			// An Ajv that was stopped in the middle is not used again.
			const validate = withinTime(LIMIT_MS, () =>
				new Dialect(options).compile(typeof schema === "boolean" ? schema : bare),
			);
			if (validate !== undefined) return validate;
		} catch {
			// The next dialect may know what this one refused.
		}
	}
	return null;
}

/** A schema that names no dialect is read as the newest one; draft 7 still allows what that one dropped (a list of items). */
function dialectsOf(dialect: unknown): readonly (typeof Ajv | typeof Ajv2019 | typeof Ajv2020)[] {
	const name = typeof dialect === "string" ? dialect : "";
	if (name.includes("2019-09")) return [Ajv2019];
	if (/draft-0[4-7]/.test(name)) return [Ajv];
	return [Ajv2020, Ajv];
}

function compileForAjv(pattern: string, compilePattern: CompilePattern) {
	const compiled = compilePattern(pattern);
	if (compiled === null) throw new SyntaxError(`the pattern ${pattern} cannot be used`);
	const test = (text: string): boolean => {
		const matched = compiled.test(text);
		if (matched === null) throw new RangeError("a pattern of the schema takes too long");
		return matched;
	};
	// Ajv tells the patterns of one schema apart by their text.
	return { test, toString: () => `/${pattern}/u` };
}

function complaintsOf(validate: ValidateFunction): string[] {
	return (validate.errors ?? []).slice(0, MOST_COMPLAINTS).map((error) => {
		const allowed = Array.isArray(error.params.allowedValues) ? `: ${error.params.allowedValues.join(", ")}` : "";
		const extra = typeof error.params.additionalProperty === "string" ? ` (${error.params.additionalProperty})` : "";
		const text = `${error.instancePath === "" ? "the value" : error.instancePath} ${error.message ?? error.keyword}${allowed}${extra}`;
		return text.slice(0, LONGEST_COMPLAINT);
	});
}

function nestsTooDeeply(schema: unknown, levels = MOST_LEVELS): boolean {
	if (typeof schema !== "object" || schema === null) return false;
	return levels === 0 || Object.values(schema).some((member) => nestsTooDeeply(member, levels - 1));
}
