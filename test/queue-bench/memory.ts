/**
 * `npm run bench:memory`: whether a worker grows with the tasks that it does. Its heap is read after a full collection, so that what
 * is held is told from what is only not collected yet. `--tasks 20000`, `--every 2000`. Needs redis-server, and the stand beside
 * the project.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createBullmqPool } from "../../src/adapters/bullmq-pool.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { openRedis } from "../../src/adapters/redis-connection.ts";
import { startDurableRedis } from "../support/durable-redis.ts";
import { type GepaProcess, startGepa } from "../support/queue-process.ts";
import { standExists, startStand } from "../support/stand.ts";
import { tasks, time } from "./work.ts";

const { values } = parseArgs({
	options: { tasks: { type: "string", default: "20000" }, every: { type: "string", default: "2000" } },
});
const print = (text: string) => process.stdout.write(`${text}\n`);
const CONCURRENCY = 16;
/** Node loads it before the worker: it answers SIGUSR2 with what is left after a collection. */
const PROBE = new URL("./heap-probe.js", import.meta.url).href;

interface Reading {
	heapMb: number;
	externalMb: number;
	rssMb: number;
}

async function read(worker: GepaProcess, n: number): Promise<Reading> {
	worker.kill("SIGUSR2");
	const name = `heap-${n} `;
	await worker.says(`${name}{`);
	const text = worker.output.slice(worker.output.lastIndexOf(name) + name.length).split("\n", 1)[0] ?? "";
	return JSON.parse(text) as Reading;
}

async function main(): Promise<void> {
	const [most, every] = [Number(values.tasks), Number(values.every)];
	const folder = mkdtempSync(join(tmpdir(), "gepa-memory-"));
	const redis = await startDurableRedis();
	const stand = await startStand({ latency: 0 });
	const connection = await openRedis({ url: redis.url });
	const args = ["worker", "--queue", redis.url, "--base-url", stand.url, "--roles", "trial"];
	const worker = startGepa([...args, "--concurrency", String(CONCURRENCY)], folder, {
		NODE_OPTIONS: `--import=${PROBE}`,
	});
	try {
		await worker.says("Ctrl-C stops it");
		print("| tasks | heap after a collection | outside of the heap | resident |\n|---:|---:|---:|---:|");
		for (let done = 0, n = 1; done <= most; done += every, n++) {
			if (done > 0) {
				// A pool and a store of its own: what this process keeps is none of the worker's.
				const store = createMemoryDialogueStore();
				const scope = `memory-${done}`;
				const pool = createBullmqPool({ connection: connection.client, scope, concurrency: CONCURRENCY, store });
				await time(pool, tasks(every, scope), CONCURRENCY * 2);
				await pool.close();
			}
			const { heapMb, externalMb, rssMb } = await read(worker, n);
			print(`| ${done} | ${heapMb.toFixed(1)} MB | ${externalMb.toFixed(1)} MB | ${rssMb.toFixed(0)} MB |`);
		}
	} finally {
		worker.kill("SIGKILL");
		await connection.close();
		await stand.stop();
		await redis.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

if (!standExists) print("The stand is not beside this project: nothing is measured.");
else await main();
process.exit();
