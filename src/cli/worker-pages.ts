/** The pages of a worker on the loopback: whether it is well, and its figures. Knows what to ask; must not know HTTP. */
import { type LoopbackHttp, serveLoopback } from "../adapters/loopback-http.ts";
import { createQueueCounter, type QueueCounts } from "../adapters/queue-counts.ts";
import type { RedisConnection } from "../adapters/redis-connection.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

export async function serveWorkerPages(
	port: number,
	redis: RedisConnection,
	metrics: WorkerMetrics,
	line: Readonly<Record<string, unknown>>,
): Promise<LoopbackHttp> {
	const isUp = () => redis.client.status === "ready";
	metrics.gauge("gepa_redis_up", () => (isUp() ? 1 : 0));
	const counter = createQueueCounter(redis.client);
	const gauge = (name: string, state: keyof QueueCounts, read: () => Promise<QueueCounts>) =>
		metrics.gauge(`${name}{state="${state}"}`, async () => (isUp() ? (await read())[state] : 0));
	for (const state of ["wait", "active"] as const) gauge("gepa_queue_tasks", state, counter.tasks);
	for (const state of ["wait", "active", "delayed"] as const) gauge("gepa_queue_runs", state, counter.runs);
	const server = await serveLoopback(port, {
		"/healthz": () => ({
			status: isUp() ? 200 : 503,
			type: "application/json",
			body: `${JSON.stringify({ ok: isUp(), redis: redis.client.status, ...line })}\n`,
		}),
		"/metrics": async () => ({
			status: 200,
			type: "text/plain; version=0.0.4; charset=utf-8",
			body: await metrics.page(),
		}),
	});
	return {
		port: server.port,
		async close() {
			await server.close();
			void counter.close().catch(() => undefined);
		},
	};
}
