import { describe, expect, it } from "vitest";
import { type AdmissionOptions, admitHarness } from "../../src/domain/admission.ts";
import { lineCapabilities, shellOf } from "../../src/domain/capability.ts";
import { harnessOf, MAX_SKILL_BYTES, parseSkill } from "../../src/domain/skill.ts";
import { patient } from "../support/patience.ts";
import { bytesOf, corpusFiles, hasCorpus } from "../support/skill-corpus.ts";

const KERNEL =
	"<!-- kernel:begin id=output-contract -->\nSee [the list][one] and [two], note[^n].\n<!-- kernel:end id=output-contract -->\n";
const skill = parseSkill(bytesOf(`---\nname: x\n---\n# A\n\n- a\n\n${KERNEL}\n# B\n\n- b\n`));
const parent = harnessOf(skill);

/** Codes of the refusals when text is added to the first (before the kernel) or the last segment. */
function codes(added: string, where: "first" | "last" = "first", options: AdmissionOptions = {}): string[] {
	const harness = where === "first" ? [`${parent[0]}${added}`, parent[1]!] : [parent[0]!, `${parent[1]}${added}`];
	const admission = admitHarness(skill, parent, harness, options);
	return admission.ok ? [] : [...new Set(admission.refusals.map(({ code }) => code))];
}

describe("plain text", () => {
	it.each([
		"- Draw developments over time as a line chart.\n",
		"- With more than 5 groups (or 10,000 rows), use a treemap; e.g. sales by region.\n",
		"- Answer `stacked_area` and/or `line`; 50% of km/h values are 1/2 or 3.5.\n",
		"- The JSON pointer /chart is a string, /items/0 too.\n",
		"- Chart.js and D3.js draw this. It costs 5 USD.\n",
		'```json\n{"chart": "line"}\n```\n',
		"## New section\n\n1. One\n2. Two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"- Größe, 规则, правило, קו, naïve café — “quoted” … 😀\n",
		"- Read the whole request, write one sentence, edit nothing. The task is plain.\n",
		"<details>\n<summary>More</summary>\n\nText\n\n</details>\n\n",
	])("%j is admitted", (text) => {
		expect(codes(text)).toEqual([]);
		expect(codes(text, "last")).toEqual([]);
	});

	it("that the parent or the original already had is admitted, whatever it is", () => {
		const bad = "See https://example.com/x, `scripts/x.py`, $ARGUMENTS, !`ls`, Bash(git add:*) and \u200B.\n";
		const owner = parseSkill(bytesOf(`A ${bad}${KERNEL}B\n`));
		expect(admitHarness(owner, harnessOf(owner), [`A ${bad}More.\n`, "B\n"])).toEqual({ ok: true, flags: [] });
		expect(admitHarness(owner, ["A\n", "B\n"], [`A ${bad}`, "B\n"])).toEqual({ ok: true, flags: [] });
		expect(admitHarness(skill, [`${parent[0]}${bad}`, parent[1]!], [`${parent[0]}${bad}x\n`, parent[1]!]).ok).toBe(
			true,
		);
	});

	it("of any public skill is admitted unchanged", () => {
		for (const { name, bytes } of corpusFiles()) {
			if (bytes.length > MAX_SKILL_BYTES) continue;
			const one = parseSkill(bytes);
			expect(admitHarness(one, harnessOf(one), harnessOf(one)), name).toEqual({ ok: true, flags: [] });
		}
	});
});

describe("structure", () => {
	it.each([
		["an open fence", "```\ncode\n"],
		["an open tilde fence", "~~~~\n~~~\n"],
		["a fence that an info string does not close", "```\n```js\n"],
		["an open comment", "<!-- x\n"],
		["an open pre", "<pre>\n"],
		["an open script", "<script>\n"],
		["an open textarea", "<textarea>\n"],
		["an open CDATA", "<![CDATA[\n"],
		["an open declaration", "<!X\n"],
		["an open instruction", "<?php\n"],
		["an HTML block that runs to the next blank line", "<div>\n\n</div>\n"],
		["a tag alone on its line", "\n<foo>\n"],
	])("%s in front of a kernel is refused", (_, text) => {
		expect(codes(text)).toContain("open-block");
	});

	it("a fence left open at the end is refused when the parent had none", () => {
		expect(codes("```\ncode\n", "last")).toContain("open-block");
		expect(codes("<div>\n", "last")).toEqual([]);
	});

	it.each(["details", "template", "div", "DETAILS", "section", "svg", "select", "del"])(
		"<%s> left open in front of a kernel is refused",
		(tag) => {
			expect(codes(`<${tag}>\n\nx\n\n`)).toContain("open-element");
			expect(codes(`Text <${tag} hidden>\n\n`)).toContain("open-element");
			expect(codes(`</${tag}>\n\n<${tag}>\n\n`)).toContain("open-element");
		},
	);

	it("a comment opened within a line is refused", () => {
		expect(codes("text <!-- x\n")).toContain("open-comment");
	});

	it("a false frontmatter is refused where there is none", () => {
		const bare = parseSkill(bytesOf("Hello\n"));
		for (const text of ["---\nname: y\n---\nHello\n", "\n---\nx\n---\n", "--- \n"]) {
			const admission = admitHarness(bare, ["Hello\n"], [text]);
			expect(admission.ok ? [] : admission.refusals.map(({ code }) => code)).toContain("frontmatter-start");
		}
		expect(admitHarness(bare, ["Hello\n"], ["Hello\n\n---\n\nx\n"]).ok).toBe(true);
	});

	it.each(["[one]: x\n", "[ONE]:\n  x\n", "> [two]: x\n", "- [ Two ]: x\n", "[^n]: other\n", "[the list]: x\n"])(
		"%j takes a label of the kernel and is refused",
		(text) => {
			expect(codes(text)).toContain("link-definition");
			expect(codes(text, "last")).toContain("link-definition");
		},
	);

	it("a label that no kernel uses is admitted", () => {
		expect(codes("[three]: x\n")).toEqual([]);
	});

	it("another number of segments is refused", () => {
		expect(admitHarness(skill, parent, ["a"])).toMatchObject({ ok: false, refusals: [{ code: "segments" }] });
	});

	it("half a character is refused", () => {
		expect(codes("a\uD800b\n")).toEqual(["broken-text"]);
	});

	it("a missing line end in front of a kernel is no fault: it is added", () => {
		expect(codes("More.")).toEqual([]);
	});
});

describe("capabilities", () => {
	it.each<[string, string[]]>([
		["inline-shell", ["!`ls`", "x !`cat a` y", "!``ls``", "```!\nls\n```", "~~~ !\nls\n~~~", "````!\nls\n````"]],
		[
			"template-variable",
			["$ARGUMENTS", "$ARGUMENTS[0]", "${CLAUDE_SKILL_DIR}", "${HERMES_HOME}", "$1", "$name", "$(ls)"],
		],
		["environment", ["%APPDATA%", "process.env", "$env:PATH"]],
		[
			"url",
			[
				"https://evil.example/x",
				"HTTP://EVIL",
				"ftp://x",
				"//evil.com/x",
				"www.evil.com",
				"evil.com",
				"evil[.]com",
				"hxxps://evil",
				"mailto:a@b",
				"javascript:alert(1)",
				"data:text/html,x",
				"10.0.0.1",
				"localhost:80",
				"ex\uFF0Eample.com/x",
				"https&colon;//evil",
				"evil.link/x",
				"ssh://x",
				"[x](//evil.io)",
			],
		],
		[
			"tool-grant",
			[
				"allowed-tools",
				"Bash(git add:*)",
				"WebFetch",
				"use the Bash tool",
				"mcp__server__tool",
				"disallowed-tools",
				"Skill(x)",
				"--dangerously-skip-permissions",
			],
		],
		[
			"file-reference",
			[
				"scripts/x.py",
				"references/y.md",
				"../secret",
				"~/.ssh/id",
				"/etc/passwd",
				"./run",
				"C:\\x",
				"\\\\host\\share",
				"notes.md",
				".env",
				"a/b/c.txt",
				"assets/logo",
				"`/usr/bin/x`",
				"(see setup.sh)",
			],
		],
		[
			"command",
			[
				"curl evil",
				"npm install x",
				"pip install x",
				"sudo x",
				"rm -rf x",
				"x | sh",
				"bash -c x",
				"base64 -d",
				"npx x",
				"git push",
				"chmod x",
				"python -c x",
			],
		],
		[
			"encoded",
			[
				"aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQ0",
				"\\x41\\x42\\x43\\x44",
				"%41%42%43%44",
				"0123456789abcdef0123456789abcdef0123456789abcdef",
			],
		],
		["active-html", ["<script>x</script>", "<img src=x>", "<b onclick=x>", "<iframe>", "<p style=x>", "<p hidden>"]],
	])("%s that the parent lacked is refused", (code, texts) => {
		for (const text of texts) {
			expect(codes(`- ${text}\n`, "last"), text).toContain(code);
			expect(codes(`\n${text}\n\n`), text).toContain(code);
		}
	});

	it("an address of which the parent had another page is refused", () => {
		const owner = parseSkill(bytesOf("See https://example.com/a.\n"));
		expect(admitHarness(owner, harnessOf(owner), ["See https://example.com/b.\n"]).ok).toBe(false);
		expect(admitHarness(owner, harnessOf(owner), ["Go to https://example.com/a, now.\n"]).ok).toBe(true);
	});

	it("another command in a shell fence that was there is refused", () => {
		const owner = parseSkill(bytesOf("```!\nls\n```\n\nls -l\n"));
		expect(admitHarness(owner, harnessOf(owner), ["```!\nls -l\n```\n\nls -l\n"])).toMatchObject({
			refusals: [{ code: "inline-shell", line: 1 }],
		});
	});

	it("an escaped dollar is none", () => {
		expect(codes("- costs \\$5\n")).toEqual([]);
	});

	it.skipIf(!hasCorpus)("are seen in public skills", () => {
		const lines = corpusFiles().flatMap(({ bytes }) => new TextDecoder().decode(bytes).split("\n"));
		const kinds = new Set(lines.flatMap((line) => lineCapabilities(line).map(({ kind }) => kind)));
		expect(lines.filter((line) => shellOf(line).length > 0).length).toBeGreaterThan(3);
		expect([...kinds].sort()).toEqual([
			"active-html",
			"command",
			"encoded",
			"environment",
			"file-reference",
			"template-variable",
			"tool-grant",
			"url",
		]);
	});
});

describe("growth", () => {
	const long = "- word word word word word word\n".repeat(500);

	it("is bounded by 15,000 bytes of harness or a fifth more than the original, whichever is more", () => {
		expect(codes(long.slice(0, 14_900))).toEqual([]);
		expect(codes(long)).toEqual(["too-large"]);
		const big = parseSkill(bytesOf(long.repeat(2)));
		expect(admitHarness(big, harnessOf(big), [long.repeat(2) + long.slice(0, 6000)]).ok).toBe(true);
		expect(admitHarness(big, harnessOf(big), [long.repeat(3)]).ok).toBe(false);
	});

	it("does not add up over generations", () => {
		const big = parseSkill(bytesOf(long));
		expect(admitHarness(big, [long + long.slice(0, 3000)], [long + long.slice(0, 5000)])).toMatchObject({
			refusals: [{ code: "too-large" }],
		});
	});

	it("can be set, counts bytes, and never stops a text that shrinks", () => {
		expect(codes("é".repeat(40), "first", { maxBytes: 100, maxRatio: 1 })).toEqual(["too-large"]);
		expect(codes("e".repeat(40), "first", { maxBytes: 100, maxRatio: 1 })).toEqual([]);
		expect(
			admitHarness(skill, [`${parent[0]}${long}`, parent[1]!], [`${parent[0]}${long.slice(32)}`, parent[1]!], {
				maxBytes: 10,
			}).ok,
		).toBe(true);
	});

	it("never leads to a file that could not be read again", () => {
		expect(codes("- a b c d\n".repeat(30_000), "last", { maxBytes: 10_000_000 })).toEqual(["too-large"]);
	});
});

describe("text of recorded cases", () => {
	const input = "Please show the revenue of our eleven Nordic stores for each month of the last two years, by format.";
	const options = { caseTexts: ["Another question.", input] };

	it.each([
		["word for word", `- ${input}\n`],
		[
			"with other case and punctuation",
			"- the REVENUE of our eleven (Nordic) stores, for each month of the last two years\n",
		],
		["over several lines", "- the revenue of our eleven Nordic\n  stores for each month of the last two\n  years\n"],
	])("%s is refused", (_, text) => {
		expect(codes(text, "last", options)).toEqual(["case-text"]);
	});

	it("without blanks between words is refused from 80 characters on", () => {
		const han = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join("");
		expect(codes(`- ${han.slice(5, 90)}\n`, "last", { caseTexts: [han] })).toEqual(["case-text"]);
		expect(codes(`- ${han.slice(5, 70)}\n`, "last", { caseTexts: [han] })).toEqual([]);
	});

	it("of eleven words is admitted", () => {
		expect(codes("- the revenue of our eleven Nordic stores for each month of\n", "last", options)).toEqual([]);
	});

	it("that the parent already had is admitted", () => {
		const before = [parent[0]!, `${parent[1]}- ${input}\n`];
		expect(admitHarness(skill, before, [`${parent[0]}- more\n`, before[1]!], options).ok).toBe(true);
	});

	it("is found behind a run that was known", () => {
		const known = "this long sentence was in the skill from the start and is harmless here";
		const before = [parent[0]!, `${parent[1]}- ${known}\n`];
		const admission = admitHarness(skill, before, [before[0]!, `${before[1]}- ${input}\n`], {
			caseTexts: [`${known}. ${input}`],
		});
		expect(admission).toMatchObject({ ok: false, refusals: [{ code: "case-text" }] });
	});

	it("is found at any place, and quickly among ten thousand cases", () => {
		const cases = Array.from({ length: 10_000 }, (_, index) =>
			Array.from({ length: 30 }, (__, word) => `w${(index * 31 + word * word) % 5003}`).join(" "),
		);
		expect(codes(`- ${cases[7000]?.split(" ").slice(9, 21).join(" ")}\n`, "last", { caseTexts: cases })).toEqual([
			"case-text",
		]);
		const started = performance.now();
		for (let round = 0; round < 20; round++) codes("- nothing of the kind\n", "last", { caseTexts: cases });
		expect(performance.now() - started).toBeLessThan(patient(20_000));
	});
});

describe("refusals", () => {
	it("name every fault with its segment and line", () => {
		const admission = admitHarness(skill, parent, [`${parent[0]}See evil.com\n`, `${parent[1]}- a\u200B\n- !\`ls\`\n`]);
		expect(admission.ok ? [] : admission.refusals.map(({ code, segment, line }) => [code, segment, line])).toEqual([
			["url", 0, 5],
			["invisible", 1, 5],
			["inline-shell", 1, 6],
		]);
	});
});
