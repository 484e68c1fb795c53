import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readYaml } from "../../src/adapters/yaml-document.ts";
import { patient } from "../support/patience.ts";

const read = (text: string, maxValues = 50_000) => readYaml(text, "f.yaml", { maxValues });
const contentOf = (text: string) => {
	const result = read(text);
	if ("problems" in result) throw new Error(JSON.stringify(result.problems));
	return result.document.value;
};
const problemOf = (text: string) => {
	const result = read(text);
	return "problems" in result ? result.problems[0] : undefined;
};

describe("reading a YAML document", () => {
	it("gives plain values with aliases written out", () => {
		expect(contentOf("a: &x {b: [1, true, null, 1.5, text]}\nc: *x\n")).toEqual({
			a: { b: [1, true, null, 1.5, "text"] },
			c: { b: [1, true, null, 1.5, "text"] },
		});
	});

	it("reads any JSON as JSON.parse does", () => {
		fc.assert(
			fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }), (value) => {
				const text = JSON.stringify({ value });
				expect(contentOf(text)).toEqual(JSON.parse(text));
			}),
			{ numRuns: 100 },
		);
	});

	it("tells a duplicate key at its second place", () => {
		expect(problemOf("a: 1\nb: 2\na: 3\n")).toMatchObject({
			message: expect.stringContaining('"a"'),
			place: { line: 3, column: 1 },
		});
	});

	it("keeps a key named __proto__ a key", () => {
		const value = contentOf("__proto__: {polluted: true}\n") as object;
		expect(Object.hasOwn(value, "__proto__")).toBe(true);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it.each([
		["an unknown tag", "a: !!js/function 'x'\n", 1],
		["a second document", "a: 1\n---\nb: 2\n", 2],
		["an empty file", "# nothing\n", 1],
		["a tab as indentation", "a:\n\tb: 1\n", 2],
		["an alias without anchor", "a: 1\nb: *x\n", 2],
		["an alias inside of its own anchor", "a: 1\nb: &b [*b]\n", 2],
		["a key that is a list", "? [a]\n: 1\n", 1],
		["an unclosed quote", 'a: 1\nb: "x\n', 2],
	])("refuses %s with its line", (_, text, line) => {
		const result = read(text);
		expect("problems" in result && result.problems.some(({ place }) => (place.line ?? 0) >= line)).toBe(true);
	});

	it("does not merge keys and does not change its rules for a %YAML directive", () => {
		expect(contentOf("%YAML 1.1\n---\na: &x {b: 1}\nc: {<<: *x}\nd: yes\n")).toEqual({
			a: { b: 1 },
			c: { "<<": { b: 1 } },
			d: "yes",
		});
	});

	it("finds values and keys, through aliases, and the nearest parent of what is missing", () => {
		const result = read("list:\n  - &x {name: one}\n  - *x\nother: 1\n");
		if ("problems" in result) throw new Error("unexpected");
		const { document } = result;
		expect(document.placeOf(["list", 0, "name"])).toEqual({ file: "f.yaml", line: 2, column: 15 });
		expect(document.placeOf(["list", 1, "name"])).toEqual({ file: "f.yaml", line: 2, column: 15 });
		expect(document.placeOfKey([], "other")).toEqual({ file: "f.yaml", line: 4, column: 1 });
		expect(document.placeOf(["list", 7])).toMatchObject({ line: 2 });
	});
});

describe("hostile YAML", () => {
	const laughs = `a: &a [${Array(9).fill("x").join(",")}]\n${[..."bcdefghi"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[at]}`).join(",")}]\n`).join("")}`;
	it.each([
		["deep flow lists", "[".repeat(500_000)],
		["deep flow maps", "{a: ".repeat(120_000)],
		["deep block lists", "- ".repeat(250_000)],
		["deep explicit keys", "? ".repeat(250_000)],
		["a bomb of aliases", laughs],
		["nothing but closing brackets", "]".repeat(100_000)],
		["nothing but quotes", '"'.repeat(100_001)],
		["nothing but commas", `[${",".repeat(100_000)}`],
		["a long tag", "!".repeat(500_000)],
		["more values than allowed", Array.from({ length: 60_000 }, (_, at) => `k${at}: 1`).join("\n")],
	])("is refused in bounded time: %s", (_, text) => {
		const started = performance.now();
		const result = read(text);
		expect("problems" in result).toBe(true);
		if ("problems" in result) expect(result.problems.length).toBeLessThanOrEqual(50);
		expect(performance.now() - started).toBeLessThan(patient(10_000));
	});
});
