/** What a worker tells of itself to whoever asks: counts since its start, as Prometheus reads them. Knows counts alone. */
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface WorkerMetrics {
	/** Adds to a counter; labels are part of its name, such as `gepa_tasks_total{result="finished"}`. */
	count(name: string, by?: number): void;
	/** A figure that is asked for when the page is made. */
	gauge(name: string, read: () => number | Promise<number>): void;
	page(): Promise<string>;
}

const HELP: Readonly<Record<string, string>> = {
	gepa_tasks_total: "Tasks by what became of them.",
	gepa_tasks_under_way: "Tasks that this worker does now.",
	gepa_replies_total: "Answers of models that were paid for here.",
	gepa_runs_total: "Runs by what became of their conducting here.",
	gepa_waits_total: "Waits before another attempt, by reason.",
	gepa_queue_tasks: "Tasks in the queue, by state.",
	gepa_queue_runs: "Messages of runs in the queue, by state.",
	gepa_redis_up: "1 when the connection to Redis is ready.",
	gepa_uptime_seconds: "Seconds since the start.",
	gepa_event_loop_delay_seconds: "99th percentile of the delay of the event loop.",
	process_resident_memory_bytes: "Resident memory.",
};

export function createWorkerMetrics(): WorkerMetrics {
	const counters = new Map<string, number>();
	const gauges = new Map<string, () => number | Promise<number>>();
	const begun = process.hrtime.bigint();
	const delay = monitorEventLoopDelay({ resolution: 20 });
	delay.enable();
	const metrics: WorkerMetrics = {
		count: (name, by = 1) => void counters.set(name, (counters.get(name) ?? 0) + by),
		gauge: (name, read) => void gauges.set(name, read),
		async page() {
			const lines: string[] = [];
			const named = new Set<string>();
			const add = (name: string, value: number, type: string): void => {
				const family = name.split("{", 1)[0] ?? name;
				if (!named.has(family)) lines.push(`# HELP ${family} ${HELP[family] ?? family}`, `# TYPE ${family} ${type}`);
				named.add(family);
				lines.push(`${name} ${value}`);
			};
			for (const [name, value] of [...counters].sort()) add(name, value, "counter");
			for (const [name, read] of gauges) add(name, await read(), "gauge");
			return `${lines.join("\n")}\n`;
		},
	};
	metrics.gauge("gepa_uptime_seconds", () => Number((process.hrtime.bigint() - begun) / 1_000_000n) / 1000);
	metrics.gauge("gepa_event_loop_delay_seconds", () => (delay.percentile(99) || 0) / 1e9);
	metrics.gauge("process_resident_memory_bytes", () => process.memoryUsage.rss());
	return metrics;
}
