/**
 * What a run achieves for its money on the simulated endpoint beside the project: the score of the committed text on cases, the
 * calls that it cost, and how busy it kept the slots. Says nothing about real models; holds the search to what it has reached.
 *
 * GEPA_TEST_SEEDS sets the seeds of each family (3).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, ensureBuilt, testFolder } from "../support/cli.ts";
import { writeFamily } from "../support/export-family.ts";
import { bodyOfBytes, paidCalls, standExists, startStand } from "../support/stand.ts";
import { testScore } from "../support/stand-score.ts";

const FAMILIES = ["dataviz", "tickets"] as const;
const SEEDS = Array.from({ length: Number(process.env.GEPA_TEST_SEEDS ?? 3) }, (_, index) => index + 1);
const MAX_CALLS = 600;
const LATENCY_MS = 200;
/** Runs at a time: they mostly wait, and must not wait for each other's processor. */
const AT_ONCE = 2;

if (!standExists) console.warn("the simulated endpoint is not there: the tests of what a run achieves are skipped");

interface Figures {
	family: string;
	/** Of the run and of the endpoint's chance. */
	seed: number;
	status: string;
	/** Mean quality of the final text on the family's test cases, 0 to 1. */
	score: number;
	/** Paid calls, as the endpoint counts them. */
	calls: number;
	/** Calls under way at the endpoint, on average over the run; of 16. */
	busy: number;
	seconds: number;
}

interface Result {
	status: string;
	winner: { file: string } | null;
	incumbent: { file: string };
	spend: { modelCalls: number; seconds: number };
}

async function runOn(family: string, seed: number): Promise<Figures> {
	const stand = await startStand({ latency: LATENCY_MS, seed });
	try {
		const workspace = testFolder(family);
		const { test } = writeFamily(workspace, family, { holdout: true });
		const args = [
			"run",
			family,
			"--base-url",
			stand.url,
			"--max-calls",
			String(MAX_CALLS),
			"--seed",
			String(seed),
			"--json",
		];
		const { code, stdout, stderr } = await cli(args, { cwd: workspace });
		expect(code, stderr).toBe(0);
		const result = JSON.parse(stdout) as Result;
		const stats = await stand.stats();
		const calls = paidCalls(stats);
		expect(result.spend.modelCalls).toBe(calls);
		const text = bodyOfBytes(readFileSync(join(workspace, (result.winner ?? result.incumbent).file)));
		const { task, reflect, judge } = stats.roles;
		const { seconds } = result.spend;
		const busy = (task.serviceMs + reflect.serviceMs + judge.serviceMs) / 1000 / seconds;
		return { family, seed, status: result.status, score: await testScore(stand, text, test), calls, busy, seconds };
	} finally {
		await stand.stop();
	}
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.skipIf(!standExists)("a run on the simulated endpoint", () => {
	beforeAll(ensureBuilt);

	it(`scores at least 0.75 with ${MAX_CALLS} calls and passes no limit`, {
		timeout: 300_000,
	}, async () => {
		const open = FAMILIES.flatMap((family) => SEEDS.map((seed) => ({ family, seed })));
		const figures: Figures[] = [];
		const worker = async () => {
			for (let next = open.shift(); next !== undefined; next = open.shift())
				figures.push(await runOn(next.family, next.seed));
		};
		await Promise.all(Array.from({ length: AT_ONCE }, worker));
		const lines = figures.map(
			({ family, seed, status, score, calls, busy, seconds }) =>
				`${family} seed ${seed}: ${status}, test score ${score.toFixed(3)}, ${calls} calls, ${busy.toFixed(1)} of 16 slots busy, ${seconds.toFixed(1)} s`,
		);
		console.info(lines.sort().join("\n"));
		for (const { calls } of figures) expect(calls).toBeLessThanOrEqual(MAX_CALLS);
		for (const family of FAMILIES) {
			const own = figures.filter((one) => one.family === family);
			console.info(
				`${family}: mean test score ${mean(own.map((one) => one.score)).toFixed(3)}, mean slots busy ${mean(own.map((one) => one.busy)).toFixed(1)}`,
			);
			expect(mean(own.map((one) => one.score))).toBeGreaterThanOrEqual(0.75);
		}
	});
});
