/** The bench itself: what it reads, how it judges goals, and what it prints. On the stand: test/integration/bench.test.ts. */
import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { compareRows } from "./compare.ts";
import { goalsOf } from "./goals.ts";
import { keyOf, type RunJob, type RunRow } from "./job.ts";
import { keyNumbers, keyValues } from "./key-values.ts";
import { readOptions } from "./options.ts";
import { readmeTable } from "./readme-table.ts";
import { openResults } from "./results-file.ts";

const PLAIN = [{ name: "maps", kind: "plain" }];

function aJob(changes: Partial<RunJob> = {}): RunJob {
	const parts = { family: "maps", budget: 300, seed: 1, draws: 5, start: "seed", sealed: 0, deep: false } as const;
	return { job: "run", mode: "score", ...parts, stand: {}, search: {}, ...changes };
}

function aRow(changes: Partial<RunRow> = {}): RunRow {
	return {
		...aJob(),
		...{
			score: 0.95,
			won: true,
			validated: true,
			gain: { mean: 0.6, error: 0.01 },
			interval: null,
			paid: 200,
			length: 4,
		},
		...{ seconds: 1, status: "confirmed", stoppedBy: "converged", operators: [], missing: 0, empty: 0 },
		tokens: { v0: 100, text: 120 },
		...changes,
	};
}

function markOf(rows: readonly RunRow[], figure: string): boolean | null {
	const goal = goalsOf(rows, PLAIN, null).find((one) => one.figure.startsWith(figure));
	if (!goal) throw new Error(`no goal begins with ${figure}`);
	return goal.reached;
}

describe("a job", () => {
	it("has the same name whatever the order of its options, and another for another option", () => {
		const one = keyOf(aJob({ stand: { reveal: 0.4, bloat: 0.5 } }));
		expect(keyOf(aJob({ stand: { bloat: 0.5, reveal: 0.4 } }))).toBe(one);
		expect(keyOf(aJob({ stand: { reveal: 0.4, bloat: 0.6 } }))).not.toBe(one);
		expect(keyOf(aJob({ search: { rounds: 3 } }))).not.toBe(keyOf(aJob()));
	});
});

describe("options", () => {
	it("of the form key=value are read as numbers, truth values and words", () => {
		expect(keyValues(["rounds=3", "merge=false", "policy=cheapest"])).toEqual({
			rounds: 3,
			merge: false,
			policy: "cheapest",
		});
	});

	it("that cannot be read are named", () => {
		expect(() => keyValues(["rounds"])).toThrow("rounds is not of the form key=value");
		expect(() => keyNumbers(["reveal=much"])).toThrow("reveal=much: a number is wanted");
		expect(() => readOptions(["--only", "score,scores"], ["score"])).toThrow("there is no mode scores");
		expect(() => readOptions(["--search", "round=3"], ["score"])).toThrow('Unrecognized key: "round"');
		expect(() => readOptions(["--seeds", "0"], ["score"])).toThrow("--seeds 0: a whole number from 1 on is wanted");
		expect(() => readOptions(["--families", "nothing"], ["score"])).toThrow("the stand has no family nothing");
	});
});

describe("results", () => {
	it("are found again by their job, and a line that was cut off is measured anew", async () => {
		const folder = temporaryFolder();
		const file = openResults({ fresh: false, folder });
		file.add(aJob(), aRow());
		appendFileSync(file.path, '{"key":"half a li');
		const again = openResults({ fresh: false, folder });
		expect(again.find(aJob())).toEqual(aRow());
		expect(again.find(aJob({ seed: 2 }))).toBeUndefined();
		again.add(aJob({ seed: 2 }), aRow({ seed: 2 }));
		expect(openResults({ fresh: false, folder }).find(aJob({ seed: 2 }))).toEqual(aRow({ seed: 2 }));
		expect(openResults({ fresh: true, folder }).find(aJob())).toBeUndefined();
	});
});

describe("goals", () => {
	it("are neither reached nor missed where nothing was measured", () => {
		expect(goalsOf([], PLAIN, null).map(({ reached }) => reached)).toEqual(goalsOf([], PLAIN, null).map(() => null));
	});

	it("go by the mean over runs and by the worst of them", () => {
		const rows = [aRow({ score: 1 }), aRow({ score: 0.93, seed: 2 })];
		expect(markOf(rows, "test score at 300 calls, plain")).toBe(true);
		expect(markOf(rows, "worst run at 300, plain")).toBe(true);
		expect(markOf([...rows, aRow({ score: 0.8, seed: 3 })], "worst run at 300, plain")).toBe(false);
	});

	it("are missed by a single call too many and by a single winner that is no better", () => {
		expect(markOf([aRow({ paid: 300 })], "runs over their limit")).toBe(true);
		expect(markOf([aRow({ paid: 301 })], "runs over their limit")).toBe(false);
		expect(markOf([aRow({ gain: { mean: 0, error: 0.01 } })], "winners that the test split")).toBe(false);
	});

	it("allow one false promotion in a hundred, and none in fewer runs", () => {
		const runs = (count: number, winners: number) =>
			Array.from({ length: count }, (_, at) => aRow({ mode: "useless", seed: at, won: at < winners }));
		const figure = "false promotions with useless reflection, from the seed text";
		expect(markOf(runs(100, 1), figure)).toBe(true);
		expect(markOf(runs(100, 2), figure)).toBe(false);
		expect(markOf(runs(99, 1), figure)).toBe(false);
	});
});

describe("a comparison", () => {
	it("sets each run beside itself, and leaves out what only one side has", () => {
		const before = [aRow({ score: 0.9 }), aRow({ seed: 2, score: 0.7 }), aRow({ seed: 3, score: 0 })];
		const after = [aRow({ score: 0.92, paid: 190 }), aRow({ seed: 2, score: 0.74, won: false }), aRow({ budget: 600 })];
		expect(compareRows(before, after).split("\n").slice(2)).toEqual([
			"| score | maps | 300 | seed | 2 | 0.800 | 0.830 | +0.030 ± 0.010 | -5 | 0.00 | -1 |",
		]);
		expect(compareRows(before, [])).toBe("The two have no run in common.");
	});
});

describe("the table for the README", () => {
	it("has a column for each budget, ours first, and the recorded figures of others below", () => {
		const reference = {
			job: "reference",
			family: "maps",
			draws: 5,
			seedScore: 0.3,
			fullScore: 0.96,
			fullLength: 4,
		} as const;
		const rows = [reference, aRow(), aRow({ seed: 2, score: 0.9, paid: 1201 })];
		expect(readmeTable(rows, PLAIN, [300, 600], false).split("\n").slice(0, 4)).toEqual([
			"| tasks | optimizer | 300 calls | 600 |",
			"|---|---|---|---|",
			"| plain (1 family; v0 0.30, all rules stated 0.96) | **gepa (this project)** | 0.925, worst 0.90 (701 paid) | – |",
			"| plain | gepa-ai/gepa | 0.565 (384) | 0.698 (744) |",
		]);
	});
});
