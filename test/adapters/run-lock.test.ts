import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireRunLock } from "../../src/adapters/run-lock.ts";
import { LaterError, UnavailableError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const since = "2026-01-01T00:00:00.000Z";

/** Leaves a lock as another process would. */
function leave(folder: string, holder: object): string {
	const path = join(folder, ".lock");
	writeFileSync(
		path,
		JSON.stringify({ run: "other", pid: process.pid, host: hostname(), since, started: null, token: "t", ...holder }),
	);
	return path;
}

async function deadPid(): Promise<number> {
	const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
	await once(child, "exit");
	return child.pid ?? 0;
}

describe("the lock of a skill's runs", () => {
	it("says what is in its way on the disk", () => {
		const base = temporaryFolder();
		writeFileSync(join(base, "file"), "");
		mkdirSync(join(base, "taken", ".lock"), { recursive: true });
		const take = (folder: string) => () => acquireRunLock({ folder: join(base, folder), run: "mine" });
		for (const folder of ["file", "file/dataviz"]) {
			expect(take(folder)).toThrow(UnavailableError);
			expect(take(folder)).toThrow(/cannot be made: a file of that name/);
		}
		expect(take("taken")).toThrow(UnavailableError);
		expect(take("taken")).toThrow(/\.lock is a folder/);
		expect(readdirSync(join(base, "taken"))).toEqual([".lock"]);
	});

	it("is held by one run at a time, and names it", () => {
		const folder = join(temporaryFolder(), "results", "dataviz");
		const lock = acquireRunLock({ folder, run: "first" });
		expect(() => acquireRunLock({ folder, run: "second" })).toThrow(LaterError);
		expect(() => acquireRunLock({ folder, run: "second" })).toThrow(/run first holds this skill/);
		lock.release();
		lock.release();
		acquireRunLock({ folder, run: "second" }).release();
		expect(readdirSync(folder)).toEqual([]);
	});

	it("is taken over from a process that is dead", async () => {
		const folder = temporaryFolder();
		const path = leave(folder, { pid: await deadPid() });
		const lock = acquireRunLock({ folder, run: "mine" });
		expect(readFileSync(path, "utf8")).toContain('"mine"');
		lock.release();
		expect(readdirSync(folder)).toEqual([]);
	});

	it.skipIf(!existsSync("/proc/self/stat"))("is taken over when another process has the dead one's number", () => {
		const folder = temporaryFolder();
		leave(folder, { pid: process.pid, started: "1" });
		acquireRunLock({ folder, run: "mine" }).release();
	});

	it("is left to a holder on another machine, until that has been silent for long", () => {
		const folder = temporaryFolder();
		const path = leave(folder, { host: "elsewhere.example", pid: 1 });
		expect(() => acquireRunLock({ folder, run: "mine" })).toThrow(/elsewhere\.example/);
		const long = new Date(Date.now() - 10 * 60_000);
		utimesSync(path, long, long);
		acquireRunLock({ folder, run: "mine" }).release();
	});

	it("says what to do about a lock that it cannot read", () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, ".lock"), "?");
		expect(() => acquireRunLock({ folder, run: "mine" })).toThrow(/unreadable/);
	});

	it("does not give back a lock that is no longer its own", () => {
		const folder = temporaryFolder();
		const lock = acquireRunLock({ folder, run: "mine" });
		const path = leave(folder, { run: "thief" });
		lock.release();
		expect(existsSync(path)).toBe(true);
	});

	it("is taken over in spite of a takeover that died half way", async () => {
		const folder = temporaryFolder();
		const path = leave(folder, { pid: await deadPid() });
		const mark = `${path}.takeover`;
		mkdirSync(mark);
		expect(() => acquireRunLock({ folder, run: "mine" })).toThrow(LaterError);
		const long = new Date(Date.now() - 60_000);
		utimesSync(mark, long, long);
		acquireRunLock({ folder, run: "mine" }).release();
	});
});
