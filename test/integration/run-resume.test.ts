/**
 * A run that is killed anywhere goes on from what was paid for, and ends as if nothing had happened. Money is counted at the
 * endpoint, not by the code under test.
 *
 * GEPA_TEST_KILLS sets the number of kills (20); GEPA_TEST_SEED draws other moments; GEPA_TEST_PREFIX_STEP=1 resumes from every
 * prefix of the log as a process of its own (6: from each sixth one, and from each of the last ones).
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStream } from "../../src/domain/sampling.ts";
import { cli, ensureBuilt, startCli, until } from "../support/cli.ts";
import { createTemplate, demoCommits, demoOf, type Template } from "../support/family-workspace.ts";
import { patient } from "../support/patience.ts";
import { comparable, eventsOf, latestRun, reportOf, runsOf, storedReplies } from "../support/run-files.ts";
import { paidCalls, type Stand, standExists, startStand } from "../support/stand.ts";

const SKILL = "dataviz";
const KILLS = Number(process.env.GEPA_TEST_KILLS ?? 20);
const KILLS_PER_RUN = 25;
const SEED = Number(process.env.GEPA_TEST_SEED ?? 1);
const PREFIX_STEP = Number(process.env.GEPA_TEST_PREFIX_STEP ?? 6);
const CONCURRENCY = 16;

if (!standExists) console.warn("the simulated endpoint is not there: the tests of resuming are skipped");

/** A moment in the life of a run, seen from outside of its process. */
interface Moment {
	name: string;
	reached(workspace: string): boolean;
}

/** Log and store together have grown to this size, and this process has added to it. */
function written(bytes: number): Moment {
	let before: number | undefined;
	return {
		name: `${bytes} bytes are written`,
		reached(workspace) {
			const now = bytesOf(workspace);
			before ??= now;
			return now >= bytes && now > before;
		},
	};
}

function logged(type: string): Moment {
	const reached = (workspace: string) => eventsIn(workspace).some((event) => event.type === type);
	return { name: `${type} is in the log`, reached };
}

const eventsIn = (workspace: string) =>
	runsOf(workspace, SKILL).length === 0 ? [] : eventsOf(latestRun(workspace, SKILL).folder);

function bytesOf(workspace: string): number {
	if (runsOf(workspace, SKILL).length === 0) return 0;
	const { folder } = latestRun(workspace, SKILL);
	const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
	return sizeOf("events.jsonl") + sizeOf("outcomes.jsonl");
}

function looseObjects(workspace: string): number {
	const folder = join(demoOf(workspace), ".git", "objects");
	return readdirSync(folder, { recursive: true }).filter((name) => /^[0-9a-f]{2}.[0-9a-f]{38,}$/.test(String(name)))
		.length;
}

const tipOf = (workspace: string) => readFileSync(join(demoOf(workspace), ".git", "refs", "heads", "main"), "utf8");

interface Undisturbed {
	workspace: string;
	folder: string;
	events: unknown;
	report: unknown;
	/** Bytes of log and store at the end. */
	bytes: number;
	paid: number;
}

describe.skipIf(!standExists)("a run that is interrupted", () => {
	let stand: Stand;
	let template: Template;
	let wanted: Omit<Undisturbed, "workspace" | "folder">;

	beforeAll(async () => {
		await ensureBuilt();
		[stand, template] = await Promise.all([startStand({ latency: 6, jitter: 8 }), createTemplate(SKILL)]);
	});
	afterAll(async () => {
		await stand?.stop();
		template?.remove();
	});

	const runArgs = (...more: string[]) => ["run", SKILL, "--base-url", stand.url, "--max-calls", "600", ...more];

	/** A whole run that nobody disturbs. */
	async function undisturbed(): Promise<Undisturbed> {
		await stand.post("/reset");
		const workspace = template.copy();
		const { code, stderr } = await cli(runArgs(), { cwd: workspace });
		expect(stderr).toContain("confirming on sealed cases");
		expect(code).toBe(0);
		const { folder } = latestRun(workspace, SKILL);
		const paid = paidCalls(await stand.stats());
		return { workspace, folder, ...ending(folder), bytes: bytesOf(workspace), paid };
	}

	/** What has to be the same however a run came to its end. */
	const ending = (folder: string) => ({ events: comparable(eventsOf(folder)), report: comparable(reportOf(folder)) });

	it("leaves an undisturbed run that promoted, to compare with", async () => {
		const { events, report, bytes, paid, workspace, folder } = await undisturbed();
		wanted = { events, report, bytes, paid };
		expect(report).toMatchObject({ verdict: { status: "promoted" } });
		expect(demoCommits(workspace)).toHaveLength(2);
		expect(storedReplies(folder)).toHaveLength(paid);
	});

	/** What a kill may cost, counted at the endpoint. */
	interface Bill {
		kills: number;
		/** Calls that the endpoint answered and that no kept reply stands for: they were under way when the process died. */
		lost: number;
		/** Requests that were sent again although they had been paid for before a kill. */
		repeated: number;
	}

	/** Kills a run at each of the moments, resumes it after each, and lets it end. */
	async function killedRun(moments: readonly Moment[]): Promise<{ workspace: string; bill: Bill }> {
		await stand.post("/reset");
		const workspace = template.copy();
		const bill: Bill = { kills: 0, lost: 0, repeated: 0 };
		for (const moment of moments) {
			const process = startCli(runArgs(...resumeFlags(workspace)), { cwd: workspace });
			await until(moment.name, () => !process.isRunning || moment.reached(workspace));
			process.kill("SIGKILL");
			const { signal, code, stderr } = await process.ended;
			if (signal !== "SIGKILL") expect(code, stderr).toBe(0);
			else bill.kills += 1;
			await takeStock(workspace, bill);
		}
		const { code, stderr } = await cli(runArgs(...resumeFlags(workspace)), { cwd: workspace });
		expect(code, stderr).toBe(0);
		const lostBefore = bill.lost;
		await takeStock(workspace, bill);
		expect(bill.lost, "calls lost without a kill").toBe(lostBefore);
		return { workspace, bill };
	}

	const resumeFlags = (workspace: string) => runsOf(workspace, SKILL).flatMap((run) => ["--resume", run]);

	/** Waits until the endpoint has done what it was asked, and compares its count with the store. */
	async function takeStock(workspace: string, bill: Bill): Promise<void> {
		await until("the endpoint is idle", async () => (await stand.stats()).inflight === 0);
		const stats = await stand.stats();
		const lost = paidCalls(stats) - storedReplies(latestRun(workspace, SKILL).folder).length;
		expect(lost - bill.lost).toBeLessThanOrEqual(CONCURRENCY);
		const { task, reflect } = stats.roles;
		bill.lost = lost;
		bill.repeated = task.repeated + reflect.repeated;
		// What was kept is never bought again: only lost calls can be repeated.
		expect(bill.repeated).toBeLessThanOrEqual(bill.lost);
		await stand.post("/mark");
	}

	it(`ends the same after ${KILLS} kills at random moments, and buys nothing again that had reached it`, {
		timeout: 300_000,
	}, async () => {
		const stream = createStream(SEED, "kills");
		const total: Bill = { kills: 0, lost: 0, repeated: 0 };
		while (total.kills < KILLS) {
			const count = Math.min(KILLS_PER_RUN, KILLS - total.kills);
			const shares = Array.from({ length: count }, () => stream.next()).sort((a, b) => a - b);
			const { workspace, bill } = await killedRun(
				shares.map((share) => written(Math.ceil(share * wanted.bytes * 0.99))),
			);
			expectSameEnd(workspace);
			for (const name of ["kills", "lost", "repeated"] as const) total[name] += bill[name];
		}
		console.info(
			`${total.kills} kills: ${total.lost} calls were under way, ${total.repeated} of them bought again, 0 kept answers bought again`,
		);
	});

	it("ends the same when it is killed while it promotes, and commits once", { timeout: 120_000 }, async () => {
		const objects = (more: number): Moment => ({
			name: `${more} git objects more`,
			reached: (workspace) => looseObjects(workspace) >= looseObjects(template.folder) + more,
		});
		const { workspace, bill } = await killedRun([
			logged("holdout-opened"),
			objects(1),
			objects(2),
			objects(4),
			{ name: "the branch has moved", reached: (folder) => tipOf(folder) !== tipOf(template.folder) },
			logged("promotion-done"),
			logged("run-closed"),
			{
				name: "a report begins",
				reached: (folder) => existsSync(join(latestRun(folder, SKILL).folder, "report.json")),
			},
		]);
		expectSameEnd(workspace);
		expect(bill.kills).toBeGreaterThan(4);
	});

	function expectSameEnd(workspace: string): void {
		const { folder } = latestRun(workspace, SKILL);
		expect(runsOf(workspace, SKILL)).toHaveLength(1);
		expect(ending(folder)).toEqual({ events: wanted.events, report: wanted.report });
		expect(demoCommits(workspace)).toHaveLength(2);
	}

	for (const [signal, code] of [
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const) {
		it(`keeps every call under way on ${signal}, exits ${code}, and the line that it prints goes on`, async () => {
			await stand.post("/reset");
			const workspace = template.copy();
			const process = startCli(runArgs(), { cwd: workspace });
			await until("a third of the run", () => bytesOf(workspace) > wanted.bytes / 3);
			process.kill(signal);
			const { code: ended, stderr } = await process.ended;
			expect(ended, stderr).toBe(code);
			const { folder } = latestRun(workspace, SKILL);
			expect(storedReplies(folder)).toHaveLength(paidCalls(await stand.stats()));
			const again = await resumeAsPrinted(stderr, workspace);
			expect(again.code, again.stderr).toBe(0);
			expectSameEnd(workspace);
			const { task, reflect } = (await stand.stats()).roles;
			expect(task.repeated + reflect.repeated).toBe(0);
			expect(paidCalls(await stand.stats())).toBe(wanted.paid);
		});
	}

	/** Follows the hint as a person would who copies it. */
	function resumeAsPrinted(stderr: string, cwd: string) {
		const line = /npx gepa (run .*)/.exec(stderr)?.[1];
		if (line === undefined) throw new Error(`no line to resume with in:\n${stderr}`);
		return cli(line.trim().split(" "), { cwd });
	}

	it("ends at once on a second SIGINT, and goes on all the same", async () => {
		await stand.post("/reset");
		const workspace = template.copy();
		await stand.post("/config", { latency: 30_000 });
		const process = startCli(runArgs(), { cwd: workspace });
		try {
			await until("calls are under way", async () => (await stand.stats()).inflight === CONCURRENCY);
			process.kill("SIGINT");
			await process.says("Stopping");
			const pressed = performance.now();
			process.kill("SIGINT");
			expect((await process.ended).code).toBe(130);
			expect(performance.now() - pressed).toBeLessThan(patient(2_000));
		} finally {
			await stand.post("/config", { latency: 6 });
		}
		const again = await cli(runArgs("--resume", latestRun(workspace, SKILL).run), { cwd: workspace });
		expect(again.code, again.stderr).toBe(0);
		expectSameEnd(workspace);
	});

	it("reaches the same winner from every prefix of its log, buys nothing, and never commits twice", {
		timeout: 240_000,
	}, async () => {
		const { workspace, folder, paid, events, report } = await undisturbed();
		const log = join(folder, "events.jsonl");
		const whole = readFileSync(log);
		const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []));
		const { run } = latestRun(workspace, SKILL);
		// In steps, since each is a process; the promotion at the end is looked at event by event.
		const lengths = ends
			.map((_, index) => index + 1)
			.filter((count) => count % PREFIX_STEP === 1 || count > ends.length - 4);
		for (const count of lengths.reverse()) {
			writeFileSync(log, whole.subarray(0, ends[count - 1]));
			const { code, stderr } = await cli(runArgs("--resume", run), { cwd: workspace });
			expect(code, `from event ${count}: ${stderr}`).toBe(0);
			expect(ending(folder), `from event ${count}`).toEqual({ events, report });
			expect(demoCommits(workspace)).toHaveLength(2);
			expect(paidCalls(await stand.stats())).toBe(paid);
		}
	});
});
