import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import type { Check } from "../../src/domain/check.ts";
import { scoreCheck } from "../../src/engine/check-score.ts";
import { check } from "../support/tasks.ts";

const tools = createCheckTools();

function score(of: Check, output: string): number | string {
	const result = scoreCheck(of, output, tools);
	return result.status === "scored" ? result.score : result.reason;
}

function evidence(of: Check, output: string): string | undefined {
	const result = scoreCheck(of, output, tools);
	return result.status === "scored" ? result.evidence : undefined;
}

describe("the score of one check", () => {
	it.each<[string, Check, string, number]>([
		["equal texts", check("equals", { value: "a\nb" }), "a\nb", 1],
		["equal but for the final line end", check("equals", { value: "a\r\nb" }), "a\nb \n", 1],
		["whitespace at the front counts", check("equals", { value: "a" }), " a", 0],
		["contained", check("contains", { value: "b" }), "abc", 1],
		["case counts", check("contains", { value: "B" }), "abc", 0],
		["case ignored", check("contains", { value: "B", ignoreCase: true }), "abc", 1],
		["not contained", check("not-contains", { value: "x" }), "abc", 1],
		["contained though it must not be", check("not-contains", { value: "b" }), "abc", 0],
		["both turned round twice", check("not-contains", { value: "b", not: true }), "abc", 1],
		["pattern found", check("regex", { pattern: "\\d{2}", flags: "" }), "a12", 1],
		["pattern with flags", check("regex", { pattern: "^B$", flags: "im" }), "a\nb", 1],
		["pattern not found", check("regex", { pattern: "^b", flags: "" }), "ab", 0],
		["schema satisfied", check("json-schema", { schema: { required: ["a"] } }), ' {"a":1}\n', 1],
		["schema violated", check("json-schema", { schema: { required: ["a"] } }), "{}", 0],
		["a fence is not bare JSON", check("json-schema", { schema: true }), "```json\n{}\n```", 0],
		["prose is not bare JSON", check("json-schema", { schema: true }), "Here: {}", 0],
		["two values are not one", check("json-schema", { schema: true }), "{} {}", 0],
		[
			"equal at a pointer",
			check("json-equals", { path: "/a/0/b~1c", value: { x: [1] } }),
			'{"a":[{"b/c":{"x":[1.0]}}]}',
			1,
		],
		["order of members does not count", check("json-equals", { path: "", value: { a: 1, b: 2 } }), '{"b":2,"a":1}', 1],
		["order of items counts", check("json-equals", { path: "", value: [1, 2] }), "[2,1]", 0],
		["a number is not its text", check("json-equals", { path: "/a", value: 1 }), '{"a":"1"}', 0],
		["the last of two equal keys wins", check("json-equals", { path: "/a", value: 2 }), '{"a":1,"a":2}', 1],
		["a prototype is nothing", check("json-equals", { path: "/constructor/name", value: "Object" }), "{}", 0],
		["a length of a list is nothing", check("numeric", { path: "/length", value: 0, tolerance: 0 }), "[]", 0],
		["one of several", check("json-one-of", { path: "/a", values: ["x", null] }), '{"a":null}', 1],
		["none of several", check("json-one-of", { path: "/a", values: ["x"] }), '{"a":"y"}', 0],
		["near enough", check("numeric", { path: "/a", value: 0.3, tolerance: 0.1 }), '{"a":0.4}', 1],
		["too far", check("numeric", { path: "/a", value: 0.3, tolerance: 0.1 }), '{"a":0.41}', 0],
		["a text is no number", check("numeric", { path: "/a", value: 3, tolerance: 1 }), '{"a":"3"}', 0],
		[
			"large numbers differ by one",
			check("numeric", { path: "", value: 9007199254740991, tolerance: 0 }),
			"9007199254740990",
			0,
		],
		["code points", check("length", { max: 2, unit: "chars" }), "😀😀", 1],
		["words", check("length", { min: 3, max: 3, unit: "words" }), " one  two\nthree ", 1],
		["lines without the last line end", check("length", { min: 2, max: 2, unit: "lines" }), "a\nb\n", 1],
		["no lines", check("length", { max: 0, unit: "lines" }), "", 1],
		["too long", check("length", { max: 2, unit: "words" }), "a b c", 0],
	])("%s", (_, of, output, expected) => {
		expect(score(of, output)).toBe(expected);
	});

	it("says in short what it found", () => {
		expect(evidence(check("json-equals", { path: "/chart", value: "donut" }), '{"chart":"pie"}')).toBe(
			"expected donut, got pie",
		);
		expect(evidence(check("json-equals", { path: "/n", value: 5 }), '{"n":"5"}')).toBe('expected 5, got "5"');
		expect(evidence(check("json-equals", { path: "/chart", value: "donut" }), "{}")).toBe(
			'expected donut, got nothing at "/chart"',
		);
		expect(evidence(check("json-schema", { schema: { required: ["chart"] } }), "{}")).toContain("chart");
		expect(evidence(check("contains", { value: "x", not: true }), "x")).toBe("not wanted: contains x");
		expect(evidence(check("equals", { value: "x" }), "x")).toBeUndefined();
	});

	it("gives 0 to a reply that is no JSON, with and without `not`", () => {
		for (const not of [false, true]) {
			expect(score(check("json-equals", { path: "/a", value: 1, not }), "sorry")).toBe(0);
			expect(score(check("json-schema", { schema: true, not }), "")).toBe(0);
		}
		expect(score(check("json-equals", { path: "/a", value: 1, not: true }), '{"a":2}')).toBe(1);
		expect(score(check("json-equals", { path: "/a", value: 1, not: true }), "{}")).toBe(1);
	});

	it("answers with an error, never with a score, when it cannot judge", () => {
		for (const not of [false, true]) {
			expect(scoreCheck(check("regex", { pattern: "(?=x)", flags: "", not }), "x", tools).status).toBe("error");
			expect(scoreCheck(check("json-schema", { schema: { type: "no such type" }, not }), "{}", tools).status).toBe(
				"error",
			);
			expect(scoreCheck(check("rubric", { criterion: "is kind", not }), "x", tools).status).toBe("error");
			expect(scoreCheck(check("command", { run: "true", not }), "x", tools).status).toBe("error");
			expect(scoreCheck(check("tool-used", { tool: "Read", not }), "x", tools).status).toBe("error");
		}
	});

	it("survives deep nesting", () => {
		const deep = "[".repeat(200_000) + "]".repeat(200_000);
		expect(score(check("json-schema", { schema: true }), deep)).toBe(0);
		expect(evidence(check("json-equals", { path: "", value: 1 }), deep)).toContain("nested");
		const inString = JSON.stringify({ a: "[".repeat(2_000) });
		expect(score(check("json-schema", { schema: true }), inString)).toBe(1);
	});

	it("takes any text without throwing, and turns round exactly", () => {
		const text = fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constantFrom("\ud800", "a\0b", "\udfff{}"));
		const pure = (not: boolean): Check[] => [
			check("equals", { value: "a", not }),
			check("contains", { value: "a", ignoreCase: true, not }),
			check("not-contains", { value: "a", not }),
			check("regex", { pattern: "a.b", flags: "s", not }),
			check("length", { min: 1, max: 5, unit: "chars", not }),
		];
		fc.assert(
			fc.property(text, (output) => {
				const plain = pure(false).map((each) => score(each, output));
				const turned = pure(true).map((each) => score(each, output));
				expect(plain.map((value) => 1 - Number(value))).toEqual(turned);
			}),
		);
	});

	it("shows no half of a character in its evidence", () => {
		const found = evidence(check("equals", { value: "x" }), "\ud800".repeat(100));
		expect(found).toBeDefined();
		expect(Buffer.from(found ?? "", "utf8").toString("utf8")).toBe(found);
	});
});
