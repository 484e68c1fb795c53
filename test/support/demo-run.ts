/** A whole run of the shipped skill with the built-in rules, made once for the tests of a file: real log, real store, real report. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./cli.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const CASES_FOLDER = join(ROOT, "eval-cases");

export interface DemoRun {
	/** What the run was started in. */
	cwd: string;
	results: string;
	/** Id of the run, and its folder. */
	run: string;
	folder: string;
	/** Another run after it, in the same place. */
	again(...flags: string[]): Promise<{ run: string; folder: string }>;
	/** The results in a place of their own, for tests that change them. */
	copy(): { results: string; remove(): void };
	remove(): void;
}

export async function demoRun(): Promise<DemoRun> {
	await ensureBuilt();
	const cwd = mkdtempSync(join(tmpdir(), "gepa-demo-"));
	const results = join(cwd, "results");
	const again = async (...flags: string[]) => {
		const before = new Set(runsIn(results));
		const args = [
			"run",
			"dataviz",
			"--yes",
			"--cases",
			CASES_FOLDER,
			"--results",
			results,
			"--max-calls",
			"1200",
			"--json",
			...flags,
		];
		const child = spawn(process.execPath, [join(ROOT, "src", "gepa.js"), ...args], {
			cwd,
			env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
			stdio: ["ignore", "ignore", "pipe"],
		});
		let said = "";
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			said += text;
		});
		const [code] = await once(child, "close");
		if (code !== 0) throw new Error(`the demo ended with ${code}:\n${said}`);
		const run = runsIn(results).find((one) => !before.has(one));
		if (run === undefined) throw new Error("the demo left no run");
		return { run, folder: join(results, "dataviz", run) };
	};
	// What is removed is captured here, as the absolute path that was just made: never a path that a test puts together.
	const copy = () => {
		const place = mkdtempSync(join(tmpdir(), "gepa-copy-"));
		cpSync(results, join(place, "results"), { recursive: true });
		return { results: join(place, "results"), remove: () => rmSync(place, { recursive: true, force: true }) };
	};
	return { cwd, results, ...(await again()), again, copy, remove: () => rmSync(cwd, { recursive: true, force: true }) };
}

function runsIn(results: string): string[] {
	try {
		return readdirSync(join(results, "dataviz")).filter((name) => /^\d{8}-/.test(name));
	} catch {
		return [];
	}
}
