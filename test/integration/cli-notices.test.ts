/** What the command line says of itself: settings that differ, calls that wait, forecasts. No process is started here. */
import { describe, expect, it } from "vitest";
import type { Wait } from "../../src/adapters/retrying-client.ts";
import { settingsChanges } from "../../src/cli/settings-changes.ts";
import { createWaitNotice } from "../../src/cli/wait-notice.ts";
import { watchWorkers } from "../../src/cli/watch-workers.ts";
import { settingsOf } from "../../src/domain/job-spec.ts";

describe("settings that differ from those a run was opened with", () => {
	const settings = (name: string, more = {}) =>
		settingsOf("x", { schemaVersion: 1, models: { task: { name, temperature: 0 } }, ...more }, name);

	it("are named with both values", () => {
		expect(settingsChanges(settings("a"), { ...settings("b"), policy: "cheapest" })).toEqual([
			"models.task.name was a, is b",
			"models.reflection.name was a, is b",
			"models.judge.name was a, is b",
			"policy was quality-first, is cheapest",
		]);
	});

	it("may be absent on one side, and limits do not count", () => {
		const now = settings("a", { budget: { calls: 7 } });
		const { temperature: _, ...task } = now.models.task;
		expect(settingsChanges(settings("a"), { ...now, models: { ...now.models, task } })).toEqual([
			"models.task.temperature was 0, is not set",
		]);
	});
});

describe("calls that wait", () => {
	function scene() {
		const lines: string[] = [];
		let time = 0;
		let due: { at: number; action: () => void } | null = null;
		const notice = createWaitNotice({
			tell: (line) => lines.push(line),
			now: () => time,
			later: (ms, action) => {
				due = { at: time + ms, action };
				return () => {
					due = null;
				};
			},
		});
		const goTo = (at: number) => {
			while (due !== null && due.at <= at) {
				const { at: then, action } = due as { at: number; action: () => void };
				due = null;
				time = then;
				action();
			}
			time = at;
		};
		return { lines, notice, goTo };
	}
	const wait: Wait = { ms: 8_000, attempt: 1, of: 6, reason: "connection", message: "m at 127.0.0.1:9 is away" };

	it("are told in one line, and again after five seconds at the earliest", () => {
		const { lines, notice, goTo } = scene();
		for (let call = 0; call < 16; call++) notice.add(wait);
		goTo(1_000);
		expect(lines).toEqual(["16 calls wait, attempt 2 of 6 in 8.0 s: m at 127.0.0.1:9 is away"]);
		for (let ms = 1_000; ms < 5_000; ms += 100) {
			goTo(ms);
			notice.add({ ...wait, attempt: 2, ms: 100 });
		}
		expect(lines).toHaveLength(1);
		goTo(6_000);
		expect(lines).toHaveLength(2);
		expect(lines[1]).toContain("attempt 3 of 6");
	});

	it("are not told any more once the run has ended", () => {
		const { lines, notice, goTo } = scene();
		notice.add(wait);
		notice.end();
		goTo(60_000);
		expect(lines).toEqual([]);
	});
});

describe("a queue that nobody listens to", () => {
	const never = new AbortController().signal;

	it("ends the wait when the minutes are over, with a reason to come back later", async () => {
		let told = 0;
		const watch = await watchWorkers(async () => 0, { minutes: 0.0005, soft: never, onNone: () => told++ });
		const work = new Promise<never>((_, reject) => {
			watch.signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
		});
		await expect(watch.during(work)).rejects.toMatchObject({
			exitCode: 75,
			message: expect.stringContaining("no worker listens"),
		});
		expect(told).toBe(1);
		watch.end();
	});

	it("is nobody's business where the work is done in this process or the server does not tell", async () => {
		const watch = await watchWorkers(async () => null, { minutes: 1, soft: never, onNone: () => expect.fail() });
		expect(watch.signal).toBe(never);
		expect(await watch.during(Promise.resolve("done"))).toBe("done");
	});
});
