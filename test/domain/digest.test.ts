import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, digest, sha256 } from "../../src/domain/digest.ts";

describe("content identity", () => {
	it("is the SHA-256 of the UTF-8 of a text, or of bytes", () => {
		const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
		expect(sha256("abc")).toBe(abc);
		expect(sha256(new Uint8Array([97, 98, 99]))).toBe(abc);
		expect(sha256("é")).toBe(sha256(new Uint8Array([0xc3, 0xa9])));
	});

	it("does not depend on the order of keys, at any depth", () => {
		const turned = (value: unknown): unknown => {
			if (Array.isArray(value)) return value.map(turned);
			if (typeof value !== "object" || value === null) return value;
			return Object.fromEntries(
				Object.entries(value)
					.reverse()
					.map(([key, member]) => [key, turned(member)]),
			);
		};
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(digest(turned(value))).toBe(digest(value));
			}),
		);
	});

	it("is valid JSON that says the same again, and is canonical itself", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = canonicalJson(value);
				expect(canonicalJson(JSON.parse(text))).toBe(text);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it("sorts keys by code unit and leaves out what is undefined", () => {
		expect(canonicalJson({ b: 1, a: undefined, B: [undefined, null], ä: "x" })).toBe('{"B":[null,null],"b":1,"ä":"x"}');
		expect(digest({ a: 1, b: undefined })).toBe(digest({ a: 1 }));
		expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
	});

	it("tells apart what looks alike", () => {
		const alike = [1, "1", [1], { 1: 1 }, null, "null", [], {}, [[]], "", [""], [null], true, "true"];
		expect(new Set(alike.map(digest)).size).toBe(alike.length);
	});

	it("refuses what has no JSON", () => {
		for (const value of [Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol("x"), 1n, undefined]) {
			expect(() => digest(value)).toThrow(TypeError);
		}
		expect(() => digest({ deep: [Number.NaN] })).toThrow("finite");
	});
});
