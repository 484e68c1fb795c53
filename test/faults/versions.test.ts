/**
 * Workers of another version on the same queue: what they would do differently they refuse, visibly; the run waits or halts with
 * its reason, and goes on with the right worker as if nothing had been. The other versions are builds with something changed.
 * GEPA_FAULTS=all takes every change instead of one of a kind.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt, until } from "../support/cli.ts";
import { type BuildChange, otherBuild } from "../support/other-build.ts";
import { assertInvariants, createScene, type Scene, SKILL } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { eventsOf, latestRun, runsOf } from "../support/run-files.ts";
import { standExists } from "../support/stand.ts";

const ALL = process.env.GEPA_FAULTS === "all";
const CASES = { train: 4, validation: 6 };
const OTHER_KEYS: BuildChange = { file: "domain/trial.js", from: "digest({ task: 1,", to: "digest({ task: 2," };
const OTHER_SCHEMA: BuildChange = {
	file: "adapters/queue-payload.js",
	from: "schemaVersion: z.literal(1)",
	to: "schemaVersion: z.literal(2)",
};
const OTHER_PROTOCOL: BuildChange = { file: "domain/protocol.js", from: "digest({", to: "digest({ other: true," };
const OTHER_EVENTS: BuildChange = { file: "engine/open.js", from: "v: 1", to: "v: 2" };

describe.skipIf(!hasRedis() || !standExists)("a worker of another version", () => {
	let wanted = "";

	beforeAll(() => ensureBuilt());

	it("has an undisturbed run to compare with", async () => {
		const scene = await createScene({ cases: CASES });
		await scene.worker();
		const { code, stderr } = await scene.run().ended;
		expect(code, stderr).toBe(0);
		wanted = scene.ending();
	});

	const decided = (scene: Scene, host: string) => {
		const folder = scene.hostFolder(host);
		return runsOf(folder, SKILL).length === 0 ? 0 : eventsOf(latestRun(folder, SKILL).folder).length;
	};

	const tasksDiffer: readonly [string, BuildChange, RegExp][] = [
		["keys tasks otherwise", OTHER_KEYS, /digest/],
		["writes tasks otherwise", OTHER_SCHEMA, /no task of version/],
	];
	const runsDiffer: readonly [string, BuildChange, RegExp][] = [
		["has another protocol", OTHER_PROTOCOL, /cannot reproduce the protocol/],
		["opens runs otherwise", OTHER_EVENTS, /cannot reproduce the protocol/],
	];

	it.each(tasksDiffer.slice(0, ALL ? 2 : 1))(
		"that %s refuses them, the run waits and says why, and the right worker does it",
		async (_, change, why) => {
			const scene = await createScene({ cases: CASES });
			const wrong = await scene.worker({
				host: "host-old",
				args: ["--roles", "trial"],
				build: otherBuild("0.0.9", [change]),
			});
			await scene.worker({ host: "host-a", args: ["--roles", "run"] });
			const following = scene.run();
			await following.says("wait for another worker");
			expect(following.stderr).toMatch(/Refused by worker \d+ on \S+ of version 0\.0\.9/);
			expect(following.stderr).toMatch(why);
			expect(wrong.stderr).toContain("task-refused");
			expect(await scene.paid()).toBe(0);
			const { stdout } = await scene.gepa("doctor");
			expect(stdout).toMatch(/warn {2}versions: versions .*0\.0\.9/);
			await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
			const { code, stderr } = await following.ended;
			expect(code, stderr).toBe(0);
			expect(wrong.isRunning).toBe(true);
			await assertInvariants(scene, wanted, 0);
		},
	);

	it.runIf(ALL)(
		"does not hold a run for longer than its minutes: it halts with the reason, and can be resumed",
		async () => {
			const scene = await createScene({ cases: CASES });
			const build = otherBuild("0.0.9", [OTHER_KEYS]);
			const wrong = await scene.worker({ host: "host-old", args: ["--roles", "trial"], build });
			await scene.worker({ host: "host-a", args: ["--roles", "run"] });
			const { code, stderr } = await scene.run("--max-minutes", "0.1").ended;
			expect(code, stderr).toBe(75);
			expect(stderr).toMatch(/no worker does its tasks \(worker \d+ on \S+ of version 0\.0\.9: .*digest/);
			expect(stderr).toContain("gepa runs resume");
			wrong.kill("SIGTERM");
			await wrong.ended;
			await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
			const [, run] = /gepa runs resume (\S+)/.exec(stderr) ?? [];
			const resumed = await scene.gepa("runs", "resume", run ?? "");
			expect(resumed.code, resumed.stderr).toBe(0);
			expect(scene.commits()).toHaveLength(2);
			expect(await scene.repeated()).toBe(0);
		},
	);

	it.each(runsDiffer.slice(0, ALL ? 2 : 1))(
		"that %s halts a run that it takes over, with exit 6, and the right one goes on",
		async (_, change, why) => {
			const scene = await createScene({ cases: CASES, latency: 30 });
			const first = await scene.worker({ host: "host-a", args: ["--roles", "run"] });
			await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
			const following = scene.run();
			await until("a few decisions", () => decided(scene, "host-a") >= 4);
			first.kill("SIGKILL");
			await first.ended;
			const wrong = await scene.worker({
				host: "host-old",
				args: ["--roles", "run"],
				build: otherBuild("0.0.9", [change]),
			});
			const { code, stderr } = await following.ended;
			expect(code, stderr).toBe(6);
			expect(stderr).toMatch(why);
			expect(stderr).toContain("gepa 0.0.9");
			expect(wrong.isRunning).toBe(true);
			expect(scene.commits()).toHaveLength(1);
			wrong.kill("SIGTERM");
			await wrong.ended;
			await scene.worker({ host: "host-b", args: ["--roles", "run"] });
			const resumed = await scene.gepa("runs", "resume", SKILL);
			expect(resumed.code, resumed.stderr).toBe(0);
			await assertInvariants(scene, wanted, 0);
		},
	);

	it("that wrote the log otherwise leaves a run that halts once, says so, and goes on when the log is right", async () => {
		const scene = await createScene({ cases: CASES, latency: 30 });
		const first = await scene.worker({ host: "host-a", args: ["--roles", "run"] });
		await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
		const { stdout } = await scene.gepa(...detached(scene));
		const run = stdout.trim();
		await until("a few decisions", () => decided(scene, "host-a") >= 4);
		first.kill("SIGKILL");
		await first.ended;
		const log = `gepa:run:${run}:log`;
		const right = String(await scene.redis.send("LINDEX", log, "1"));
		const { event } = JSON.parse(right) as { event: object };
		await scene.redis.send("LSET", log, "1", JSON.stringify(event));
		const second = await scene.worker({ host: "host-b", args: ["--roles", "run"] });
		await second.says("run-halted");
		const followed = await scene.gepa("runs", "follow", run);
		expect(followed.code, followed.stderr).toBe(6);
		expect(followed.stderr).toContain("entry 2 of the run's log in Redis");
		const shown = await scene.gepa("runs", "show", run);
		expect(shown.code, shown.stderr).toBe(6);
		expect((await scene.gepa("runs", "list")).stdout).toMatch(/halted.*entry 2/);
		expect(second.stderr.split("run-taken")).toHaveLength(2);
		await scene.redis.send("LSET", log, "1", right);
		const resumed = await scene.gepa("runs", "resume", run);
		expect(resumed.code, resumed.stderr).toBe(0);
		await assertInvariants(scene, wanted, 0);
	});
});

const detached = ({ stand, repository }: Scene) => [
	...["run", SKILL, "--base-url", stand.url, "--skills-repo", repository],
	...["--max-calls", "160", "--detach"],
];
