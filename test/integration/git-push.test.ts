/** Pushing to a real remote on this machine: what arrives, what is refused, and that nothing here is lost by it. */
import { chmodSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createGitSkillsRepository } from "../../src/adapters/git-skills-repository.ts";
import { createTempRepo, planFor, type TempRepo } from "../support/temp-repo.ts";

const NEXT = "---\nname: demo\n---\n# Demo\n\nv1\n";
const TAG = "gepa/demo/v1";
const repos: TempRepo[] = [];

afterEach(() => {
	for (const repo of repos.splice(0)) repo.remove();
});

async function promotedClone(ref?: string) {
	const repo = createTempRepo();
	repos.push(repo);
	const remote = join(repo.base, "remote.git");
	const clone = join(repo.base, "clone");
	repo.git(["clone", "-q", "--bare", repo.root, remote]);
	repo.git(["clone", "-q", remote, clone]);
	const skills = await createGitSkillsRepository({ root: clone, environment: repo.environment });
	const result = await skills.promote(
		planFor(await skills.read("demo"), "demo", "run-1", NEXT, ref === undefined ? {} : { ref }),
	);
	if (result.status !== "committed") throw new Error(JSON.stringify(result));
	return { repo, remote, clone, skills, commit: result.commit };
}

it("pushes the branch and its tag to the upstream", async () => {
	const { repo, remote, skills, commit } = await promotedClone();
	expect(await skills.push("refs/heads/main", TAG)).toMatchObject({ pushed: true });
	expect(repo.git(["rev-parse", "main", TAG], remote)).toBe(`${commit}\n${commit}`);
});

it("pushes gepa's own branch, which has no upstream yet, under its own name", async () => {
	const { repo, remote, skills, commit } = await promotedClone("refs/heads/gepa/demo");
	expect(await skills.push("refs/heads/gepa/demo", TAG)).toMatchObject({ pushed: true });
	expect(repo.git(["rev-parse", "gepa/demo"], remote)).toBe(commit);
});

it("reports a branch that moved on the other side, and never forces it", async () => {
	const { repo, remote, clone, skills, commit } = await promotedClone();
	const human = repo.commit({ "notes.txt": "x\n" });
	repo.git(["push", "-q", remote, "main"]);
	const result = await skills.push("refs/heads/main", TAG);
	expect(result.pushed).toBe(false);
	expect(result.message).toMatch(/rejected/);
	expect(repo.git(["rev-parse", "main"], remote)).toBe(human);
	expect(repo.git(["rev-parse", "main"], clone)).toBe(commit);
});

it("reports what a hook of the other side says", async () => {
	const { repo, remote, skills } = await promotedClone();
	writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\necho 'reviews only'\nexit 1\n");
	chmodSync(join(remote, "hooks/pre-receive"), 0o755);
	const result = await skills.push("refs/heads/main", TAG);
	expect(result.pushed).toBe(false);
	expect(result.message).toContain("reviews only");
	expect(repo.git(["rev-list", "--count", "main"], remote)).toBe("1");
});

it.each(["./vendor.git", "vendor.git", ".git/vendor.git", "file://ROOT/vendo%72.git", "../link/vendor.git"])(
	"never runs the hooks of a remote inside the repository: %s",
	async (address) => {
		const { repo, clone, skills } = await promotedClone();
		const remote = join(clone, address.startsWith(".git") ? address : "vendor.git");
		repo.git(["init", "-q", "--bare", remote]);
		symlinkSync(clone, join(repo.base, "link"));
		const canary = join(repo.base, "canary");
		for (const hook of ["pre-receive", "update", "post-receive", "post-update"]) {
			writeFileSync(join(remote, "hooks", hook), `#!/bin/sh\ntouch ${canary}\n`);
			chmodSync(join(remote, "hooks", hook), 0o755);
		}
		repo.git(["remote", "set-url", "origin", address.replace("ROOT", clone)], clone);
		const result = await skills.push("refs/heads/main", TAG);
		expect(result).toMatchObject({ pushed: false, message: expect.stringContaining("inside this repository") });
		expect(existsSync(canary)).toBe(false);
		// The trap is real: git itself walks into it.
		repo.git(["push", "-q", "origin", "main"], clone);
		expect(existsSync(canary)).toBe(true);
	},
);

it("never runs the hooks of a remote inside that a rule of the configuration puts there", async () => {
	const { repo, clone, skills } = await promotedClone();
	repo.git(["init", "-q", "--bare", join(clone, "vendor.git")]);
	repo.git(["remote", "set-url", "origin", "https://example.org/x"], clone);
	repo.git(["config", `url.${clone}/vendor.git.pushInsteadOf`, "https://example.org/x"], clone);
	const { pushed, message } = await skills.push("refs/heads/main", TAG);
	expect(pushed).toBe(false);
	expect(message).toContain("inside this repository");
});

it("reports a remote that is away or asks for a password, without showing one", async () => {
	const { repo, clone, skills } = await promotedClone();
	repo.git(["remote", "set-url", "origin", join(repo.base, "gone.git")], clone);
	expect((await skills.push("refs/heads/main", TAG)).pushed).toBe(false);
	repo.git(["remote", "set-url", "origin", "https://me:hunter2@127.0.0.1:9/x.git"], clone);
	const result = await skills.push("refs/heads/main", TAG);
	expect(result.pushed).toBe(false);
	expect(result.message).not.toContain("hunter2");
	repo.git(["remote", "remove", "origin"], clone);
	expect((await skills.push("refs/heads/main", TAG)).message).toContain("no upstream");
});
