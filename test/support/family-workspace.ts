/**
 * Workspaces of a task family of the stand, each a copy of one template, so that all of them start from the same commit. The
 * repository that a run without `--skills-repo` promotes into is there already.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureDemoRepository } from "../../src/adapters/demo-repository.ts";
import { testFolder } from "./cli.ts";
import { writeFamily } from "./export-family.ts";

export interface Template {
	readonly folder: string;
	/** A fresh copy that lives as long as the running test. */
	copy(): string;
	remove(): void;
}

export async function createTemplate(family: string): Promise<Template> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "gepa-template-")));
	const { skill } = writeFamily(folder, family, { holdout: true });
	await ensureDemoRepository(demoOf(folder), family, skill);
	return {
		folder,
		copy() {
			const target = testFolder(family);
			cpSync(folder, target, { recursive: true });
			return target;
		},
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

export function demoOf(workspace: string): string {
	return join(workspace, ".gepa", "skills");
}

/** Commits on the branch that runs of this workspace promote to, newest first. */
export function demoCommits(workspace: string): string[] {
	return execFileSync("git", ["rev-list", "main"], { cwd: demoOf(workspace), encoding: "utf8" })
		.trim()
		.split("\n");
}
