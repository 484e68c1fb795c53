/** Promotion on real git: what lands, what is refused, and what stays as it was. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createGitSkillsRepository } from "../../src/adapters/git-skills-repository.ts";
import type { PromotionResult } from "../../src/ports/skills-repository.ts";
import { createTempRepo, planFor, SEED, type TempRepo } from "../support/temp-repo.ts";

const FILE = "skills/demo/SKILL.md";
const NEXT = "---\nname: demo\n---\n# Demo\n\nv1 is better\n";
const repos: TempRepo[] = [];

function temp(skills?: readonly string[], name?: string): TempRepo {
	const repo = createTempRepo(skills, name);
	repos.push(repo);
	return repo;
}

afterEach(() => {
	for (const repo of repos.splice(0)) {
		// Whatever a test did, the objects and refs must be sound.
		expect(repo.git(["fsck", "--strict", "--no-dangling"])).toBe("");
		repo.remove();
	}
});

const open = (repo: TempRepo, root = repo.root, patienceMs = 400) =>
	createGitSkillsRepository({ root, environment: repo.environment, patienceMs });

function committed(result: PromotionResult) {
	if (result.status !== "committed") throw new Error(`expected a commit, got ${JSON.stringify(result)}`);
	return result;
}

function refusal(result: PromotionResult) {
	if (result.status !== "refused") throw new Error(`expected a refusal, got ${JSON.stringify(result)}`);
	return result;
}

describe("a promotion to the branch that is checked out", () => {
	it("commits exactly the bytes, tags them, and leaves a clean work tree", async () => {
		const repo = temp();
		const skills = await open(repo);
		const base = await skills.read("demo");
		expect(base).toMatchObject({ path: FILE, currentRef: "refs/heads/main" });
		const result = committed(await skills.promote(planFor(base, "demo", "run-1", NEXT)));
		expect(result).toMatchObject({ ref: "refs/heads/main", tag: "gepa/demo/v1", refreshed: true });
		expect(result.tagTakenBy).toBeUndefined();
		expect(repo.git(["rev-parse", "main", "gepa/demo/v1"])).toBe(`${result.commit}\n${result.commit}`);
		expect(repo.git(["show", `main:${FILE}`])).toBe(NEXT.trimEnd());
		expect(repo.read(FILE)).toBe(NEXT);
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(repo.git(["rev-parse", "main~1"])).toBe(base.commit);
		expect(await skills.nextVersion("demo")).toBe(2);
	});

	it("lands once when the same run promotes twice, one after the other or at once", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		const results = await Promise.all([skills.promote(plan), skills.promote(plan), skills.promote(plan)]);
		results.push(await skills.promote(plan));
		const commit = repo.git(["rev-parse", "main"]);
		expect(results.filter((result) => result.status === "committed")).toHaveLength(1);
		for (const result of results) expect(result).toMatchObject({ commit, ref: "refs/heads/main" });
		expect(repo.git(["rev-list", "--count", "main"])).toBe("2");
	});

	it("finishes an interrupted refresh when the run comes back", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		writeFileSync(join(repo.root, ".git/index.lock"), "");
		expect(committed(await skills.promote(plan)).refreshed).toBe(false);
		expect(repo.read(FILE)).toBe(SEED);
		expect(existsSync(join(repo.root, ".git/index.lock"))).toBe(true);
		rmSync(join(repo.root, ".git/index.lock"));
		expect((await skills.promote(plan)).status).toBe("already");
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(repo.read(FILE)).toBe(NEXT);
	});

	it("finishes a refresh that was cut short between the file and its index entry", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		const before = readFileSync(join(repo.root, ".git/index"));
		expect(committed(await skills.promote(plan)).refreshed).toBe(true);
		writeFileSync(join(repo.root, ".git/index"), before);
		expect(repo.git(["status", "--porcelain"])).not.toBe("");
		expect((await skills.promote(plan)).status).toBe("already");
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(repo.read(FILE)).toBe(NEXT);
	});

	it("keeps other people's staged, edited and untracked files exactly as they are", async () => {
		const repo = temp(["demo", "other"]);
		repo.commit({ "notes.txt": "one\n" });
		repo.write("notes.txt", "edited\n");
		repo.write("staged.txt", "staged\n");
		repo.git(["add", "staged.txt"]);
		repo.write("skills/demo/untracked.txt", "mine\n");
		const others = () =>
			repo
				.git(["ls-files", "-s"])
				.split("\n")
				.filter((line) => !line.endsWith(FILE));
		const before = { status: repo.git(["status", "--porcelain"]), index: others() };
		const skills = await open(repo);
		const result = committed(await skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT)));
		expect(result.refreshed).toBe(true);
		expect({ status: repo.git(["status", "--porcelain"]), index: others() }).toEqual(before);
		expect(repo.read("notes.txt")).toBe("edited\n");
		expect(repo.git(["diff-tree", "--no-commit-id", "-r", "--name-only", "main"])).toBe(FILE);
	});

	it("keeps the mode of the file", async () => {
		const repo = temp();
		repo.git(["update-index", "--chmod=+x", FILE]);
		repo.git(["commit", "-q", "-m", "executable"]);
		repo.git(["checkout", "-q", "--", "."]);
		const skills = await open(repo);
		committed(await skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT)));
		expect(repo.git(["ls-tree", "main", FILE])).toMatch(/^100755 /);
		expect(repo.git(["status", "--porcelain"])).toBe("");
	});

	it("refuses while the file itself is edited or staged, and touches neither", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		repo.write(FILE, `${SEED}my edit\n`);
		expect(refusal(await skills.promote(plan)).reason).toBe("dirty");
		repo.git(["add", FILE]);
		expect(refusal(await skills.promote(plan)).reason).toBe("dirty");
		expect(repo.read(FILE)).toBe(`${SEED}my edit\n`);
		expect(repo.git(["rev-list", "--count", "main"])).toBe("1");
		expect(repo.git(["tag"])).toBe("");
	});

	it("refreshes a linked work tree when the branch is checked out there", async () => {
		const repo = temp();
		repo.git(["checkout", "-q", "--detach"]);
		const linked = join(repo.base, "linked");
		repo.git(["worktree", "add", "-q", linked, "main"]);
		const skills = await open(repo, linked);
		const result = committed(await skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT)));
		expect(result.refreshed).toBe(true);
		expect(repo.read(FILE, linked)).toBe(NEXT);
		expect(repo.git(["status", "--porcelain"], linked)).toBe("");
		expect(repo.read(FILE)).toBe(SEED);
		expect(repo.git(["status", "--porcelain"])).toBe("");
	});

	it("says so when the tag is taken, and lands all the same", async () => {
		const repo = temp();
		repo.git(["tag", "gepa/demo/v1"]);
		const skills = await open(repo);
		const base = await skills.read("demo");
		const result = committed(await skills.promote(planFor(base, "demo", "run-1", NEXT)));
		expect(result.tagTakenBy).toBe(base.commit);
		expect(repo.git(["rev-parse", "gepa/demo/v1"])).toBe(base.commit);
	});

	it("lands when a tag called gepa blocks the names of tags", async () => {
		const repo = temp();
		repo.git(["tag", "gepa"]);
		const skills = await open(repo);
		const result = committed(await skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT)));
		expect(result.tagTakenBy).toBe("another tag");
	});
});

describe("commits that arrive while a run is under way", () => {
	it("are kept: a change beside the skill becomes the parent", async () => {
		const repo = temp(["demo", "other"]);
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		const human = repo.commit({ "skills/other/SKILL.md": "by hand\n" });
		const result = committed(await skills.promote(plan));
		expect(repo.git(["rev-parse", `${result.commit}~1`])).toBe(human);
		expect(repo.git(["show", "main:skills/other/SKILL.md"])).toBe("by hand");
		expect(repo.git(["status", "--porcelain"])).toBe("");
	});

	it("stop the promotion when they changed the skill", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		const human = repo.commit({ [FILE]: "by hand\n" });
		expect(refusal(await skills.promote(plan)).reason).toBe("base-moved");
		expect(repo.git(["rev-parse", "main"])).toBe(human);
	});

	it("stop the promotion when they removed the skill", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
		repo.git(["rm", "-q", FILE]);
		repo.git(["commit", "-q", "-m", "gone"]);
		expect(refusal(await skills.promote(plan)).reason).toBe("base-moved");
	});

	it("let exactly one of twenty runs of one skill land", async () => {
		const repo = temp();
		const skills = await open(repo, repo.root, 30_000);
		const base = await skills.read("demo");
		const runs = Array.from({ length: 20 }, (_, index) => `run-${index}`);
		const results = await Promise.all(runs.map((run) => skills.promote(planFor(base, "demo", run, `${NEXT}${run}\n`))));
		expect(results.filter((result) => result.status === "committed")).toHaveLength(1);
		expect(results.filter((result) => result.status === "refused" && result.reason === "base-moved")).toHaveLength(19);
		expect(repo.git(["rev-list", "--count", "main"])).toBe("2");
		expect(repo.git(["status", "--porcelain"])).toBe("");
	});

	it("are never lost when five skills are promoted at once", async () => {
		const names = Array.from({ length: 5 }, (_, index) => `skill-${index}`);
		const repo = temp(names);
		const skills = await open(repo, repo.root, 30_000);
		const results = await Promise.all(
			names.map(async (name) => skills.promote(planFor(await skills.read(name), name, `run-${name}`, NEXT))),
		);
		expect(results.map((result) => result.status)).toEqual(names.map(() => "committed"));
		expect(repo.git(["rev-list", "--count", "main"])).toBe("6");
		expect(repo.git(["rev-list", "--merges", "main"])).toBe("");
		for (const name of names) expect(repo.git(["show", `main:skills/${name}/SKILL.md`])).toBe(NEXT.trimEnd());
		expect(repo.git(["status", "--porcelain"])).toBe("");
	});
});

describe("locks that somebody else holds", () => {
	for (const lock of ["refs/heads/main.lock", "HEAD.lock"]) {
		it(`${lock} is waited for, then the promotion is refused and the lock stays`, async () => {
			const repo = temp();
			const skills = await open(repo);
			const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT);
			writeFileSync(join(repo.root, ".git", lock), "");
			const result = refusal(await skills.promote(plan));
			expect(result.reason).toBe("ref-locked");
			expect(result.message).toContain("lock");
			expect(existsSync(join(repo.root, ".git", lock))).toBe(true);
			rmSync(join(repo.root, ".git", lock));
			expect((await skills.promote(plan)).status).toBe("committed");
		});
	}
});

describe("a promotion to gepa's own branch", () => {
	const ref = "refs/heads/gepa/demo";

	it("creates it from the base and leaves the checked-out branch alone", async () => {
		const repo = temp();
		const skills = await open(repo);
		const base = await skills.read("demo");
		const result = committed(await skills.promote(planFor(base, "demo", "run-1", NEXT, { ref })));
		expect(result).toMatchObject({ ref, refreshed: false });
		expect(repo.git(["rev-parse", "gepa/demo~1"])).toBe(base.commit);
		expect(repo.git(["rev-parse", "main"])).toBe(base.commit);
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect((await skills.promote(planFor(base, "demo", "run-1", NEXT, { ref }))).status).toBe("already");
	});

	it("does not lay a second run over one that nobody has merged", async () => {
		const repo = temp();
		const skills = await open(repo);
		const base = await skills.read("demo");
		committed(await skills.promote(planFor(base, "demo", "run-1", NEXT, { ref })));
		expect(refusal(await skills.promote(planFor(base, "demo", "run-2", `${NEXT}2`, { ref }))).reason).toBe(
			"base-moved",
		);
		expect((await skills.preflight("demo", "branch")).join()).toContain("merge that branch");
		repo.git(["merge", "-q", "--no-ff", "-m", "reviewed", "gepa/demo"]);
		expect(await skills.preflight("demo", "branch")).toEqual([]);
		const second = planFor(await skills.read("demo"), "demo", "run-2", `${NEXT}2`, { ref, tag: "gepa/demo/v2" });
		const result = committed(await skills.promote(second));
		expect(repo.git(["rev-parse", "gepa/demo~1"])).toBe(repo.git(["rev-parse", "main"]));
		expect(result.tag).toBe("gepa/demo/v2");
	});

	it("is refused when the branch holds a person's commit", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT, { ref });
		repo.git(["checkout", "-q", "-b", "gepa/demo"]);
		const human = repo.commit({ "notes.txt": "mine\n" });
		repo.git(["checkout", "-q", "main"]);
		expect(refusal(await skills.promote(plan)).reason).toBe("foreign-commit");
		expect(repo.git(["rev-parse", "gepa/demo"])).toBe(human);
		expect((await skills.preflight("demo", "branch")).join()).toContain(human.slice(0, 12));
	});

	it("is refused when somebody has the branch checked out in another work tree", async () => {
		const repo = temp();
		const skills = await open(repo);
		const plan = planFor(await skills.read("demo"), "demo", "run-1", NEXT, { ref });
		const linked = join(repo.base, "linked");
		repo.git(["worktree", "add", "-q", "-b", "gepa/demo", linked]);
		const result = refusal(await skills.promote(plan));
		expect(result.reason).toBe("checked-out");
		expect(result.message).toContain(linked);
		expect((await skills.preflight("demo", "branch")).join()).toContain(linked);
	});

	it("is complained about when a branch called gepa blocks the name", async () => {
		const repo = temp();
		repo.git(["branch", "gepa"]);
		const skills = await open(repo);
		expect((await skills.preflight("demo", "branch")).join()).toContain("in the way");
		await expect(skills.promote(planFor(await skills.read("demo"), "demo", "run-1", NEXT, { ref }))).rejects.toThrow(
			"in its way",
		);
	});
});

describe("the evolved history", () => {
	it("lists the skill's runs over all branches, newest first, with the bytes before and after", async () => {
		const repo = temp(["demo", "other"]);
		const skills = await open(repo);
		const base = await skills.read("demo");
		const first = committed(await skills.promote(planFor(base, "demo", "run-1", NEXT)));
		committed(await skills.promote(planFor(await skills.read("other"), "other", "run-x", NEXT)));
		repo.commit({ "notes.txt": "x\n" }, "talks about it\n\nGepa-Run: is a trailer, says this sentence\nof a person.");
		const second = committed(
			await skills.promote(
				planFor(await skills.read("demo"), "demo", "run-2", `${NEXT}2`, {
					ref: "refs/heads/gepa/demo",
					tag: "gepa/demo/v2",
				}),
			),
		);
		const evolved = await skills.evolved("demo");
		expect(evolved.map(({ commit, run }) => [commit, run])).toEqual([
			[second.commit, "run-2"],
			[first.commit, "run-1"],
		]);
		expect(evolved[1]).toMatchObject({ parent: base.commit, paths: [FILE] });
		expect(evolved[1]?.trailers).toEqual({ "Gepa-Run": "run-1", "Gepa-Variant": "abc" });
		const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString();
		expect([text(evolved[1]?.before), text(evolved[1]?.after)]).toEqual([SEED, NEXT]);
		expect([text(evolved[0]?.before), text(evolved[0]?.after)]).toEqual([NEXT, `${NEXT}2`]);
	});

	it("shows a commit that also touched other paths", async () => {
		const repo = temp();
		repo.commit({ [FILE]: NEXT, "evil.sh": "x\n" }, "forged\n\nGepa-Run: forged");
		expect((await (await open(repo)).evolved("demo"))[0]?.paths).toEqual(["evil.sh", FILE]);
	});
});
