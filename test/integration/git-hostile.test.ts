/** Nothing that a repository, a name or a text holds is ever run, and no byte is ever converted. */
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createGitSkillsRepository } from "../../src/adapters/git-skills-repository.ts";
import { parseTrailers } from "../../src/adapters/git-trailers.ts";
import { GuardError, InputError } from "../../src/errors.ts";
import { createTempRepo, planFor, SEED, type TempRepo } from "../support/temp-repo.ts";

const FILE = "skills/demo/SKILL.md";
const NEXT = "---\nname: demo\n---\n# Demo\n\nv1 is better\n";
const repos: TempRepo[] = [];

function temp(skills?: readonly string[]): TempRepo {
	const repo = createTempRepo(skills);
	repos.push(repo);
	return repo;
}

afterEach(() => {
	for (const repo of repos.splice(0)) repo.remove();
});

const open = (repo: TempRepo, root = repo.root) =>
	createGitSkillsRepository({ root, environment: repo.environment, patienceMs: 400 });

describe("bytes", () => {
	const texts = {
		"CRLF line ends": "a\r\nb\r\n",
		"mixed line ends and a BOM": "\ufeffa\r\nb\nc\r",
		"no final line end": "a\nb",
		"a keyword that git would expand": "$Id$\n",
	};
	for (const [what, text] of Object.entries(texts)) {
		it(`land unchanged: ${what}, under autocrlf, eol, ident and encoding attributes`, async () => {
			const repo = temp();
			repo.commit({ ".gitattributes": "*.md text eol=crlf ident working-tree-encoding=UTF-16\n" });
			repo.git(["config", "core.autocrlf", "true"]);
			const skills = await open(repo);
			const bytes = new TextEncoder().encode(text);
			const plan = planFor(await skills.read("demo"), "demo", "run-1", bytes, { ref: "refs/heads/gepa/demo" });
			expect(await skills.promote(plan)).toMatchObject({ status: "committed" });
			expect((await skills.evolved("demo"))[0]?.after).toEqual(bytes);
		});
	}

	it("on disk keep the line ends that git wrote at checkout", async () => {
		const repo = temp();
		repo.git(["config", "core.autocrlf", "true"]);
		repo.git(["rm", "-q", "--cached", "-r", "."]);
		repo.git(["reset", "-q", "--hard"]);
		expect(repo.read(FILE)).toBe(SEED.replaceAll("\n", "\r\n"));
		const skills = await open(repo);
		expect(await skills.preflight("demo", "current")).toEqual([]);
		const result = await skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT));
		expect(result).toMatchObject({ status: "committed", refreshed: true });
		expect(repo.read(FILE)).toBe(NEXT.replaceAll("\n", "\r\n"));
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(repo.git(["cat-file", "-s", `main:${FILE}`])).toBe(String(NEXT.length));
	});
});

describe("programs that a repository names", () => {
	/** A repository in which every door that git knows leads to a program that leaves a trace. */
	function trapped(): { repo: TempRepo; traces: () => string[] } {
		const repo = temp(["demo", "other"]);
		const traces = join(repo.base, "traces");
		mkdirSync(traces);
		const trap = join(repo.base, "trap.sh");
		writeFileSync(trap, `#!/bin/sh\ntouch "${traces}/$(basename "$0")-$$"\nexec cat\n`);
		chmodSync(trap, 0o755);
		const hooks =
			"reference-transaction post-index-change pre-commit post-commit commit-msg pre-push post-checkout pre-auto-gc";
		for (const hook of hooks.split(" ")) {
			writeFileSync(join(repo.root, ".git/hooks", hook), `#!/bin/sh\ntouch "${traces}/${hook}"\n`);
			chmodSync(join(repo.root, ".git/hooks", hook), 0o755);
		}
		// Committed before the traps are set; the filter then is what a later checkout or status would run.
		repo.git(["-c", "core.hooksPath=/dev/null", "update-index", "--refresh"]);
		writeFileSync(join(repo.root, ".git/info/attributes"), "*.md filter=trap diff=trap merge=trap\n");
		const config: Record<string, string> = {
			"core.fsmonitor": trap,
			"core.pager": trap,
			"core.editor": trap,
			"core.sshCommand": trap,
			"core.askPass": trap,
			"core.alternateRefsCommand": trap,
			"filter.trap.clean": trap,
			"filter.trap.smudge": trap,
			"filter.trap.process": trap,
			"filter.trap.required": "true",
			"diff.external": trap,
			"diff.trap.textconv": trap,
			"diff.trap.command": trap,
			"merge.trap.driver": trap,
			"gpg.program": trap,
			"commit.gpgSign": "true",
			"log.showSignature": "true",
			"trailer.gepa.command": trap,
			"trailer.gepa.key": "Gepa-Run",
			"credential.helper": `!${trap}`,
			"remote.origin.url": `ext::${trap}`,
			"remote.origin.receivepack": trap,
			"protocol.ext.allow": "always",
			"alias.ls-tree": `!${trap}`,
		};
		for (const [key, value] of Object.entries(config)) repo.git(["config", key, value]);
		return { repo, traces: () => readdirSync(traces) };
	}

	it("never run while a skill is listed, read, checked, promoted, walked or pushed", async () => {
		const { repo, traces } = trapped();
		const skills = await open(repo);
		expect(await skills.list()).toHaveLength(2);
		expect(await skills.preflight("demo", "current")).toEqual([]);
		expect(await skills.preflight("demo", "branch")).toEqual([]);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		expect(await skills.promote(plan)).toMatchObject({ status: "committed", refreshed: true });
		expect(await skills.evolved("demo")).toHaveLength(1);
		const pushed = await skills.push("refs/heads/main", "gepa/demo/v1");
		expect(pushed.pushed).toBe(false);
		expect(pushed.message).toContain("names a program");
		expect(repo.read(FILE)).toBe(NEXT);
		expect(traces()).toEqual([]);
		// The traps are real: git itself walks into them.
		repo.write("skills/other/SKILL.md", "edited\n");
		expect(() => repo.git(["diff"])).toThrow("trap");
		expect(traces().length).toBeGreaterThan(0);
	});

	it("never run through a remote's address", async () => {
		const repo = temp();
		const canary = join(repo.base, "canary");
		for (const url of [
			`ext::touch ${canary}`,
			`--upload-pack=touch ${canary}`,
			`ssh://-oProxyCommand=touch%20${canary}/x`,
		]) {
			repo.git(["config", "remote.origin.url", url]);
			repo.git(["config", "protocol.ext.allow", "always"]);
			expect((await (await open(repo)).push("refs/heads/main", "gepa/demo/v1")).pushed).toBe(false);
		}
		expect(existsSync(canary)).toBe(false);
	});

	it("a work tree that the configuration puts elsewhere is refused", async () => {
		const repo = temp();
		repo.git(["config", "core.worktree", join(repo.base, "home")]);
		await expect(open(repo)).rejects.toThrow("no usable git repository");
	});

	it("a folder of the work tree that became a link is not followed", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		const outside = join(repo.base, "outside");
		repo.write("SKILL.md", SEED, outside);
		repo.git(["mv", "skills/demo", "elsewhere"]);
		repo.git(["reset", "-q"]);
		symlinkSync(outside, join(repo.root, "skills/demo"));
		expect(await skills.promote(plan)).toMatchObject({ status: "refused", reason: "dirty" });
		expect(repo.read("SKILL.md", outside)).toBe(SEED);
	});
});

describe("names", () => {
	const names = [
		"",
		"-x",
		"--output=canary",
		"../demo",
		"demo/../../etc",
		"demo/",
		".git",
		"Demo",
		"démo",
		"demo\n",
		"demo\0",
		"demo;touch canary",
		"$(touch canary)",
		"a".repeat(65),
		":(top)demo",
		"demo*",
	];
	it("that no skill can have are refused before git sees them", async () => {
		const repo = temp();
		const skills = await open(repo);
		for (const name of names) {
			await expect(skills.read(name)).rejects.toBeInstanceOf(InputError);
			await expect(skills.nextVersion(name)).rejects.toBeInstanceOf(InputError);
			await expect(skills.evolved(name)).rejects.toBeInstanceOf(InputError);
			await expect(skills.preflight(name, "current")).rejects.toBeInstanceOf(InputError);
		}
		for (const commit of ["--output=canary", "HEAD", "main", "@{-1}", "", "-", "HEAD:x"]) {
			await expect(skills.read("demo", { commit })).rejects.toBeInstanceOf(InputError);
		}
		expect(existsSync(join(repo.root, "canary"))).toBe(false);
	});

	it("in a plan are refused before anything is written", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		const objects = () => repo.git(["count-objects"]);
		const before = objects();
		const bad = [
			...[
				"HEAD",
				"main",
				"refs/tags/x",
				"refs/heads/",
				"refs/heads/../x",
				"refs/heads/a b",
				"refs/heads/x.lock",
				"-d",
			].map((ref) => ({ ref })),
			...["v1", "gepa/other/v1", "gepa/demo/v1\0x", "gepa/demo/v1 --force", "gepa/demo/v..1"].map((tag) => ({ tag })),
			...[
				"/etc/SKILL.md",
				"../SKILL.md",
				"a/../SKILL.md",
				".git/SKILL.md",
				".GIT/SKILL.md",
				"skills/demo/other.md",
				"a//SKILL.md",
			].map((path) => ({ path })),
			{ base: "HEAD" },
			{ base: "--all" },
			{ expectedBlob: "main" },
			{ message: "no trailer\n" },
			{ message: "another run\n\nGepa-Run: run-2\n" },
			{ message: "a NUL\0\n\nGepa-Run: run-1\n" },
			{ bytes: new TextEncoder().encode(SEED) },
		];
		for (const overrides of bad) {
			await expect(skills.promote({ ...plan, ...overrides }), JSON.stringify(overrides)).rejects.toBeInstanceOf(
				GuardError,
			);
		}
		await expect(skills.promote({ ...plan, skill: "--x" })).rejects.toBeInstanceOf(InputError);
		expect(objects()).toBe(before);
		expect(await skills.promote({ ...plan, ref: "refs/heads/nowhere" })).toMatchObject({ reason: "not-found" });
		expect(await skills.promote({ ...plan, base: "0".repeat(40) })).toMatchObject({ reason: "not-found" });
	});

	it("of files may hold anything without confusing the answers", async () => {
		const repo = temp();
		repo.commit({ "skills/demo/a\tb\nc": "x", "-rf": "x", ":(exclude)y": "x", 'q"uote': "x", ünï: "x" });
		const skills = await open(repo);
		expect(await skills.preflight("demo", "current")).toEqual([]);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT, {
			message: "--amend\n\n$(touch canary) `touch canary`\n\nGepa-Run: run-1\n",
		});
		expect(await skills.promote(plan)).toMatchObject({ status: "committed", refreshed: true });
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(repo.git(["fsck", "--strict", "--no-dangling"])).toBe("");
		expect(existsSync(join(repo.root, "canary"))).toBe(false);
	});
});

describe("the environment", () => {
	it("of the caller does not reach git", async () => {
		const repo = temp();
		const canary = join(repo.base, "canary");
		const skills = await createGitSkillsRepository({
			root: repo.root,
			environment: {
				...repo.environment,
				GIT_DIR: "/nowhere",
				GIT_INDEX_FILE: "/nowhere",
				GIT_WORK_TREE: "/nowhere",
				GIT_TRACE: canary,
				GIT_SSH_COMMAND: `touch ${canary}`,
				GIT_EXTERNAL_DIFF: `touch ${canary}`,
				GIT_CONFIG_COUNT: "1",
				GIT_CONFIG_KEY_0: "core.fsmonitor",
				GIT_CONFIG_VALUE_0: `touch ${canary}`,
				LD_PRELOAD: "/nowhere.so",
			},
		});
		expect(await skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT))).toMatchObject({
			status: "committed",
		});
		expect(existsSync(canary)).toBe(false);
	});
});

describe("trailers", () => {
	it("count only in the last paragraph, and only when it is nothing but trailers", () => {
		expect(parseTrailers("Subject\n\nBody\n\nGepa-Run: 1\nGepa-Run: 2\nLong: a\n  b\n")).toEqual({
			"Gepa-Run": "1",
			Long: "a b",
		});
		expect(parseTrailers("Gepa-Run: 1")).toEqual({});
		expect(parseTrailers("Subject\n\nGepa-Run: 1\n\nMore words")).toEqual({});
		expect(parseTrailers("Subject\n\nsome words\nGepa-Run: 1")).toEqual({});
		expect(parseTrailers("Subject\r\n\r\nGepa-Run: 1\r\n(cherry picked from commit abc)\r\n")).toEqual({
			"Gepa-Run": "1",
		});
	});
});
