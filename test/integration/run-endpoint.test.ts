/**
 * Whole runs against endpoints of every kind, and against ones that fail: what passes by itself changes nothing, what is lost
 * is counted and never a score, and what concerns every call ends the run with one message and nothing promoted. The server
 * counts what it was asked and what it answered.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CliResult, cli, ensureBuilt, startCli, testFolder, until } from "../support/cli.ts";
import { PROFILES, type ProfileName } from "../support/endpoint-profiles.ts";
import { demoCommits, demoOf } from "../support/family-workspace.ts";
import { type Fault, type FaultServer, type FaultServerOptions, startFaultServer } from "../support/fault-server.ts";
import { answerLights, LIGHTS, type LightsOptions, writeLights } from "../support/lights.ts";
import { patient } from "../support/patience.ts";
import { freePort } from "../support/redis-server.ts";
import { comparable, eventsOf, type LoggedEvent, latestRun } from "../support/run-files.ts";

const TRAIN = 12;

beforeAll(ensureBuilt);

async function endpoint(options: FaultServerOptions = {}): Promise<FaultServer> {
	const server = await startFaultServer({ answer: answerLights, ...options });
	onTestFinished(() => server.close());
	return server;
}

function workspaceFor(options: LightsOptions = {}): string {
	const workspace = testFolder(LIGHTS);
	writeLights(workspace, { train: TRAIN, ...options });
	return workspace;
}

const argsFor = (url: string, ...more: string[]) => ["run", LIGHTS, "--base-url", url, "--json", ...more];

interface Outcome {
	status: string;
	reason?: string;
	quality: number | null;
	tokens: number | null;
	retries: number | null;
}
interface Result {
	status: string;
	winner: { validation: { quality: { mean: number; errors: number }; retries: { mean: number } } } | null;
	spend: { modelCalls: number; reflectionCalls: number; tokens: number };
	promotion: unknown;
}

const resultOf = ({ stdout }: CliResult) => JSON.parse(stdout) as Result;

function trialsOf(events: readonly LoggedEvent[]): Outcome[] {
	return events.flatMap((event) =>
		event.type === "trials-measured" ? (event.trials as { outcome: Outcome }[]).map((trial) => trial.outcome) : [],
	);
}

/** A run that ended of its own, with its result and its log. */
async function wholeRun(server: FaultServer, workspace = workspaceFor()) {
	const ended = await cli(argsFor(server.url), { cwd: workspace });
	expect(ended.code, ended.stderr).toBe(0);
	return { ...ended, result: resultOf(ended), events: eventsOf(latestRun(workspace, LIGHTS).folder), workspace };
}

/** A run that could not go on: one message, and the skill as it was. */
async function failedRun(url: string, code: number, env: Record<string, string> = {}): Promise<CliResult> {
	const workspace = workspaceFor();
	const ended = await cli(argsFor(url), { cwd: workspace, env });
	expect(ended.code, ended.stderr).toBe(code);
	expect(ended.stderr.match(/^error:/gm)).toHaveLength(1);
	expect(JSON.parse(ended.stdout)).toMatchObject({ error: { exitCode: code } });
	expect(demoCommits(workspace)).toHaveLength(1);
	expect(trialsOf(eventsOf(latestRun(workspace, LIGHTS).folder))).toEqual([]);
	return ended;
}

/** Texts that a run committed, without what names the run. */
const promotedText = (workspace: string) => readFileSync(`${demoOf(workspace)}/skills/${LIGHTS}/SKILL.md`, "utf8");

describe("a run on an endpoint of another kind", () => {
	for (const profile of Object.keys(PROFILES) as ProfileName[]) {
		it(`ends with the winner promoted: ${profile}`, async () => {
			const server = await endpoint({ profile });
			const { result, workspace } = await wholeRun(server);
			expect(result).toMatchObject({ status: "promoted", winner: { validation: { quality: { mean: 1, errors: 0 } } } });
			expect(promotedText(workspace)).toMatch(/For red the action is stop\./);
			expect(result.spend.modelCalls).toBe(server.answers);
			expect(result.spend.tokens).toBeGreaterThan(0);
		});
	}
});

describe("a run on an endpoint that fails now and then", () => {
	const inAMoment = () => new Date(Date.now() + 1_000).toUTCString();
	const limited = (headers: Record<string, string>): Fault => ({ kind: "status", status: 429, headers });

	it("decides as if nothing had happened after every kind of failure that passes by itself", async () => {
		const calm = await wholeRun(await endpoint());
		const passing: Fault[] = [
			limited({ "retry-after": "1" }),
			limited({ "retry-after": "0" }),
			limited({ "retry-after-ms": "40" }),
			limited({ "retry-after": inAMoment() }),
			limited({ "retry-after": "soon" }),
			limited({}),
			...[408, 409, 500, 502, 503, 529].map((status): Fault => ({ kind: "status", status })),
			{ kind: "status", status: 502, body: "<html>bad gateway</html>" },
			{ kind: "reset" },
			{ kind: "reset" },
		];
		const server = await endpoint({ faults: passing });
		const stormy = await wholeRun(server);
		expect(comparable(stormy.events)).toEqual(comparable(calm.events));
		expect(server.answers).toBe(stormy.result.spend.modelCalls);
		expect(server.requests).toHaveLength(server.answers + passing.length);
		expect(stormy.stderr).toMatch(/\d+ calls? waits?, attempt \d of 6/);
	});

	it("counts answers that are lost, and scores none of them", async () => {
		const lost: Fault[] = [
			{ kind: "raw", body: '{"choices":[{"message":{"content":"{\\"act' },
			{ kind: "raw", body: "<!doctype html><title>Sign in</title>", contentType: "text/html" },
			{ kind: "raw", body: "" },
			{ kind: "status", status: 504, body: "<html>the gateway gave up</html>" },
			{ kind: "half", ending: "break" },
			{ kind: "flood", bytes: Number.POSITIVE_INFINITY },
		];
		const server = await endpoint({ faults: lost });
		const { result, events } = await wholeRun(server);
		const failed = trialsOf(events).filter((outcome) => outcome.status === "failed");
		expect(failed).toHaveLength(lost.length);
		for (const outcome of failed) {
			expect(outcome).toEqual({
				status: "failed",
				reason: "infrastructure",
				quality: null,
				tokens: null,
				retries: null,
			});
		}
		expect(result.spend.modelCalls).toBe(server.answers + lost.length);
		expect(server.requests).toHaveLength(result.spend.modelCalls);
	});

	it("reads no more than the cap of an answer of 300 MB", async () => {
		const server = await endpoint({
			faults: [
				{ kind: "flood", bytes: 300e6, declared: true },
				{ kind: "flood", bytes: 300e6 },
			],
		});
		const workspace = workspaceFor();
		const process = startCli(argsFor(server.url), { cwd: workspace });
		let peak = 0;
		await until("the run has ended", () => {
			peak = Math.max(peak, peakMemoryOf(process.pid));
			return !process.isRunning;
		});
		const ended = await process.ended;
		expect(ended.code, ended.stderr).toBe(0);
		expect(peak).toBeLessThan(400);
		expect(resultOf(ended).spend.modelCalls).toBe(server.answers + 2);
		expect(server.abandoned).toBe(2);
	});

	it("asks again for what was cut off, refused or empty, and counts that as retries", async () => {
		const server = await endpoint({
			faults: [
				{ kind: "reply", finish_reason: "length" },
				{ kind: "reply", finish_reason: "content_filter" },
				{ kind: "reply", message: { role: "assistant", content: "" } },
				{ kind: "reply", message: { role: "assistant", content: null, refusal: "No." } },
				{ kind: "reply", message: { role: "assistant", content: "Sure! Here it is: stop" } },
			],
		});
		const { result, events } = await wholeRun(server);
		const outcomes = trialsOf(events);
		expect(outcomes.every((outcome) => outcome.status === "measured")).toBe(true);
		expect(outcomes.reduce((sum, outcome) => sum + (outcome.retries ?? 0), 0)).toBe(5);
		expect(result.spend.modelCalls).toBe(server.answers);
	});

	it("estimates tokens where usage is missing or nonsense", async () => {
		const usages = [undefined, null, "many", { prompt_tokens: -5, completion_tokens: Number.NaN }, {}];
		const server = await endpoint({ faults: usages.map((usage): Fault => ({ kind: "reply", usage })) });
		const { events } = await wholeRun(server);
		for (const outcome of trialsOf(events)) expect(outcome.tokens).toBeGreaterThan(0);
	});

	it("goes on when the only question of a step is lost", async () => {
		const server = await endpoint();
		const workspace = workspaceFor({ train: 8, job: ["kernel: none", "holdout: none", "search: {reflections: 1}"] });
		const loseTheQuestion = server.arrived(8).then(() => server.script({ kind: "raw", body: "<html>" }));
		const { result, events } = await wholeRun(server, workspace);
		await loseTheQuestion;
		const proposals = events.flatMap((event) =>
			event.type === "proposals-received" ? (event.proposals as { status: string }[]) : [],
		);
		expect(proposals.filter((proposal) => proposal.status === "dropped")).toHaveLength(1);
		expect(result.spend.modelCalls).toBe(server.answers + 1);
		expect(result.status).toBe("promoted");
	});
});

describe("a run on an endpoint that does not work", () => {
	const always = (fault: Fault) => Array.from({ length: 500 }, () => fault);

	it("exits 4 on a wrong key, names the variable, and shows no key", async () => {
		const server = await endpoint({
			faults: always({
				kind: "status",
				status: 401,
				body: { error: { message: "Incorrect API key provided: sk-wrong-0123456789" } },
			}),
		});
		const { stderr, stdout } = await failedRun(server.url, 4, { OPENAI_API_KEY: "sk-wrong-0123456789" });
		expect(stderr).toContain("OPENAI_API_KEY");
		expect(stderr + stdout).not.toContain("0123456789");
		expect(server.requests.length).toBeLessThanOrEqual(16);
	});

	it("exits 4 on an unknown model", async () => {
		const server = await endpoint({
			faults: always({ kind: "status", status: 404, body: { error: { message: "no such model" } } }),
		});
		const { stderr } = await failedRun(server.url, 4);
		expect(stderr).toContain("no such model");
	});

	it("exits 4 when every answer is a page", async () => {
		const server = await endpoint({
			faults: always({ kind: "raw", body: "<html>Sign in</html>", contentType: "text/html" }),
		});
		const { stderr } = await failedRun(server.url, 4);
		expect(stderr).toContain(`${TRAIN} of ${TRAIN} answers were lost`);
	});

	it("exits 4 within a minute when nobody is there", async () => {
		const { stderr, ms } = await failedRun(`http://127.0.0.1:${await freePort()}/v1`, 4);
		expect(stderr).toContain("cannot be reached");
		expect(ms).toBeLessThan(patient(60_000));
	});

	it("exits 75 at once when it is asked to wait for longer than it may, and can be resumed", async () => {
		const server = await endpoint({
			faults: always({ kind: "status", status: 429, headers: { "retry-after": "3600" } }),
		});
		const { stderr, ms } = await failedRun(server.url, 75);
		expect(stderr).toMatch(/come back later/);
		expect(stderr).toMatch(/npx gepa run lights --resume \S+/);
		expect(ms).toBeLessThan(patient(20_000));
	});

	it("goes on with what was paid for when the endpoint is well again", async () => {
		const server = await endpoint();
		const workspace = workspaceFor();
		const outage = server.arrived(TRAIN + 2).then(() => server.script(...always({ kind: "status", status: 401 })));
		const first = await cli(argsFor(server.url), { cwd: workspace });
		await outage;
		expect(first.code, first.stderr).toBe(4);
		const well = await endpoint();
		const again = await cli(argsFor(well.url, "--resume", latestRun(workspace, LIGHTS).run), { cwd: workspace });
		expect(again.code, again.stderr).toBe(0);
		expect(resultOf(again)).toMatchObject({ status: "promoted" });
		expect(resultOf(again).spend.modelCalls).toBe(server.answers + well.answers);
	});
});

/** Highest resident memory of a process so far, in megabytes; 0 where the system does not tell. */
function peakMemoryOf(pid: number): number {
	try {
		const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
		return Number(kilobytes ?? 0) / 1024;
	} catch {
		return 0;
	}
}
