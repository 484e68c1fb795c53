/**
 * `npm run bench:queue`: how much workers behind a queue do, and what the queue costs. `--quick` for a short one. Needs redis-server, and the stand beside the project.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createBullmqPool } from "../../src/adapters/bullmq-pool.ts";
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import { createInlinePool } from "../../src/adapters/inline-pool.ts";
import { createLimitedClient } from "../../src/adapters/limited-client.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { createOpenAiClient } from "../../src/adapters/openai-client.ts";
import { openRedis } from "../../src/adapters/redis-connection.ts";
import { createPerform } from "../../src/engine/perform.ts";
import { startDurableRedis } from "../support/durable-redis.ts";
import { type GepaProcess, startGepa } from "../support/queue-process.ts";
import { standExists, startStand } from "../support/stand.ts";
import { tasks, time } from "./work.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const print = (text: string) => process.stdout.write(`${text}\n`);
const CONCURRENCY = 16;

async function main(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "gepa-bench-"));
	const redis = await startDurableRedis();
	const stand = await startStand({ latency: 0 });
	const connection = await openRedis({ url: redis.url });
	const workers: GepaProcess[] = [];
	const hire = async (count: number): Promise<void> => {
		const more = [
			"--queue",
			redis.url,
			"--base-url",
			stand.url,
			"--concurrency",
			String(CONCURRENCY),
			"--roles",
			"trial",
		];
		while (workers.length < count) {
			const worker = startGepa(["worker", ...more], folder);
			await worker.says("Ctrl-C stops it");
			workers.push(worker);
		}
	};
	const queued = (scope: string) => {
		const store = createMemoryDialogueStore();
		return createBullmqPool({ connection: connection.client, scope, concurrency: CONCURRENCY, store });
	};
	try {
		print(
			`\n## Workers at 200 ms, ${CONCURRENCY} tasks each\n\n| worker processes | tasks a second | of linear |\n|---:|---:|---:|`,
		);
		await stand.post("/config", { latency: 200 });
		let one = 0;
		for (const count of [1, 2, 4]) {
			await hire(count);
			const pool = queued(`scale-${count}`);
			// The first tasks warm connections and compiled code.
			await time(pool, tasks(CONCURRENCY * count, `warm-${count}`), CONCURRENCY * count * 2);
			const all = tasks(CONCURRENCY * count * (values.quick ? 15 : 40), `scale-${count}`);
			const rate = all.length / ((await time(pool, all, CONCURRENCY * count * 2)) / 1000);
			if (count === 1) one = rate;
			print(
				`| ${count} | ${rate.toFixed(1)} (ideal ${count * CONCURRENCY * 5}) | ${(rate / (one * count)).toFixed(2)} |`,
			);
			await pool.close();
		}

		print("\n## What the queue costs a task, at 0 ms\n");
		await stand.post("/config", { latency: 0 });
		for (const worker of workers.splice(1)) worker.kill("SIGTERM");
		const count = values.quick ? 500 : 2_000;
		const client = createLimitedClient(createOpenAiClient({ baseUrl: stand.url, apiKey: undefined }), {
			concurrency: CONCURRENCY,
		});
		const perform = createPerform({ client, tools: createCheckTools() });
		const inline = createInlinePool({ concurrency: CONCURRENCY, perform, store: createMemoryDialogueStore() });
		await time(inline, tasks(200, "warm-inline"), CONCURRENCY);
		const here = (await time(inline, tasks(count, "inline"), CONCURRENCY)) / count;
		const pool = queued("overhead");
		const there = (await time(pool, tasks(count, "queued"), CONCURRENCY)) / count;
		await pool.close();
		print(
			`in the process ${here.toFixed(2)} ms a task, behind the queue ${there.toFixed(2)} ms with one worker: ${(there - here).toFixed(2)} ms more`,
		);
	} finally {
		for (const worker of workers) worker.kill("SIGKILL");
		await connection.close();
		await stand.stop();
		await redis.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

if (!standExists) print("The stand is not beside this project: nothing is measured.");
else await main();
process.exit();
