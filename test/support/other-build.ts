/**
 * A build of another version of this project: the built command line, copied into a folder of the test and changed there. Knows
 * which files a build is made of; must not know what a change is about.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder } from "./cli.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A text of a built file, and what stands there in the other build. */
export interface BuildChange {
	/** Below `dist`. */
	file: string;
	from: string;
	to: string;
}

/** @returns the root of the other build. @throws Error when a text to be changed is not there exactly once */
export function otherBuild(version: string, changes: readonly BuildChange[]): string {
	const root = testFolder("build");
	cpSync(join(ROOT, "dist"), join(root, "dist"), { recursive: true });
	mkdirSync(join(root, "src"));
	cpSync(join(ROOT, "src", "gepa.js"), join(root, "src", "gepa.js"));
	symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
	const { version: _, ...rest } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
	writeFileSync(join(root, "package.json"), JSON.stringify({ ...rest, version }));
	for (const { file, from, to } of changes) {
		const path = join(root, "dist", file);
		const parts = readFileSync(path, "utf8").split(from);
		if (parts.length !== 2) throw new Error(`${file} holds ${JSON.stringify(from)} ${parts.length - 1} times`);
		writeFileSync(path, parts.join(to));
	}
	return root;
}
