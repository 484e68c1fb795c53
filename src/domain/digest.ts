/**
 * Content identity. Everything that is paid for, compared or proved is named by the SHA-256 of its content, never by its
 * position or by the name of a file.
 */
import { createHash } from "node:crypto";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** SHA-256 as 64 lowercase hex digits; a string is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/**
 * JSON with keys sorted by code unit and undefined members left out, so that equal values have equal bytes.
 * @throws TypeError for numbers that are not finite: they have no JSON.
 */
export function canonicalJson(value: unknown): string {
	if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
	if (typeof value === "number") {
		if (!Number.isFinite(value)) throw new TypeError(`a digest needs finite numbers, got ${value}`);
		return JSON.stringify(value);
	}
	if (Array.isArray(value))
		return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(",")}]`;
	if (typeof value === "object") {
		const members = Object.entries(value)
			.filter(([, member]) => member !== undefined)
			.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
		return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(",")}}`;
	}
	throw new TypeError(`a digest cannot hold a ${typeof value}`);
}

/** SHA-256 of the canonical JSON of a value. */
export function digest(value: unknown): string {
	return sha256(canonicalJson(value));
}
