/**
 * `gepa worker`: takes rollouts, judgements and reflections from the queue and does them with the endpoint configured here.
 * Runs until it is stopped; the first signal lets what is under way end and hands the rest back.
 */
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { createQueueWorker, type WorkerEvent } from "../../adapters/bullmq-worker.ts";
import { openRedis } from "../../adapters/redis-connection.ts";
import { UsageError } from "../../errors.ts";
import { visible } from "../../report/visible-text.ts";
import { composeClient, composePerform } from "../compose.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { plural } from "../output.ts";
import { createWaitNotice } from "../wait-notice.ts";

/** What is under way may take this long to end after the first signal, in milliseconds. */
const GRACE_MS = 20_000;

function describe(event: WorkerEvent): string | null {
	switch (event.type) {
		case "failed":
			return `task ${event.key.slice(0, 12)} failed: ${event.message}`;
		case "stalled":
			return `task ${event.key.slice(0, 12)} was left by a worker that died; it is done again from what was paid`;
		case "error":
			return `queue: ${event.message}`;
		default:
			return null;
	}
}

export async function workerCommand(flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	if (config.queueUrl === null) {
		throw new UsageError({
			message: "a worker needs a queue",
			hint: "Name one with --queue redis://127.0.0.1:6379, or set GEPA_QUEUE_URL.",
		});
	}
	const hard = new AbortController();
	const waits = createWaitNotice({ tell: (line) => io.err(visible(line)), now: () => performance.now() });
	const client = await composeClient(config, hard.signal, {
		onWait: waits.add,
	});
	const redis = await openRedis({ url: config.queueUrl, otherwise: "name another one with --queue or GEPA_QUEUE_URL" });
	const counts = { finished: 0, incomplete: 0 };
	const worker = createQueueWorker({
		connection: redis.client,
		concurrency: config.concurrency,
		perform: composePerform(client),
		onEvent(event) {
			if (event.type === "finished") counts[event.complete ? "finished" : "incomplete"] += 1;
			const line = describe(event);
			if (line !== null) io.err(visible(line));
		},
	});
	try {
		await worker.ready();
		const address = new URL(config.queueUrl);
		io.err(
			`worker ${process.pid} takes up to ${config.concurrency} tasks from ${address.host}${config.baseUrl === null ? " with the built-in rules (simulation)" : ` for ${new URL(config.baseUrl).host}`}. Ctrl-C stops it.`,
		);
		if (!io.signal.aborted) await once(io.signal, "abort");
		io.err("Stopping: tasks under way are finished.");
		const overdue = setTimeout(() => hard.abort(), GRACE_MS).unref();
		await worker.close({ graceMs: GRACE_MS });
		clearTimeout(overdue);
	} finally {
		waits.end();
		hard.abort();
		await redis.close();
	}
	if (io.json) io.out(JSON.stringify({ schemaVersion: 1, worker: counts }));
	else io.out(`${plural(counts.finished, "task")} done, ${counts.incomplete} handed back.`);
}
