/**
 * Workers and conductors are killed with -9 at named moments, the k-th time they get there, and at random ones. Whatever dies, the
 * run ends as if nothing had happened, and money is counted at the endpoint.
 *
 * GEPA_FAULTS=all goes through every point with k = 1, 2, 3 … until it is never reached, in a run that is as small as one that is
 * promoted can be, and through GEPA_FAULT_SEEDS (200) seeds of random kills; GEPA_FAULT_SEED is the first of them.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { CONDUCTOR_POINTS, WORKER_POINTS } from "../../src/adapters/fault-point.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { type CliProcess, ensureBuilt, until } from "../support/cli.ts";
import { assertInvariants, createScene } from "../support/queue-scene.ts";
import { hasRedis } from "../support/redis-server.ts";
import { standExists } from "../support/stand.ts";

const ALL = process.env.GEPA_FAULTS === "all";
const SEEDS = Number(process.env.GEPA_FAULT_SEEDS ?? (ALL ? 200 : 1));
const FIRST_SEED = Number(process.env.GEPA_FAULT_SEED ?? 1);
const CONCURRENCY = 4;
/** The smallest run that proves and promotes something: every moment of it is walked through. */
const SMALL = { train: 4, validation: 6 };
/** More than any moment of the small run comes. */
const MOST_TIMES = 200;

const QUICK_CELLS: readonly [string, number][] = [
	["call-answered", 9],
	["reply-stored", 5],
	["event-shared", 3],
	["ref-moved", 1],
];

describe.skipIf(!hasRedis() || !standExists)("a kill at a named moment", () => {
	/** How undisturbed runs end. */
	const wanted = { small: "", whole: "" };

	beforeAll(() => ensureBuilt());

	it("has undisturbed runs to compare with", async () => {
		for (const [name, options] of Object.entries({ small: { cases: SMALL }, whole: {} })) {
			const scene = await createScene(options);
			await scene.worker();
			const { code, stderr } = await scene.run().ended;
			expect(code, stderr).toBe(0);
			wanted[name as keyof typeof wanted] = scene.ending();
		}
	});

	/** Kills one process there; a fresh one comes in its place. @returns whether the moment was ever reached */
	async function cell(point: string, times: number): Promise<{ reached: boolean; repeated: number }> {
		const scene = await createScene({ cases: SMALL });
		const isWorkers = (WORKER_POINTS as readonly string[]).includes(point);
		const role = isWorkers ? "trial" : "run";
		const env = { GEPA_TEST_FAULT: `${point}:${times}` };
		const marked = await scene.worker({ host: "host-a", args: ["--roles", role], env });
		const other = await scene.worker({ host: "host-b", args: ["--roles", isWorkers ? "run" : "trial"] });
		const following = scene.run();
		void marked.ended.then(({ signal }) => {
			if (signal === "SIGKILL" && following.isRunning)
				void scene.worker({ host: "host-c", args: ["--roles", role], eager: true });
		});
		const { code, stderr } = await following.ended;
		expect(code, `${point}:${times}\n${stderr}`).toBe(0);
		// A conductor that died after it had written the end is followed no longer, but must have died.
		if (["run-ended"].includes(point))
			await until("the conductor is dead", () => !marked.isRunning, 5_000).catch(() => undefined);
		const reached = !marked.isRunning;
		const repeated = await assertInvariants(scene, wanted.small, isWorkers ? CONCURRENCY : 0);
		for (const process of [marked, other]) process.kill("SIGKILL");
		return { reached, repeated };
	}

	it.runIf(!ALL).each(QUICK_CELLS)("at %s, time %i, changes nothing", async (point, times) => {
		expect((await cell(point, times)).reached).toBe(true);
	});

	it.runIf(ALL).each([...CONDUCTOR_POINTS, ...WORKER_POINTS])(
		"at %s, however late, changes nothing",
		{ timeout: 3_600_000 },
		async (point) => {
			let [times, repeated] = [0, 0];
			for (let reached = true; reached; ) {
				times += 1;
				const done = await cell(point, times);
				reached = done.reached;
				repeated += done.repeated;
				expect(times, `${point} is reached without end`).toBeLessThan(MOST_TIMES);
			}
			console.info(`${point}: killed at its times 1 to ${times - 1}; ${repeated} calls under way bought again in all`);
			expect(times, `${point} is never reached at all`).toBeGreaterThan(1);
		},
	);

	it(`of workers and conductors at random moments changes nothing (${SEEDS} seeds)`, {
		timeout: SEEDS * 120_000,
	}, async () => {
		let [kills, repeated] = [0, 0];
		for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
			const done = await randomKills(seed).catch((error: unknown) => {
				throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
			});
			kills += done.kills;
			repeated += done.repeated;
		}
		console.info(
			`${SEEDS} seeds, ${kills} kills: ${repeated} calls that were under way bought again, 0 stored answers`,
		);
	});

	async function randomKills(seed: number): Promise<{ kills: number; repeated: number }> {
		const scene = await createScene({ latency: 20 });
		const stream = createStream(seed, "kills");
		const live: { process: CliProcess; host: string }[] = [];
		const hire = async (n: number): Promise<void> => {
			const host = `host-${n}`;
			live.push({ host, process: await scene.worker({ host, eager: true }) });
		};
		await hire(0);
		await hire(1);
		const following = scene.run();
		let kills = 0;
		const moments = Array.from({ length: 4 }, () => Math.floor(stream.next() * 70)).sort((a, b) => a - b);
		for (const calls of moments) {
			await until(`${calls} calls`, async () => !following.isRunning || (await scene.paid()) >= calls);
			if (!following.isRunning) break;
			const [victim] = live.splice(Math.floor(stream.next() * live.length), 1);
			victim?.process.kill("SIGKILL");
			await victim?.process.ended;
			kills += 1;
			await hire(1 + kills);
		}
		const { code, stderr } = await following.ended;
		expect(code, stderr).toBe(0);
		const repeated = await assertInvariants(scene, wanted.whole, kills * CONCURRENCY);
		for (const { process } of live) process.kill("SIGKILL");
		return { kills, repeated };
	}
});
