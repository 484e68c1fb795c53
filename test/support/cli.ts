/**
 * The built command line as people start it: a process of its own, in a folder of its own, with an environment that holds
 * nothing of whoever runs the tests. Knows how to start, watch and kill; knows no command. Nothing here waits blindly: every
 * wait looks at what is there and has a deadline.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BUILD_LOCK = join(ROOT, "node_modules", ".gepa-test-build");
const BUILD_DEADLINE_MS = 120_000;
const LOOK_EVERY_MS = 3;
/** Nobody's configuration of git or of anything else. */
const NO_HOME = "/nonexistent";

export interface CliOptions {
	cwd: string;
	/** Beside PATH and a HOME that does not exist. */
	env?: Readonly<Record<string, string>>;
	/** A command that the process is started with. */
	through?: readonly string[];
	/** Root of another build than this one. */
	build?: string;
}

export interface CliResult {
	/** Null when a signal ended the process. */
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
	/** Wall time in milliseconds. */
	ms: number;
}

export interface CliProcess {
	readonly pid: number;
	readonly stdout: string;
	readonly stderr: string;
	readonly isRunning: boolean;
	readonly ended: Promise<CliResult>;
	/** Signals this process and no other. */
	kill(signal: NodeJS.Signals): void;
	/** Resolves when stderr holds the text; rejects when the process ends before. */
	says(text: string, deadlineMs?: number): Promise<void>;
}

/** Resolves as soon as the condition holds. @throws Error naming what was waited for, when the deadline is over */
export async function until(what: string, holds: () => boolean | Promise<boolean>, deadlineMs = 60_000): Promise<void> {
	const end = Date.now() + deadlineMs;
	for (;;) {
		const looked = performance.now();
		if (await holds()) return;
		if (Date.now() > end) throw new Error(`not within ${deadlineMs / 1000} s: ${what}`);
		// A look that costs much is not taken so often that what is waited for gets no processor.
		await pause(Math.max(LOOK_EVERY_MS, 2 * (performance.now() - looked)));
	}
}

/** A folder of the running test. It is removed with it; when the test failed it stays, and its path is printed. */
export function testFolder(name: string): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), `gepa-${name}-`)));
	onTestFinished(({ task }) => letGo(folder, task.result?.state === "fail", task.name));
	return folder;
}

function letGo(folder: string, keep: boolean, test: string): void {
	if (keep) console.warn(`kept for a look at "${test}": ${folder}`);
	else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Builds the command line when its sources are newer; several test files at once build it once. */
export async function ensureBuilt(): Promise<void> {
	if (isFresh()) return;
	await until("the build of another test file", () => takeBuildLock(), BUILD_DEADLINE_MS);
	try {
		if (isFresh()) return;
		const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
		const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.json"], {
			cwd: ROOT,
			encoding: "utf8",
		});
		if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
	} finally {
		rmdirSync(BUILD_LOCK);
	}
}

/** A lock that its maker did not live to give back is taken over. */
function takeBuildLock(): boolean {
	try {
		mkdirSync(BUILD_LOCK);
		return true;
	} catch {
		const since = statSync(BUILD_LOCK, { throwIfNoEntry: false })?.mtimeMs;
		if (since !== undefined && Date.now() - since > BUILD_DEADLINE_MS)
			rmSync(BUILD_LOCK, { recursive: true, force: true });
		return false;
	}
}

function isFresh(): boolean {
	const built = statSync(join(ROOT, "dist", "cli", "main.js"), { throwIfNoEntry: false })?.mtimeMs;
	return built !== undefined && built >= newest(join(ROOT, "src"));
}

function newest(folder: string): number {
	return readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
		const path = join(folder, entry.name);
		return Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
	}, 0);
}

/** Starts `gepa` with these arguments. The process does not outlive the test. */
export function startCli(
	args: readonly string[],
	{ cwd, env = {}, through = [], build = ROOT }: CliOptions,
): CliProcess {
	const [command = "", ...rest] = [...through, process.execPath, join(build, "src", "gepa.js"), ...args];
	const child = spawn(command, rest, {
		cwd,
		env: { PATH: process.env.PATH ?? "", HOME: NO_HOME, GIT_CONFIG_NOSYSTEM: "1", ...env },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const running = watch(child, args);
	onTestFinished(async () => {
		if (running.isRunning) running.kill("SIGKILL");
		await running.ended;
	});
	return running;
}

function watch(child: ChildProcess, args: readonly string[]): CliProcess {
	const said = { stdout: "", stderr: "" };
	const started = performance.now();
	for (const name of ["stdout", "stderr"] as const) {
		child[name]?.setEncoding("utf8").on("data", (text: string) => {
			said[name] += text;
		});
	}
	let isRunning = true;
	const ended = once(child, "close").then(([code, signal]): CliResult => {
		isRunning = false;
		return { code, signal, ...said, ms: performance.now() - started };
	});
	return {
		pid: child.pid ?? Number.NaN,
		ended,
		get stdout() {
			return said.stdout;
		},
		get stderr() {
			return said.stderr;
		},
		get isRunning() {
			return isRunning;
		},
		kill: (signal) => void child.kill(signal),
		async says(text, deadlineMs) {
			await until(
				`gepa ${args.join(" ")} says ${JSON.stringify(text)}`,
				() => said.stderr.includes(text) || !isRunning,
				deadlineMs,
			);
			if (!said.stderr.includes(text))
				throw new Error(`gepa ended without saying ${JSON.stringify(text)}:\n${said.stderr}`);
		},
	};
}

/** Runs `gepa` to its end. */
export function cli(args: readonly string[], options: CliOptions): Promise<CliResult> {
	return startCli(args, options).ended;
}
