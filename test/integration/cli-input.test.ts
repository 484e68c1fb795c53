/** What people do wrong at the command line, end to end: one clear message with its place, the right exit code, nothing written. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, ensureBuilt } from "../support/cli.ts";
import { filesFolder } from "../support/files-folder.ts";
import { patient } from "../support/patience.ts";
import { createTempRepo } from "../support/temp-repo.ts";

const GOOD =
	"schemaVersion: 1\ncases:\n  - id: one\n    input: hello\n    checks:\n      - {type: contains, value: x, note: why}\n";
const STACK = /\n\s+at .+\(?.+:\d+:\d+\)?/;

interface Told {
	code: number | null;
	text: string;
	stdout: string;
	stderr: string;
}

/** Runs a command in a folder with these files and makes sure that it left them alone and showed no stack. */
async function tell(
	args: readonly string[],
	files: Readonly<Record<string, string | Uint8Array>> = {},
	env: Record<string, string> = {},
): Promise<Told> {
	const cwd = filesFolder(files);
	const before = readdirSync(cwd, { recursive: true, encoding: "utf8" }).sort();
	const { code, stdout, stderr } = await cli(args, { cwd, env });
	expect(readdirSync(cwd, { recursive: true, encoding: "utf8" }).sort()).toEqual(before);
	expect(stdout + stderr).not.toMatch(STACK);
	return { code, text: stdout + stderr, stdout, stderr };
}

beforeAll(ensureBuilt, 180_000);

describe("case files with something wrong", () => {
	it.each<[string, string, string | Uint8Array, RegExp[]]>([
		["broken YAML", "a.yaml", "schemaVersion: 1\ncases:\n  - id: [one\n", [/eval-cases\/x\/a\.yaml:\d+:\d+: /]],
		[
			"a duplicate id",
			"a.yaml",
			`${GOOD}  - {id: one, input: y, checks: [{type: contains, value: x}]}\n`,
			[/a\.yaml:7:10: the id "one" is taken by the case at .*a\.yaml:3:5/],
		],
		[
			"an unknown check",
			"a.yaml",
			GOOD.replace("contains,", "contians,"),
			[/a\.yaml:6:16: checks\[0\]\.type is "contians"/, /Did you mean "contains"\?/],
		],
		[
			"an unknown key",
			"a.yaml",
			GOOD.replace("input:", "inptu:"),
			[/a\.yaml:4:5: the key "inptu" is not known here/, /Did you mean "input"\?/],
		],
		[
			"a binary file",
			"a.yaml",
			Uint8Array.from([0x89, 0x50, 0, 1, 2]),
			[/a\.yaml:1: a NUL byte/, /Save the file as UTF-8/],
		],
		["UTF-16", "a.jsonl", Buffer.from("\uFEFF{}", "utf16le"), [/a\.jsonl:1: the file is UTF-16/]],
		[
			"Latin-1",
			"a.yaml",
			Buffer.from(GOOD.replace("hello", "héllo"), "latin1"),
			[/a\.yaml:4: bytes that are no UTF-8/],
		],
		[
			"a bad line of JSON",
			"a.jsonl",
			'{"id": "a",\n',
			[/a\.jsonl:1:\d+: the JSON ends too early \(expected: one JSON object on a line\)/],
		],
		[
			"a number that is none",
			"a.yaml",
			GOOD.replace("value: x", "value: x, weight: .nan"),
			[/weight is NaN \(expected: a number\)/],
		],
		["no cases", "a.yaml", "schemaVersion: 1\ncases: []\n", [/hold no case/]],
		[
			"an alias bomb",
			"a.yaml",
			`schemaVersion: 1\nx: &a [${"y,".repeat(200)}y]\n${[..."bcdefg"].map((name, at) => `${name}: &${name} [${`*${"abcdef"[at]},`.repeat(60)}x]\n`).join("")}`,
			[/too large once its aliases are written out/],
		],
	])("are told: %s", async (_, name, content, patterns) => {
		const { code, text, stderr } = await tell(["cases", "check", "x"], { [`eval-cases/x/${name}`]: content });
		expect(code).toBe(3);
		for (const pattern of patterns) expect(text).toMatch(pattern);
		expect(stderr).toBe("");
	});

	it("are told by gepa run too, before anything is made", async () => {
		const { code, stderr } = await tell(["run", "x"], { "eval-cases/x/a.yaml": GOOD.replace("input:", "inptu:") });
		expect(code).toBe(3);
		expect(stderr).toMatch(/eval-cases\/x\/a\.yaml:4:5: the key "inptu" is not known here/);
		expect(stderr).toMatch(/^hint: /m);
	});

	it("may have a byte order mark and CR LF", async () => {
		const { code } = await tell(["cases", "check", "x"], {
			"eval-cases/x/a.yaml": `\uFEFF${GOOD.replaceAll("\n", "\r\n")}`,
		});
		expect(code).toBe(0);
	});

	it("with a line of 50 MB are told at once", async () => {
		const cwd = filesFolder({ "eval-cases/x/b.yaml": GOOD });
		writeFileSync(join(cwd, "eval-cases/x/a.jsonl"), `"${"x".repeat(50 * 1024 * 1024)}"\n`);
		const { code, stdout, ms } = await cli(["cases", "check", "x"], { cwd });
		expect(code).toBe(3);
		expect(stdout).toMatch(/a\.jsonl:1:1: this line has 52428802 bytes, which is too long/);
		expect(ms).toBeLessThan(patient(20_000));
	});

	it("are told as one JSON document", async () => {
		const { code, stdout } = await tell(["cases", "check", "x", "--json"], {
			"eval-cases/x/a.yaml": GOOD.replace("input:", "inptu:"),
		});
		expect(code).toBe(3);
		expect(JSON.parse(stdout)).toMatchObject({
			schemaVersion: 1,
			ok: false,
			skills: [
				{
					skill: "x",
					problems: expect.arrayContaining([
						expect.objectContaining({ place: { file: "eval-cases/x/a.yaml", line: 4, column: 5 } }),
					]),
				},
			],
		});
	});

	it("that are not there are told", async () => {
		expect(await tell(["cases", "check", "x"])).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("no folder of cases"),
		});
		expect(await tell(["cases", "check"])).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("there are no cases"),
		});
		expect(await tell(["cases", "check", "x"], { "eval-cases/x/readme.txt": "" })).toMatchObject({
			code: 3,
			stdout: expect.stringContaining("no case files"),
		});
	});

	it("cannot steer the terminal", async () => {
		const { text } = await tell(["cases", "check", "x"], {
			"eval-cases/x/a.yaml": GOOD.replace("id: one", 'id: "\\e]52;c;eA==\\a\u202e"'),
		});
		expect(text).not.toMatch(/[\u001b\u0007\u202e]/);
	});
});

describe("skills with something wrong", () => {
	it.each([
		["a bad marker", "# X\n<!-- kernel:begin id=a -->\ntext\n<!-- kernel:edn id=a -->\n", /SKILL\.md:\d+: /],
		[
			"frontmatter that is never closed",
			"---\nname: x\n",
			/SKILL\.md:1: the frontmatter that starts here is never closed/,
		],
	])("are told: %s", async (_, content, pattern) => {
		const { code, text } = await tell(["skills", "check", "x/SKILL.md"], { "x/SKILL.md": content });
		expect(code).toBe(3);
		expect(text).toMatch(pattern);
	});

	it("that are too large are refused", async () => {
		expect(await tell(["skills", "check", "x"], { "x/SKILL.md": "x".repeat(300 * 1024) })).toMatchObject({ code: 3 });
	});

	it("that are not there are told", async () => {
		expect(await tell(["skills", "show", "nobody"])).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("there is no skill nobody"),
		});
		expect(await tell(["skills", "check", "no/SKILL.md"])).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("no such file"),
		});
		expect((await tell(["run", "nobody"])).code).toBe(3);
	});

	it("that a run has touched where it must not are told by gepa verify", async () => {
		const repo = createTempRepo([]);
		try {
			const kernel = "<!-- kernel:begin id=a -->\nNever.\n<!-- kernel:end id=a -->\n";
			repo.commit({ "skills/x/SKILL.md": `# X\n\nv0\n${kernel}` });
			repo.commit({ "skills/x/SKILL.md": `# X\n\nv1\n${kernel}` }, "x: evolve harness to v1\n\nGepa-Run: r1\n");
			const args = ["verify", "x", "--skills-repo", repo.root, "--json"];
			const good = await tell(args);
			expect(good.code).toBe(0);
			expect(JSON.parse(good.stdout)).toMatchObject({
				ok: true,
				commits: [{ run: "r1", verdict: "intact", kernels: 1 }],
			});
			repo.commit(
				{ "skills/x/SKILL.md": `# X\n\nv2\n${kernel.replace("Never", "Ever")}` },
				"x: evolve harness to v2\n\nGepa-Run: r2\n",
			);
			const bad = await tell(args);
			expect(bad.code).toBe(6);
			expect(JSON.parse(bad.stdout)).toMatchObject({
				ok: false,
				commits: [
					{ run: "r2", verdict: "broken" },
					{ run: "r1", verdict: "intact" },
				],
			});
		} finally {
			repo.remove();
		}
	});
});

describe("arguments that are wrong", () => {
	it.each([
		[["rnu"], /unknown command 'rnu'[\s\S]*Did you mean run\?/],
		[["run"], /missing required argument 'skill'/],
		[["run", "x", "--max-cals", "3"], /unknown option '--max-cals'[\s\S]*Did you mean --max-calls\?/],
		[["run", "x", "--max-calls", "few"], /--max-calls needs a whole number/],
		[["run", "x", "--policy", "best"], /--policy is one of quality-first, balanced, cheapest/],
		[["run", "x", "--api-key=sk-0123456789abcdefghij"], /never taken from the command line/],
		[["config", "x", "--job", "none.yaml"], /none\.yaml: there is no such file/],
		[["cases"], /a command is missing/],
		[["run", "Not/A/Skill"], /no name of a skill/],
	])("are told: %j", async (args, pattern) => {
		const { code, stdout, stderr } = await tell(args);
		expect(code).toBe(args.includes("--job") ? 3 : 2);
		expect(stderr).toMatch(pattern);
		expect(stdout).toBe("");
		expect(stderr).not.toContain("0123456789abcdefghij");
	});

	it("are told as one JSON document with --json", async () => {
		const { code, stdout, stderr } = await tell(["run", "x", "--max-calls", "few", "--json"]);
		expect(code).toBe(2);
		expect(JSON.parse(stdout)).toMatchObject({
			schemaVersion: 1,
			error: { kind: "UsageError", exitCode: 2, message: expect.stringContaining("--max-calls") },
		});
		expect(stderr).toContain("error: ");
	});
});

describe("a job spec that is wrong", () => {
	it("is told with every problem and its place", async () => {
		const { code, stderr } = await tell(["config", "x"], {
			"jobs/x.yaml": "schemaVersion: 1\nskill: x\nbugdet: {calls: 1}\npolicy: best\n",
		});
		expect(code).toBe(3);
		expect(stderr).toMatch(/jobs\/x\.yaml:3:1: the key "bugdet" is not known here/);
		expect(stderr).toMatch(/Did you mean "budget"\?/);
		expect(stderr).toMatch(
			/jobs\/x\.yaml:4:9: policy is "best" \(expected: one of quality-first, balanced, cheapest\)/,
		);
	});
});

describe("what helps", () => {
	it("is printed by bare gepa and by --help, examples first", async () => {
		const bare = await tell([]);
		const help = await tell(["--help"]);
		expect([bare.code, help.code, bare.stderr, help.stderr]).toEqual([0, 0, "", ""]);
		expect(bare.stdout).toContain("gepa demo");
		expect(help.stdout.startsWith("Examples:")).toBe(true);
		expect((await tell(["help", "run"])).stdout).toContain("--max-usd");
		expect((await tell(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});

	it("offers no command that does not exist", async () => {
		const { stdout } = await tell(["--help"]);
		const commands = [...stdout.slice(stdout.indexOf("Commands:")).matchAll(/^ {2}([a-z]+)/gm)].map(
			(match) => match[1] ?? "",
		);
		expect(commands.length).toBeGreaterThan(5);
		for (const command of commands) expect((await tell([command, "--help"])).code).toBe(0);
	});

	it("shows which source won, and never a key", async () => {
		const env = { OPENAI_API_KEY: "sk-0123456789abcdefghij", OPENAI_BASE_URL: "http://localhost:1/v1" };
		const { code, text, stdout } = await tell(["config", "--json"], {}, env);
		expect(code).toBe(0);
		expect(text).not.toContain("0123456789");
		expect(JSON.parse(stdout)).toMatchObject({
			values: {
				baseUrl: { value: "http://localhost:1/v1", origin: "environment OPENAI_BASE_URL" },
				apiKey: { value: "set", origin: "environment OPENAI_API_KEY" },
			},
		});
	});

	it("is coloured only when colour is forced or a terminal looks on", async () => {
		const files = { "eval-cases/x/a.yaml": GOOD };
		const colour = (text: string) => text.includes("\u001b[");
		expect(colour((await tell(["cases", "check", "x"], files)).text)).toBe(false);
		expect(colour((await tell(["cases", "check", "x"], files, { FORCE_COLOR: "1" })).text)).toBe(true);
		expect(colour((await tell(["cases", "check", "x", "--no-color"], files, { FORCE_COLOR: "1" })).text)).toBe(false);
		expect(colour((await tell(["cases", "check", "x"], files, { FORCE_COLOR: "1", NO_COLOR: "1" })).text)).toBe(false);
	});
});
