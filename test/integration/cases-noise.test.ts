/**
 * `gepa cases noise` and what a budget buys, as people use them: processes of their own against a server that counts. The figure is
 * kept, stands in every forecast and report of the text, and no answer is bought twice.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CliResult, cli, ensureBuilt, startCli, testFolder, until } from "../support/cli.ts";
import { type FaultServer, startFaultServer } from "../support/fault-server.ts";
import { answerLights, LIGHTS, writeLights } from "../support/lights.ts";
import { eventsOf, latestRun, reportOf, storedReplies } from "../support/run-files.ts";

beforeAll(ensureBuilt);

/** A server whose task model forgets itself in a third of its answers, so that draws differ. */
async function endpoint(): Promise<FaultServer> {
	let asked = 0;
	const server = await startFaultServer({
		answer: (body) => {
			asked += 1;
			return asked % 3 === 0 && body.model !== "fake-reflect" ? '{"action": "lost"}' : answerLights(body);
		},
	});
	onTestFinished(() => server.close());
	return server;
}

function workspace(validation = 12): string {
	const folder = testFolder(LIGHTS);
	writeLights(folder, { train: 8, validation });
	return folder;
}

const noise = (url: string, ...more: string[]) => ["cases", "noise", LIGHTS, "--base-url", url, ...more];

interface NoiseDocument {
	repeats: number;
	objectives: { quality: { within: number; sd: number; p: number; n: number } };
	provable: number | null;
	proves: string;
	noiseMeasured: boolean;
	spend: { modelCalls: number; harvested: number };
	file: string;
}
const documentOf = ({ stdout }: CliResult) => JSON.parse(stdout) as NoiseDocument;

/** The folder of the one measured figure. */
function folderOf(root: string): string {
	const parent = join(root, "results", LIGHTS, "noise");
	const [name, ...others] = readdirSync(parent);
	expect(others).toEqual([]);
	return join(parent, name ?? "");
}

/** What is said before the verdict is wrapped at 80 columns. */
const unwrapped = (text: string) => text.replaceAll("\n", " ");

describe("gepa cases noise", () => {
	it("measures v0 against itself, keeps the figure, and says in one sentence what the cases can prove", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const ended = await cli(noise(server.url, "--json"), { cwd });
		expect(ended.code, ended.stderr).toBe(0);
		const found = documentOf(ended);
		expect(found).toMatchObject({
			repeats: 2,
			noiseMeasured: true,
			spend: { modelCalls: server.answers, harvested: 0 },
		});
		expect(found.objectives.quality.n).toBe(12);
		expect(found.objectives.quality.within).toBeGreaterThan(0);
		expect(found.proves).toContain("by the noise measured with this text and these models");
		expect(JSON.parse(readFileSync(join(cwd, found.file), "utf8"))).toMatchObject({
			schemaVersion: 1,
			skill: LIGHTS,
			split: "validation",
			simulation: false,
			objectives: found.objectives,
		});
		const people = await cli(noise(server.url), { cwd });
		expect(people.stdout).toContain(found.proves);
		expect(people.stdout).toMatch(/^ {2}quality/m);
		expect(unwrapped(people.stderr)).toContain("Forecast: v0 against itself on 12 validation cases, 2 draws a side");
	});

	it("buys nothing when it is asked again, and only the new draws when there are to be more", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const first = documentOf(await cli(noise(server.url, "--json"), { cwd }));
		const paid = server.answers;
		const again = documentOf(await cli(noise(server.url, "--json"), { cwd }));
		expect(server.answers).toBe(paid);
		expect(again.objectives).toEqual(first.objectives);
		expect(again.spend).toMatchObject({ modelCalls: paid, harvested: paid });
		await cli(noise(server.url, "--json", "--repeats", "3"), { cwd });
		expect(storedReplies(folderOf(cwd))).toHaveLength(server.answers);
		expect(new Set(storedReplies(folderOf(cwd))).size).toBe(server.answers);
	});

	it("goes on after kill -9 with what is stored: only calls that were under way are bought again", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const args = noise(server.url, "--json", "--concurrency", "2", "--repeats", "4");
		for (const replies of [5, 30, 60]) {
			const running = startCli(args, { cwd });
			await until(`${replies} replies are stored`, () => {
				try {
					return storedReplies(folderOf(cwd)).length >= replies || !running.isRunning;
				} catch {
					return !running.isRunning;
				}
			});
			running.kill("SIGKILL");
			await running.ended;
		}
		const ended = await cli(args, { cwd });
		expect(ended.code, ended.stderr).toBe(0);
		expect(ended.stderr).toContain("Going on with what was measured before.");
		const stored = storedReplies(folderOf(cwd));
		expect(new Set(stored).size).toBe(stored.length);
		expect(documentOf(ended).spend.modelCalls).toBe(stored.length);
		// Three kills with two calls under way each.
		expect(server.answers - stored.length).toBeLessThanOrEqual(6);
	});

	it("stops on a signal with everything saved, and the same command goes on", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const running = startCli(noise(server.url, "--concurrency", "1"), { cwd });
		await server.arrived(6);
		running.kill("SIGINT");
		const ended = await running.ended;
		expect(ended.code).toBe(130);
		expect(ended.stderr).toContain("The same command goes on with it.");
		const paid = server.answers;
		expect(storedReplies(folderOf(cwd))).toHaveLength(paid);
		const rest = await cli(noise(server.url, "--json"), { cwd });
		expect(documentOf(rest).spend).toMatchObject({ harvested: paid, modelCalls: server.answers });
	});

	it("refuses a budget that cannot pay the draws, names the smallest that can, and that one can", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const refused = await cli(noise(server.url, "--max-calls", "20"), { cwd });
		expect(refused.code).toBe(5);
		expect(server.requests).toHaveLength(0);
		const smallest = /--max-calls (\d+)/.exec(refused.stderr)?.[1] ?? "";
		const ended = await cli(noise(server.url, "--json", "--max-calls", smallest), { cwd });
		expect(ended.code, ended.stderr).toBe(0);
		expect(documentOf(ended).objectives.quality.n).toBe(12);
		expect(server.answers).toBeLessThanOrEqual(Number(smallest));
	});

	it("says what is wrong with a split that cannot be measured, and with flags", async () => {
		const [server, cwd] = [await endpoint(), workspace(1)];
		const few = await cli(noise(server.url), { cwd });
		expect([few.code, few.stderr]).toEqual([
			3,
			expect.stringContaining("has 1 validation case: noise needs at least 2"),
		]);
		const wrong = await cli(noise(server.url, "--split", "test"), { cwd });
		expect([wrong.code, wrong.stderr]).toEqual([
			2,
			expect.stringContaining("--split is one of train, validation, holdout"),
		]);
		const none = await cli(noise(server.url, "--dry-run", "--split", "train"), { cwd });
		expect([none.code, none.stdout]).toEqual([0, expect.stringContaining("nothing was called")]);
		expect(server.requests).toHaveLength(0);
	});
});

describe("a measured figure", () => {
	it("stands in the forecast and in the report of a run with the same text, cases and models, and of no other", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const run = (...more: string[]) => cli(["run", LIGHTS, "--base-url", server.url, "--json", ...more], { cwd });
		const before = await run("--dry-run");
		expect(unwrapped(before.stderr)).toContain(
			`by typical noise, not measured (gepa cases noise ${LIGHTS} measures it)`,
		);
		const { proves } = documentOf(await cli(noise(server.url, "--json"), { cwd }));
		const forecast = JSON.parse((await run("--dry-run")).stdout).forecast as { proves: string; noiseMeasured: boolean };
		expect(forecast).toMatchObject({ proves, noiseMeasured: true });
		expect(unwrapped((await run("--dry-run", "--model", "other")).stderr)).toContain("by typical noise");
		const ended = await run();
		expect(ended.code, ended.stderr).toBe(0);
		expect(unwrapped(ended.stderr)).toContain(proves);
		const { folder } = latestRun(cwd, LIGHTS);
		expect((reportOf(folder).method as string[]).at(-1)).toBe(proves);
		for (const name of ["report.md", "report.html"])
			expect(readFileSync(join(folder, name), "utf8")).toContain("four times in five");
		// The run went by what it was opened with: the report made anew says the same.
		await cli(["report", LIGHTS], { cwd });
		expect((reportOf(folder).method as string[]).at(-1)).toBe(proves);
	});
});

describe("the smallest useful budget of a run", () => {
	it("is named when a limit is too small, and a run with it asks, judges and ends within it", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const run = (calls: string) =>
			cli(["run", LIGHTS, "--base-url", server.url, "--json", "--max-calls", calls], { cwd });
		for (let limit = "3", refusals = 0; ; refusals++) {
			const ended = await run(limit);
			if (ended.code === 0) {
				expect(refusals).toBe(1);
				const events = eventsOf(latestRun(cwd, LIGHTS).folder);
				expect(events.map((event) => event.type)).toContain("proposals-received");
				expect(events.map((event) => event.type)).toContain("edits-judged");
				expect(server.answers).toBeLessThanOrEqual(Number(limit));
				expect(ended.stderr).toMatch(/up to [1-9]\d* generations? on/);
				return;
			}
			expect(ended.code, ended.stderr).toBe(5);
			expect(server.requests).toHaveLength(0);
			limit = /--max-calls (\d+)/.exec(ended.stderr)?.[1] ?? "";
		}
	});

	it("is named in trials, too", async () => {
		const [server, cwd] = [await endpoint(), workspace()];
		const ended = await cli(["run", LIGHTS, "--base-url", server.url, "--max-trials", "4"], { cwd });
		expect([ended.code, ended.stderr]).toEqual([5, expect.stringMatching(/--max-trials \d+/)]);
		expect(server.requests).toHaveLength(0);
	});
});
