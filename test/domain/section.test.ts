import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	applyEdits,
	type Edit,
	editSchema,
	joinSections,
	MAX_EDIT_CHARS,
	MAX_EDITS,
	sectionsOf,
} from "../../src/domain/section.ts";
import { harnessOf, MAX_SKILL_BYTES, parseSkill } from "../../src/domain/skill.ts";
import { bytesOf, corpusFiles, hasCorpus } from "../support/skill-corpus.ts";

const ids = (harness: readonly string[]) => sectionsOf(harness).map(({ id }) => id);

function edit(text: string, ...edits: Edit[]): string {
	const { sections, results } = applyEdits(sectionsOf([text]), edits);
	expect(results.map((result) => ("code" in result ? result.code : result.status))).toEqual(edits.map(() => "applied"));
	return joinSections(sections).join("");
}

function refused(text: string, one: Edit): string {
	const before = sectionsOf([text]);
	const { sections, results } = applyEdits(before, [one]);
	expect(sections).toEqual(before);
	const [result] = results;
	return result?.status === "refused" ? result.code : "applied";
}

describe("sections", () => {
	it.skipIf(!hasCorpus)("of public skills join to the same bytes, with unique ids", () => {
		for (const { bytes } of corpusFiles().filter((file) => file.bytes.length <= MAX_SKILL_BYTES)) {
			const skill = parseSkill(bytes);
			const sections = sectionsOf(skill);
			expect(joinSections(sections)).toEqual(harnessOf(skill));
			expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length);
		}
	});

	it("of any text join to the text", () => {
		const piece = fc.constantFrom(
			"# a",
			"## b c",
			"\n",
			"\r\n",
			"\r",
			"```",
			"- x",
			"    ",
			" ",
			"text",
			"<!--",
			"-->",
			"<div>",
		);
		fc.assert(
			fc.property(fc.array(fc.array(piece, { maxLength: 20 }), { minLength: 1, maxLength: 4 }), (parts) => {
				const harness = parts.map((pieces) => pieces.join(""));
				return JSON.stringify(joinSections(sectionsOf(harness))) === JSON.stringify(harness);
			}),
			{ numRuns: 1000 },
		);
	});

	it("start at ATX headings outside fences, comments and lists", () => {
		expect(ids(["intro\n# A\n```\n# no\n```\n<!--\n# no\n-->\n- x\n\n  # no\n#no\n### B ##\n"])).toEqual([
			"_intro",
			"a",
			"b",
		]);
	});

	it("have ids from headings, made unique, in any script", () => {
		expect(ids(["# Do & don't\n# 规则\n# Do don t\n# !!\n#\n"])).toEqual([
			"do-don-t",
			"规则",
			"do-don-t-2",
			"section",
			"section-2",
		]);
		expect(sectionsOf(["## B ##\n"])[0]).toMatchObject({ heading: "B", level: 2 });
	});

	it("carry the number of their segment when there are several", () => {
		expect(ids(["# A\n", "", "# A\n"])).toEqual(["0/a", "1/_intro", "2/a"]);
	});

	it("keep blank lines in front of the first heading", () => {
		expect(sectionsOf(["\n\n# A\n"])).toMatchObject([{ id: "a", text: "\n\n# A\n" }]);
	});

	it("keep their ids when other bodies change", () => {
		const text = "Intro\n\n# A\n\n- a\n\n# B\n\n- b\n\n# A\n\n- c\n";
		const before = ids([text]);
		for (const id of before) {
			for (const op of ["append", "replace", "delete"] as const) {
				const changed = ids([edit(text, { op, section: id, ...(op === "delete" ? {} : { text: "- new" }) })]);
				expect(changed).toEqual(id === "_intro" && op === "delete" ? before.slice(1) : before);
			}
		}
	});
});

describe("append", () => {
	it.each([
		["puts a list line directly below the list", "# A\n\n- a\n\n# B\n", "- b", "# A\n\n- a\n- b\n\n# B\n"],
		["gives a plain line the bullet of the list", "# A\n* a\n", "b", "# A\n* a\n* b\n"],
		["counts on in a numbered list", "# A\n1. a\n2. b\n", "c", "# A\n1. a\n2. b\n3. c\n"],
		["continues behind a list item of several lines", "# A\n- a\n  more\n", "b", "# A\n- a\n  more\n- b\n"],
		["puts a blank line between paragraphs", "# A\n\nOne.\n", "Two.", "# A\n\nOne.\n\nTwo.\n"],
		["starts a list behind a paragraph", "# A\nOne.\n", "- b", "# A\nOne.\n\n- b\n"],
		["adds a table row to a table", "# A\n| a |\n|---|\n| b |\n", "| c |", "# A\n| a |\n|---|\n| b |\n| c |\n"],
		["fills an empty section", "# A\n\n# B\n", "- b", "# A\n\n- b\n\n# B\n".replace("- b\n\n", "- b\n")],
		["fills a section of a heading alone", "# A\n", "b", "# A\n\nb\n"],
		["takes several lines and trims them", "# A\n- a\n", "\n- b\n- c\n\n", "# A\n- a\n- b\n- c\n"],
		["leaves out those of several list lines that stand there", "# A\n- a\n", "- a\n- b", "# A\n- a\n- b\n"],
		["keeps a missing final newline", "# A\n- a", "- b", "# A\n- a\n- b"],
		["uses the line end of the section", "# A\r\n- a\r\n", "- b\n- c", "# A\r\n- a\r\n- b\r\n- c\r\n"],
		["does not take a thematic break for a list", "# A\n---\n", "b", "# A\n---\n\nb\n"],
	])("%s", (_, text, added, expected) => {
		expect(edit(text, { op: "append", section: "a", text: added })).toBe(expected);
	});

	it("fills an empty segment", () => {
		const { sections } = applyEdits(sectionsOf(["# A\n", ""]), [{ op: "append", section: "1/_intro", text: "b" }]);
		expect(joinSections(sections)).toEqual(["# A\n", "b\n"]);
	});

	it.each(["- a", "  -  a  ", "* a", "a", "- a\n- a"])("of %j that stands there is refused", (text) => {
		expect(refused("# A\n\n- a\n", { op: "append", section: "a", text })).toBe("duplicate");
	});
});

describe("replace", () => {
	it.each([
		["an exact text", "# A\n- use bar\n", "bar", "line", "# A\n- use line\n"],
		["a whole line among others that hold it", "# A\n- a\n- a b\n", "- a", "- c", "# A\n- c\n- a b\n"],
		["the whole body, not the heading", "# A\n\n- a\n- b\n\n# B\n", undefined, "- c", "# A\n\n- c\n\n# B\n"],
		["the body when the heading is repeated", "# A\n\n- a\n", undefined, "# A\n\n- c", "# A\n\n- c\n"],
		[
			"over several lines, whatever the line end",
			"# A\r\n- a\r\n- b\r\n",
			"- a\n- b",
			"- c\n- d",
			"# A\r\n- c\r\n- d\r\n",
		],
		["a text with its line end", "# A\n- a\n- b\n", "- a\n", "- c", "# A\n- c\n- b\n"],
		["a text that was quoted with blanks around it", "# A\n- a\n", "  a  ", "b", "# A\n- b\n"],
	])("changes %s", (_, text, find, by, expected) => {
		expect(edit(text, { op: "replace", section: "a", text: by, ...(find === undefined ? {} : { find }) })).toBe(
			expected,
		);
	});
});

describe("delete", () => {
	it.each([
		["a line with its bullet", "# A\n- a\n- b\n- c\n", "b", "# A\n- a\n- c\n"],
		["a part of a line", "# A\n- a b\n", " b", "# A\n- a\n"],
		["a line between blank lines, leaving one", "# A\n\nx\n\ny\n\nz\n", "y", "# A\n\nx\n\nz\n"],
		["a line between text and a blank line", "# A\r\nx\r\n- a\r\n\r\ny\r\n", "- a", "# A\r\nx\r\n\r\ny\r\n"],
		["several lines", "# A\n- a\n- b\n- c\n", "- a\n- b", "# A\n- c\n"],
		["the last line", "# A\n- a\n- b\n", "- b\n", "# A\n- a\n"],
		["the whole body, not the heading", "# A\n\n- a\n\n# B\n", undefined, "# A\n\n# B\n"],
	])("takes out %s", (_, text, find, expected) => {
		expect(edit(text, { op: "delete", section: "a", ...(find === undefined ? {} : { find }) })).toBe(expected);
	});

	it("never leaves a run of blank lines that was not there", () => {
		const line = fc.constantFrom("", "- a", "- b", "text", "  more");
		fc.assert(
			fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(11), (lines, at) => {
				const find = lines[at % lines.length] ?? "";
				const text = `# A\n${lines.join("\n")}\n`;
				if (find === "") return true;
				const { sections } = applyEdits(sectionsOf([text]), [{ op: "delete", section: "a", find }]);
				const runs = (value: string) => value.match(/\n{3,}/g)?.length ?? 0;
				return runs(joinSections(sections).join("")) <= runs(text);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("edits", () => {
	it.each<[string, string, Edit]>([
		["unknown-section", "# A\n", { op: "append", section: "b", text: "x" }],
		["missing-text", "# A\n", { op: "append", section: "a", text: " \n" }],
		["not-found", "# A\n- a\n", { op: "replace", section: "a", find: "b", text: "x" }],
		["not-found", "# A\n- a\n", { op: "delete", section: "a", find: "A" }],
		["ambiguous", "# A\n- a b\n- a c\n", { op: "replace", section: "a", find: "- a", text: "x" }],
		["ambiguous", "# A\n- a\n- a\n", { op: "delete", section: "a", find: "- a" }],
		["no-change", "# A\n- a\n", { op: "replace", section: "a", find: "a", text: "a" }],
		["no-change", "# A\n", { op: "delete", section: "a" }],
		["too-long", "# A\n", { op: "append", section: "a", text: "x".repeat(MAX_EDIT_CHARS + 1) }],
		["open-block", "# A\n- a\n\n# B\n", { op: "append", section: "a", text: "```\ncode" }],
		["open-block", "# A\n- b\n  ```\n\n## B\n", { op: "delete", section: "a", find: "- b" }],
		["open-block", "# A\n```\ncode\n```\n\n# B\n", { op: "delete", section: "a", find: "code\n```" }],
	])("are refused as %s and change nothing", (code, text, one) => {
		expect(refused(text, one)).toBe(code);
	});

	it("see what earlier ones left, and those that fit stand", () => {
		const { sections, results } = applyEdits(sectionsOf(["# A\n- a\n"]), [
			{ op: "append", section: "a", text: "- b" },
			{ op: "replace", section: "a", find: "nothing", text: "x" },
			{ op: "replace", section: "a", find: "- b", text: "- c" },
		]);
		expect(joinSections(sections)).toEqual(["# A\n- a\n- c\n"]);
		expect(results.map(({ status }) => status)).toEqual(["applied", "refused", "applied"]);
	});

	it("beyond the limit of a proposal are refused", () => {
		const many = Array.from(
			{ length: MAX_EDITS + 1 },
			(_, index): Edit => ({ op: "append", section: "a", text: `- ${index}` }),
		);
		expect(applyEdits(sectionsOf(["# A\n"]), many).results.at(-1)).toMatchObject({
			status: "refused",
			code: "too-many",
		});
	});

	it("leave sections as the joined text has them, whatever they say", () => {
		const text = fc.array(
			fc.constantFrom("a", "- b", "\n", "\r\n", "# N", "## A", "```", "<div>", " # x", "  ", "1. c"),
			{ maxLength: 8 },
		);
		const one = fc.record({
			op: fc.constantFrom("append", "replace", "delete"),
			pick: fc.nat(9),
			text,
			find: fc.constantFrom("a", "- b", "c", undefined),
		});
		fc.assert(
			fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), fc.array(one, { maxLength: 5 }), (harness, edits) => {
				let sections = sectionsOf(harness.map((pieces) => `# H\n${pieces.join("")}`));
				for (const { op, pick, text: pieces, find } of edits) {
					const section = sections[pick % sections.length]?.id ?? "";
					const next: Edit = {
						op: op as Edit["op"],
						section,
						text: pieces.join(""),
						...(find === undefined ? {} : { find }),
					};
					({ sections } = applyEdits(sections, [next]));
					expect(sections).toEqual(sectionsOf(joinSections(sections)));
				}
			}),
			{ numRuns: 1500 },
		);
	});

	it("are validated", () => {
		expect(editSchema.safeParse({ op: "append", section: "a" }).success).toBe(false);
		expect(editSchema.safeParse({ op: "rewrite", section: "a", text: "x" }).success).toBe(false);
		expect(editSchema.safeParse({ op: "replace", section: "a", text: "x".repeat(MAX_EDIT_CHARS + 1) }).success).toBe(
			false,
		);
		expect(editSchema.parse({ op: "delete", section: "a", extra: 1 })).toEqual({ op: "delete", section: "a" });
	});

	it("on a skill never reach its kernels", () => {
		const skill = parseSkill(bytesOf("# A\n<!-- kernel:begin id=k -->\n## K\nsecret\n<!-- kernel:end id=k -->\n# B\n"));
		expect(ids(harnessOf(skill))).toEqual(["0/a", "1/b"]);
	});
});
