/**
 * What a whole run does to a repository of skills: where v1 lands, what stops a run before it has cost anything, and what
 * stays as people left it. Real git, the built command line, and an endpoint that counts its requests.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, ensureBuilt, startCli } from "../support/cli.ts";
import { expectStopped, FILE, KERNEL, listing, resultOf, scene, WITH_KERNEL } from "../support/git-scene.ts";
import { LIGHTS, SEED } from "../support/lights.ts";
import { latestRun, reportOf, runsOf } from "../support/run-files.ts";
import type { TempRepo } from "../support/temp-repo.ts";

beforeAll(ensureBuilt);

describe("a run that promotes", () => {
	it("commits one file with the kernel untouched and no identity configured, and verify proves it", async () => {
		const here = await scene();
		const { repo } = here;
		const result = resultOf(await here.run());
		expect(result).toMatchObject({ status: "promoted", promotion: { branch: "main", version: 1 } });
		expect(repo.git(["rev-parse", "HEAD", `gepa/${LIGHTS}/v1^{commit}`]).split("\n")).toEqual([
			result.promotion?.commit,
			result.promotion?.commit,
		]);
		expect(repo.git(["rev-list", "--count", "main"])).toBe("2");
		expect(repo.git(["diff", "--name-only", "main~1", "main"])).toBe(FILE);
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(repo.read(FILE)).toContain(KERNEL);
		expect(repo.read(FILE)).toContain("For red the action is stop.");
		expect(repo.read(FILE)).toBe(readFileSync(join(here.workspace, result.winner?.file ?? ""), "utf8"));
		expect(repo.git(["log", "-1", "--format=%an <%ae>"])).toMatch(/.+ <.+@.+>/);
		expect(repo.git(["fsck", "--strict", "--no-dangling"])).toBe("");
		const verified = await cli(["verify", LIGHTS, "--skills-repo", repo.root], { cwd: here.workspace });
		expect(verified.code, verified.stderr).toBe(0);
		expect(verified.stdout).toMatch(/intact/);
	});

	it("is caught by verify when somebody changes the kernel in a commit that claims to be a run's", async () => {
		const here = await scene();
		const { repo } = here;
		resultOf(await here.run());
		repo.write(FILE, repo.read(FILE).replace("Never say", "Always say"));
		repo.git(["add", FILE]);
		repo.git(["commit", "-q", "-m", `forged\n\nGepa-Run: 20260101-000000-abcd`]);
		const verified = await cli(["verify", LIGHTS, "--skills-repo", repo.root], { cwd: here.workspace });
		expect(verified.code).toBe(6);
	});

	it("leaves edits elsewhere in the checkout alone", async () => {
		const here = await scene();
		const { repo } = here;
		repo.write("notes.txt", "my edit\n");
		repo.write("new.txt", "mine\n");
		expect(resultOf(await here.run()).status).toBe("promoted");
		expect(repo.git(["status", "--porcelain"])).toBe(" M notes.txt\n?? new.txt");
		expect(repo.read("notes.txt")).toBe("my edit\n");
	});

	it("lands in a bare repository", async () => {
		const here = await scene({ root: (repo) => join(repo.base, "bare.git") });
		const bare = join(here.repo.base, "bare.git");
		here.repo.git(["clone", "-q", "--bare", here.repo.root, bare]);
		const result = resultOf(await here.run());
		expect(result.status).toBe("promoted");
		expect(here.repo.git(["rev-parse", "main"], bare)).toBe(result.promotion?.commit);
		expect(here.repo.git(["show", `main:${FILE}`], bare)).toContain("For red the action is stop.");
	});

	it("lands on the branch of the work tree that it was pointed at, and refreshes that one only", async () => {
		const here = await scene({ root: (repo) => join(repo.base, "linked") });
		const linked = join(here.repo.base, "linked");
		here.repo.git(["worktree", "add", "-q", "-b", "topic", linked]);
		expect(resultOf(await here.run()).promotion?.branch).toBe("topic");
		expect(here.repo.read(FILE, linked)).toContain("For red the action is stop.");
		expect(here.repo.git(["status", "--porcelain"], linked)).toBe("");
		expect(here.repo.read(FILE)).toBe(WITH_KERNEL);
		expect(here.repo.git(["status", "--porcelain"])).toBe("");
		expect(here.repo.git(["rev-list", "--count", "main"])).toBe("1");
	});

	it("goes to its own branch with --promote branch, and touches no checkout", async () => {
		const here = await scene();
		const { repo } = here;
		const result = resultOf(await here.run("--promote", "branch"));
		expect(result.promotion?.branch).toBe(`gepa/${LIGHTS}`);
		expect(repo.git(["rev-list", "--count", `gepa/${LIGHTS}`])).toBe("2");
		expect(repo.git(["rev-list", "--count", "main"])).toBe("1");
		expect(repo.read(FILE)).toBe(WITH_KERNEL);
		expect(repo.git(["status", "--porcelain"])).toBe("");
		const again = await here.run("--promote", "branch");
		expect(again.code, again.stderr).toBe(6);
		expect(again.stderr).toMatch(/merge that branch or delete it/);
	});
});

describe("a run on a repository that nothing could be committed to", () => {
	it("stops before it costs anything when the skill has uncommitted changes", async () => {
		const here = await scene();
		here.repo.write(FILE, `${WITH_KERNEL}my edit\n`);
		expectStopped(await here.run(), here, 6, /commit or stash first/);
		expect(here.repo.read(FILE)).toBe(`${WITH_KERNEL}my edit\n`);
	});

	it("stops at a detached HEAD, but not with --promote branch", async () => {
		const here = await scene();
		here.repo.git(["checkout", "-q", "--detach"]);
		expectStopped(await here.run(), here, 6, /detached HEAD.*--promote branch/);
		expect(resultOf(await here.run("--promote", "branch")).promotion?.branch).toBe(`gepa/${LIGHTS}`);
	});

	it("stops at an unborn branch", async () => {
		const here = await scene({ text: null });
		here.repo.write(FILE, WITH_KERNEL);
		expectStopped(await here.run(), here, 3, /no commit yet[\s\S]*Commit the skill first/);
	});

	it("stops when its own branch is checked out in another work tree", async () => {
		const here = await scene();
		here.repo.git(["worktree", "add", "-q", "-b", `gepa/${LIGHTS}`, join(here.repo.base, "linked")]);
		expectStopped(await here.run("--promote", "branch"), here, 6, /checked out in .*linked/);
	});

	it("stops when the repository or the skill is not there", async () => {
		const nowhere = await scene({ root: (repo) => join(repo.base, "nowhere") });
		expectStopped(await nowhere.run(), nowhere, 4, /nowhere is no folder/);
		const without = await scene({ text: null });
		without.repo.commit({ "README.md": "no skills here\n" });
		expectStopped(await without.run(), without, 3, /lights/);
	});
});

describe("a run that somebody commits beside", () => {
	it("lands on top of a commit that does not touch the skill", async () => {
		const act = (repo: TempRepo) => void repo.commit({ "notes.txt": "two\n" }, "a person's work");
		const here = await scene({ during: { request: 20, act } });
		const result = resultOf(await here.run());
		expect(result.status).toBe("promoted");
		expect(here.repo.git(["log", "--format=%s", "-3"]).split("\n")).toEqual([
			`${LIGHTS}: evolve harness to v1`,
			"a person's work",
			"start",
		]);
		expect(here.repo.read("notes.txt")).toBe("two\n");
		expect(here.repo.git(["status", "--porcelain"])).toBe("");
	});

	it("commits nothing over a change of the skill, and says so", async () => {
		const theirs = WITH_KERNEL.replace("Says what", "Tells what");
		const here = await scene({
			during: { request: 20, act: (repo) => void repo.commit({ [FILE]: theirs }, "a person's work") },
		});
		const result = resultOf(await here.run());
		expect(result.status).toBe("confirmed");
		expect(result.reason).toMatch(/changed|another|moved/);
		expect(result.promotion).toBeNull();
		expect(here.repo.git(["log", "-1", "--format=%s"])).toBe("a person's work");
		expect(here.repo.read(FILE)).toBe(theirs);
		expect(here.repo.git(["status", "--porcelain"])).toBe("");
		expect(here.repo.git(["tag"])).toBe("");
	});

	it("keeps an edit that is made in the checkout while it runs, and commits nothing", async () => {
		const edited = `${WITH_KERNEL}my edit\n`;
		const here = await scene({ during: { request: 20, act: (repo) => repo.write(FILE, edited) } });
		expect(resultOf(await here.run())).toMatchObject({ status: "confirmed", promotion: null });
		expect(here.repo.read(FILE)).toBe(edited);
		expect(here.repo.git(["rev-list", "--count", "main"])).toBe("1");
	});

	it("keeps a second run of the skill out, which exits 75 and names the first", async () => {
		const here = await scene();
		here.server.script(...Array.from({ length: 100 }, () => ({ kind: "hang" }) as const));
		const first = startCli(here.args(), { cwd: here.workspace });
		await here.server.arrived(12);
		const { run } = latestRun(here.workspace, LIGHTS);
		for (const flags of [[], ["--resume", run]]) {
			const second = await here.run(...flags);
			expect(second.code, second.stderr).toBe(75);
			expect(second.stderr).toContain(`run ${run} holds this skill`);
		}
		expect(runsOf(here.workspace, LIGHTS)).toEqual([run]);
		expect(here.server.requests).toHaveLength(12);
		first.kill("SIGKILL");
		await first.ended;
	});
});

describe("a run that is not to commit", () => {
	it("proves the winner and leaves the repository alone with --no-commit", async () => {
		const here = await scene();
		const before = listing(here.repo.root);
		const result = resultOf(await here.run("--no-commit"));
		expect(result).toMatchObject({ status: "confirmed", promotion: null });
		expect(readFileSync(join(here.workspace, result.winner?.file ?? ""), "utf8")).toContain(
			"For red the action is stop.",
		);
		expect(listing(here.repo.root)).toEqual(before);
	});

	it("writes nothing at all and asks nobody with --dry-run", async () => {
		const here = await scene();
		const before = [listing(here.workspace), listing(here.repo.root)];
		const ended = await here.run("--dry-run");
		expect(ended.code, ended.stderr).toBe(0);
		expect(JSON.parse(ended.stdout)).toMatchObject({ dryRun: true, skill: LIGHTS });
		expect([listing(here.workspace), listing(here.repo.root)]).toEqual(before);
		const demo = await cli(["run", LIGHTS, "--base-url", here.server.url, "--dry-run"], { cwd: here.workspace });
		expect(demo.code, demo.stderr).toBe(0);
		expect(demo.stderr).toContain(join(here.workspace, ".gepa", "skills"));
		expect(readdirSync(here.workspace)).not.toContain(".gepa");
		expect(listing(here.workspace)).toEqual(before[0]);
		expect(here.server.requests).toHaveLength(0);
	});

	it("commits no simulation to somebody's repository", async () => {
		const here = await scene();
		const before = listing(here.repo.root);
		const ended = await cli(["run", LIGHTS, "--json"], {
			cwd: here.workspace,
			env: { GEPA_SKILLS_REPO: here.repo.root },
		});
		expect(ended.code, ended.stderr).toBe(0);
		expect(ended.stderr).toMatch(/simulation: nothing will be committed/);
		expect(JSON.parse(ended.stdout)).toMatchObject({ simulation: true, promotion: null });
		expect(listing(here.repo.root)).toEqual(before);
	});

	it("commits nothing where the job spec requires a kernel and the skill marks none", async () => {
		const here = await scene({ text: SEED });
		const ended = await here.run();
		expect(resultOf(ended)).toMatchObject({ status: "confirmed", promotion: null });
		expect(ended.stderr).toMatch(/marks no kernel, so nothing will be committed/);
		expect(here.repo.git(["rev-list", "--count", "main"])).toBe("1");
		expect(reportOf(latestRun(here.workspace, LIGHTS).folder)).toMatchObject({ promotion: null });
	});
});
