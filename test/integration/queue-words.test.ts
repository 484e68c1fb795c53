/** What people are told by commands that work with a queue: that nobody is there, for how long that is waited for, and how to go on. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/cli.ts";
import { createScene, SKILL } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { standExists } from "../support/stand.ts";

describe.skipIf(!hasRedis() || !standExists)("a person at a queue", () => {
	beforeAll(() => ensureBuilt());

	it("is told by doctor what was not looked at because no worker is there", async () => {
		const scene = await createScene();
		const { code, stdout } = await scene.gepa("doctor");
		expect(code).toBe(0);
		for (const check of ["versions", "endpoints", "worker clocks"]) {
			expect(stdout).toMatch(new RegExp(`^warn {2}${check}: not checked`, "m"));
		}
		expect(stdout).toMatch(/^warn {2}workers \(trial\): 0 workers can do tasks\n {6}Start one/m);
		expect(stdout).toMatch(/^pass {2}schedules: no schedule is on/m);
	});

	it("is told for how long a run waits for a worker, and the run stays in the queue afterwards", async () => {
		const scene = await createScene({ cases: { train: 4, validation: 6 } });
		const { code, stderr } = await scene.run("--max-minutes", "0.1").ended;
		expect(code, stderr).toBe(75);
		expect(stderr).toContain("no worker conducts runs");
		expect(stderr).toMatch(/Waiting ends after 0\.1 minutes \(--max-minutes\).*--detach/);
		expect(stderr).toMatch(/no worker has taken run \S+ within 0\.1 minutes/);
		const [, run = ""] = /gepa runs follow (\S+)\./.exec(stderr) ?? [];
		expect((await scene.gepa("runs", "list")).stdout).toMatch(new RegExp(`${run}\\s+${SKILL}\\s+queued`));
	});

	it("reads in a worker's log what matters, and a line for each task only when they ask for it", async () => {
		const scene = await createScene({ cases: { train: 4, validation: 6 } });
		const quiet = await scene.worker({ host: "host-a" });
		const { code, stderr } = await scene.run("--no-commit").ended;
		expect(code, stderr).toBe(0);
		const levels = (text: string) =>
			text
				.trim()
				.split("\n")
				.map((line) => (JSON.parse(line) as { event: string }).event);
		expect(levels(quiet.stderr)).toContain("run-ended");
		expect(levels(quiet.stderr)).not.toContain("task-finished");
		quiet.kill("SIGTERM");
		await quiet.ended;
		const verbose = await scene.worker({ host: "host-b", args: ["--verbose"] });
		expect((await scene.run("--no-commit").ended).code).toBe(0);
		const events = levels(verbose.stderr);
		expect(events.filter((event) => event === "task-finished").length).toBeGreaterThan(10);
		expect(events).not.toContain("task-taken");
	});

	it("reads when an applied schedule is due, in its zone and in UTC, and which file it comes from", async () => {
		const scene = await createScene();
		const text = `schemaVersion: 1\nskills: [${SKILL}]\nschedule: {cron: "30 2 * * *", timeZone: Asia/Tokyo}\n`;
		writeFileSync(join(scene.user, "jobs", "nightly.yaml"), text);
		const { code, stdout, stderr } = await scene.gepa("schedule", "apply");
		expect(code, stderr).toBe(0);
		expect(stdout).toMatch(
			/^nightly: new, from jobs\/nightly\.yaml, next \d{4}-\d\d-\d\d 02:30 GMT\+9 \(\d{4}-\d\d-\d\dT17:30:00\.000Z\)$/m,
		);
	});
});
