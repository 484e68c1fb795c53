/** The bench on the stand: its answer key, its processes, and that its figures fit the run that they are of. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openingOf, searchOf } from "../../src/domain/run-state.ts";
import { answerKey } from "../bench/answer-key.ts";
import type { Job, Row } from "../bench/job.ts";
import { withRun } from "../bench/one-run.ts";
import { operatorsOf } from "../bench/operators.ts";
import { measureAll } from "../bench/pool.ts";
import { resplit } from "../bench/resplit.ts";
import { BENCH, standExists } from "../support/stand.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

if (!standExists) console.warn("the simulated endpoint is not there: the tests of the bench on it are skipped");

describe.skipIf(!standExists)("the bench on the stand", () => {
	it("the answer key finds everything in the full text, nothing in the seed text, and knows an empty line", async () => {
		for (const family of ["dataviz", "dispatch", "sitenotes"]) {
			const key = await answerKey(family);
			const full = key.read(key.oracle);
			expect(full.stated).toEqual(key.units);
			expect(full.contradicted).toEqual([]);
			expect(key.read(key.seedPrompt).stated).toEqual([]);
			const padded = key.read(`${key.oracle}\n- Be careful.\n${key.oracle.split("\n").at(-1)}`);
			expect(padded.filler).toEqual(["- Be careful."]);
			expect(padded.repeats).toHaveLength(full.repeats.length + 1);
		}
	});

	it("a copy with other splits has the same cases, and as many in each split", () => {
		const folder = temporaryFolder();
		resplit(folder, 7);
		for (const file of readdirSync(join(BENCH, "families"))) {
			const [ours, theirs] = [BENCH, folder].map(
				(root) =>
					JSON.parse(readFileSync(join(root, "families", file), "utf8")) as { cases: { id: string; split: string }[] },
			);
			const splits = (family: typeof ours) => family?.cases.map(({ split }) => split) ?? [];
			expect(theirs?.cases.map(({ id }) => id)).toEqual(ours?.cases.map(({ id }) => id));
			expect(splits(theirs)).not.toEqual(splits(ours));
			expect(splits(theirs).sort()).toEqual(splits(ours).sort());
		}
	});

	it("a job that fails is named, and the others are measured", async () => {
		const reference = (family: string): Job => ({ job: "reference", family, draws: 1 });
		const rows: Row[] = [];
		const failed: string[] = [];
		await measureAll([reference("nothing"), reference("tickets")], {
			processes: 1,
			onRow: (row) => rows.push(row),
			onFailure: (job, message) => failed.push(`${"family" in job ? job.family : job.job}: ${message}`),
		});
		expect(rows).toEqual([expect.objectContaining({ family: "tickets", fullScore: expect.closeTo(0.96, 1) })]);
		expect(failed).toEqual([expect.stringContaining("nothing: Error: ENOENT")]);
	});

	it("what operators did to the length of the text adds up to the text that the search ended with", async () => {
		await withRun({ family: "dataviz", budget: 150, seed: 1 }, async (run) => {
			const figures = await operatorsOf(run, await answerKey("dataviz"), null);
			const lengths = figures.map((one) => (["merge", "rank"].includes(one.operator) ? 0 : (one.length ?? 0)));
			const grown =
				run.textOf(searchOf(run.state).working.id).length - run.textOf(openingOf(run.state).incumbent.id).length;
			expect(lengths.reduce((sum, length) => sum + length, 0)).toBeCloseTo(grown / run.exported.seedPrompt.length);
			expect(run.paid).toBeLessThanOrEqual(150);
		});
	});
});
