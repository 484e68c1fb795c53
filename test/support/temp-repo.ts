/**
 * Real git repositories in temporary folders, for tests. Git is called here directly, not through the code under test,
 * with a home folder of its own, so that nobody's configuration matters.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PromotionPlan, SkillAtBase } from "../../src/ports/skills-repository.ts";

export interface TempRepo {
	/** Folder that holds the repository, its home and whatever else a test needs. */
	base: string;
	root: string;
	/** Environment with a home folder without any git configuration. */
	environment: Record<string, string>;
	/** Runs git in the repository (or another folder), with an identity; returns stdout without the last line end. */
	git(args: readonly string[], folder?: string): string;
	write(path: string, content: string | Uint8Array, folder?: string): void;
	read(path: string, folder?: string): string;
	/** Writes files and commits them as a person would; returns the commit. */
	commit(files: Readonly<Record<string, string>>, message?: string, folder?: string): string;
	remove(): void;
}

export const SEED = "---\nname: demo\n---\n# Demo\n\nv0\n";

/** A repository on branch `main`; with `skills` it has one commit that holds them at `skills/<name>/SKILL.md`. */
export function createTempRepo(skills: readonly string[] = ["demo"], name = "repo"): TempRepo {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "gepa-git-")));
	const root = join(base, name);
	const home = join(base, "home");
	mkdirSync(root);
	mkdirSync(home);
	const environment = { PATH: process.env.PATH ?? "", HOME: home };
	const identity = ["-c", "user.name=A Person", "-c", "user.email=person@example.org"];
	const git = (args: readonly string[], folder = root) =>
		execFileSync("git", [...identity, ...args], {
			cwd: folder,
			env: { ...environment, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
			stdio: ["ignore", "pipe", "pipe"],
			encoding: "utf8",
			maxBuffer: 2 ** 26,
		}).replace(/\n$/, "");
	const write = (path: string, content: string | Uint8Array, folder = root) => {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), content);
	};
	const commit = (files: Readonly<Record<string, string>>, message = "by hand", folder = root) => {
		for (const [path, content] of Object.entries(files)) write(path, content, folder);
		git(["--literal-pathspecs", "add", "--", ...Object.keys(files)], folder);
		git(["commit", "-q", "-m", message], folder);
		return git(["rev-parse", "HEAD"], folder);
	};
	git(["init", "-q", "-b", "main"]);
	if (skills.length > 0) commit(Object.fromEntries(skills.map((skill) => [`skills/${skill}/SKILL.md`, SEED])), "start");
	return {
		base,
		root,
		environment,
		git,
		write,
		read: (path, folder = root) => readFileSync(join(folder, path), "utf8"),
		commit,
		remove: () => rmSync(base, { recursive: true, force: true }),
	};
}

/** A plan that promotes `text` to the branch that `read` found, as run `run` and version `version`. */
export function planFor(
	read: SkillAtBase,
	skill: string,
	run: string,
	text: string | Uint8Array,
	overrides: Partial<PromotionPlan> = {},
): PromotionPlan {
	return {
		run,
		skill,
		ref: read.currentRef ?? "refs/heads/main",
		base: read.commit,
		path: read.path,
		expectedBlob: read.blob,
		bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
		message: `${skill}: evolve harness to v1\n\nBetter on all counts.\n\nGepa-Run: ${run}\nGepa-Variant: abc\n`,
		tag: `gepa/${skill}/v1`,
		...overrides,
	};
}
