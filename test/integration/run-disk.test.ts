/** What lies on the disk where a run wants to write, end to end: one clear message, the right exit code, nothing paid for. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, ensureBuilt, testFolder } from "../support/cli.ts";
import { scene } from "../support/git-scene.ts";
import { LIGHTS, writeLights } from "../support/lights.ts";

const STACK = /\n\s+at .+\(?.+:\d+:\d+\)?/;
const GEPA = fileURLToPath(new URL("../../src/gepa.js", import.meta.url));

beforeAll(ensureBuilt, 180_000);

describe("a run whose place is taken", () => {
	it("exits 4 and says by what", async () => {
		const { workspace, server, run } = await scene();
		const results = join(workspace, "results");
		const stopped = async (words: RegExp) => {
			const { code, stdout, stderr } = await run("--yes");
			expect(code, stderr).toBe(4);
			expect(stderr).toMatch(words);
			expect(stderr + stdout).not.toMatch(STACK);
			expect(server.requests).toHaveLength(0);
			rmSync(results, { recursive: true });
		};
		writeFileSync(results, "");
		await stopped(/results\/lights cannot be made: a file of that name, or of a folder above it/);
		mkdirSync(results);
		writeFileSync(join(results, LIGHTS), "");
		await stopped(/results\/lights cannot be made: a file of that name/);
		mkdirSync(join(results, LIGHTS, ".lock"), { recursive: true });
		await stopped(/\.lock is a folder, where a run would put its lock/);
	});

	it("does not wait for a pipe that is named as its job spec", async () => {
		const { workspace, run } = await scene();
		const pipe = join(workspace, "pipe.yaml");
		execFileSync("mkfifo", [pipe]);
		const { code, stderr } = await run("--job", pipe);
		expect(code).toBe(3);
		expect(stderr).toContain("is not a plain file");
	});
});

describe("a run whose log is empty", () => {
	it("is told apart from one that was emptied", async () => {
		const cwd = testFolder("empty");
		const folder = join(cwd, "results", LIGHTS, "20260101-000000-abcd");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "events.jsonl"), "");
		for (const command of [["report"], ["runs", "show"]]) {
			const { code, stderr } = await cli(command, { cwd });
			expect(code).toBe(3);
			expect(stderr).toMatch(/the log of run 20260101-000000-abcd is empty\nhint: The run ended before it had begun/);
		}
		writeFileSync(join(folder, "outcomes.jsonl"), "paid\n");
		const { code, stderr } = await cli(["report"], { cwd });
		expect(code).toBe(7);
		expect(stderr).toMatch(/is empty\nhint: Restore the file from a copy/);
	});
});

describe("a stderr that takes nothing", () => {
	it.each(["2>&-", "2</dev/null", "2>/dev/full"])("ends no command: %s", (redirection) => {
		const cwd = testFolder("stderr");
		writeLights(cwd);
		const line = `exec "${process.execPath}" "${GEPA}" skills list ${redirection}`;
		const { status, stdout } = spawnSync("sh", ["-c", line], { cwd, encoding: "utf8" });
		expect(status).toBe(0);
		expect(stdout).toContain(LIGHTS);
	});
});
