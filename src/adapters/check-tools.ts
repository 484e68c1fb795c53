/**
 * The tools that checks are scored with, put together from the pattern engine and the schema engine. Knows no check.
 */
import type { CheckTools } from "../domain/check.ts";
import { createSchemaCheck } from "./ajv-schema.ts";
import { compilePattern } from "./re2-pattern.ts";

/** Tools that never throw, and that bound the time of every pattern and schema. */
export function createCheckTools(): CheckTools {
	const complaints = createSchemaCheck((pattern) => compilePattern(pattern));
	return {
		matches: (pattern, flags, text) => compilePattern(pattern, flags)?.test(text) ?? null,
		complaints,
	};
}
