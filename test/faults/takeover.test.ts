/** A run goes on elsewhere when the host that conducted it is gone, from nothing but the queue. */
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt, until } from "../support/cli.ts";
import { assertInvariants, createScene, firstDifference, SKILL } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { decidedAt, eventsOf, latestRun, runsOf } from "../support/run-files.ts";
import { standExists } from "../support/stand.ts";

/** When each decision of the run in a folder was taken, as its log tells it. */
const timesOf = (folder: string) => decidedAt(latestRun(folder, SKILL).folder);

describe.skipIf(!hasRedis() || !standExists)("a run in the queue", () => {
	let wanted = "";
	let paid = 0;

	beforeAll(() => ensureBuilt());

	it("is conducted by a worker, and reported where it was asked for", async () => {
		const scene = await createScene();
		await scene.worker();
		const begun = scene.run();
		const { code, stderr, stdout } = await begun.ended;
		expect(code, stderr).toBe(0);
		expect(stdout).toContain("Promoted as v1");
		wanted = scene.ending();
		paid = await scene.paid();
		await assertInvariants(scene, wanted, 0);
		expect(firstDifference(scene.ending(scene.hostFolder("host-a")), wanted)).toBeNull();
		expect(timesOf(scene.user)).toEqual(timesOf(scene.hostFolder("host-a")));
	});

	it("goes on at another host that has none of its files, with the same decisions and no call bought twice", async () => {
		const scene = await createScene({ latency: 30 });
		const first = await scene.worker({ host: "host-a", args: ["--roles", "run"] });
		await scene.worker({ host: "host-t", args: ["--roles", "trial"] });
		const following = scene.run();
		await until("a few decisions", () => {
			const folder = scene.hostFolder("host-a");
			return runsOf(folder, SKILL).length > 0 && eventsOf(latestRun(folder, SKILL).folder).length >= 4;
		});
		first.kill("SIGKILL");
		await first.ended;
		await scene.worker({ host: "host-b", args: ["--roles", "run"] });
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		expect(stderr).toContain("Taken over");
		await assertInvariants(scene, wanted, 0);
		expect(await scene.paid()).toBe(paid);
		expect(firstDifference(scene.ending(scene.hostFolder("host-b")), wanted)).toBeNull();
		expect(timesOf(scene.user)).toEqual(timesOf(scene.hostFolder("host-b")));
		expect(timesOf(scene.hostFolder("host-b")).slice(0, 4)).toEqual(timesOf(scene.hostFolder("host-a")).slice(0, 4));
	});
});
