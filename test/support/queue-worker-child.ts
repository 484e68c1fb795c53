/**
 * A worker in a process of its own that is made to be killed: it pays for one reply, keeps it, says so on stdout and never
 * comes back. Arguments: Redis URL, prefix.
 */
import { createQueueWorker } from "../../src/adapters/bullmq-worker.ts";
import { openRedis } from "../../src/adapters/redis-connection.ts";
import { reply } from "./tasks.ts";

const [url = "", prefix = ""] = process.argv.slice(2);
const redis = await openRedis({ url });
createQueueWorker({
	connection: redis.client,
	prefix,
	concurrency: 1,
	lockDurationMs: 1_000,
	stalledIntervalMs: 500,
	async perform(_task, journal) {
		if (journal.replies.length === 0) await journal.record(reply("paid by the first worker"));
		process.stdout.write("paid\n");
		return new Promise(() => undefined);
	},
});
