/**
 * What a worker counts and says of its tasks. Knows events of the queue, counters and words; does no task. A line for each task is
 * a detail; what is refused, fails or was left by a dead worker is a warning.
 */
import type { WorkerEvent } from "../adapters/bullmq-worker.ts";
import type { Teller } from "./teller.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** Refusals of one run for one reason are told this often, in milliseconds: each of its tasks comes again and again. */
const TELL_AGAIN_MS = 60_000;

export function countEvents(
	tell: Teller,
	metrics: WorkerMetrics,
	counts: { finished: number; incomplete: number },
	now: () => number,
): (event: WorkerEvent) => void {
	let underWay = 0;
	const told = new Map<string, number>();
	metrics.gauge("gepa_tasks_under_way", () => underWay);
	return (event) => {
		if (event.type === "error") return tell.warn("queue", `queue: ${event.message}`);
		const task = event.key.slice(0, 12);
		switch (event.type) {
			case "taken":
				underWay += 1;
				return;
			case "finished": {
				underWay -= 1;
				const { complete, replies } = event;
				counts[complete ? "finished" : "incomplete"] += 1;
				metrics.count(`gepa_tasks_total{result="${complete ? "finished" : "incomplete"}"}`);
				metrics.count("gepa_replies_total", replies);
				return tell.detail("task-finished", `task ${task} done`, { task, complete, replies });
			}
			case "failed":
				underWay = Math.max(0, underWay - 1);
				metrics.count('gepa_tasks_total{result="failed"}');
				return tell.warn("task-failed", `task ${task} failed: ${event.message}`, { task });
			case "refused": {
				metrics.count('gepa_tasks_total{result="refused"}');
				const what = `${event.scope} ${event.message}`;
				if (now() - (told.get(what) ?? Number.NEGATIVE_INFINITY) < TELL_AGAIN_MS) return;
				told.set(what, now());
				const run = event.scope || "unknown";
				return tell.warn("task-refused", `tasks of run ${run} are refused and left to others: ${event.message}`, {
					task,
					run,
				});
			}
			case "stalled":
				metrics.count('gepa_tasks_total{result="stalled"}');
				return tell.warn(
					"task-stalled",
					`task ${task} was left by a worker that died; it is done again from what was paid`,
					{ task },
				);
		}
	};
}
