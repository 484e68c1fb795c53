/** Every shape a repository of skills can have: what can be read there, what is complained about, and what can land. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ensureDemoRepository } from "../../src/adapters/demo-repository.ts";
import { createGitSkillsRepository } from "../../src/adapters/git-skills-repository.ts";
import { InputError, UnavailableError, UsageError } from "../../src/errors.ts";
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
	for (const repo of repos.splice(0)) repo.remove();
});

const open = (repo: TempRepo, root = repo.root) =>
	createGitSkillsRepository({ root, environment: repo.environment, patienceMs: 400 });

async function promoteIn(repo: TempRepo, root = repo.root, ref?: string) {
	const skills = await open(repo, root);
	const result = await skills.promote(
		planFor(await skills.read("demo"), "demo", "run-1", NEXT, ref === undefined ? {} : { ref }),
	);
	if (result.status !== "committed") throw new Error(JSON.stringify(result));
	expect(repo.git(["fsck", "--strict", "--no-dangling"], root)).toBe("");
	return result;
}

describe("the shapes of a repository", () => {
	it("bare: the default branch is moved and nothing is refreshed", async () => {
		const repo = temp();
		const bare = join(repo.base, "bare.git");
		repo.git(["clone", "-q", "--bare", repo.root, bare]);
		const skills = await open(repo, bare);
		expect(await skills.preflight("demo", "current")).toEqual([]);
		const result = await promoteIn(repo, bare);
		expect(result).toMatchObject({ ref: "refs/heads/main", refreshed: false });
		expect(repo.git(["show", `main:${FILE}`], bare)).toBe(NEXT.trimEnd());
	});

	it("bare with a linked work tree: the work tree is refreshed", async () => {
		const repo = temp();
		const bare = join(repo.base, "bare.git");
		const linked = join(repo.base, "linked");
		repo.git(["clone", "-q", "--bare", repo.root, bare]);
		repo.git(["worktree", "add", "-q", linked, "main"], bare);
		expect((await promoteIn(repo, bare)).refreshed).toBe(true);
		expect(repo.git(["status", "--porcelain"], linked)).toBe("");
		repo.write(FILE, "an edit\n", linked);
		expect((await (await open(repo, bare)).preflight("demo", "current")).join()).toContain(linked);
	});

	it("shallow: reads, promotes and shows what it evolved", async () => {
		const repo = temp();
		repo.commit({ "notes.txt": "x" });
		const shallow = join(repo.base, "shallow");
		repo.git(["clone", "-q", "--depth", "1", `file://${repo.root}`, shallow]);
		expect(await (await open(repo, shallow)).preflight("demo", "current")).toEqual([]);
		expect((await promoteIn(repo, shallow)).refreshed).toBe(true);
		expect(await (await open(repo, shallow)).evolved("demo")).toHaveLength(1);
		expect(repo.git(["status", "--porcelain"], shallow)).toBe("");
	});

	it("shallow at an evolved commit: the parent that is not there is null", async () => {
		const repo = temp();
		await promoteIn(repo);
		const shallow = join(repo.base, "shallow");
		repo.git(["clone", "-q", "--depth", "1", `file://${repo.root}`, shallow]);
		expect((await (await open(repo, shallow)).evolved("demo"))[0]).toMatchObject({ parent: null, before: null });
	});

	it("detached: no current branch, so only a branch of its own is possible", async () => {
		const repo = temp();
		repo.git(["checkout", "-q", "--detach"]);
		const skills = await open(repo);
		expect((await skills.read("demo")).currentRef).toBeNull();
		expect((await skills.preflight("demo", "current")).join()).toContain("detached HEAD");
		expect(await skills.preflight("demo", "branch")).toEqual([]);
		expect((await promoteIn(repo, repo.root, "refs/heads/gepa/demo")).ref).toBe("refs/heads/gepa/demo");
	});

	it("unborn: nothing is listed, reading says so, and preflight complains", async () => {
		const repo = temp([]);
		repo.write(FILE, SEED);
		const skills = await open(repo);
		expect(await skills.list()).toEqual([]);
		expect((await skills.preflight("demo", "current")).join()).toContain("no commit yet");
		await expect(skills.read("demo")).rejects.toThrow("no commit yet");
		expect(await skills.evolved("demo")).toEqual([]);
		expect(await skills.nextVersion("demo")).toBe(1);
	});

	it("sparse: the skill may be left out of the checkout, and stays left out", async () => {
		const repo = temp(["demo", "other"]);
		repo.git(["sparse-checkout", "set", "skills/other"]);
		expect(await (await open(repo)).preflight("demo", "current")).toEqual([]);
		await promoteIn(repo);
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(() => repo.read(FILE)).toThrow("ENOENT");
		expect(repo.git(["ls-files", "-t", FILE])).toBe(`S ${FILE}`);
	});

	it("sparse with a sparse index: the same", async () => {
		const repo = temp(["demo", "other"]);
		repo.git(["sparse-checkout", "set", "--sparse-index", "skills/other"]);
		expect(await (await open(repo)).preflight("demo", "current")).toEqual([]);
		await promoteIn(repo);
		expect(repo.git(["status", "--porcelain"])).toBe("");
		expect(() => repo.read(FILE)).toThrow("ENOENT");
	});

	it("with a split index or packed refs: nothing is different", async () => {
		const repo = temp();
		repo.git(["config", "core.splitIndex", "true"]);
		repo.git(["update-index", "--split-index"]);
		repo.git(["pack-refs", "--all"]);
		expect((await promoteIn(repo)).refreshed).toBe(true);
		expect(repo.git(["status", "--porcelain"])).toBe("");
	});

	it("with SHA-256 ids: reads and promotes", async () => {
		const repo = temp([]);
		const other = join(repo.base, "sha256");
		repo.git(["init", "-q", "-b", "main", "--object-format=sha256", other]);
		repo.commit({ [FILE]: SEED }, "start", other);
		expect((await promoteIn(repo, other)).commit).toHaveLength(64);
		expect(repo.git(["status", "--porcelain"], other)).toBe("");
	});

	it("opened from a folder below: skills are looked for from there", async () => {
		const repo = temp([]);
		repo.commit({ "agents/skills/demo/SKILL.md": SEED, "skills/demo/SKILL.md": "another\n" });
		const skills = await open(repo, join(repo.root, "agents"));
		expect(skills.root).toBe(repo.root);
		expect((await skills.read("demo")).path).toBe("agents/skills/demo/SKILL.md");
		expect((await skills.list()).map(({ path }) => path)).toEqual(["agents/skills/demo/SKILL.md"]);
	});

	it("no repository, no folder: says which folder and what to do", async () => {
		const repo = temp([]);
		await expect(open(repo, join(repo.base, "home"))).rejects.toBeInstanceOf(UnavailableError);
		await expect(open(repo, join(repo.base, "nowhere"))).rejects.toThrow("no folder");
	});

	it("without git on the PATH: says so", async () => {
		const repo = temp();
		const opened = createGitSkillsRepository({ root: repo.root, environment: { PATH: join(repo.base, "home") } });
		await expect(opened).rejects.toThrow("git is not installed");
	});
});

describe("who commits", () => {
	const author = (repo: TempRepo) => repo.git(["log", "-1", "--format=%an <%ae> %cn <%ce>", "main"]);

	it("is gepa when nobody configured a name", async () => {
		const repo = temp();
		expect(await (await open(repo)).preflight("demo", "current")).toEqual([]);
		await promoteIn(repo);
		expect(author(repo)).toBe("gepa <gepa@localhost> gepa <gepa@localhost>");
	});

	it("is the configured person, and commits are not signed without a key", async () => {
		const repo = temp();
		writeFileSync(
			join(repo.base, "home/.gitconfig"),
			"[user]\nname = Ada\nemail = ada@example.org\n[commit]\ngpgSign = true\n",
		);
		await promoteIn(repo);
		expect(author(repo)).toBe("Ada <ada@example.org> Ada <ada@example.org>");
	});
});

describe("preflight complains before any money is spent about", () => {
	it("edited, staged, deleted and conflicting files in the skill's folder, and about no others", async () => {
		const repo = temp(["demo", "other"]);
		repo.commit({ "skills/demo/asset.txt": "a\n" });
		const skills = await open(repo);
		repo.write("skills/other/SKILL.md", "edited\n");
		repo.write("skills/demo/untracked.txt", "x\n");
		expect(await skills.preflight("demo", "current")).toEqual([]);
		repo.write("skills/demo/asset.txt", "b\n");
		expect((await skills.preflight("demo", "current")).join()).toContain(
			"asset.txt has changes that are not committed",
		);
		repo.git(["add", "skills/demo"]);
		const staged = (await skills.preflight("demo", "branch")).join();
		expect(staged).toContain("asset.txt has staged changes");
		expect(staged).toContain("untracked.txt is staged as new");
		repo.git(["rm", "-q", "--cached", FILE]);
		expect((await skills.preflight("demo", "current")).join()).toContain("SKILL.md is staged as deleted");
	});

	it("a merge with conflicts", async () => {
		const repo = temp();
		repo.git(["checkout", "-q", "-b", "side"]);
		repo.commit({ [FILE]: "side\n" });
		repo.git(["checkout", "-q", "main"]);
		repo.commit({ [FILE]: "main\n" });
		expect(() => repo.git(["merge", "-q", "side"])).toThrow();
		const complaints = (await (await open(repo)).preflight("demo", "current")).join("\n");
		expect(complaints).toContain("a merge is under way");
		expect(complaints).toContain(`conflicts in ${FILE}`);
	});

	it("a rebase in progress", async () => {
		const repo = temp();
		repo.git(["checkout", "-q", "-b", "side"]);
		repo.commit({ "notes.txt": "side\n" });
		repo.git(["checkout", "-q", "main"]);
		repo.commit({ "notes.txt": "main\n" });
		repo.git(["checkout", "-q", "side"]);
		expect(() => repo.git(["rebase", "-q", "main"])).toThrow();
		const complaints = (await (await open(repo)).preflight("demo", "current")).join("\n");
		expect(complaints).toContain("a rebase is under way");
		expect(complaints).toContain("detached HEAD");
	});

	it("its own branch being the one that is checked out", async () => {
		const repo = temp();
		repo.git(["checkout", "-q", "-b", "gepa/demo"]);
		expect((await (await open(repo)).preflight("demo", "current")).join()).toContain("gepa's own branch");
	});
});

describe("where a skill lies", () => {
	it("is skills/, the top, .claude/skills/ or the repository itself, and list shows them all", async () => {
		const repo = temp([], "whole");
		repo.commit({
			"skills/one/SKILL.md": SEED,
			"two/SKILL.md": SEED,
			".claude/skills/three/SKILL.md": SEED,
			"SKILL.md": SEED,
			"deep/er/four/SKILL.md": SEED,
			"skills/Bad_Name/SKILL.md": SEED,
		});
		const skills = await open(repo);
		expect((await skills.list()).map(({ name }) => name)).toEqual(["one", "three", "two", "whole"]);
		expect((await skills.read("whole")).path).toBe("SKILL.md");
		await expect(skills.read("four")).rejects.toBeInstanceOf(InputError);
		const only = await createGitSkillsRepository({
			root: repo.root,
			skillsFolder: "deep/er",
			environment: repo.environment,
		});
		expect((await only.list()).map(({ path }) => path)).toEqual(["deep/er/four/SKILL.md"]);
	});

	it("is refused when it is at two places, naming both", async () => {
		const repo = temp();
		repo.commit({ "demo/SKILL.md": SEED });
		await expect((await open(repo)).read("demo")).rejects.toThrow("demo/SKILL.md and skills/demo/SKILL.md");
	});

	it("is refused when SKILL.md or its folder is a link, or the folder a submodule", async () => {
		const repo = temp(["demo", "real"]);
		mkdirSync(join(repo.root, "skills/linked"), { recursive: true });
		symlinkSync("/etc/passwd", join(repo.root, "skills/linked/SKILL.md"));
		symlinkSync("real", join(repo.root, "skills/folder"));
		repo.git(["add", "skills"]);
		repo.git(["update-index", "--add", "--cacheinfo", `160000,${repo.git(["rev-parse", "HEAD"])},skills/sub`]);
		repo.git(["commit", "-q", "-m", "links"]);
		const skills = await open(repo);
		await expect(skills.read("linked")).rejects.toThrow("symbolic link");
		await expect(skills.read("folder")).rejects.toThrow("symbolic link");
		await expect(skills.read("sub")).rejects.toThrow("submodule");
		expect((await skills.list()).map(({ name }) => name)).toEqual(["demo", "real"]);
	});

	it("is read at the commit that was asked for, and versions are counted by tags", async () => {
		const repo = temp();
		const first = repo.git(["rev-parse", "HEAD"]);
		repo.commit({ [FILE]: NEXT });
		for (const tag of ["v1", "v9", "v10", "v2-rc", "vx"]) repo.git(["tag", `gepa/demo/${tag}`]);
		const skills = await open(repo);
		expect(Buffer.from((await skills.read("demo", { commit: first })).bytes).toString()).toBe(SEED);
		expect(await skills.nextVersion("demo")).toBe(11);
		expect(await skills.nextVersion("dem")).toBe(1);
		await expect(skills.read("demo", { commit: "0".repeat(40) })).rejects.toThrow("has no commit");
	});
});

describe("the demonstration's repository", () => {
	const seed = new TextEncoder().encode("---\nname: demo\n---\r\nmixed\nends\r\n");

	it("is made once, complete, by ten callers at the same time", async () => {
		const repo = temp([]);
		const folder = join(repo.base, "new/.gepa/skills");
		const made = await Promise.all(Array.from({ length: 10 }, () => ensureDemoRepository(folder, "demo", seed)));
		expect(new Set(made.map(({ root }) => root)).size).toBe(1);
		expect(repo.git(["rev-list", "--count", "main"], folder)).toBe("1");
		expect(repo.git(["log", "-1", "--format=%an"], folder)).toBe("gepa demo");
		expect(repo.git(["status", "--porcelain"], folder)).toBe("");
		expect(repo.git(["-C", join(repo.base, "new/.gepa"), "init", "-q", "probe"])).toBe("");
		const skills = await open(repo, folder);
		expect(await skills.preflight("demo", "current")).toEqual([]);
		expect((await skills.read("demo")).bytes).toEqual(seed);
	});

	it("is left as it is when it is there, and refused when something else is there", async () => {
		const repo = temp();
		await ensureDemoRepository(repo.root, "demo", seed);
		expect(readFileSync(join(repo.root, FILE), "utf8")).toBe(SEED);
		repo.write("file", "x", join(repo.base, "home"));
		await expect(ensureDemoRepository(join(repo.base, "home"), "demo", seed)).rejects.toBeInstanceOf(UsageError);
	});
});
