/**
 * `npm run soak`: runs behind a queue, one after the other, while something breaks every so often: a worker is killed or stands
 * still, Redis crashes or is emptied. Each run has to end like the same run without a queue, for the same calls but for those that
 * were under way at a fault, and nothing may be bought once it is over. `--minutes 20`, `--every 20` (seconds
 * between two faults), `--seed 1`. Needs redis-server, and the stand beside the project.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ensureDemoRepository } from "../../src/adapters/demo-repository.ts";
import { canonicalJson } from "../../src/domain/digest.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { startDurableRedis } from "../support/durable-redis.ts";
import { writeFamily } from "../support/export-family.ts";
import { type GepaProcess, startGepa } from "../support/queue-process.ts";
import { comparable, eventsOf } from "../support/run-files.ts";
import { paidCalls, standExists, startStand } from "../support/stand.ts";

const { values } = parseArgs({
	options: {
		minutes: { type: "string", default: "20" },
		every: { type: "string", default: "20" },
		seed: { type: "string", default: "1" },
	},
});
const SKILL = "dataviz";
const CONCURRENCY = 8;
/** Calls of two workers, and of one that comes for a third. */
const MOST_UNDER_WAY = 3 * CONCURRENCY;
/** Starts of a run while Redis is away for 8 s. */
const MOST_TRIES = 10;
const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
	const root = mkdtempSync(join(tmpdir(), "gepa-soak-"));
	const [redis, stand] = await Promise.all([startDurableRedis(), startStand({ latency: 30 })]);
	const user = join(root, "user");
	const { skill } = writeFamily(user, SKILL);
	const { root: repository } = await ensureDemoRepository(join(root, "skills"), SKILL, skill);
	const common = ["--base-url", stand.url, "--skills-repo", repository];
	const stream = createStream(Number(values.seed), "soak");
	const [end, begun] = [Date.now() + Number(values.minutes) * 60_000, Date.now()];
	const workers: GepaProcess[] = [];
	const memory: { seconds: number; mb: number }[] = [];
	const counts = { runs: 0, faults: 0, repeated: 0 };
	let hosts = 0;
	const hire = async (): Promise<void> => {
		const host = join(root, `host-${hosts++}`);
		mkdirSync(host);
		const args = ["worker", "--queue", redis.url, ...common, "--concurrency", String(CONCURRENCY)];
		workers.push(startGepa(args, host));
	};
	const faults: Record<string, () => Promise<void>> = {
		async "a worker is killed"() {
			workers.splice(Math.floor(stream.next() * workers.length), 1)[0]?.kill("SIGKILL");
			await hire();
		},
		async "a worker stands still for 40 s"() {
			const victim = workers[Math.floor(stream.next() * workers.length)];
			victim?.kill("SIGSTOP");
			void pause(40_000).then(() => victim?.kill("SIGCONT"));
		},
		async "Redis crashes"() {
			await redis.kill();
			await redis.start();
		},
		async "Redis is away for 8 s"() {
			await redis.kill();
			await pause(8_000);
			await redis.start();
		},
		async "Redis is emptied"() {
			await redis.send("FLUSHALL");
		},
		async "a worker is told to stop"() {
			workers.splice(Math.floor(stream.next() * workers.length), 1)[0]?.kill("SIGTERM");
			await hire();
		},
	};
	let isOver = false;
	const breaking = (async () => {
		while (!isOver) {
			await pause(Number(values.every) * 1000);
			if (isOver) return;
			const names = Object.keys(faults);
			const name = names[Math.floor(stream.next() * names.length)] ?? "";
			await faults[name]?.();
			counts.faults += 1;
			const live = workers.filter(({ isRunning }) => isRunning);
			const mb = Math.max(...live.map((worker) => worker.memory()));
			memory.push({ seconds: (Date.now() - begun) / 1000, mb });
			print(`${((Date.now() - begun) / 1000).toFixed(0)} s: ${name}; the largest worker has ${mb.toFixed(0)} MB`);
		}
	})();
	try {
		await Promise.all([hire(), hire()]);
		for (let seed = 1; Date.now() < end; seed++) {
			const faultsBefore = counts.faults;
			const flags = ["--seed", String(seed), "--max-calls", "300", "--no-commit"];
			const alone = await finished(["run", SKILL, ...common, ...flags], user, join(user, "alone"));
			const before = paidCalls(await stand.stats());
			await stand.post("/reset");
			const queued = await finished(
				["run", SKILL, ...common, ...flags, "--queue", redis.url],
				user,
				join(user, "queued"),
			);
			while ((await stand.stats()).inflight > 0) await pause(100);
			const stats = await stand.stats();
			const repeated = stats.roles.task.repeated + stats.roles.reflect.repeated;
			await stand.post("/reset");
			counts.runs += 1;
			counts.repeated += repeated;
			const [paid, faultsNow] = [paidCalls(stats), counts.faults - faultsBefore];
			const allowed = MOST_UNDER_WAY * (1 + faultsNow);
			if (Math.abs(paid - before) > allowed)
				throw new Error(`seed ${seed}: ${before} calls alone, ${paid} behind the queue, ${faultsNow} faults (${root})`);
			if (alone !== queued) throw new Error(`seed ${seed}: the run behind the queue decided otherwise (${root})`);
			print(
				`run ${seed}: as without a queue; ${before} calls alone, ${paid} behind the queue, ${repeated} bought again`,
			);
		}
		print(`\n${counts.runs} runs, ${counts.faults} faults, no invariant broken; ${counts.repeated} calls bought again`);
		print(`memory of the largest worker: ${slope(memory).toFixed(1)} MB an hour (workers that were killed began anew)`);
		rmSync(root, { recursive: true, force: true });
	} finally {
		isOver = true;
		await breaking.catch(() => undefined);
		for (const worker of workers) worker.kill("SIGKILL");
		await stand.stop();
		await redis.stop();
	}
}

/**
 * Runs gepa to its end; one that finds no Redis at its start says so and is started again, as a person would.
 * @returns its events, without what chance decides
 */
async function finished(args: readonly string[], cwd: string, results: string): Promise<string> {
	for (let tries = 0; ; tries++) {
		const run = startGepa([...args, "--results", results], cwd);
		const code = await run.ended;
		if (code === 0) break;
		const isAway = code === 75 && /Redis at \S+ did not answer within/.test(run.output);
		if (!isAway || tries >= MOST_TRIES) throw new Error(`gepa ${args.join(" ")} ended with ${code}:\n${run.output}`);
		await pause(3_000);
	}
	const { folder } = latestIn(results);
	return eventsOf(folder)
		.map((event) => canonicalJson(comparable(event)))
		.join("\n");
}

/** The folder of the latest run of a results folder. */
function latestIn(results: string): { folder: string } {
	const names = readdirSync(join(results, SKILL)).filter((name) => /^\d{8}-\d{6}-[0-9a-f]{4}$/.test(name));
	return { folder: join(results, SKILL, names.sort().at(-1) ?? "") };
}

/** Slope of the line through the points of the second half, in MB an hour. */
function slope(points: readonly { seconds: number; mb: number }[]): number {
	const late = points.slice(Math.floor(points.length / 2));
	const mean = (read: (point: (typeof late)[number]) => number) =>
		late.reduce((sum, point) => sum + read(point), 0) / late.length;
	const [x, y] = [mean(({ seconds }) => seconds), mean(({ mb }) => mb)];
	const over = late.reduce((sum, point) => sum + (point.seconds - x) * (point.mb - y), 0);
	const under = late.reduce((sum, point) => sum + (point.seconds - x) ** 2, 0);
	return under === 0 ? 0 : (over / under) * 3600;
}

if (!standExists) print("The stand is not beside this project: nothing can be done.");
else {
	await main().catch((error: unknown) => {
		print(`FAILED: ${(error as Error).message}`);
		process.exitCode = 1;
	});
}
process.exit();
