/**
 * What Redis can do to a run: crash, come back empty, fill up, take no writes, refuse us, or stay away. GEPA_FAULTS=all adds the
 * long outages and a crash at each third of a run.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { acquireRunLock } from "../../src/adapters/run-lock.ts";
import { cli, ensureBuilt, until } from "../support/cli.ts";
import { startDurableRedis } from "../support/durable-redis.ts";
import { assertInvariants, createScene, type Scene, SKILL } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { standExists } from "../support/stand.ts";

const ALL = process.env.GEPA_FAULTS === "all";
const CONCURRENCY = 4;

describe.skipIf(!hasRedis() || !standExists)("a Redis in bad weather", () => {
	let wanted = "";
	let paid = 0;

	beforeAll(() => ensureBuilt());

	it("has an undisturbed run to compare with", async () => {
		const scene = await createScene();
		await scene.worker();
		const { code, stderr } = await scene.run().ended;
		expect(code, stderr).toBe(0);
		wanted = scene.ending();
		paid = await scene.paid();
	});

	/** A run to which something is done once so many calls are paid. @returns milliseconds until the next paid call */
	async function disturbed(share: number, fault: (scene: Scene) => Promise<void>): Promise<number> {
		const scene = await createScene({ latency: 20 });
		await scene.worker({ host: "host-a" });
		const following = scene.run();
		await scene.paidAtLeast(Math.floor(share * paid));
		await fault(scene);
		const [mended, before] = [performance.now(), await scene.paid()];
		await until("the next step", async () => !following.isRunning || (await scene.paid()) > before, 150_000);
		const ms = performance.now() - mended;
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		await assertInvariants(scene, wanted, CONCURRENCY);
		return ms;
	}

	const crash = async ({ redis }: Scene): Promise<void> => {
		await redis.kill();
		await redis.start();
	};
	const away =
		(ms: number) =>
		async ({ redis }: Scene): Promise<void> => {
			await redis.kill();
			await new Promise((resolve) => setTimeout(resolve, ms));
			await redis.start();
		};

	it.each(ALL ? [0.1, 0.4, 0.7, 0.95] : [0.4])("goes on after a crash when %f of the calls are paid", async (share) => {
		await disturbed(share, crash);
	});

	it("goes on after it was emptied in the middle of a run, and keeps the run and its schedules", async () => {
		await disturbed(0.5, async ({ redis }) => void (await redis.send("FLUSHALL")));
	});

	it("that was emptied before anybody had taken a run leaves a copy of it, from which a person puts it in again", async () => {
		const scene = await createScene();
		const { stdout } = await scene.gepa(...detached(scene));
		const run = stdout.trim();
		await scene.redis.send("FLUSHALL");
		const listed = await scene.gepa("runs", "list");
		expect(listed.stdout).toMatch(new RegExp(`${run}\\s+${SKILL}\\s+forgotten`));
		expect(listed.stderr).toContain(`gepa runs resume ${run}`);
		await scene.worker({ host: "host-a" });
		const { code, stderr } = await scene.gepa("runs", "resume", run);
		expect(code, stderr).toBe(0);
		await assertInvariants(scene, wanted, 0);
		expect((await scene.gepa("runs", "list")).stdout).not.toContain("forgotten");
		expect(readdirSync(join(scene.user, "results", "queued"))).toEqual([]);
	});

	it("that was emptied while a run waited for its turn gets it back from a worker's copy", async () => {
		const scene = await createScene();
		const host = scene.hostFolder("host-a");
		const inUse = acquireRunLock({ folder: join(host, "results", SKILL), run: "another" });
		onTestFinished(() => inUse.release());
		await scene.worker({ host: "host-a" });
		const { stdout } = await scene.gepa(...detached(scene));
		const run = stdout.trim();
		// The person who asked for it has gone, with all files.
		rmSync(join(scene.user, "results"), { recursive: true });
		await until("a copy on the worker's disk", () => existsSync(join(host, "results", "queued", `${run}.json`)));
		await scene.redis.send("FLUSHALL");
		await until("the run is back", async () => (await scene.redis.send("EXISTS", `gepa:run:${run}`)) === 1);
		inUse.release();
		const { code, stderr } = await scene.gepa("runs", "follow", run);
		expect(code, stderr).toBe(0);
		await assertInvariants(scene, wanted, 0);
		await until("the copy is gone", () => readdirSync(join(host, "results", "queued")).length === 0);
	});

	it("that was emptied after a run had ended does not get it back from a worker that slept through its end", async () => {
		const scene = await createScene();
		const slept = await scene.worker({ host: "host-a" });
		await scene.worker({ host: "host-b" });
		const { stdout } = await scene.gepa(...detached(scene));
		const run = stdout.trim();
		const copy = join(scene.hostFolder("host-a"), "results", "queued", `${run}.json`);
		await until("a copy on the disk of the first", () => existsSync(copy));
		slept.kill("SIGSTOP");
		onTestFinished(() => slept.kill("SIGCONT"));
		const standing = () => scene.redis.send("HGET", `gepa:run:${run}`, "standing");
		await until("the other has ended it", async () => (await standing()) === "ended");
		const before = await scene.paid();
		await scene.redis.send("FLUSHALL");
		await until("the other has told how it ended", async () => (await standing()) === "ended");
		slept.kill("SIGCONT");
		await until("the copy is gone", () => !existsSync(copy));
		expect(await standing()).toBe("ended");
		expect(await scene.paid()).toBe(before);
	});

	it.runIf(ALL)("that has lost the message of a run gets another, and the run is conducted", async () => {
		const scene = await createScene();
		const { stdout } = await scene.gepa(...detached(scene));
		const run = stdout.trim();
		expect(await scene.redis.send("DEL", `gepa:gepa-runs:r-${run}`, "gepa:gepa-runs:wait")).toBe(2);
		await scene.worker({ host: "host-a" });
		const { code, stderr } = await scene.gepa("runs", "follow", run);
		expect(code, stderr).toBe(0);
		await assertInvariants(scene, wanted, 0);
	});

	it("pauses while it is full, and goes on when there is room", async () => {
		await disturbed(0.4, async ({ redis }) => {
			await redis.send("CONFIG", "SET", "maxmemory", "1mb");
			await new Promise((resolve) => setTimeout(resolve, 3_000));
			await redis.send("CONFIG", "SET", "maxmemory", "0");
		});
	});

	it("pauses while it takes no writes, and goes on when it does", async () => {
		await disturbed(0.4, async ({ redis }) => {
			await redis.send("REPLICAOF", "127.0.0.1", "1");
			await new Promise((resolve) => setTimeout(resolve, 3_000));
			await redis.send("REPLICAOF", "NO", "ONE");
		});
	});

	it.runIf(ALL).each([
		[8_000, 10_000],
		[120_000, 25_000],
	])("goes on after it was away for %i ms, within %i ms", { timeout: 400_000 }, async (down, within) => {
		const ms = await disturbed(0.4, away(down));
		console.info(
			`Redis away for ${down / 1000} s: the next call was paid ${(ms / 1000).toFixed(1)} s after it was back`,
		);
		expect(ms).toBeLessThan(within);
	});

	it("is refused by a worker when it would throw work away", async () => {
		const scene = await createScene();
		await scene.redis.send("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		const { code, stderr } = await scene.gepa("worker", "--base-url", scene.stand.url);
		expect(code).toBe(4);
		expect(stderr).toContain("maxmemory-policy is allkeys-lru");
		expect(stderr).toContain("noeviction");
	});

	it("says that it wants a password, to worker, run and doctor alike, and the password is shown nowhere", async () => {
		const redis = await startDurableRedis();
		onTestFinished(() => redis.stop());
		await redis.send("CONFIG", "SET", "requirepass", "opensesame");
		const scene = await createScene({ redis });
		const run = ["run", "dataviz", "--base-url", scene.stand.url, "--skills-repo", scene.repository];
		for (const args of [run, ["worker", "--base-url", scene.stand.url], ["doctor"], ["runs", "list"]]) {
			const { code, stderr, stdout } = await scene.gepa(...args);
			expect(code, stderr).toBe(4);
			expect(stderr + stdout).toContain("password");
		}
		const env = { GEPA_QUEUE_URL: `redis://:wrongsecret@127.0.0.1:${redis.port}` };
		const { code, stderr, stdout } = await cli(["doctor"], { cwd: scene.user, env });
		expect(code).toBe(4);
		expect(stderr + stdout).not.toContain("wrongsecret");
	});
});

const detached = ({ stand, repository }: Scene) => [
	...["run", SKILL, "--base-url", stand.url, "--skills-repo", repository],
	...["--max-calls", "160", "--detach"],
];
