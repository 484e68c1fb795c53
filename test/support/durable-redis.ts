/** A redis-server of the tests' own that keeps an append-only file, can be killed and started again on the same port and data. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "./redis-server.ts";

export interface DurableRedis {
	readonly url: string;
	readonly port: number;
	readonly pid: number;
	/** Ends the server as a crash would. */
	kill(): Promise<void>;
	/** Starts it again on its data. */
	start(): Promise<void>;
	/** Sends one command over a connection of its own. */
	send(command: string, ...args: string[]): Promise<unknown>;
	stop(): Promise<void>;
}

export interface DurableRedisOptions {
	port?: number;
	bind?: string;
	/** Further options of redis-server, such as `--requirepass`. */
	more?: readonly string[];
	/** How the server is started: a command that the server's own is added to, such as one that enters a network. */
	through?: readonly string[];
}

export async function startDurableRedis(options: DurableRedisOptions = {}): Promise<DurableRedis> {
	const { bind = "127.0.0.1", more = [], through = [] } = options;
	const port = options.port ?? (await freePort());
	const folder = mkdtempSync(join(tmpdir(), "gepa-redis-"));
	const args = ["--port", `${port}`, "--bind", bind, "--save", "", "--appendonly", "yes", "--dir", folder];
	args.push("--maxmemory-policy", "noeviction", "--protected-mode", "no", ...more);
	let server: ChildProcess | null = null;
	const end = async (): Promise<void> => {
		const gone = server;
		server = null;
		if (gone === null || gone.exitCode !== null || gone.signalCode !== null) return;
		gone.kill("SIGKILL");
		await once(gone, "exit");
	};
	const start = async (): Promise<void> => {
		const [command = "redis-server", ...rest] = [...through, "redis-server", ...args];
		server = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
		await listening(server);
	};
	await start();
	return {
		url: `redis://${bind}:${port}`,
		port,
		get pid() {
			return server?.pid ?? Number.NaN;
		},
		kill: end,
		start,
		async send(command, ...rest) {
			const client = new Redis({ host: bind, port, lazyConnect: true });
			try {
				await client.connect();
				return await client.call(command, ...rest);
			} finally {
				client.disconnect();
			}
		},
		async stop() {
			await end();
			rmSync(folder, { recursive: true, force: true });
		},
	};
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
