import { describe, expect, it } from "vitest";
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import { patient } from "../support/patience.ts";

const tools = createCheckTools();

/** With the time that this process worked: a busy machine makes nothing slower. */
function timed<T>(work: () => T): { value: T; ms: number } {
	const begun = process.cpuUsage();
	const value = work();
	const { user, system } = process.cpuUsage(begun);
	return { value, ms: (user + system) / 1000 };
}

describe("patterns from files", () => {
	it("match as in JavaScript, with i, m and s", () => {
		expect(tools.matches("^b.d$", "ims", "a\nB\nD")).toBe(true);
		expect(tools.matches("^b", "", "a\nb")).toBe(false);
		expect(tools.matches("\\u00e9|\\/|(?<year>\\d{4})", "", "in 2024")).toBe(true);
		expect(tools.matches("(?<=\\$)\\d", "", "$5")).toBe(true);
		expect(tools.matches("x.y", "", "x\ud800y")).toBe(true);
	});

	it.each(["(", "(?=x)", "(a)\\1", "a{2000}", "x".repeat(5_000)])(
		"are null when they cannot be used: %.20s",
		(pattern) => {
			expect(tools.matches(pattern, "", "x")).toBeNull();
		},
	);

	it("cost time that grows with the text, not with its choices", () => {
		const { value, ms } = timed(() => tools.matches("(a+)+$", "", `${"a".repeat(20_000)}!`));
		expect(value).toBe(false);
		expect(ms).toBeLessThan(patient(1_000));
	});

	it("are stopped when pattern and text together are too much", () => {
		const { value, ms } = timed(() => tools.matches("((a?){30}){30}b", "", "a".repeat(5_000_000)));
		expect([null, false]).toContain(value);
		expect(ms).toBeLessThan(patient(3_000));
	});
});

describe("schemas from files", () => {
	it("give complaints that a person can act on", () => {
		const schema = {
			type: "object",
			required: ["chart"],
			properties: { chart: { enum: ["bar", "donut"] } },
			additionalProperties: false,
		};
		expect(tools.complaints(schema, { chart: "donut" })).toEqual([]);
		expect(tools.complaints(schema, { chart: "pie" })).toEqual([
			"/chart must be equal to one of the allowed values: bar, donut",
		]);
		expect(tools.complaints(schema, { chart: "bar", x: 1 })?.[0]).toContain("(x)");
		expect(tools.complaints(schema, [])?.[0]).toBe("the value must be object");
		expect([tools.complaints(true, 1), tools.complaints(false, 1)?.length]).toEqual([[], 1]);
	});

	it("may be of any dialect since draft 4, and one that names none is read as the newest that fits", () => {
		for (const dialect of [
			"http://json-schema.org/draft-07/schema#",
			"https://json-schema.org/draft/2019-09/schema",
			"https://json-schema.org/draft/2020-12/schema",
		]) {
			expect(tools.complaints({ $schema: dialect, type: "object" }, {})).toEqual([]);
		}
		expect(tools.complaints({ prefixItems: [{ type: "string" }] }, [1])).toHaveLength(1);
		expect(tools.complaints({ items: [{ type: "string" }] }, [1])).toHaveLength(1);
	});

	it("tell their own patterns apart", () => {
		const schema = { properties: { x: { pattern: "^a+$" }, y: { pattern: "^b+$" } } };
		expect(tools.complaints(schema, { x: "aa", y: "bb" })).toEqual([]);
		expect(tools.complaints(schema, { x: "aa", y: "aa" })?.[0]).toContain("/y");
	});

	it.each<[string, Record<string, unknown>]>([
		["a type that is none", { type: "bogus" }],
		["a reference to elsewhere", { $ref: "http://example.org/schema.json" }],
		["a pattern that does not compile", { pattern: "(?=x)" }],
		["too much text", { description: "x".repeat(70_000) }],
		["too many levels", Array.from({ length: 100 }).reduce<Record<string, unknown>>((inner) => ({ not: inner }), {})],
		["a reference to itself without end", { $ref: "#" }],
	])("are null when they hold %s", (_, schema) => {
		expect(tools.complaints(schema, "x")).toBeNull();
	});

	it("are stopped when their references multiply", () => {
		const $defs: Record<string, unknown> = { a0: { type: "number" } };
		for (let n = 1; n < 40; n++)
			$defs[`a${n}`] = { allOf: [{ $ref: `#/$defs/a${n - 1}` }, { $ref: `#/$defs/a${n - 1}` }] };
		const { value, ms } = timed(() => tools.complaints({ $defs, $ref: "#/$defs/a39" }, 1));
		expect(value).toBeNull();
		expect(ms).toBeLessThan(patient(5_000));
	});

	it("do not reach a prototype", () => {
		const value: unknown = JSON.parse('{"__proto__":{"chart":1}}');
		expect(tools.complaints({ required: ["chart"] }, value)).toHaveLength(1);
	});
});
