/**
 * A run whose work goes through a queue: the same decisions as in one process, whoever does the work and whoever dies. The
 * queue and the endpoint are real; money is counted at the endpoint.
 *
 * What may differ between two runs of one seed is what `comparable` takes out: run id, start, seconds, harvested, paths, the
 * commit, and measured latency. The rest of report.json has to be equal to the byte.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CliProcess, cli, ensureBuilt, startCli, testFolder, until } from "../support/cli.ts";
import { createTemplate, demoCommits, type Template } from "../support/family-workspace.ts";
import { freePort, hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { comparable, eventsOf, latestRun, reportOf, runsOf, storedReplies } from "../support/run-files.ts";
import { paidCalls, type Stand, standExists, startStand } from "../support/stand.ts";

const SKILL = "dataviz";
/** Of each worker, and of the pool in the process. */
const CONCURRENCY = 16;

if (!standExists) console.warn("the simulated endpoint is not there: the tests of runs behind a queue are skipped");

describe.skipIf(!hasRedis() || !standExists)("a run behind a queue", () => {
	let stand: Stand;
	let template: Template;
	let wanted: { events: string; report: string; paid: number };

	beforeAll(async () => {
		await ensureBuilt();
		[stand, template] = await Promise.all([startStand({ latency: 5 }), createTemplate(SKILL)]);
	});
	afterAll(async () => {
		await stand?.stop();
		template?.remove();
	});

	const runArgs = (...more: string[]) => ["run", SKILL, "--base-url", stand.url, "--max-calls", "600", ...more];

	async function ownRedis(): Promise<RedisServer> {
		const redis = await startRedis();
		onTestFinished(() => redis.stop());
		return redis;
	}

	/** Worker processes that listen already. */
	async function startWorkers(redis: RedisServer, count: number): Promise<CliProcess[]> {
		const cwd = testFolder("worker");
		const args = ["worker", "--queue", redis.url, "--base-url", stand.url, "--concurrency", String(CONCURRENCY)];
		const workers = Array.from({ length: count }, () => startCli(args, { cwd }));
		await Promise.all(workers.map((worker) => worker.says("takes up to")));
		return workers;
	}

	const bytes = (value: unknown) => JSON.stringify(comparable(value), null, "\t");

	function expectSameEnd(workspace: string): void {
		const { folder } = latestRun(workspace, SKILL);
		expect(bytes(eventsOf(folder))).toBe(wanted.events);
		expect(bytes(reportOf(folder))).toBe(wanted.report);
		expect(demoCommits(workspace)).toHaveLength(2);
	}

	async function repeatedCalls(): Promise<number> {
		await until("the endpoint is idle", async () => (await stand.stats()).inflight === 0);
		const { task, reflect } = (await stand.stats()).roles;
		return task.repeated + reflect.repeated;
	}

	it("has a run without a queue to compare with", async () => {
		const workspace = template.copy();
		const { code, stderr } = await cli(runArgs(), { cwd: workspace });
		expect(code, stderr).toBe(0);
		const { folder } = latestRun(workspace, SKILL);
		const report = reportOf(folder);
		expect(report).toMatchObject({ verdict: { status: "promoted" } });
		wanted = { events: bytes(eventsOf(folder)), report: bytes(report), paid: paidCalls(await stand.stats()) };
	});

	it("decides the same with one worker, and finds every answer in the queue when its own store is lost", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const [worker] = await startWorkers(redis, 1);
		const workspace = template.copy();
		const first = await cli(runArgs("--queue", redis.url), { cwd: workspace });
		expect(first.code, first.stderr).toBe(0);
		expectSameEnd(workspace);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);

		const { run, folder } = latestRun(workspace, SKILL);
		const log = join(folder, "events.jsonl");
		writeFileSync(log, readFileSync(log).subarray(0, readFileSync(log).indexOf("\n") + 1));
		rmSync(join(folder, "outcomes.jsonl"));
		const again = await cli(runArgs("--queue", redis.url, "--resume", run), { cwd: workspace });
		expect(again.code, again.stderr).toBe(0);
		expectSameEnd(workspace);
		expect(storedReplies(folder)).toHaveLength(wanted.paid);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);

		worker?.kill("SIGTERM");
		const ended = await worker?.ended;
		expect(ended?.code, ended?.stderr).toBe(0);
		expect(ended?.stdout).toMatch(/tasks done, 0 handed back/);
	});

	it("decides the same with three workers", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		await startWorkers(redis, 3);
		const workspace = template.copy();
		const { code, stderr } = await cli(runArgs("--queue", redis.url), { cwd: workspace });
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);
		expect(await repeatedCalls()).toBe(0);
	});

	it("goes on when a worker is killed in the middle of its work, and repeats no more than what that worker had under way", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const [first] = await startWorkers(redis, 2);
		const workspace = template.copy();
		const process = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await until("a third of the calls", () => storedIn(workspace) > wanted.paid / 3);
		await stand.post("/config", { latency: 500 });
		await until("calls are under way", async () => (await stand.stats()).inflight >= 4);
		first?.kill("SIGKILL");
		await stand.post("/config", { latency: 5 });
		const { code, stderr } = await process.ended;
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
		const repeated = await repeatedCalls();
		console.info(`a worker was killed: ${repeated} calls were bought again`);
		expect(repeated).toBeLessThanOrEqual(CONCURRENCY);
	});

	it("loses nothing when the conductor is killed: the workers finish, and the answers wait in the queue", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		await startWorkers(redis, 1);
		const workspace = template.copy();
		for (const share of [0.2, 0.5, 0.8]) {
			const resume = runsOf(workspace, SKILL).flatMap((run) => ["--resume", run]);
			const process = startCli(runArgs("--queue", redis.url, ...resume), { cwd: workspace });
			await until(`${share} of the calls`, () => storedIn(workspace) >= wanted.paid * share);
			process.kill("SIGKILL");
			expect((await process.ended).signal).toBe("SIGKILL");
		}
		const { run } = latestRun(workspace, SKILL);
		const { code, stderr } = await cli(runArgs("--queue", redis.url, "--resume", run), { cwd: workspace });
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
		expect(await repeatedCalls()).toBe(0);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);
	});

	const storedIn = (workspace: string) =>
		runsOf(workspace, SKILL).length === 0 ? 0 : storedReplies(latestRun(workspace, SKILL).folder).length;

	it("says that no worker listens, waits for one, and goes on when it comes", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const process = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await process.says("no worker listens to the queue");
		expect(paidCalls(await stand.stats())).toBe(0);
		await startWorkers(redis, 1);
		const { code, stderr } = await process.ended;
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
	});

	it("stops on SIGINT while it waits for a worker, and can be resumed", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const process = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await process.says("measuring v0");
		process.kill("SIGINT");
		const { code, stderr, ms } = await process.ended;
		expect(code, stderr).toBe(130);
		expect(stderr).toMatch(/npx gepa run dataviz --resume \S+ .*--queue redis:/);
		expect(ms).toBeLessThan(30_000);
		expect(runsOf(workspace, SKILL)).toHaveLength(1);
	});

	it("exits 75 with one clear message when Redis is away, as a run and as a worker", async () => {
		const url = `redis://127.0.0.1:${await freePort()}`;
		const cwd = join(testFolder("away"), "work");
		mkdirSync(cwd);
		for (const args of [runArgs("--queue", url), ["worker", "--queue", url, "--base-url", stand.url]]) {
			const workspace = args[0] === "run" ? template.copy() : cwd;
			const { code, stderr, ms } = await cli(args, { cwd: workspace });
			expect(code, stderr).toBe(75);
			expect(ms).toBeLessThan(10_000);
			expect(stderr.match(/Redis at 127\.0\.0\.1:\d+ did not answer/g)).toHaveLength(1);
			expect(stderr.match(/error:/g)).toHaveLength(1);
		}
	});
});
