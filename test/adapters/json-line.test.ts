import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonLine } from "../../src/adapters/json-line.ts";

describe("one line of JSON", () => {
	it("is read as JSON.parse reads it, whatever its strings hold", () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
				const text = JSON.stringify(value, null, indent);
				expect(readJsonLine(text)).toEqual({ value: JSON.parse(text) });
			}),
		);
	});

	it.each([
		['{"a":1,"a":2}', '"a"', 7],
		['{"x":{"b":1},"y":[{"c":"}"},{"c":1,"c":2}]}', '"c"', 35],
		['{"a\\u0062":1,"ab":2}', '"ab"', 13],
	])("tells the second of two equal keys: %s", (text, key, offset) => {
		expect(readJsonLine(text)).toEqual({ problem: `the key ${key} stands here a second time`, offset });
	});

	it("tells where the JSON stops being JSON", () => {
		expect(readJsonLine('{"a": 1,}')).toMatchObject({ offset: 8 });
		expect(readJsonLine('{"a": [1, 2')).toMatchObject({ problem: "the JSON ends too early", offset: 11 });
		expect(readJsonLine('{"a": NaN}')).toMatchObject({ offset: 6 });
	});
});
