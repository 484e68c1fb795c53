/**
 * `gepa doctor`: looks at the queue that runs would use, and says of each thing whether it is well, with the fix where it is not.
 * Changes nothing.
 */

import { createScheduleQueue } from "../../adapters/bullmq-schedules.ts";
import { createQueueCounter } from "../../adapters/queue-counts.ts";
import { readRedisFacts } from "../../adapters/redis-facts.ts";
import { createScheduleDesk } from "../../adapters/schedule-desk.ts";
import type { WorkerLine } from "../../domain/worker-line.ts";
import { EXIT, type ExitCode, GepaError } from "../../errors.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { paint, plural, printDocument } from "../output.ts";
import { openQueueParts, type QueueParts } from "../queue-parts.ts";
import { type Finding, redisProblems } from "../redis-problems.ts";
import { TIMES } from "../times.ts";

/** Hosts whose clocks differ by more give other times to the same night, in milliseconds. */
const MOST_SKEW_MS = 2_000;

/** @returns the exit code: 0 when nothing fails, 4 when something does */
export async function doctorCommand(flags: Flags, io: Io, version: string): Promise<ExitCode> {
	const config = await loadConfig(null, flags, io);
	const findings: Finding[] = [];
	if (config.queueUrl === null) {
		findings.push(finding("queue", "pass", "no queue is configured: runs are conducted in their own process"));
	} else {
		findings.push(...(await lookAtQueue(config.queueUrl, version)));
	}
	if (io.json) printDocument(io, { findings });
	else print(io, findings);
	return findings.some(({ level }) => level === "fail") ? EXIT.unavailable : EXIT.done;
}

const finding = (check: string, level: Finding["level"], message: string, fix = ""): Finding => ({
	check,
	level,
	message,
	fix,
});

async function lookAtQueue(url: string, version: string): Promise<Finding[]> {
	let parts: QueueParts;
	try {
		parts = await openQueueParts(url);
	} catch (error) {
		if (!(error instanceof GepaError)) throw error;
		return [finding("reachable", "fail", error.message, error.hint ?? "")];
	}
	try {
		const workers = await parts.registry.list();
		return [
			finding("reachable", "pass", `Redis answers at ${new URL(url).host}`),
			...redisProblems(await readRedisFacts(parts.redis.client)),
			...lookAtWorkers(workers, version),
			...(await lookAtWork(parts, workers)),
			...(await lookAtSchedules(parts)),
		];
	} finally {
		await parts.close();
	}
}

function lookAtWorkers(workers: readonly WorkerLine[], version: string): Finding[] {
	const found: Finding[] = [];
	for (const [role, does] of [
		["trial", "do tasks"],
		["run", "conduct runs"],
	] as const) {
		const able = workers.filter(({ roles }) => roles.includes(role));
		const slots = able.reduce((sum, { concurrency }) => sum + concurrency, 0);
		const message = `${plural(able.length, "worker")} can ${does}${role === "trial" && able.length > 0 ? `, ${slots} tasks at once` : ""}`;
		const fix = able.length > 0 ? "" : `Start one: gepa worker --roles ${role}`;
		found.push(finding(`workers (${role})`, able.length > 0 ? "pass" : "warn", message, fix));
	}
	if (workers.length === 0) {
		const message = "not checked: no worker is here to be asked";
		return [...found, ...["versions", "endpoints", "worker clocks"].map((check) => finding(check, "warn", message))];
	}
	const versions = [...new Set([version, ...workers.map((worker) => worker.version)])];
	const isOne = versions.length === 1;
	const told = isOne ? `all of version ${version}` : `versions ${versions.join(", ")} work on one queue`;
	const mend = isOne ? "" : "Bring all to one version: a worker refuses what another version has put in.";
	found.push(finding("versions", isOne ? "pass" : "warn", told, mend));
	const endpoints = [
		...new Set(
			workers.filter(({ roles }) => roles.includes("trial")).map(({ endpoint }) => endpoint ?? "built-in rules"),
		),
	];
	const [endpoint, ...others] = endpoints;
	if (endpoint === undefined) {
		found.push(finding("endpoints", "warn", "not checked: no worker does tasks"));
	} else if (others.length === 0) {
		found.push(finding("endpoints", "pass", `tasks go to ${endpoint}`));
	} else {
		const fix = "Give every worker the same OPENAI_BASE_URL: any of them may take any task.";
		found.push(finding("endpoints", "warn", `tasks go to different endpoints: ${endpoints.join(", ")}`, fix));
	}
	const skewed = workers.filter(({ clock, seenAt }) => Math.abs(clock - seenAt) > MOST_SKEW_MS);
	const hosts = [...new Set(skewed.map(({ host }) => host))].join(", ");
	const clocks = skewed.length === 0 ? "clocks of workers agree with Redis" : `clocks are off on ${hosts}`;
	found.push(
		finding(
			"worker clocks",
			skewed.length === 0 ? "pass" : "warn",
			clocks,
			skewed.length === 0 ? "" : "Run NTP there.",
		),
	);
	return found;
}

async function lookAtWork({ redis, desk }: QueueParts, workers: readonly WorkerLine[]): Promise<Finding[]> {
	const counter = createQueueCounter(redis.client);
	try {
		const tasks = await counter.tasks();
		const waits = tasks.wait + tasks.active;
		const stuck = waits > 0 && !workers.some(({ roles }) => roles.includes("trial"));
		const runs = await desk.list();
		const halted = runs.filter(({ standing }) => standing === "halted");
		const lock = `dead workers are noticed after ${(TIMES.taskLockMs + TIMES.stalledMs) / 1000} s, dead conductors after ${(TIMES.runLockMs + TIMES.stalledMs) / 1000} s`;
		return [
			finding("stalled settings", "pass", `${lock}, by this version's settings`),
			finding(
				"tasks",
				stuck ? "warn" : "pass",
				`${tasks.wait} wait, ${tasks.active} under way, ${tasks.completed} answers kept`,
				stuck ? "Nobody takes them: start a worker." : "",
			),
			finding(
				"runs",
				halted.length > 0 ? "warn" : "pass",
				halted.length > 0
					? `${plural(halted.length, "run")} halted: ${halted.map(({ run }) => run).join(", ")}`
					: `${plural(runs.length, "run")} known, none halted`,
				halted.length > 0 ? "gepa runs show <run> says why; gepa runs resume <run> goes on." : "",
			),
		];
	} finally {
		void counter.close().catch(() => undefined);
	}
}

async function lookAtSchedules({ redis }: QueueParts): Promise<Finding[]> {
	const queue = createScheduleQueue(redis.client);
	try {
		const schedules = (await createScheduleDesk(redis.client).list()).filter(({ paused }) => !paused);
		const asleep: string[] = [];
		for (const { name, spec } of schedules) {
			const timing = await queue.get(name);
			const isRight = timing?.pattern === spec.schedule?.cron && timing?.timeZone === spec.schedule?.timeZone;
			if (timing === null || !isRight) asleep.push(name);
		}
		if (schedules.length === 0) return [finding("schedules", "pass", "no schedule is on")];
		if (asleep.length === 0) return [finding("schedules", "pass", `${plural(schedules.length, "schedule")} set`)];
		return [finding("schedules", "fail", `nobody would be woken for ${asleep.join(", ")}`, "gepa schedule apply")];
	} finally {
		void queue.close().catch(() => undefined);
	}
}

const COLORS = { pass: "green", warn: "yellow", fail: "red" } as const;

function print(io: Io, findings: readonly Finding[]): void {
	for (const { level, check, message, fix } of findings) {
		io.out(`${paint(io, COLORS[level], level.padEnd(4))}  ${check}: ${message}`);
		if (fix !== "") io.out(`      ${fix}`);
	}
}
