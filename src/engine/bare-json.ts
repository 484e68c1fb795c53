/**
 * Reads a reply as one bare JSON value, and finds, compares and shows parts of it. Knows nothing of checks. The text comes
 * from a model: whatever it holds, nothing here throws, recurses without bound or reaches a prototype.
 */

/** Deeper values are refused, so that nobody who walks a value can run out of stack. */
const MOST_LEVELS = 500;

export type Parsed = { ok: true; value: unknown } | { ok: false; reason: string };

/** Whitespace around the value is allowed; a fence or prose is not. Of duplicate keys the last one wins. */
export function parseBareJson(text: string): Parsed {
	if (text.trim() === "") return { ok: false, reason: "the reply is empty, not JSON" };
	if (nestsTooDeeply(text)) return { ok: false, reason: `the JSON is nested more than ${MOST_LEVELS} levels deep` };
	try {
		return { ok: true, value: JSON.parse(text) };
	} catch {
		return { ok: false, reason: `the reply is not one bare JSON value, it starts with ${show(text.trim())}` };
	}
}

function nestsTooDeeply(text: string): boolean {
	let depth = 0;
	let inString = false;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		if (inString) {
			if (char === "\\") at++;
			else if (char === '"') inString = false;
		} else if (char === '"') inString = true;
		else if (char === "[" || char === "{") {
			if (++depth > MOST_LEVELS) return true;
		} else if (char === "]" || char === "}") depth--;
	}
	return false;
}

/** The part of a value that a JSON pointer (RFC 6901) names, wrapped; undefined when there is none. */
export function findByPointer(root: unknown, pointer: string): { value: unknown } | undefined {
	let value = root;
	for (const raw of pointer.split("/").slice(1)) {
		const name = raw.replaceAll("~1", "/").replaceAll("~0", "~");
		if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
		if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(name)) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	return { value };
}

/** Equality of JSON values: the order of members does not matter, that of items does; 1 and 1.0 are equal, 1 and "1" are not. */
export function jsonEqual(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (Array.isArray(a) !== Array.isArray(b)) return false;
	const names = Object.keys(a);
	if (names.length !== Object.keys(b).length) return false;
	return names.every(
		(name) =>
			Object.hasOwn(b, name) && jsonEqual((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
	);
}

/** A value in few characters for people and for prompts: a plain word as it is, all else as JSON, clipped. */
export function show(value: unknown, most = 80): string {
	if (typeof value === "string") {
		const plain = /^[A-Za-z][\w .-]*$/.test(value.slice(0, most + 1)) && !/^(true|false|null)$/.test(value);
		return clip(plain ? value : JSON.stringify(clip(value, most)), most + 2);
	}
	return clip(JSON.stringify(value) ?? "nothing", most);
}

/** At most `most` characters, with no half of a surrogate pair and no NUL in it. */
export function clip(text: string, most: number): string {
	const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
	return short.replace(/[\0\p{Surrogate}]/gu, "\uFFFD");
}
