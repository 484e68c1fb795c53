import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dominantEol, linesOf } from "../../src/domain/line.ts";
import {
	bodyOf,
	harnessOf,
	kernelsOf,
	MAX_SKILL_BYTES,
	parseSkill,
	proveKernel,
	rebuildSkill,
	settleHarness,
} from "../../src/domain/skill.ts";
import { InputError } from "../../src/errors.ts";
import { patient } from "../support/patience.ts";
import { bytesOf, corpusFiles, hasCorpus, textOf } from "../support/skill-corpus.ts";

const KERNEL = "<!-- kernel:begin id=safety -->\n- Never.\n<!-- kernel:end id=safety -->";
const parse = (text: string) => parseSkill(bytesOf(text));
const roundTrip = (bytes: Uint8Array) => {
	const skill = parseSkill(bytes);
	return rebuildSkill(skill, harnessOf(skill));
};

function refusal(bytes: Uint8Array): InputError {
	try {
		parseSkill(bytes, "x/SKILL.md");
	} catch (error) {
		if (error instanceof InputError) return error;
		throw error;
	}
	throw new Error("it was parsed");
}

describe.skipIf(!hasCorpus)("public skills", () => {
	it.each(corpusFiles())("$name parses and comes back byte for byte, or is refused with a line", ({ bytes }) => {
		if (bytes.length > MAX_SKILL_BYTES) {
			expect(refusal(bytes).problems[0]?.place.line).toBeGreaterThan(1000);
			return;
		}
		expect(Buffer.compare(roundTrip(bytes), bytes)).toBe(0);
	});

	it("have names and descriptions even where their YAML is broken", () => {
		const named = corpusFiles().filter(({ bytes }) => {
			if (bytes.length > MAX_SKILL_BYTES) return false;
			const { frontmatter } = parseSkill(bytes);
			return frontmatter?.name !== undefined;
		});
		expect(named.length).toBeGreaterThanOrEqual(35);
	});
});

describe("bytes", () => {
	it("any text comes back byte for byte", () => {
		const piece = fc.constantFrom(
			"---",
			"\n",
			"\r\n",
			"\r",
			"a",
			" ",
			"```",
			"<!--",
			"-->",
			"é",
			"😀",
			"\uFEFF",
			"# h",
			"name: x",
			KERNEL,
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
				const bytes = bytesOf(pieces.join(""));
				try {
					return Buffer.compare(roundTrip(bytes), bytes) === 0;
				} catch (error) {
					return error instanceof InputError && error.problems.every(({ place }) => (place.line ?? 0) > 0);
				}
			}),
			{ numRuns: 2000 },
		);
	});

	it.each([
		["a byte order mark", "\uFEFF---\nname: x\n---\n\nHi\n"],
		["CR LF", "---\r\nname: x\r\n---\r\n\r\nHi\r\n"],
		["mixed line ends and lone CR", "---\nname: x\r\n---\nHi\rthere\r\n"],
		["no final newline", "---\nname: x\n---\nHi"],
		["nothing at all", ""],
		["a frontmatter only, without line end", "---\nname: x\n---"],
		["a kernel at the end without line end", `Hi\n${KERNEL}`],
		["a kernel at the start", `${KERNEL}\nHi`],
		["a U+FEFF in the middle", "Hi\uFEFF there\n"],
	])("%s survives", (_, text) => {
		expect(textOf(roundTrip(bytesOf(text)))).toBe(text);
	});

	it.each([
		["broken UTF-8", Uint8Array.of(65, 10, 66, 10, 0xc3, 0x28), 3, "offset 4"],
		["an encoded surrogate", Uint8Array.of(65, 10, 0xed, 0xa0, 0x80), 2, "offset 2"],
		["an overlong form", Uint8Array.of(0xc0, 0x80), 1, "offset 0"],
		["a cut character", Uint8Array.of(65, 0xe2, 0x82), 1, "offset 1"],
		["UTF-16 with a mark", Uint8Array.of(0xff, 0xfe, 65, 0), 1, "UTF-16"],
		["UTF-16 without one", Uint8Array.of(65, 0, 66, 0), 1, "offset 1"],
		["a NUL byte", bytesOf("a\nb\u0000c"), 2, "offset 3"],
	])("%s is refused with its place", (_, bytes, line, words) => {
		const error = refusal(bytes);
		expect(error.place).toEqual({ file: "x/SKILL.md", line });
		expect(error.message).toContain(words);
	});

	it("256 KiB parse, one byte more is refused with the line where the limit is passed", () => {
		const line = `${"x".repeat(99)}\n`;
		const full = line.repeat(2621) + "y".repeat(MAX_SKILL_BYTES - 262_100);
		expect(parse(full).segments).toHaveLength(1);
		expect(refusal(bytesOf(`${full}y`)).place?.line).toBe(2622);
	});
});

describe("frontmatter", () => {
	it("is an opaque slice of bytes with its hash", () => {
		const text = "\uFEFF---\nname: é # c\n---\nBody";
		const { frontmatter, bytes } = parse(text);
		expect(textOf(bytes.subarray(frontmatter?.start, frontmatter?.end))).toBe("---\nname: é # c\n---");
		expect(frontmatter?.start).toBe(3);
		expect(frontmatter?.sha256).toMatch(/^[0-9a-f]{64}$/);
	});

	it("is closed by the second line that is exactly ---", () => {
		expect(parse("---\ndescription: a --- b\n  ---\n---- x\n---\nBody\n---\n").frontmatter?.text).toBe(
			"---\ndescription: a --- b\n  ---\n---- x\n---",
		);
	});

	it("that is never closed is refused, since the harness could close it", () => {
		expect(refusal(bytesOf("---\nname: x\n")).message).toMatch(/line 1: .*never closed/);
	});

	it.each([
		"<!-- c -->\n---\nname: x\n---\n",
		"\n---\nname: x\n---\n",
		"# h\n---\nname: x\n---\n",
		" ---\nname: x\n---\n",
	])("%j has none", (text) => {
		expect(parse(text).frontmatter).toBeNull();
	});

	it.each([
		["name: dataviz", { name: "dataviz" }],
		['name: "a \\"b\\" c"', { name: 'a "b" c' }],
		["name: 'it''s'", { name: "it's" }],
		["name: x # why", { name: "x" }],
		["name: 123", { name: "123" }],
		["name: a\nname: b", { name: "b" }],
		["description: Use when: colon", { description: "Use when: colon" }],
		["description: |\n  one\n  two\n\n  three", { description: "one\ntwo\n\nthree" }],
		["description: >-\n  one\n  two\n\n  three", { description: "one two\n\nthree" }],
		["description: one\n  two", { description: "one two" }],
		['trigger: "chart, graph"', { trigger: "chart, graph" }],
		["metadata:\n  author: me\n  version: 1.10", { version: "1.10" }],
		["metadata: {author: me, version: '2'}", { version: "2" }],
		["version: 3\nmetadata:\n\tversion: 4", { version: "4" }],
		["metadata:\n  name: nested", {}],
		["name:\n  - a", {}],
		["  name: indented", {}],
		["name: [unclosed", { name: "[unclosed" }],
	])("%j is read leniently", (yaml, fields) => {
		const { name, description, trigger, version } = parse(`---\n${yaml}\n---\n`).frontmatter ?? {};
		expect(JSON.parse(JSON.stringify({ name, description, trigger, version }))).toEqual(fields);
	});

	it("with a key twice gets a note and no refusal", () => {
		expect(parse("---\nname: a\nname: b\n---\n").notes[0]?.message).toContain("name twice");
	});
});

describe("rebuilding", () => {
	it("puts new harness around the original kernels and adds the line end that a kernel needs", () => {
		const skill = parse(`---\r\nname: x\r\n---\r\nA\r\n${KERNEL}\r\nB`);
		expect(textOf(rebuildSkill(skill, ["new", "tail"]))).toBe(`---\r\nname: x\r\n---\r\nnew\r\n${KERNEL}\r\ntail`);
		expect(settleHarness(skill, ["new", "tail"])).toEqual(["new\r\n", "tail"]);
	});

	it("separates text from a kernel or a frontmatter that ended the file", () => {
		const kernelLast = parse(`A\n${KERNEL}`);
		expect(textOf(rebuildSkill(kernelLast, ["A\n", "more"]))).toBe(`A\n${KERNEL}\nmore`);
		expect(proveKernel(kernelLast, rebuildSkill(kernelLast, ["A\n", "more"]))).toEqual({ ok: true });
		const frontmatterLast = parse("---\nname: x\n---");
		expect(textOf(rebuildSkill(frontmatterLast, ["more"]))).toBe("---\nname: x\n---\nmore");
		expect(proveKernel(frontmatterLast, rebuildSkill(frontmatterLast, ["more"]))).toEqual({ ok: true });
	});

	it("refuses another number of segments", () => {
		expect(() => rebuildSkill(parse("A"), ["a", "b"])).toThrow(RangeError);
	});

	it.each([
		["a byte of the kernel", (text: string) => text.replace("Never", "never"), "bytes of kernel region safety"],
		[
			"a blank in a marker",
			(text: string) => text.replace("safety -->\n-", "safety  -->\n-"),
			"bytes of kernel region safety",
		],
		["the frontmatter", (text: string) => text.replace("name: x", "name: y"), "frontmatter changed"],
		["no frontmatter", (text: string) => text.replace("---\nname: x\n---\n", ""), "frontmatter is gone"],
		["another id", (text: string) => text.replaceAll("safety", "other"), "is other instead of safety"],
		["no kernel", (text: string) => text.replace(KERNEL, ""), "0 kernel regions instead of 1"],
		[
			"one kernel more",
			(text: string) => `${text}\n${KERNEL.replaceAll("safety", "more")}`,
			"2 kernel regions instead of 1",
		],
		["a byte order mark", (text: string) => `\uFEFF${text}`, "byte order mark"],
		["a fence over the kernel", (text: string) => text.replace("A\n", "```\n"), "nothing closes"],
		["half a kernel", (text: string) => text.replace("<!-- kernel:end id=safety -->", ""), "never closed"],
	])("is not proven with %s", (_, change, words) => {
		const text = `---\nname: x\n---\nA\n${KERNEL}\nB`;
		const proof = proveKernel(parse(text), bytesOf(change(text)));
		expect(proof.ok ? "" : proof.reason).toContain(words);
	});

	it("gives a model kernel and harness in document order, without frontmatter and byte order mark", () => {
		expect(bodyOf(parse(`\uFEFF---\nname: x\n---\nA\n${KERNEL}\nB`))).toBe(`A\n${KERNEL}\nB`);
		expect(kernelsOf(parse(`A\n${KERNEL}\nB`)).map(({ id, line }) => [id, line])).toEqual([["safety", 2]]);
	});
});

describe("lines", () => {
	it("of any text join to the text", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "")), (pieces) => {
				const text = pieces.join("");
				return (
					linesOf(text)
						.map(({ start, next }) => text.slice(start, next))
						.join("") === text
				);
			}),
		);
	});

	it("tell which line end a text uses most", () => {
		expect([dominantEol("a"), dominantEol("a\nb\r\nc\r\n"), dominantEol("a\r\nb\n"), dominantEol("a\rb\r")]).toEqual([
			"\n",
			"\r\n",
			"\n",
			"\r",
		]);
	});
});

describe("hostile sizes", () => {
	it.each([
		["5,000 nested quotes", `${">".repeat(5000)} a\n`.repeat(52)],
		["a line of 100,000 letters", "a".repeat(100_000)],
		["100,000 list markers in a line", `${"- ".repeat(100_000)}x`],
		["100,000 backticks", `${"`".repeat(100_000)}x`],
		["half a comment, again and again", "<!-".repeat(80_000)],
		["entities of entities", "&amp;".repeat(50_000)],
		["half a marker, again and again", "kernel ".repeat(35_000)],
		["lone CRs", "a\r".repeat(60_000)],
		["short lines", "a\n".repeat(130_000)],
		["combining marks", "a\u0301\u0302".repeat(50_000)],
		["attributes", `<a ${"b ".repeat(120_000)}`],
		[
			"2,500 kernels",
			Array.from({ length: 2500 }, (_, i) => `<!-- kernel:begin id=a${i} -->\nx\n<!-- kernel:end id=a${i} -->\n`).join(
				"",
			),
		],
	])("%s do not take time that grows with the square", (_, text) => {
		const bytes = bytesOf(text);
		parseSkill(bytes);
		const started = performance.now();
		parseSkill(bytes);
		// The goal is 250 ms; the bound is for what would take minutes, on a machine that is busy with other tests.
		expect(performance.now() - started).toBeLessThan(patient(15_000));
	});
});
