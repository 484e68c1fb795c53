/**
 * A run whose work goes through a queue: the same decisions as in one process, whoever does the work and whoever dies. The
 * queue and the endpoint are real; money is counted at the endpoint.
 *
 * What may differ between two runs of one seed is what `comparable` takes out: run id, start, seconds, harvested, paths, the
 * commit, and measured latency. The rest of report.json has to be equal to the byte.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CliProcess, cli, ensureBuilt, startCli, testFolder, until } from "../support/cli.ts";
import { createTemplate, demoCommits, type Template } from "../support/family-workspace.ts";
import { patient } from "../support/patience.ts";
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

	/** Worker processes that listen already. They conduct in the workspace, whose repository is the one that runs promote into. */
	async function startWorkers(redis: RedisServer, count: number, cwd: string): Promise<CliProcess[]> {
		const args = ["worker", "--queue", redis.url, "--base-url", stand.url, "--concurrency", String(CONCURRENCY)];
		const workers = Array.from({ length: count }, () => startCli(args, { cwd }));
		await Promise.all(workers.map((worker) => worker.says("Ctrl-C stops it")));
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

	it("decides the same with one worker", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const [worker] = await startWorkers(redis, 1, workspace);
		const { code, stderr, stdout } = await cli(runArgs("--queue", redis.url), { cwd: workspace });
		expect(code, stderr).toBe(0);
		expect(stdout).toContain("Promoted as v1");
		expectSameEnd(workspace);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);
		worker?.kill("SIGTERM");
		const ended = await worker?.ended;
		expect(ended?.code, ended?.stderr).toBe(0);
		expect(ended?.stdout).toMatch(/tasks done, 0 handed back/);
	});

	it("decides the same with three workers", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		await startWorkers(redis, 3, workspace);
		const { code, stderr } = await cli(runArgs("--queue", redis.url), { cwd: workspace });
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);
		expect(await repeatedCalls()).toBe(0);
	});

	it("goes on when a worker is killed in the middle of its work, and repeats no more than what that worker had under way", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const [first] = await startWorkers(redis, 2, workspace);
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

	it("goes on when the command line that follows it is killed, and can be followed again", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		await startWorkers(redis, 1, workspace);
		const first = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await until("a tenth of the calls", () => storedIn(workspace) >= wanted.paid / 10);
		first.kill("SIGKILL");
		await first.ended;
		const { code, stderr } = await cli(["runs", "follow", SKILL, "--queue", redis.url], { cwd: workspace });
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
		expect(paidCalls(await stand.stats())).toBe(wanted.paid);
	});

	it("is handed to another worker when its conductor is told to stop, at once and with every answer", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const [first] = await startWorkers(redis, 1, workspace);
		const following = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await until("a third of the calls", () => storedIn(workspace) > wanted.paid / 3);
		await startWorkers(redis, 1, workspace);
		first?.kill("SIGTERM");
		const stopped = await first?.ended;
		expect(stopped?.code, stopped?.stderr).toBe(0);
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
		expect(await repeatedCalls()).toBe(0);
	});

	it("is detached, refused a second time while it is on, cancelled with what is paid for kept, and pruned", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const gepa = (...args: string[]) => cli([...args, "--queue", redis.url], { cwd: workspace });
		const starts = await Promise.all(
			Array.from({ length: 4 }, () => cli(runArgs("--queue", redis.url, "--detach"), { cwd: workspace })),
		);
		expect(starts.map(({ code }) => code).sort()).toEqual([0, 75, 75, 75]);
		const run = starts.find(({ code }) => code === 0)?.stdout.trim() ?? "";
		expect(starts.find(({ code }) => code === 75)?.stderr).toContain(`gepa runs follow ${run}`);
		await startWorkers(redis, 1, workspace);
		await until("a third of the calls", () => storedIn(workspace) > wanted.paid / 3);
		// Slow enough that the run is still on when the word arrives.
		await stand.post("/config", { latency: 1_000 });
		const { stdout } = await gepa("runs", "cancel", SKILL);
		expect(stdout).toContain("is asked to end");
		const followed = await gepa("runs", "follow", run, "--json");
		await stand.post("/config", { latency: 5 });
		expect(followed.code, followed.stderr).toBe(0);
		expect(JSON.parse(followed.stdout)).toMatchObject({
			run,
			status: "stopped",
			stoppedBy: "cancelled",
			promotion: null,
		});
		const paid = paidCalls(await stand.stats());
		expect(storedIn(workspace)).toBe(paid);
		expect(paid).toBeLessThan(wanted.paid);
		const resumed = await gepa("runs", "resume", run);
		expect(resumed.code).toBe(6);
		expect((await gepa("runs", "prune", "--older-than", "0s")).stdout).toContain("1 run and");
		expect((await gepa("runs", "follow", run)).code).toBe(3);
	});

	it("is halted, not conducted, by a worker that would open another run from it", async () => {
		const redis = await ownRedis();
		const workspace = template.copy();
		const { stdout } = await cli(runArgs("--queue", redis.url, "--detach"), { cwd: workspace });
		const client = new Redis(redis.url);
		onTestFinished(() => client.disconnect());
		const key = `gepa:run:${stdout.trim()}`;
		const request = JSON.parse((await client.hget(key, "request")) ?? "") as { opening: { protocol: string } };
		request.opening.protocol = "0".repeat(64);
		await client.hset(key, "request", JSON.stringify(request));
		await startWorkers(redis, 1, workspace);
		const { code, stderr } = await cli(["runs", "follow", SKILL, "--queue", redis.url], { cwd: workspace });
		expect(code).toBe(6);
		expect(stderr).toMatch(/cannot reproduce the protocol/);
	});

	const storedIn = (workspace: string) =>
		runsOf(workspace, SKILL).length === 0 ? 0 : storedReplies(latestRun(workspace, SKILL).folder).length;

	it("says that no worker listens, waits for one, and goes on when it comes", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const process = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await process.says("no worker conducts runs");
		expect(paidCalls(await stand.stats())).toBe(0);
		await startWorkers(redis, 1, workspace);
		const { code, stderr } = await process.ended;
		expect(code, stderr).toBe(0);
		expectSameEnd(workspace);
	});

	it("is no longer followed after SIGINT, goes on, and says how to follow and how to end it", async () => {
		await stand.post("/reset");
		const redis = await ownRedis();
		const workspace = template.copy();
		const process = startCli(runArgs("--queue", redis.url), { cwd: workspace });
		await process.says("no worker conducts runs");
		process.kill("SIGINT");
		const { code, stderr, ms } = await process.ended;
		expect(code, stderr).toBe(130);
		expect(stderr).toMatch(/gepa runs follow \S+.*gepa runs cancel \S+/);
		expect(ms).toBeLessThan(patient(30_000));
		const { stdout } = await cli(["runs", "list", "--queue", redis.url], { cwd: workspace });
		expect(stdout).toMatch(/dataviz\s+queued/);
	});

	it("exits 75 with one clear message when Redis is away, as a run and as a worker", async () => {
		const url = `redis://127.0.0.1:${await freePort()}`;
		const cwd = join(testFolder("away"), "work");
		mkdirSync(cwd);
		for (const args of [runArgs("--queue", url), ["worker", "--queue", url, "--base-url", stand.url]]) {
			const workspace = args[0] === "run" ? template.copy() : cwd;
			const { code, stderr, ms } = await cli(args, { cwd: workspace });
			expect(code, stderr).toBe(75);
			expect(ms).toBeLessThan(patient(10_000));
			expect(stderr.match(/Redis at 127\.0\.0\.1:\d+ did not answer/g)).toHaveLength(1);
			expect(stderr.match(/error:/g)).toHaveLength(1);
		}
	});
});
