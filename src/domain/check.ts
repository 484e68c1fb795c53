/**
 * Checks: what a case expects of an output, as data, and how the pure ones are scored. A pattern or schema comes from a
 * file that somebody else may have written, so both are evaluated by tools that are given to us and bounded in time.
 */
import { z } from "zod";

const common = {
	/** Share in the quality of the trial; 0 reports the check without counting it. */
	weight: z.number().nonnegative().default(1),
	/** What the reflection model is told when the check fails. */
	note: z.string().optional(),
	/** Turns the verdict round. */
	not: z.boolean().default(false),
	/** Not met: the model is asked again in the same dialogue. Contracts carry no score of their own. */
	contract: z.boolean().default(false),
};

const pointer = z.string().regex(/^(\/([^~/]|~[01])*)*$/, "a JSON pointer, such as /chart or /items/0");
const jsonSchemaObject = z.union([z.boolean(), z.record(z.string(), z.unknown())]);

/** The check types; each member of the union carries only its own fields. */
export const checkSchema = z.discriminatedUnion("type", [
	z.strictObject({ type: z.literal("equals"), value: z.string(), ...common }),
	z.strictObject({
		type: z.literal("contains"),
		value: z.string().min(1),
		ignoreCase: z.boolean().default(false),
		...common,
	}),
	z.strictObject({
		type: z.literal("not-contains"),
		value: z.string().min(1),
		ignoreCase: z.boolean().default(false),
		...common,
	}),
	z.strictObject({
		type: z.literal("regex"),
		pattern: z.string().min(1),
		flags: z
			.string()
			.regex(/^[ims]*$/, "any of i, m, s")
			.default(""),
		...common,
	}),
	z.strictObject({ type: z.literal("json-schema"), schema: jsonSchemaObject, ...common }),
	z.strictObject({ type: z.literal("json-equals"), path: pointer, value: z.json(), ...common }),
	z.strictObject({ type: z.literal("json-one-of"), path: pointer, values: z.array(z.json()).min(1), ...common }),
	z.strictObject({
		type: z.literal("numeric"),
		path: pointer,
		value: z.number(),
		tolerance: z.number().nonnegative().default(0),
		...common,
	}),
	z.strictObject({
		type: z.literal("length"),
		min: z.number().int().nonnegative().optional(),
		max: z.number().int().nonnegative().optional(),
		unit: z.enum(["chars", "words", "lines"]).default("chars"),
		...common,
	}),
	z.strictObject({ type: z.literal("rubric"), criterion: z.string().min(1), ...common }),
	z.strictObject({ type: z.literal("command"), run: z.string().min(1), ...common }),
	z.strictObject({ type: z.literal("tool-used"), tool: z.string().min(1), ...common }),
	z.strictObject({ type: z.literal("tool-sequence"), tools: z.array(z.string().min(1)).min(1), ...common }),
]);
export type Check = z.infer<typeof checkSchema>;
export type CheckType = Check["type"];

/** What a check said of one output. An error is missing data, never a score. */
export type CheckResult =
	| { status: "scored" /** 0 to 1 */; score: number; evidence?: string }
	| { status: "error"; reason: string };

/** Evaluation of patterns and schemas from files, bounded in time by whoever implements it. */
export interface CheckTools {
	/** @returns null when the pattern does not compile or takes too long. */
	matches(pattern: string, flags: string, text: string): boolean | null;
	/** @returns the complaints about the value, at most ten, none when it is valid; null when the schema itself is unusable. */
	complaints(schema: boolean | Readonly<Record<string, unknown>>, value: unknown): readonly string[] | null;
}
