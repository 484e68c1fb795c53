/**
 * Schedules as people use them: applied, listed, due, missed, paused, brought back after a Redis that forgot them; and nights that
 * go from skill to skill. Clocks are moved with faketime where it is installed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt, until } from "../support/cli.ts";
import { createScene, type Scene, SKILL } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { eventsOf } from "../support/run-files.ts";
import { standExists } from "../support/stand.ts";

const MODELS = "models: {task: {name: sim-task}, reflection: {name: sim-reflect}, judge: {name: sim-judge}}";
const hasFaketime = spawnSync("faketime", ["--version"]).status === 0;
if (!hasFaketime) console.warn("faketime is not installed: the tests of moved clocks are skipped");

interface NightRow {
	standing: string;
	reason: string;
	dueAt: number;
	skills: { skill: string; outcome: string; run: string | null; reason: string }[];
}

/** The clock of a process that starts at this time and goes on from there; a wrapper around it would outlive it. */
function movedClock(time: string): Record<string, string> {
	const found = spawnSync("faketime", [time, "sh", "-c", "echo $LD_PRELOAD"], { encoding: "utf8" }).stdout.trim();
	return { LD_PRELOAD: found, FAKETIME: `@${time}`, TZ: "UTC" };
}

/** Cells of nights that take half a minute each. */
const ALL = process.env.GEPA_FAULTS === "all";

describe.skipIf(!hasRedis() || !standExists)("a schedule", () => {
	beforeAll(() => ensureBuilt());

	function write(scene: Scene, schedule: string, skills = SKILL): void {
		const text = `schemaVersion: 1\nskills: [${skills}]\n${MODELS}\nholdout: none\nbudget: {calls: 160}\nschedule: ${schedule}\n`;
		writeFileSync(join(scene.user, "jobs", "nightly.yaml"), text);
	}
	async function json(scene: Scene, ...args: string[]): Promise<Record<string, unknown>> {
		const { code, stdout, stderr } = await scene.gepa(...args, "--json");
		expect(code, stderr).toBe(0);
		return JSON.parse(stdout) as Record<string, unknown>;
	}
	const nights = async (scene: Scene) => (await json(scene, "schedule", "history", "nightly")).nights as NightRow[];
	const nightly = '{cron: "30 2 * * *", timeZone: Europe/Paris}';

	it("is applied once, changed, paused, resumed and removed, and always reads back as it was written", async () => {
		const scene = await createScene();
		write(scene, nightly);
		const change = async () => ((await json(scene, "schedule", "apply")).schedules as { change: string }[])[0]?.change;
		expect(await change()).toBe("new");
		expect(await change()).toBe("unchanged");
		for (let n = 0; n < 3; n++) {
			await json(scene, "schedule", "remove", "nightly");
			expect(await change()).toBe("new");
		}
		write(scene, '{cron: "45 3 * * 1-5", timeZone: America/New_York}');
		expect(await change()).toBe("changed");
		const [listed] = (await json(scene, "schedule", "list")).schedules as { fires: string[]; isRight: boolean }[];
		expect(listed?.isRight).toBe(true);
		expect(listed?.fires).toHaveLength(5);
		const messages = (await scene.redis.send("ZRANGE", "gepa:gepa-runs:delayed", "0", "-1")) as string[];
		expect(messages).toEqual([`repeat:nightly:${Date.parse(listed?.fires[0] ?? "")}`]);
		await json(scene, "schedule", "pause", "nightly");
		expect(await scene.redis.send("ZCARD", "gepa:gepa-runs:delayed")).toBe(0);
		expect(await change()).toBe("unchanged");
		expect(await scene.redis.send("ZCARD", "gepa:gepa-runs:delayed")).toBe(0);
		await json(scene, "schedule", "resume", "nightly");
		expect(await scene.redis.send("ZCARD", "gepa:gepa-runs:delayed")).toBe(1);
	});

	it("says what is wrong with a pattern or a zone before anything is written", async () => {
		const scene = await createScene();
		for (const wrong of [
			'{cron: "61 2 * * *", timeZone: UTC}',
			'{cron: "1 2 * *", timeZone: UTC}',
			'{cron: "1 2 * * *", timeZone: Mars/Base}',
		]) {
			write(scene, wrong);
			const { code, stderr } = await scene.gepa("schedule", "apply");
			expect(code).toBe(3);
			expect(stderr).toMatch(/nightly\.yaml/);
		}
		expect(await scene.redis.send("EXISTS", "gepa:schedules")).toBe(0);
	});

	it("has a night that runs its skills, writes a digest, and leaves out what has not changed the next time", async () => {
		const scene = await createScene();
		write(scene, nightly, `${SKILL}, absent`);
		await json(scene, "schedule", "apply");
		const cases = ["--cases", join(scene.user, "eval-cases")];
		await scene.worker({ args: cases });
		const night = async (n: number): Promise<NightRow | undefined> => {
			await json(scene, "schedule", "run-now", "nightly");
			await until("the night is over", async () => (await nights(scene))[n]?.standing === "done", 90_000);
			return (await nights(scene))[n];
		};
		const outcomes = (row: NightRow | undefined) =>
			Object.fromEntries((row?.skills ?? []).map(({ skill, outcome }) => [skill, outcome]));
		expect(outcomes(await night(0))).toEqual({ [SKILL]: "promoted", absent: "failed" });
		// v1 is another text, so it is run once more; then nothing is left to do.
		expect(outcomes(await night(1))[SKILL]).toMatch(/kept|promoted|undecided/);
		const paid = await scene.paid();
		const last = outcomes(await night(2));
		if (last[SKILL] === "unchanged") expect(await scene.paid()).toBe(paid);
		const folder = join(scene.hostFolder("host-a"), "results", "nightly");
		const digest = readdirSync(folder).find((name) => name.endsWith(".md"));
		expect(readFileSync(join(folder, digest ?? ""), "utf8")).toContain("| absent | failed |");
	});

	it.runIf(ALL)(
		"goes on with a text that stayed undecided, for two nights, and then says what would decide it",
		async () => {
			const scene = await createScene({ cases: { train: 8, validation: 4 } });
			write(scene, nightly);
			await json(scene, "schedule", "apply");
			await scene.worker({ args: ["--cases", join(scene.user, "eval-cases")] });
			const night = async (n: number) => {
				await json(scene, "schedule", "run-now", "nightly");
				await until("the night is over", async () => (await nights(scene))[n]?.standing === "done", 90_000);
				return (await nights(scene))[n]?.skills[0];
			};
			const first = await night(0);
			expect(first?.outcome).toBe("undecided");
			const second = await night(1);
			expect(second?.outcome).toBe("undecided");
			const opened = eventsOf(join(scene.hostFolder("host-a"), "results", SKILL, second?.run ?? ""))[0] as {
				start?: { run: string };
			};
			expect(opened.start?.run).toBe(first?.run);
			const paid = await scene.paid();
			const third = await night(2);
			expect(third).toMatchObject({ outcome: "unchanged", run: null });
			expect(third?.reason).toMatch(/^2 nights .*more cases could/);
			expect(await scene.paid()).toBe(paid);
		},
	);

	it.runIf(ALL)(
		"goes on with its night when Redis was emptied in it, and still knows its history and what was run last",
		async () => {
			const scene = await createScene({ cases: { train: 4, validation: 6 }, latency: 30 });
			write(scene, nightly);
			await json(scene, "schedule", "apply");
			await scene.worker({ args: ["--cases", join(scene.user, "eval-cases")] });
			const over = (n: number) =>
				until("the night is over", async () => (await nights(scene))[n]?.standing === "done", 90_000);
			await json(scene, "schedule", "run-now", "nightly");
			await scene.paidAtLeast(10);
			const copy = join(scene.hostFolder("host-a"), "results", "nightly", "open.json");
			await until("a copy of the night", () => existsSync(copy) && readFileSync(copy, "utf8").includes("conducting"));
			await scene.redis.send("FLUSHALL");
			await until("the schedule is back", async () => (await scene.redis.send("EXISTS", "gepa:schedules")) === 1);
			await over(0);
			expect((await nights(scene))[0]?.skills[0]).toMatchObject({ outcome: "promoted" });
			expect(scene.commits()).toHaveLength(2);
			expect(await scene.repeated()).toBeLessThanOrEqual(4);
			// v1 is another text: it is run once, and after that nothing has changed, whatever Redis has forgotten.
			await json(scene, "schedule", "run-now", "nightly");
			await over(1);
			await scene.redis.send("FLUSHALL");
			await until("both nights are back", async () => (await scene.redis.send("HLEN", "gepa:nights:nightly")) === 2);
			const last = (await nights(scene))[1]?.skills[0];
			if (last?.outcome === "kept") {
				const paid = await scene.paid();
				await json(scene, "schedule", "run-now", "nightly");
				await over(2);
				expect((await nights(scene))[2]?.skills[0]?.outcome).toBe("unchanged");
				expect(await scene.paid()).toBe(paid);
			}
		},
	);

	it("is brought back when Redis was emptied, and stays away when a person removed it", async () => {
		const scene = await createScene();
		write(scene, nightly);
		await json(scene, "schedule", "apply");
		await scene.worker();
		const copy = join(scene.hostFolder("host-a"), "results", "nightly", "schedules.json");
		await until("a copy on the worker's disk", () => existsSync(copy));
		await scene.redis.send("FLUSHALL");
		await until("it is back", async () => (await scene.redis.send("ZCARD", "gepa:gepa-runs:delayed")) === 1);
		const listed = (await json(scene, "schedule", "list")).schedules as { isRight: boolean }[];
		expect(listed.map(({ isRight }) => isRight)).toEqual([true]);
		await json(scene, "schedule", "remove", "nightly");
		await until("the copy is empty", () => readFileSync(copy, "utf8").trim() === "[]");
		expect((await json(scene, "schedule", "list")).schedules).toEqual([]);
	});

	it.runIf(hasFaketime)(
		"that nobody was there for is caught up once, and its history tells of the others",
		async () => {
			const scene = await createScene();
			write(scene, '{cron: "30 2 * * *", timeZone: UTC, catchUp: one}');
			const at = (time: string, ...args: string[]) => scene.gepaThrough(["faketime", time], ...args);
			expect((await at("2026-11-01 12:00:00", "schedule", "apply")).code).toBe(0);
			// Three nights later a worker comes.
			await scene.worker({ args: ["--cases", join(scene.user, "eval-cases")] });
			await until(
				"the night is over",
				async () => (await nights(scene)).some(({ standing }) => standing === "done"),
				90_000,
			);
			const rows = await nights(scene);
			expect(rows.filter(({ standing }) => standing === "done")).toHaveLength(1);
			expect(rows.filter(({ standing }) => standing === "missed").length).toBeGreaterThan(20);
			expect(rows.find(({ standing }) => standing === "done")?.reason).toMatch(/caught up/);
			expect(scene.commits()).toHaveLength(2);
		},
	);

	it.runIf(hasFaketime)("with catchUp none passes over what is late", async () => {
		const scene = await createScene();
		write(scene, '{cron: "30 2 * * *", timeZone: UTC, catchUp: none}');
		expect((await scene.gepaThrough(["faketime", "2026-11-01 12:00:00"], "schedule", "apply")).code).toBe(0);
		await scene.worker({ args: ["--roles", "run"] });
		await until("it is passed over", async () =>
			(await nights(scene)).some(({ reason }) => reason.includes("catchUp is none")),
		);
		expect((await nights(scene)).filter(({ standing }) => standing === "open" || standing === "done")).toEqual([]);
	});

	it.runIf(hasFaketime)("is due once at the time that was listed, also in the hour that comes twice", async () => {
		const scene = await createScene();
		write(scene, nightly);
		// 02:30 in Paris comes at 00:30 and at 01:30 UTC on this day.
		expect((await scene.gepaThrough(["faketime", "2026-10-25 00:20:00"], "schedule", "apply")).code).toBe(0);
		const delayed = async () => (await scene.redis.send("ZRANGE", "gepa:gepa-runs:delayed", "0", "-1")) as string[];
		const dueAt = Number((await delayed())[0]?.split(":").at(-1));
		expect([Date.parse("2026-10-25T00:30:00Z"), Date.parse("2026-10-25T01:30:00Z")]).toContain(dueAt);
		const before = new Date(dueAt - 6_000).toISOString().slice(0, 19).replace("T", " ");
		await scene.worker({ args: ["--cases", join(scene.user, "eval-cases")], env: movedClock(before) });
		const nightsAt = async () => ((await scene.redis.send("HKEYS", "gepa:nights:nightly")) as string[]).map(Number);
		await until("the night has begun", async () => (await nightsAt()).length > 0, 60_000);
		expect(await nightsAt()).toEqual([dueAt]);
		const next = (await delayed()).filter((id) => id.startsWith("repeat:")).map((id) => Number(id.split(":").at(-1)));
		expect(next.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual(["2026-10-26"]);
	});
});
