import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/domain/events.ts";
import { comparePin, pinOf } from "../../src/domain/kernel.ts";
import { parseSkill, proveKernel } from "../../src/domain/skill.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { endOf, eventsOf, type ParcelResult, type ParcelRun, runParcels, SMALL } from "../support/parcel-run.ts";
import { lineOf, RULES, skillBytes, skillKnowing } from "../support/parcels.ts";

const landed: RunEvent = {
	type: "promotion-done",
	commit: "c".repeat(40),
	ref: "refs/heads/main",
	tag: "gepa/parcels/v1",
	version: 1,
	kernelSha256: "k",
};

/** Purposes of what was measured, in the order of the log, repetitions taken together. */
function story({ events }: ParcelResult): string[] {
	const told = events.flatMap((event) => {
		if (event.type === "trials-measured") return [event.purpose];
		if (event.type === "look-taken") return [`${event.gate}: ${event.answer}`];
		return event.type === "promotion-done" || event.type === "holdout-opened" ? [event.type] : [];
	});
	return told.filter((part, at) => part !== told[at - 1]);
}

const FAMILIES = [
	{ train: 9, validation: 9, holdout: 6 },
	{ train: 6, validation: 6, holdout: 6, checks: "rubrics" as const },
];

describe("a whole run", () => {
	it("measures v0, finds a better text, proves it, confirms it on sealed cases and promotes it", async () => {
		const run = await runParcels({ world: { moods: false }, promote: async () => landed });
		const told = story(run);
		const milestones = [
			"incumbent",
			"pass",
			"validation",
			"validation: better",
			"holdout-opened",
			"holdout",
			"holdout: better",
			"promotion-done",
		];
		expect(milestones.map((part) => told.indexOf(part))).toEqual(
			milestones.map((part) => told.indexOf(part)).toSorted((a, b) => a - b),
		);
		expect(told).toEqual(expect.arrayContaining(milestones));
		expect(endOf(run.events)).toMatchObject({ status: "promoted", stoppedBy: "converged" });
		const text = new TextDecoder().decode(run.fileOf(run.state.search?.finished?.finalist ?? ""));
		for (const rule of RULES) expect(text.split(lineOf(rule))).toHaveLength(2);
	});

	it("promotes the variant that was proved, after its proof is written", async () => {
		const promoted: string[] = [];
		const run = await runParcels({
			...SMALL,
			promote: async (variant, state) => {
				promoted.push(variant);
				expect(state.looks.at(-1)).toMatchObject({ gate: "holdout", variant, answer: "better" });
				return landed;
			},
		});
		expect(promoted).toEqual([run.state.search?.finished?.finalist]);
	});

	it("keeps the bytes of kernel and frontmatter in every variant that it ever held", async () => {
		for (const family of FAMILIES) {
			const run = await runParcels({ family });
			const original = parseSkill(skillBytes());
			const ids = Object.keys(run.state.variants);
			expect(ids.length).toBeGreaterThan(1);
			for (const id of ids) {
				expect(proveKernel(original, run.fileOf(id)).ok).toBe(true);
				expect(comparePin(pinOf(original), parseSkill(run.fileOf(id)))).toEqual([]);
			}
		}
	});

	it("counts every call that the model answered, and no other", async () => {
		for (const family of FAMILIES) {
			const { state, client } = await runParcels({ family });
			expect(modelCalls(state.spend)).toBe(client.answered.length);
			const roles = (role: string) => client.answered.filter((request) => request.role === role).length;
			expect(state.spend.taskCalls).toBe(roles("task"));
			expect(state.spend.judgeCalls).toBe(roles("judge"));
			expect(state.spend.reflectionCalls).toBe(roles("reflection"));
			expect(client.repeated()).toBe(0);
		}
	});

	it("works through cases whose names are those of built-in members", async () => {
		const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
		const idOf = (split: string, at: number) => (split === "train" ? (names[at] ?? `train-${at}`) : `${split}-${at}`);
		const run = await runParcels({ ...SMALL, family: { ...SMALL.family, idOf } });
		expect(endOf(run.events).status).toBe("confirmed");
	});
});

describe("what a run ends with", () => {
	it("confirmed: proved, and nobody asked for a commit", async () => {
		const run = await runParcels({ ...SMALL, spec: { promote: "report" } });
		expect(endOf(run.events)).toMatchObject({ status: "confirmed", stoppedBy: "converged" });
		expect(eventsOf(run.events, "promotion-refused")).toEqual([]);
	});

	it("confirmed: proved, and the repository refused", async () => {
		const run = await runParcels(SMALL);
		expect(endOf(run.events)).toMatchObject({ status: "confirmed" });
		expect(endOf(run.events).reason).toContain("nothing is promoted here");
	});

	it("undecided: better on train, but too few validation cases to prove anything", async () => {
		const run = await runParcels({ ...SMALL, family: { ...SMALL.family, validation: 3 } });
		expect(endOf(run.events)).toMatchObject({ status: "undecided", stoppedBy: "converged" });
		expect(eventsOf(run.events, "holdout-opened")).toEqual([]);
	});

	it("undecided: no validation cases at all, or required holdout cases that do not exist", async () => {
		const unproved = await runParcels({ ...SMALL, family: { ...SMALL.family, validation: 0 } });
		expect(endOf(unproved.events)).toMatchObject({ status: "undecided" });
		expect(endOf(unproved.events).reason).toContain("no validation cases");
		const unsealed = await runParcels({ ...SMALL, family: { ...SMALL.family, holdout: 0 } });
		expect(endOf(unsealed.events)).toMatchObject({ status: "undecided" });
		expect(endOf(unsealed.events).reason).toContain("holdout");
	});

	it("confirmed without holdout cases when the job spec wants none", async () => {
		const run = await runParcels({ ...SMALL, family: { ...SMALL.family, holdout: 0 }, spec: { holdout: "none" } });
		expect(endOf(run.events).status).toBe("confirmed");
	});

	it("kept: what helps on train does nothing on validation", async () => {
		const task = (_: string, input: string) => (input.includes("validation") ? answer("padded") : undefined);
		const run = await runParcels({ ...SMALL, world: { task } });
		expect(story(run)).toContain("validation: not-better");
		expect(endOf(run.events)).toMatchObject({ status: "kept" });
		expect(eventsOf(run.events, "holdout-opened")).toEqual([]);
	});

	it("kept: what helps on train and validation does nothing on the sealed cases", async () => {
		const task = (_: string, input: string) => (input.includes("holdout") ? answer("padded") : undefined);
		const run = await runParcels({ ...SMALL, world: { task } });
		expect(story(run).slice(-3)).toEqual(["holdout-opened", "holdout", "holdout: not-better"]);
		expect(endOf(run.events)).toMatchObject({ status: "kept" });
	});

	it("stopped by calls: the limit leaves no room for a proof that was begun", async () => {
		const ends = new Set<string>();
		for (let calls = 44; calls <= 92; calls += 4) {
			const run = await runParcels({ spec: { budget: { calls } } });
			expect(run.client.arrived).toBeLessThanOrEqual(calls);
			const begun = run.events.some((event) => event.type === "trials-measured" && event.purpose === "validation");
			if (begun) ends.add(`${endOf(run.events)?.status} ${endOf(run.events)?.stoppedBy}`);
		}
		expect([...ends]).toContain("stopped calls");
	});

	it("stopped by a person: nothing more is bought", async () => {
		const full = await runParcels(SMALL);
		for (const cut of [1, 5, full.events.length - 4]) {
			const events: RunEvent[] = [...full.events.slice(0, cut), { type: "limit-reached", limit: "cancelled" }];
			const run = await runParcels({ ...SMALL, events });
			expect(endOf(run.events)).toMatchObject({ status: "stopped", stoppedBy: "cancelled" });
			expect(run.client.arrived).toBe(0);
		}
	});

	it("names the minutes: the search ends, and what was found by then is proved", async () => {
		let minutes = 0;
		const run = await runParcels({
			...SMALL,
			world: { moods: false },
			spec: { budget: { minutes: 10 } },
			minutes: () => minutes,
			onEvent: (event) => {
				if (event.type === "edits-judged") minutes = 9;
			},
		});
		expect(eventsOf(run.events, "limit-reached")).toEqual([{ type: "limit-reached", limit: "minutes" }]);
		expect(run.state.search?.finished?.stoppedBy).toBe("minutes");
		expect(endOf(run.events)).toMatchObject({ status: "confirmed", stoppedBy: "minutes" });
	});

	it("takes the minutes of now when a run is resumed with more of them", async () => {
		const { events } = await runParcels(SMALL);
		const [opening] = events;
		if (opening?.type !== "run-opened") throw new Error("a run has an opening");
		const settings = { ...opening.settings, limits: { minutes: 10 } };
		const resumed = { ...SMALL, events: [{ ...opening, settings }], minutes: () => 9 };
		const run = await runParcels({ ...resumed, spec: { budget: { minutes: 60 } } });
		expect(endOf(run.events)).toMatchObject({ status: "confirmed", stoppedBy: "converged" });
	});

	it("keeps v0 when the minutes were over before anything was found", async () => {
		const run = await runParcels({ ...SMALL, spec: { budget: { minutes: 10 } }, minutes: () => 9 });
		expect(endOf(run.events)).toMatchObject({ status: "kept", stoppedBy: "minutes" });
		expect(run.state.spend.reflectionCalls).toBe(0);
	});
});

describe("a metric that cannot move", () => {
	it.each<[name: string, world: ParcelRun, said: string]>([
		["v0 is perfect", { skill: skillKnowing(RULES), world: { slips: 0 } }, "perfect"],
		["every answer is wrong", { world: { task: () => '{"box":"?","route":"?","label":"?"}' } }, "scores 0"],
		["the contract is never met", { world: { task: () => "I would rather not." } }, "no reply met the output contract"],
		[
			"the judge never answers in its form",
			{ family: { checks: "rubrics", train: 4, validation: 0 }, world: { judge: () => "splendid" } },
			"no outcome",
		],
	])("ends the run without a reflection: %s", async (_name, world, said) => {
		const run = await runParcels(world);
		expect(endOf(run.events)).toMatchObject({ status: "kept", stoppedBy: "no-signal" });
		expect(endOf(run.events).reason).toContain(said);
		expect(run.state.spend.reflectionCalls).toBe(0);
	});

	it("still works on the contract when every answer is right but had to be asked for again", async () => {
		const run = await runParcels({ ...SMALL, skill: skillKnowing(RULES), world: { slips: 1 } });
		expect(run.state.spend.reflectionCalls).toBeGreaterThan(0);
		expect(endOf(run.events).stoppedBy).not.toBe("no-signal");
	});
});

describe("a reflection model that is of no use", () => {
	it("never gets anything promoted, whatever the luck of the draw", async () => {
		for (let luck = 0; luck < 8; luck++) {
			const idOf = (split: string, at: number) => `${split}-${luck}-${at}`;
			const run = await runParcels({
				family: { train: 9, validation: 9, holdout: 6, idOf },
				world: { reflection: "useless", noise: 0.3, slips: 0.1 },
				spec: { seed: luck, budget: { calls: 120 } },
			});
			expect(["kept", "undecided"]).toContain(endOf(run.events).status);
		}
	});
});

function answer(box: string): string {
	return JSON.stringify({ box, route: "van", label: "white" });
}
