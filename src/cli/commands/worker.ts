/**
 * `gepa worker`: takes tasks and runs from the queue until it is stopped. The first signal takes nothing more in, lets tasks under
 * way end and hands the rest back; the second ends the process.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import { createRunWorker, type RunWorker } from "../../adapters/bullmq-runs.ts";
import { createScheduleQueue } from "../../adapters/bullmq-schedules.ts";
import { createQueueWorker, type QueueWorker } from "../../adapters/bullmq-worker.ts";
import { createEndpointGate } from "../../adapters/endpoint-limits.ts";
import { createGatedClient } from "../../adapters/gated-client.ts";
import { readRedisFacts } from "../../adapters/redis-facts.ts";
import { createScheduleDesk } from "../../adapters/schedule-desk.ts";
import { BEAT_MS } from "../../adapters/worker-registry.ts";
import type { WorkerLine } from "../../domain/worker-line.ts";
import { UnavailableError } from "../../errors.ts";
import { composeClient, composePerform } from "../compose.ts";
import { createConductor } from "../conduct-queued.ts";
import type { Resolved } from "../config.ts";
import type { Flags } from "../flags.ts";
import type { Environment, Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { createNightKeeper } from "../night-keeper.ts";
import { createNights } from "../nights.ts";
import { plural } from "../output.ts";
import { openQueueParts, type QueueParts, queueAddress } from "../queue-parts.ts";
import { redisProblems } from "../redis-problems.ts";
import { createRunKeeper, type EndedRun } from "../run-keeper.ts";
import { createScheduleKeeper } from "../schedule-keeper.ts";
import type { Teller } from "../teller.ts";
import { type Times, timesFrom } from "../times.ts";
import { countEvents } from "../worker-events.ts";
import { readWorkerFlags } from "../worker-flags.ts";
import { createWorkerLog } from "../worker-log.ts";
import { createWorkerMetrics, type WorkerMetrics } from "../worker-metrics.ts";
import { serveWorkerPages } from "../worker-pages.ts";

/** What is under way may take this long to end after the first signal, in milliseconds. */
const GRACE_MS = 20_000;
/** Finished runs stay in Redis for so long, in milliseconds; they are looked for this often. */
const RETENTION_MS = 14 * 24 * 3_600_000;
const TIDY_EVERY_MS = 3_600_000;
/** Runs that one process conducts at once; the rest wait for another process or their turn. */
const RUNS_AT_ONCE = 8;
/** Ends that are told to an emptied Redis. */
const MOST_ENDED = 50;

export async function workerCommand(flags: Flags, io: Io, version: string): Promise<void> {
	const config = await loadConfig(null, flags, io);
	const { roles, port, limits, verbose } = readWorkerFlags(flags);
	const times = timesFrom(io.env);
	const address = new URL(queueAddress(config.queueUrl));
	const endpoint = config.baseUrl === null ? null : new URL(config.baseUrl).host;
	const tell = createWorkerLog(io, { worker: process.pid, host: hostname(), version }, verbose);
	const metrics = createWorkerMetrics();
	const hard = new AbortController();
	const releasers: (() => Promise<unknown> | unknown)[] = [];
	const counts = { finished: 0, incomplete: 0 };
	try {
		const parts = await openQueueParts(config.queueUrl);
		releasers.push(() => parts.close());
		const [problem] = redisProblems(await readRedisFacts(parts.redis.client)).filter(({ level }) => level === "fail");
		if (problem !== undefined) throw new UnavailableError({ message: problem.message, hint: problem.fix });
		const gate = createEndpointGate(parts.redis.client, endpoint ?? "built-in");
		releasers.push(() => gate.close());
		await gate.limit(limits);
		const client = await composeClient(config, hard.signal, {
			onWait: (wait) => {
				metrics.count(`gepa_waits_total{reason="${wait.reason}"}`);
				tell.warn("wait", `the endpoint: ${wait.message}; next attempt in ${Math.round(wait.ms)} ms`, { ...wait });
			},
			...(endpoint !== null && { around: (inner) => createGatedClient(inner, gate) }),
		});
		const line = {
			id: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
			...{ host: hostname(), pid: process.pid, version, roles: [...roles], endpoint },
			...{ concurrency: config.concurrency, since: new Date().toISOString() },
		};
		const workers: (QueueWorker | RunWorker)[] = [];
		if (roles.includes("trial")) {
			const perform = composePerform(client);
			const onEvent = countEvents(tell, metrics, counts, () => performance.now());
			const { concurrency } = config;
			const connection = parts.redis.client;
			const locks = { lockDurationMs: times.taskLockMs, stalledIntervalMs: times.stalledMs };
			const name = `worker ${process.pid} on ${hostname()} of version ${version}`;
			workers.push(createQueueWorker({ connection, name, concurrency, perform, onEvent, ...locks }));
		}
		const slots = await keepRegistered(parts, line, releasers);
		if (roles.includes("run")) {
			const { skillsRepo, cases, results, baseUrl } = flags;
			const given = Object.entries({ skillsRepo, cases, results, baseUrl }).filter(([, value]) => value !== undefined);
			const nights = { flags: Object.fromEntries(given) as Flags, env: io.env };
			const here = { version, cwd: io.cwd, ended: [] };
			const taker: RunTaker = { config, parts, line, slots, tell, metrics, times, nights, ...here };
			workers.push(takeRuns(taker));
			releasers.push(keepBooks(taker));
			releasers.push(keepTidy(parts));
		}
		await Promise.all(workers.map((worker) => worker.ready()));
		if (port !== undefined) {
			const pages = await serveWorkerPages(port, parts.redis, metrics, line);
			releasers.push(() => pages.close());
			tell.info("pages", `http://127.0.0.1:${pages.port}/healthz and /metrics`, { port: pages.port });
		}
		tell.info("worker-ready", readyText(config, line, address.host), {
			roles,
			concurrency: config.concurrency,
			endpoint,
		});
		if (!io.signal.aborted) await once(io.signal, "abort");
		tell.info("worker-stops", "Stopping: nothing more is taken; tasks under way are finished.");
		const overdue = setTimeout(() => hard.abort(), GRACE_MS).unref();
		await Promise.all(workers.map((worker) => worker.close({ graceMs: GRACE_MS })));
		clearTimeout(overdue);
	} finally {
		hard.abort();
		for (const release of releasers.reverse()) await release();
	}
	if (io.json) io.out(JSON.stringify({ schemaVersion: 1, worker: counts }));
	else io.out(`${plural(counts.finished, "task")} done, ${counts.incomplete} handed back.`);
}

function readyText(config: Resolved, line: Pick<WorkerLine, "roles">, queue: string): string {
	const endpoint =
		config.baseUrl === null ? "with the built-in rules (simulation)" : `for ${new URL(config.baseUrl).host}`;
	const does = [
		...(line.roles.includes("trial") ? [`takes up to ${config.concurrency} tasks`] : []),
		...(line.roles.includes("run") ? ["conducts runs"] : []),
	];
	return `worker ${process.pid} ${does.join(" and ")} from ${queue} ${endpoint}. Ctrl-C stops it.`;
}

interface RunTaker {
	config: Resolved;
	parts: QueueParts;
	line: Pick<WorkerLine, "id">;
	slots(): number;
	tell: Teller;
	metrics: WorkerMetrics;
	times: Times;
	/** What nights are prepared with. */
	nights: { flags: Flags; env: Environment };
	version: string;
	cwd: string;
	/** Runs that ended here, the latest last. */
	ended: EndedRun[];
}

function takeRuns(taker: RunTaker): RunWorker {
	const { config, parts, line, slots, tell, metrics, times, nights, version, cwd, ended } = taker;
	const { desk, queue, redis } = parts;
	const { skillsRepo, resultsFolder } = config;
	const onEnded = (run: EndedRun): void => {
		ended.push(run);
		if (ended.length > MOST_ENDED) ended.shift();
	};
	const common = { desk, queue, redis, holder: line.id, version, skillsRepo, resultsFolder, cwd, slots, times, tell };
	const conduct = createConductor({ ...common, onEnded });
	const schedules = createScheduleDesk(redis.client);
	const { flags, env } = nights;
	const night = createNights({ schedules, desk, queue, flags, env, cwd, resultsFolder, now: Date.now, tell });
	return createRunWorker({
		connection: redis.client,
		concurrency: RUNS_AT_ONCE,
		lockDurationMs: times.runLockMs,
		stalledIntervalMs: times.stalledMs,
		async take(message, signal) {
			if (message.type === "due") return night.due(message.schedule, message.dueAt);
			if (message.type === "night") return night.step(message.schedule, message.dueAt);
			const next = await conduct(message.run, message.skill, signal);
			metrics.count(`gepa_runs_total{result="${typeof next === "string" ? next : "waits"}"}`);
			return next;
		},
		onError: (message) => tell.warn("queue", `queue: ${message}`),
	});
}

/** Forgets runs that are long over. @returns how to stop */
function keepTidy({ desk }: QueueParts): () => void {
	const timer = setInterval(() => void desk.prune(RETENTION_MS).catch(() => undefined), TIDY_EVERY_MS);
	return () => clearInterval(timer);
}

/** Brings back what an emptied Redis has forgotten: schedules, nights, runs. @returns how to stop */
function keepBooks({ parts, config, tell, times, ended }: RunTaker): () => void {
	const { redis, desk: runs, queue } = parts;
	const { resultsFolder } = config;
	const timings = createScheduleQueue(redis.client);
	const desk = createScheduleDesk(redis.client);
	const now = () => performance.now();
	const keepSchedules = createScheduleKeeper(desk, timings, resultsFolder, tell);
	const keepNights = createNightKeeper({ desk, queue, books: runs.books, resultsFolder, now, tell });
	const keepRuns = createRunKeeper({ desk: runs, queue, resultsFolder, leaseMs: times.leaseMs, now, tell, ended });
	const stop = everyBeat(async () => {
		await keepNights(await keepSchedules());
		await keepRuns();
	});
	return () => {
		stop();
		void timings.close().catch(() => undefined);
	};
}

/** Does something at once and then every few seconds, never twice at a time. @returns how to stop */
function everyBeat(action: () => Promise<void>): () => void {
	let isBusy = false;
	const beat = (): void => {
		if (isBusy) return;
		isBusy = true;
		void action()
			.catch(() => undefined)
			.finally(() => {
				isBusy = false;
			});
	};
	beat();
	const timer = setInterval(beat, BEAT_MS);
	return () => clearInterval(timer);
}

/** Writes the worker into the registry for as long as it lives. @returns how many tasks all workers do at once */
async function keepRegistered(
	{ registry }: QueueParts,
	line: Omit<WorkerLine, "clock" | "seenAt">,
	releasers: (() => Promise<unknown> | unknown)[],
): Promise<() => number> {
	let slots = 0;
	const beat = async (): Promise<void> => {
		await registry.beat(line);
		const trial = (await registry.list()).filter(({ roles }) => roles.includes("trial"));
		slots = trial.reduce((sum, { concurrency }) => sum + concurrency, 0);
	};
	await beat().catch(() => undefined);
	const stop = everyBeat(beat);
	releasers.push(async () => {
		stop();
		const gone = registry.leave(line.id).catch(() => undefined);
		await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 500))]);
	});
	return () => slots;
}
