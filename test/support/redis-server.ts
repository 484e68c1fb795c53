/**
 * A redis-server of the test's own: free port of the loopback, nothing on disk, ended with the test. Where the program is not
 * installed the tests that need it are skipped visibly, and fail on a build machine (CI is set).
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RedisServer {
	url: string;
	port: number;
	/** Ends the server at once, as a crash would, and forgets its data. */
	stop(): Promise<void>;
}

export function hasRedis(): boolean {
	if (spawnSync("redis-server", ["--version"]).status === 0) return true;
	const message = "redis-server is not installed: the tests of the queue are skipped";
	if (process.env.CI) throw new Error(message);
	console.warn(message);
	return false;
}

export async function startRedis(port?: number): Promise<RedisServer> {
	const used = port ?? (await freePort());
	const folder = mkdtempSync(join(tmpdir(), "gepa-redis-"));
	const options = ["--port", `${used}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
	const server = spawn("redis-server", [...options, "--maxmemory-policy", "noeviction"], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await listening(server);
	return {
		port: used,
		url: `redis://127.0.0.1:${used}`,
		async stop() {
			if (server.exitCode === null && server.signalCode === null) {
				server.kill("SIGKILL");
				await once(server, "exit");
			}
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export async function freePort(): Promise<number> {
	const probe = createServer().listen(0, "127.0.0.1");
	await once(probe, "listening");
	const address = probe.address();
	probe.close();
	await once(probe, "close");
	if (typeof address !== "object" || address === null) throw new Error("no port");
	return address.port;
}

function listening(server: ChildProcess): Promise<void> {
	return new Promise((resolve, reject) => {
		let said = "";
		server.once("exit", () => reject(new Error(`redis-server ended: ${said}`)));
		server.stdout?.on("data", (chunk: Buffer) => {
			said += chunk;
			if (said.includes("Ready to accept connections")) resolve();
		});
	});
}
