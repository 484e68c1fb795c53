import { describe, expect, it } from "vitest";
import { comparePin, pinOf, pinSchema } from "../../src/domain/kernel.ts";
import { readMarker, writeMarker } from "../../src/domain/marker.ts";
import { kernelsOf, parseSkill } from "../../src/domain/skill.ts";
import { InputError } from "../../src/errors.ts";
import { bytesOf } from "../support/skill-corpus.ts";

const B = "<!-- kernel:begin id=a -->";
const E = "<!-- kernel:end id=a -->";
const parse = (text: string) => parseSkill(bytesOf(text));

function problems(text: string): string[] {
	try {
		parse(text);
	} catch (error) {
		if (error instanceof InputError) return error.problems.map(({ message, place }) => `${place.line}: ${message}`);
		throw error;
	}
	return [];
}

describe("marker lines", () => {
	it.each([
		"<!-- kernel:begin id=a -->",
		"<!-- kernel:begin id=output-contract v=1 -->",
		"<!--\tkernel:begin\tid=a1-b2 \t-->  ",
		"<!-- KERNEL:Begin ID=A -->",
	])("%j is one", (line) => {
		expect(readMarker(line)?.edge).toBe("begin");
	});

	it.each([
		"<!--kernel:begin id=a-->",
		" <!-- kernel:begin id=a -->",
		"<!-- kernel:begin -->",
		"<!-- kernel:begin id=-a -->",
		"<!-- kernel:begin id=a--b -->",
		"<!-- kernel:begin id=a_b -->",
		"<!-- kernel:begin id=a v=2 -->",
		"<!-- kernel:begin v=1 id=a -->",
		"<!-- kernel:begin id=a --> x",
		"<!-- kernel:begin id=a -->\u00A0",
		"<!-- kernel: begin id=a -->",
		"<!-- kernel:begin id=ä -->",
		"x <!-- kernel:begin id=a -->",
		`<!-- kernel:begin id=${"a".repeat(400)} -->`,
	])("%j is none", (line) => {
		expect(readMarker(line)).toBeNull();
	});

	it("are written as they are read", () => {
		expect(readMarker(writeMarker({ edge: "end", id: "a-b" }))).toEqual({ edge: "end", id: "a-b" });
	});
});

describe("kernel regions", () => {
	it("are found in order with their marker lines", () => {
		const skill = parse(`x\n${B}\nk1\n${E}\ny\n<!-- kernel:begin id=b v=1 -->\r\n<!-- kernel:end id=B -->\r\n`);
		expect(kernelsOf(skill).map(({ id, text, eol }) => [id, text, eol])).toEqual([
			["a", `${B}\nk1\n${E}`, "\n"],
			["b", "<!-- kernel:begin id=b v=1 -->\r\n<!-- kernel:end id=B -->", "\r\n"],
		]);
		expect(skill.segments.map(({ kind }) => kind)).toEqual(["harness", "kernel", "harness", "kernel", "harness"]);
	});

	it.each([
		["after a paragraph", `text\n${B}\nk\n${E}\n`],
		["after a list", `- a\n  - b\n${B}\nk\n${E}\n`],
		["after a quote", `> a\n${B}\nk\n${E}\n`],
		["after a fence in a list that dedents", `- a\n  \`\`\`\n  code\n${B}\nk\n${E}\n`],
		["after a fence that opens behind a bullet", `- \`\`\`\n  code\n  \`\`\`\n${B}\nk\n${E}\n`],
		["after a fence in a quote", `> \`\`\`\n> code\n${B}\nk\n${E}\n`],
		["after a closed fence", `\`\`\`\`\n\`\`\`\n\`\`\`\`\n${B}\nk\n${E}\n`],
		["after a fence that tildes do not close", `\`\`\`\n~~~\n\`\`\`\n${B}\nk\n${E}\n`],
		["after indented code that looks like a fence", `a\n\n    \`\`\`\n${B}\nk\n${E}\n`],
		["after inline code that looks like a fence", `\`\`\` a \`\`\`\n${B}\nk\n${E}\n`],
		["after a closed comment", `<!-- a\nb -->\n${B}\nk\n${E}\n`],
		["after a closed script", `<script>\n\n</script>\n${B}\nk\n${E}\n`],
		["after a div", `<div>\n${B}\nk\n${E}\n</div>\n`],
		["around a fence, after a fence in a list that dedents", `- a\n  \`\`\`\n  code\n${B}\n\`\`\`\nk\n\`\`\`\n${E}\n`],
		["around a fence", `${B}\n\`\`\`\n${E}\n\`\`\`\n${E}\n`],
	])("are found %s", (_, text) => {
		expect(problems(text)).toEqual([]);
		expect(kernelsOf(parse(text))).toHaveLength(1);
	});

	it.each([
		["frontmatter", `---\nx: |\n${B}\n---\nbody\n`],
		["a backtick fence", `\`\`\`md\n${B}\nk\n${E}\n\`\`\`\n`],
		["a tilde fence", `~~~\n${B}\n${E}\n~~~~\n`],
		["a fence that a shorter run does not close", `\`\`\`\`\n\`\`\`\n${B}\n${E}\n\`\`\`\`\n`],
	])("are not looked for in %s", (_, text) => {
		expect(kernelsOf(parse(text))).toEqual([]);
	});

	it("inside a fence are documentation, with a note", () => {
		expect(parse(`\`\`\`\n${B}\n\`\`\`\n`).notes).toMatchObject([{ place: { line: 2 } }]);
	});

	it.each([
		["unclosed", `x\n${B}\nk\n`, ["2: kernel a is never closed"]],
		["never begun", `x\n${E}\n`, ["2: kernel a ends here but never began"]],
		[
			"nested",
			`${B}\n<!-- kernel:begin id=b -->\n<!-- kernel:end id=b -->\n${E}\n`,
			["2: kernel b begins inside kernel a", "3: kernel b ends here while kernel a"],
		],
		["duplicated", `${B}\n${E}\n${B}\n${E}\n`, ["3: kernel a was there before, on line 1"]],
		[
			"duplicated in another case",
			`${B}\n${E}\n${B.toUpperCase()}\n${E}\n`,
			["3: kernel a was there before, on line 1"],
		],
		["crossed", `${B}\n<!-- kernel:end id=b -->\n${E}\n`, ["2: kernel b ends here while kernel a"]],
		[
			"of an unknown version",
			"\n<!-- kernel:begin id=a v=2 -->\n",
			["2: this kernel marker has an unknown version v=2"],
		],
		["indented", ` ${B}\n`, ["1: this kernel marker does not start at column 1"]],
		["in a quote", `> ${B}\n`, ["1: this line looks like a kernel marker but is malformed"]],
		["without id", "<!-- kernel:begin -->\n", ["1: this line looks like"]],
		["without colon", "<!-- kernel begin id=a -->\n", ["1: this line looks like"]],
		["started, not begun", "<!-- kernel:start id=a -->\n", ["1: this line looks like"]],
		["in prose", "Put `kernel:begin` there\n", ["1: this line looks like"]],
		[
			"in Cyrillic",
			"<!-- \u043Aernel:begin id=a -->\n",
			["1: this line looks like a kernel marker but holds characters that are not plain ASCII"],
		],
		["with a zero width space", "<!-- ker\u200Bnel:begin id=a -->\n", ["1: this line looks like"]],
		["after a lone CR that hides nothing", `x\r${B}x\n`, ["2: this line looks like"]],
		[
			"behind an open fence",
			`\`\`\`\n${B}\nk\n${E}\n`,
			["2: this kernel marker lies in the fence that line 1 opens", "4: "],
		],
		[
			"behind a fence that a deep run does not close",
			`\`\`\`\n    \`\`\`\n${B}\nk\n${E}\n`,
			["3: this kernel marker lies in the fence"],
		],
		["in an indented fence", `  \`\`\`\n${B}\nk\n${E}\n  \`\`\`\n`, ["2: it is unclear", "4: it is unclear"]],
		["behind an open comment", `<!-- x\n${B}\nk\n${E}\n`, ["2: this kernel marker lies in the HTML block that line 1"]],
		[
			"behind an open pre",
			`<pre>\n${B}\nk\n${E}\n</pre>\n`,
			["2: this kernel marker lies", "4: this kernel marker lies"],
		],
		["behind an open CDATA", `<![CDATA[\n${B}\n${E}\n`, ["2: ", "3: "]],
		["behind an open declaration", `<!X\n${B}\n${E}\n`, ["2: "]],
		["behind an open instruction", `<?x\n${B}\n${E}\n?>\n`, ["2: ", "3: "]],
		[
			"with a fence left open inside",
			`${B}\n\`\`\`\nk\n${E}\n`,
			["1: kernel a is never closed; line 2 leaves a block open inside it", "4: "],
		],
		[
			"with a comment left open inside",
			`${B}\n<!--\nk\n${E}\nx\n`,
			["1: kernel a is never closed", "4: this kernel marker lies in the HTML block that line 2"],
		],
	])("%s are refused with their lines", (_, text, expected) => {
		const found = problems(text);
		for (const words of expected)
			expect(
				found.some((problem) => problem.startsWith(words)),
				`${words} in ${found.join(" | ")}`,
			).toBe(true);
		expect(found.length).toBeGreaterThanOrEqual(expected.length);
	});

	it("report every problem in one pass", () => {
		expect(problems(`${E}\n${B}\n ${B}\n`)).toHaveLength(3);
	});
});

describe("the pin", () => {
	const text = `---\nname: x\n---\nA\n${B}\nk\n${E}\nB\n<!-- kernel:begin id=b -->\nl\n<!-- kernel:end id=b -->\n`;
	const pin = pinOf(parse(text));

	it("covers frontmatter and regions, and is plain data", () => {
		expect(pinSchema.parse(JSON.parse(JSON.stringify(pin)))).toEqual(pin);
		expect(pin.regions.map(({ id }) => id)).toEqual(["a", "b"]);
	});

	it("does not change with the harness or with the end of the file", () => {
		expect(comparePin(pin, parse(text.replace("A\n", "Other\n\n").trimEnd()))).toEqual([]);
	});

	it.each([
		["another byte", text.replace("\nk\n", "\nK\n"), ["kernel region a has other bytes"]],
		["another marker line", text.replace("id=a -->\nk", "id=a v=1 -->\nk"), ["kernel region a has other bytes"]],
		["a region less", text.replace(`${B}\nk\n${E}\n`, ""), ["kernel region a is gone"]],
		["a region more", `${text}<!-- kernel:begin id=c -->\n<!-- kernel:end id=c -->\n`, ["kernel region c is new"]],
		["another frontmatter", text.replace("name: x", "name: y"), ["the frontmatter has other bytes"]],
		["no frontmatter", text.slice("---\nname: x\n---\n".length), ["the frontmatter is gone"]],
		[
			"another order",
			"---\nname: x\n---\n<!-- kernel:begin id=b -->\nl\n<!-- kernel:end id=b -->\n<!-- kernel:begin id=a -->\nk\n<!-- kernel:end id=a -->\n",
			["the kernel regions stand in another order: b, a instead of a, b"],
		],
	])("tells %s", (_, other, expected) => {
		expect(comparePin(pin, parse(other))).toEqual(expected);
	});

	it("that contradicts itself is told", () => {
		expect(comparePin({ ...pin, kernelSha256: "0".repeat(64) }, parse(text))).toHaveLength(1);
	});
});
