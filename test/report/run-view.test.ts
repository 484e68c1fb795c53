import { describe, expect, it } from "vitest";
import { replay } from "../../src/domain/run-state.ts";
import { parseSkill, rebuildSkill } from "../../src/domain/skill.ts";
import type { Trial } from "../../src/domain/trial.ts";
import { SAMPLE_SKILL } from "../support/sample-cases.ts";
import { closed, type SampleRun, sampleRun } from "../support/sample-run.ts";
import { sampleView, viewOf } from "../support/sample-view.ts";

/** Mean quality by hand: cases of the sample weigh 1 and are drawn once. */
function meanQuality(run: SampleRun, name: "v0" | "a" | "b" | "c", prefix: string): number {
	const trials = trialsOf(run, name, prefix);
	return trials.reduce((sum, trial) => sum + (trial.outcome.quality ?? Number.NaN), 0) / trials.length;
}

function trialsOf(run: SampleRun, name: "v0" | "a" | "b" | "c", prefix: string): Trial[] {
	return (run.state.trials[run.ids[name]] ?? []).filter((trial) => trial.caseId.startsWith(prefix));
}

describe("the figures of a run view", () => {
	const run = sampleRun();
	const view = viewOf(run);

	it("has the means of v0 and the winner on each split as counted by hand", () => {
		for (const [split, prefix] of [
			["train", "tr-"],
			["validation", "va-"],
			["holdout", "ho-"],
		] as const) {
			expect(view.incumbent.scorecards[split]?.quality.mean).toBeCloseTo(meanQuality(run, "v0", prefix), 10);
			expect(view.winner?.scorecards[split]?.quality.mean).toBeCloseTo(meanQuality(run, "b", prefix), 10);
		}
	});

	it("pairs cases and shows changes in the direction of the unit", () => {
		const [quality, latency, tokens] = view.changes.validation ?? [];
		const before = new Map(trialsOf(run, "v0", "va-").map((trial) => [trial.caseId, trial.outcome]));
		const pairs = trialsOf(run, "b", "va-").map((trial) => [before.get(trial.caseId), trial.outcome] as const);
		const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
		expect(quality?.mean).toBeCloseTo(
			mean(pairs.map(([old, young]) => (young.quality ?? 0) - (old?.quality ?? 0))),
			10,
		);
		expect(tokens?.mean).toBeCloseTo(mean(pairs.map(([old, young]) => (young.tokens ?? 0) - (old?.tokens ?? 0))), 10);
		const timed = pairs.flatMap(([old, young]) =>
			old?.status === "measured" && young.status === "measured" ? [[old.latencyMs, young.latencyMs] as const] : [],
		);
		const median = (side: 0 | 1) => timed.map((pair) => pair[side]).sort((a, b) => a - b)[(timed.length - 1) / 2] ?? 0;
		expect(latency?.mean).toBe(median(1) - median(0));
		expect([latency?.n, latency?.missing]).toEqual([19, 1]);
		expect(latency?.mean).toBeGreaterThan(0);
		expect(latency?.says).toBe("worse");
		for (const change of view.changes.validation ?? []) expect(change.low).toBeLessThanOrEqual(change.mean ?? 0);
	});

	it("has one figure for the change of a text, whichever table it stands in", () => {
		expect(view.changes.validation).toHaveLength(4);
		for (const { objective, mean } of view.changes.validation ?? [])
			expect(view.challenger?.change?.[objective], objective).toBeCloseTo(mean ?? 0, 10);
		expect(view.incumbent.change).toBeNull();
		// Where both sides know every case, it is what a reader gets who subtracts.
		const whole = sampleView();
		for (const { objective, before, after, mean, missing } of whole.changes.validation ?? []) {
			if (missing > 0) continue;
			expect(mean, objective).toBeCloseTo((after.mean ?? 0) - (before.mean ?? 0), 9);
		}
	});

	it("counts what was spent as the sum over the events", () => {
		const trials = Object.values(run.state.trials).flat();
		const reflection = 3 * 5_400;
		expect(view.spend.trials).toBe(trials.length);
		expect(view.spend.tokens).toBe(trials.reduce((sum, trial) => sum + trial.spend.tokens, reflection));
		expect(view.spend.modelCalls).toBe(trials.reduce((sum, trial) => sum + trial.spend.taskCalls, 3));
		expect(view.spend.limits.map(({ limit, of }) => [limit, of])).toEqual([
			["calls", 600],
			["usd", 5],
			["minutes", 60],
		]);
	});

	it("counts proposals, refusals and variants", () => {
		expect(view.counts).toEqual({ proposed: 3, refused: 2, admitted: 3, validated: 3 });
		expect(view.refusals.map(({ code, count }) => [code, count])).toEqual([
			["growth", 1],
			["url", 1],
		]);
		expect(view.unusable).toEqual([{ reason: "truncated", count: 1 }]);
	});

	it("tells for each edit of the winner how its group fared, and why others were taken out", () => {
		const sort = view.groups.find((group) => group.label.startsWith("/sort"));
		const failing = (name: "v0" | "b") =>
			trialsOf(run, name, "tr-").filter(({ outcome }) => outcome.status === "measured" && outcome.scores[2] === 0)
				.length;
		expect(sort?.before.failing).toBe(failing("v0"));
		expect(sort?.after?.failing).toBe(failing("b"));
		expect(view.edits.map((edit) => edit.earned?.id)).toEqual([sort?.id, sort?.id, sort?.id]);
		expect(view.dropped.map((edit) => [edit.section, edit.dropped])).toEqual([
			["0/dataviz", "the contract group fails 5 of 12 with it, 2 of 12 without"],
		]);
	});

	it("lists wins and losses of cases that the search did not see, greatest first", () => {
		expect(view.wins.length).toBeGreaterThan(0);
		expect(view.wins.every((entry) => entry.split !== "train" && (entry.change ?? 0) > 0)).toBe(true);
		const changes = view.wins.map((entry) => entry.change ?? 0);
		expect(changes).toEqual([...changes].sort((a, b) => b - a));
		expect(view.losses.every((entry) => (entry.change ?? 0) < 0)).toBe(true);
	});

	it("holds the document of v0 and of the winner, byte for byte", () => {
		const side = (which: "before" | "after") =>
			view.document.map((part) => (part.kind === "section" ? part[which] : part.text)).join("");
		const skill = parseSkill(new TextEncoder().encode(SAMPLE_SKILL));
		expect(side("before")).toBe(SAMPLE_SKILL);
		const winner = run.state.variants[run.ids.b]?.harness ?? [];
		expect(side("after")).toBe(new TextDecoder().decode(rebuildSkill(skill, winner)));
	});

	it("is the same for the same run, whatever the order of the cases", () => {
		const again = viewOf({ ...run, cases: [...run.cases].reverse() });
		expect(again).toEqual(view);
	});
});

describe("the winner and the front", () => {
	it("has a winner when both gates were passed, and names it on the front with the best quality first", () => {
		const view = sampleView();
		expect(view.winner?.state).toBe("winner");
		expect(view.challengerName).toBe("winner");
		const qualities = view.front.map((variant) => variant.scorecards.validation?.quality.mean ?? -1);
		expect(qualities).toEqual([...qualities].sort((a, b) => b - a));
	});

	it.each([
		["validation proved nothing", { validation: "undecided" as const }],
		["validation was worse", { validation: "not-better" as const }],
		["the sealed cases proved nothing", { holdout: "undecided" as const }],
		["there are no sealed cases and they are required", { counts: { holdout: 0 } }],
	])("has none when %s", (_, options) => {
		const view = sampleView({ ...options, ending: [closed("undecided", "converged", "not proved")] });
		expect(view.winner).toBeNull();
		expect(view.challenger?.label).toBe(view.variants.find((variant) => variant.operator === "prune")?.label);
	});

	it("needs no sealed cases when the job spec asks for none", () => {
		const settings = { holdout: "none" as const };
		expect(sampleView({ counts: { holdout: 0 }, settings, holdout: null }).winner).not.toBeNull();
	});

	it("puts the working text on the front when nothing but v0 could be validated, without figures", () => {
		const run = sampleRun({ searchOnly: true, ending: [closed("stopped", "calls", "no room for the proof")] });
		const view = viewOf(run);
		expect(view.front.map((variant) => variant.id)).toEqual([run.ids.v0, run.ids.b]);
		expect(view.front.at(-1)?.scorecards.validation).toBeNull();
		expect(view.changes.train).not.toBeNull();
	});

	it("has v0 alone on the front of a run that found nothing", () => {
		const run = sampleRun();
		const opening = run.events.slice(0, 2);
		const view = viewOf({ ...run, state: replay(opening) });
		expect(view.front.map((variant) => variant.label)).toEqual(["v0"]);
		expect([view.winner, view.challenger, view.wins.length]).toEqual([null, null, 0]);
	});
});

describe("the verdict", () => {
	it("says what was promoted, by how much, and how to take it back", () => {
		const { verdict, revert } = sampleView();
		expect(verdict.headline).toBe("Promoted as v1");
		expect(verdict.reason).toMatch(/^Quality 0\.\d{3} → 0\.\d{3} on 20 validation cases \(\+0\.\d{3}, 95 % interval /);
		expect(verdict.reason).toContain("20 sealed cases");
		expect(verdict.change).toContain("see undo");
		expect(revert).toBe(`git revert ${"9a".repeat(20)}`);
	});

	it("tells an undecided run how many cases would decide it", () => {
		const ending = [closed("undecided", "converged", "not proved")];
		const { verdict } = sampleView({ quality: { b: 0.5 }, validation: "undecided", ending });
		expect(verdict.status).toBe("undecided");
		expect(verdict.change).toMatch(/40 validation cases at the most, and a gain of this size would take about \d+/);
		const larger = sampleView({ quality: { b: 0.55 }, validation: "undecided", ending }).verdict;
		expect(larger.change).toMatch(/about \d+ validation cases would prove it|at the most/);
	});

	it("names the missing sealed cases", () => {
		const ending = [closed("undecided", "converged", "the job spec requires holdout cases and there are none")];
		expect(sampleView({ counts: { holdout: 0 }, ending }).verdict.change).toContain("split: holdout");
	});

	it("names the limit that stopped a run", () => {
		const ending = [closed("stopped", "calls", "no room")];
		const { verdict } = sampleView({ searchOnly: true, ending });
		expect(verdict.reason).toContain("The limit on calls was reached");
		expect(verdict.change).toContain("--max-calls");
	});

	it("never calls a run that goes on finished", () => {
		const { verdict } = sampleView({ ending: [] });
		expect([verdict.open, verdict.status, verdict.headline]).toEqual([true, "stopped", "Not finished"]);
	});

	it("says why a proven text was not committed", () => {
		const refused = { type: "promotion-refused" as const, reason: "base-moved", message: "main has moved" };
		const { verdict } = sampleView({ ending: [refused, closed("confirmed", "converged", "proved, not committed")] });
		expect(verdict.reason).toContain("Nothing was committed: Main has moved.");
		expect(verdict.change).toContain("starts again from the new text");
	});
});

describe("a case that the reflection model suspects", () => {
	it("is named in the caveats, once, and nowhere when there is none", () => {
		const run = sampleRun();
		const [first] = run.state.proposals;
		if (first === undefined) throw new Error("the sample run has no proposal");
		const suspected = {
			...first,
			status: "dropped" as const,
			cause: "bad-case",
			suspects: ["tr-0003", "tr-0001"],
			edits: [],
		};
		const state = { ...run.state, proposals: [...run.state.proposals, suspected, suspected] };
		const caveats = viewOf({ ...run, state }).caveats.join(" ");
		expect(caveats).toContain("takes the expectation of some cases to be wrong: tr-0001, tr-0003.");
		expect(viewOf(run).caveats.join(" ")).not.toContain("expectation");
	});
});

describe("missing data", () => {
	it("is counted as errors and shown as a caveat, and never lowers a mean", () => {
		const run = sampleRun({ failEvery: 5 });
		const view = viewOf(run);
		const known = trialsOf(run, "b", "va-").flatMap(({ outcome }) => outcome.quality ?? []);
		expect(view.winner?.scorecards.validation?.quality).toMatchObject({ n: 16, errors: 4 });
		expect(view.winner?.scorecards.validation?.quality.mean).toBeCloseTo(
			known.reduce((sum, value) => sum + value, 0) / known.length,
			10,
		);
		expect(view.caveats.join(" ")).toContain("gave no quality");
	});
});
