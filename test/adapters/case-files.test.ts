import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { readCases } from "../../src/adapters/case-files.ts";
import { filesFolder } from "../support/files-folder.ts";
import { patient } from "../support/patience.ts";

const check = "{type: contains, value: x, note: why}";
const yaml = (...cases: string[]) => `schemaVersion: 1\ncases:\n${cases.map((text) => `  - ${text}\n`).join("")}`;
const simple = (id: string, more = "") => `{id: ${id}, input: in ${id}, ${more}checks: [${check}]}`;
const line = (id: string, more: object = {}) =>
	JSON.stringify({ id, input: `in ${id}`, checks: [{ type: "contains", value: "x", note: "why" }], ...more });

async function problemsIn(files: Readonly<Record<string, string | Uint8Array>>) {
	const folder = filesFolder(files);
	const { problems } = await readCases(folder);
	return problems.map(({ place, ...rest }) => ({
		...rest,
		at: `${place.file.slice(folder.length + 1)}:${place.line ?? ""}`,
	}));
}

describe("reading the cases of a folder", () => {
	it("takes YAML and JSONL files by name, and neither folders nor dot files", async () => {
		const folder = filesFolder({
			"b.jsonl": `\uFEFF${line("three")}\r\n\r\n${line("four")}`,
			"a.yml": yaml(simple("one"), simple("two")).replaceAll("\n", "\r\n"),
			".hidden.yaml": "broken: [",
			"seed/SKILL.md": "x",
			"seed/x.yaml": "broken: [",
			"notes.txt": "x",
		});
		const { cases, files, problems } = await readCases(folder);
		expect(problems).toEqual([]);
		expect(cases.map(({ id }) => id)).toEqual(["one", "two", "three", "four"]);
		expect(files).toEqual([join(folder, "a.yml"), join(folder, "b.jsonl")]);
	});

	it("tells the problems of all files in one pass", async () => {
		const found = await problemsIn({
			"a.yaml": "schemaVersion: 1\ncases: [\n",
			"b.yaml": yaml("{id: x, inptu: y, checks: []}"),
			"c.jsonl": `${line("ok")}\n{"id": 1,\n${line("ok")}\n`,
			"d.yaml": Uint8Array.from([0xff, 0xfe, 0x61, 0x00]),
			"e.jsonl": Uint8Array.from([0x7b, 0x00, 0x7d]),
			"f.yaml": Uint8Array.from([0x61, 0x0a, 0xc3, 0x28]),
			"g.yaml": "- id: x\n",
		});
		expect(found.map(({ at }) => at.split(":")[0])).toEqual(
			expect.arrayContaining(["a.yaml", "b.yaml", "c.jsonl", "d.yaml", "e.jsonl", "f.yaml", "g.yaml"]),
		);
		expect(found).toContainEqual(expect.objectContaining({ at: "c.jsonl:2", message: "the JSON ends too early" }));
		expect(found).toContainEqual(
			expect.objectContaining({
				at: "d.yaml:1",
				message: expect.stringContaining("UTF-16"),
				hint: "Save the file as UTF-8.",
			}),
		);
		expect(found).toContainEqual(
			expect.objectContaining({ at: "f.yaml:2", message: expect.stringContaining("no UTF-8") }),
		);
		expect(found).toContainEqual(expect.objectContaining({ at: "g.yaml:1", message: "the file is a list" }));
	});

	it("tells a duplicate id with both places", async () => {
		expect(await problemsIn({ "a.yaml": yaml(simple("same")), "b.jsonl": `\n${line("same")}\n` })).toEqual([
			expect.objectContaining({
				at: "b.jsonl:2",
				message: expect.stringMatching(/"same" is taken by the case at .*a\.yaml:3:5/),
			}),
		]);
	});

	it("tells a group that is in two splits", async () => {
		const text = yaml(simple("one", "split: train, group: g, "), simple("two", "split: holdout, group: g, "));
		expect(await problemsIn({ "a.yaml": text })).toEqual([
			expect.objectContaining({
				at: "a.yaml:4",
				message: expect.stringMatching(/"g" is in holdout here and in train with one/),
			}),
		]);
	});

	it.each([
		["{type: regex, pattern: '(?=x)', note: n}", "does not compile"],
		["{type: json-schema, schema: {type: objekt}, note: n}", "schema cannot be used"],
		["{type: rubric, criterion: good, contract: true, note: n}", "cannot be a contract"],
		["{type: length, note: n}", "limits nothing"],
		["{type: length, min: 5, max: 2, note: n}", "no reply can satisfy"],
		["{type: reegx, pattern: x}", 'checks[1].type is "reegx"'],
	])("tells a check that cannot work: %s", async (bad, message) => {
		const text = yaml(`{id: a, input: x, checks: [${check}, ${bad}]}`);
		expect(await problemsIn({ "a.yaml": text })).toEqual([
			expect.objectContaining({ at: "a.yaml:3", message: expect.stringContaining(message) }),
		]);
	});

	it("tells at most 50 problems and counts the rest", async () => {
		const folder = filesFolder({ "a.jsonl": Array.from({ length: 300 }, () => '{"id": "x"}').join("\n") });
		const { problems, problemCount } = await readCases(folder);
		expect(problems).toHaveLength(50);
		expect(problemCount).toBeGreaterThanOrEqual(300);
	});

	it("tells a line that is too long without holding it, and reads on", async () => {
		const folder = filesFolder({});
		writeFileSync(join(folder, "a.jsonl"), `${line("one")}\n"${"x".repeat(50 * 1024 * 1024)}"\n${line("two")}\n`);
		const { cases, problems } = await readCases(folder);
		expect(cases.map(({ id }) => id)).toEqual(["one", "two"]);
		expect(problems).toEqual([
			expect.objectContaining({
				message: expect.stringContaining("too long"),
				place: expect.objectContaining({ line: 2 }),
			}),
		]);
	});

	it("says that a folder is missing, empty, or without a case", async () => {
		await expect(readCases(join(filesFolder({}), "none"))).rejects.toThrow("no folder of cases");
		expect(await problemsIn({})).toEqual([
			expect.objectContaining({ message: expect.stringContaining("no case files") }),
		]);
		expect(await problemsIn({ "a.yaml": "schemaVersion: 1\ncases: []\n" })).toEqual([
			expect.objectContaining({ message: expect.stringContaining("hold no case") }),
		]);
	});

	it("warns about what well-formed cases lack", async () => {
		const folder = filesFolder({
			"a.yaml": yaml(
				"{id: one, split: train, input: same, checks: [{type: contains, value: x}, {type: tool-used, tool: Bash, note: n}]}",
				`{id: two, split: validation, input: same, checks: [${check}]}`,
			),
		});
		const { problems, warnings } = await readCases(folder);
		expect(problems).toEqual([]);
		const text = warnings.map(({ message }) => message).join("\n");
		for (const part of [
			"only 1 validation cases",
			"no case is in holdout",
			"1 checks of 1 train cases have no note",
			"cannot be run here (tool-used)",
			"same input as one",
		]) {
			expect(text).toContain(part);
		}
	});

	it.each([
		["JSONL", "a.jsonl", (count: number) => Array.from({ length: count }, (_, at) => line(`c${at}`)).join("\n")],
		["YAML", "a.yaml", (count: number) => yaml(...Array.from({ length: count }, (_, at) => simple(`c${at}`)))],
	])("reads 2,000 cases of %s in seconds", async (_, name, make) => {
		const folder = filesFolder({ [name]: make(2000) });
		const started = performance.now();
		const { cases } = await readCases(folder);
		expect(cases).toHaveLength(2000);
		expect(performance.now() - started).toBeLessThan(patient(15_000));
	});
});
