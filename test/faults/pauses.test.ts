/**
 * Processes that stand still and come back: stopped by a signal, busy with themselves, or cut off from Redis. Whoever comes back
 * late finds that another has gone on, says so, and changes nothing. GEPA_FAULTS=all adds pauses as long as in real life.
 */
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt, until } from "../support/cli.ts";
import { startDurableRedis } from "../support/durable-redis.ts";
import { assertInvariants, createScene, SKILL } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { eventsOf, latestRun, runsOf } from "../support/run-files.ts";
import { standExists } from "../support/stand.ts";

const ALL = process.env.GEPA_FAULTS === "all";
const CONCURRENCY = 4;

describe.skipIf(!hasRedis() || !standExists)("a process that stands still and comes back", () => {
	let wanted = "";

	beforeAll(() => ensureBuilt());

	it("has an undisturbed run to compare with", async () => {
		const scene = await createScene();
		await scene.worker();
		const { code, stderr } = await scene.run().ended;
		expect(code, stderr).toBe(0);
		wanted = scene.ending();
	});

	const decided = (folder: string, events: number) => () =>
		runsOf(folder, SKILL).length > 0 && eventsOf(latestRun(folder, SKILL).folder).length >= events;

	it.each([
		["in its last moment before the commit", "objects-written:1:stop"],
		["before a decision", "event-begins:4:stop"],
	])("as a conductor that was stopped %s is fenced", async (_, fault) => {
		const scene = await createScene();
		const first = await scene.worker({ host: "host-a", args: ["--roles", "run"], env: { GEPA_TEST_FAULT: fault } });
		await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
		const following = scene.run();
		await following.says("Conducted on");
		await scene.worker({ host: "host-b", args: ["--roles", "run"] });
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		expect(stderr).toContain("Taken over");
		first.kill("SIGCONT");
		await first.says("fenced", 30_000);
		await assertInvariants(scene, wanted, 0);
	});

	it("as a conductor that was busy with itself is fenced, or was never followed", async () => {
		const scene = await createScene();
		const env = { GEPA_TEST_FAULT: "event-begins:3:block=5000" };
		await scene.worker({ host: "host-a", args: ["--roles", "run"], env });
		await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
		const following = scene.run();
		await following.says("Conducted on");
		await scene.worker({ host: "host-b", args: ["--roles", "run"] });
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		await assertInvariants(scene, wanted, 0);
	});

	it("as a worker that was stopped in a task: somebody else does it, and the late answer changes nothing", async () => {
		const scene = await createScene({ latency: 40 });
		const first = await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
		await scene.worker({ host: "host-a", args: ["--roles", "run"] });
		const following = scene.run();
		await scene.paidAtLeast(12);
		first.kill("SIGSTOP");
		await scene.worker({ host: "host-u", args: ["--roles", "trial"] });
		const { code, stderr } = await following.ended;
		first.kill("SIGCONT");
		expect(code, stderr).toBe(0);
		await assertInvariants(scene, wanted, CONCURRENCY);
	});

	it.runIf(ALL)(
		"as a conductor that is stopped for 60 s with the times of real life is fenced",
		{ timeout: 300_000 },
		async () => {
			const scene = await createScene({ latency: 40 });
			const env = { GEPA_TEST_LOCK_MS: "15000" };
			const first = await scene.worker({ host: "host-a", args: ["--roles", "run"], env });
			await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
			const following = scene.run();
			await until("a few decisions", decided(scene.hostFolder("host-a"), 3));
			const stopped = performance.now();
			first.kill("SIGSTOP");
			await scene.worker({ host: "host-b", args: ["--roles", "run"], env });
			const before = await scene.paid();
			await until("the next step", async () => (await scene.paid()) > before, 60_000);
			console.info(
				`conductor stopped: the next call was paid after ${((performance.now() - stopped) / 1000).toFixed(1)} s`,
			);
			const { code, stderr } = await following.ended;
			expect(code, stderr).toBe(0);
			await new Promise((resolve) => setTimeout(resolve, Math.max(0, 60_000 - (performance.now() - stopped))));
			first.kill("SIGCONT");
			await first.says("fenced", 30_000);
			await assertInvariants(scene, wanted, 0);
		},
	);

	const hasNetworks = spawnSync("ip", ["netns", "list"]).status === 0 && process.getuid?.() === 0;

	it.runIf(ALL && hasNetworks).each([
		["both ways", 5],
		["both ways", 40],
		["to Redis", 40],
		["from Redis", 40],
	])("as a conductor that is cut off %s for %i s commits once", { timeout: 300_000 }, async (direction, seconds) => {
		const net = network(direction);
		const redis = await startDurableRedis({ bind: net.outside });
		onTestFinished(() => redis.stop());
		const scene = await createScene({ redis, latency: 40 });
		const env = { GEPA_TEST_LOCK_MS: "4000" };
		const first = await scene.worker({ host: "host-a", args: ["--roles", "run"], env, through: net.enter });
		await scene.worker({ host: "host-t", args: ["--roles", "trial"], env });
		const following = scene.run();
		await until("a few decisions", decided(scene.hostFolder("host-a"), 3));
		net.cut();
		await scene.worker({ host: "host-b", args: ["--roles", "run"], env });
		await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
		net.heal();
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		await until(
			"the cut-off side has heard of it",
			() => !stderr.includes("Taken over") || first.stderr.includes("fenced"),
			60_000,
		);
		await assertInvariants(scene, wanted, CONCURRENCY);
	});
});

interface Network {
	/** Address of this side. */
	outside: string;
	/** Command that starts another one on the other side. */
	enter: readonly string[];
	cut(): void;
	heal(): void;
}

/** A network of its own with one cable to this one, removed with the test. */
function network(direction: string): Network {
	const id = (process.pid % 200) + 20;
	const [name, here, there] = [`gepa${id}`, `gepah${id}`, `gepat${id}`];
	const [outside, inside] = [`10.213.${id}.1`, `10.213.${id}.2`];
	const ip = (...args: string[]): void => {
		const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
		if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
	};
	ip("netns", "add", name);
	onTestFinished(() => {
		spawnSync("ip", ["netns", "del", name]);
		spawnSync("ip", ["link", "del", here]);
	});
	ip("link", "add", here, "type", "veth", "peer", "name", there);
	ip("link", "set", there, "netns", name);
	ip("addr", "add", `${outside}/24`, "dev", here);
	ip("link", "set", here, "up");
	ip("netns", "exec", name, "ip", "addr", "add", `${inside}/24`, "dev", there);
	ip("netns", "exec", name, "ip", "link", "set", there, "up");
	ip("netns", "exec", name, "ip", "link", "set", "lo", "up");
	const chains = direction === "to Redis" ? ["OUTPUT"] : direction === "from Redis" ? ["INPUT"] : ["INPUT", "OUTPUT"];
	const rules = (how: "-A" | "-D") => {
		for (const chain of chains) ip("netns", "exec", name, "iptables", how, chain, "-p", "tcp", "-j", "DROP");
	};
	return { outside, enter: ["ip", "netns", "exec", name], cut: () => rules("-A"), heal: () => rules("-D") };
}
