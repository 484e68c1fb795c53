/** Processes of gepa for what runs outside of a test: started, watched, and ended with whoever started them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface GepaProcess {
	readonly pid: number;
	readonly output: string;
	readonly isRunning: boolean;
	/** Resolves with the exit code, null after a signal. */
	readonly ended: Promise<number | null>;
	/** Resolves when the text was said. */
	says(text: string): Promise<void>;
	kill(signal: NodeJS.Signals): void;
	/** Resident memory in MB. */
	memory(): number;
}

const all = new Set<ChildProcess>();
process.on("exit", () => {
	for (const child of all) child.kill("SIGKILL");
});

export function startGepa(
	args: readonly string[],
	cwd: string,
	env: Readonly<Record<string, string>> = {},
): GepaProcess {
	const child = spawn(process.execPath, [join(ROOT, "src", "gepa.js"), ...args], {
		cwd,
		env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", ...env },
		stdio: ["ignore", "pipe", "pipe"],
	});
	all.add(child);
	let output = "";
	const hear = (text: Buffer): void => {
		output = (output + text).slice(-100_000);
	};
	child.stdout?.on("data", hear);
	child.stderr?.on("data", hear);
	const ended = once(child, "close").then(([code]) => {
		all.delete(child);
		return code as number | null;
	});
	return {
		pid: child.pid ?? Number.NaN,
		ended,
		get output() {
			return output;
		},
		get isRunning() {
			return child.exitCode === null && child.signalCode === null;
		},
		async says(text) {
			while (!output.includes(text)) {
				if (child.exitCode !== null) throw new Error(`gepa ${args.join(" ")} ended:\n${output}`);
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
		},
		kill: (signal) => void child.kill(signal),
		memory() {
			const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
			return Number(line?.[1] ?? 0) / 1024;
		},
	};
}
