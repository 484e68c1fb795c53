/**
 * Patterns from files, evaluated by RE2JS: time grows linearly with the text, whatever the pattern. Knows no check. Nothing
 * a pattern holds may throw, hang or reach the native engine; what RE2 cannot do (lookahead, backreferences) is no pattern.
 */
import { RE2JS } from "re2js";
import { withinTime } from "./time-bound.ts";

const LONGEST_PATTERN = 4_000;
const MOST_CACHED = 500;
const LIMIT_MS = 1_000;
/** Pattern length times text length below which a match takes milliseconds; a deadline, which costs time itself, is not needed. */
const SURELY_FAST = 1_000_000;

const FLAGS: Record<string, number> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL };

export interface Pattern {
	/** Whether the pattern matches somewhere in the text; null when it takes too long. */
	test(text: string): boolean | null;
}

const compiled = new Map<string, Pattern | null>();

/**
 * @param flags any of i, m, s, with the meaning they have in JavaScript
 * @returns null when RE2 cannot compile the pattern, or it is longer than 4,000 characters
 */
export function compilePattern(pattern: string, flags = ""): Pattern | null {
	const key = `${flags}/${pattern}`;
	let entry = compiled.get(key);
	if (entry === undefined) {
		entry = compile(pattern, flags);
		if (compiled.size >= MOST_CACHED) compiled.clear();
		compiled.set(key, entry);
	}
	return entry;
}

function compile(pattern: string, flags: string): Pattern | null {
	if (pattern.length > LONGEST_PATTERN) return null;
	let bits = RE2JS.LOOKBEHINDS;
	for (const flag of flags) bits |= FLAGS[flag] ?? 0;
	try {
		const regex = withinTime(LIMIT_MS, () => RE2JS.compile(RE2JS.translateRegExp(pattern), bits));
		if (regex === undefined) return null;
		const isShort = (text: string): boolean => !pattern.includes("{") && pattern.length * text.length < SURELY_FAST;
		return {
			test: (text) => (isShort(text) ? regex.test(text) : (withinTime(LIMIT_MS, () => regex.test(text)) ?? null)),
		};
	} catch {
		return null;
	}
}
