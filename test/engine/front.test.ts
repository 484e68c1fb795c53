import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/domain/events.ts";
import type { JobSpec } from "../../src/domain/job-spec.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { casesInOrder, missingTrials } from "../../src/engine/prove.ts";
import { aTrial, begun, measured } from "../support/builders.ts";
import { endOf, eventsOf, type ParcelResult, type ParcelRun, runParcels, SMALL } from "../support/parcel-run.ts";
import { parcelCases, RULES, skillKnowing } from "../support/parcels.ts";

const WORLD: ParcelRun = { family: { train: 20, validation: 20, holdout: 0 }, spec: { holdout: "none" } };
const withSearch = (search: JobSpec["search"], budget: JobSpec["budget"] = { calls: 600 }) =>
	runParcels({ ...WORLD, spec: { ...WORLD.spec, budget, ...(search === undefined ? {} : { search }) } });

const measurements = (run: ParcelResult, ...purposes: string[]) =>
	eventsOf(run.events, "trials-measured").filter((event) => purposes.includes(event.purpose));
const variantsIn = (events: Extract<RunEvent, { type: "trials-measured" }>[]) =>
	new Set(events.flatMap((event) => event.trials.map((trial) => trial.variant)));
const looksOf = (run: ParcelResult) => eventsOf(run.events, "look-taken");

const FULL = await withSearch({});
const BARE = await withSearch({ frontShare: 0 });

describe("the front of a run", () => {
	it("is measured in one wave with the proof, where the budget is ample", () => {
		const { finalist = "", others = [] } = FULL.state.search?.finished ?? {};
		expect(others).toHaveLength(1);
		const [wave, ...more] = measurements(FULL, "validation", "finalist");
		expect(more).toEqual([]);
		const incumbent = FULL.state.opened?.incumbent.id ?? "";
		expect(variantsIn(wave ? [wave] : [])).toEqual(new Set([incumbent, finalist, ...others]));
		expect(wave?.trials).toHaveLength(3 * 20);
		const names = wave?.trials.map((trial) => `${trial.variant} ${trial.caseId} ${trial.repeat}`) ?? [];
		expect(new Set(names).size).toBe(names.length);
		// What the first look needs comes first: a budget that ends early ends in the front.
		const first = new Set(
			casesInOrder(FULL.context, "validation")
				.slice(0, 9)
				.map((entry) => entry.id),
		);
		for (const trial of wave?.trials.slice(0, 18) ?? []) expect(first.has(trial.caseId)).toBe(true);
	});

	it("changes no look: each goes by its own cases, whatever else is known", () => {
		expect(looksOf(FULL).length).toBeGreaterThan(0);
		expect(looksOf(FULL)).toEqual(looksOf(BARE));
		expect(looksOf(FULL)[0]?.pairs).toBe(9);
		expect(endOf(FULL.events)).toEqual(endOf(BARE.events));
	});

	it("is not bought with a share of zero: only the proof is", () => {
		const incumbent = BARE.state.opened?.incumbent.id ?? "";
		expect(measurements(BARE, "finalist")).toEqual([]);
		expect(variantsIn(measurements(BARE, "validation"))).toEqual(
			new Set([incumbent, BARE.state.search?.finished?.finalist]),
		);
		expect(measurements(BARE, "validation")[0]?.trials).toHaveLength(18);
	});

	it("shows as many other texts as the job spec wants", async () => {
		for (const finalists of [0, 1, 2]) {
			const run = finalists === 1 ? FULL : await withSearch({ finalists });
			const { others = [] } = run.state.search?.finished ?? {};
			expect(others.length).toBeLessThanOrEqual(finalists);
			expect(variantsIn(measurements(run, "validation", "finalist")).size).toBe(2 + others.length);
		}
	});

	it("never takes the spending beyond its share of a limit", async () => {
		const spentBefore = modelCalls(BARE.state.spend);
		for (const frontShare of [0.5, 0.75]) {
			for (const calls of [150, 300]) {
				const run = await withSearch({ frontShare }, { calls });
				const spent = modelCalls(run.state.spend);
				expect(spent).toBeLessThanOrEqual(calls);
				const front = measurements(run, "validation", "finalist");
				const all = front.reduce((sum, event) => sum + event.trials.length, 0);
				if (all > 40) expect(spent).toBeLessThanOrEqual(Math.max(frontShare * calls * 1.1, spentBefore));
			}
		}
	});

	it("holds for every limit, not for calls alone", async () => {
		const limits = [
			{ calls: 600, trials: 130 },
			{ calls: 600, tokens: 60_000 },
		];
		for (const budget of limits) {
			const run = await withSearch({ frontShare: 0.2 }, budget);
			expect(measurements(run, "finalist")).toEqual([]);
			expect(variantsIn(measurements(run, "validation")).size).toBeLessThanOrEqual(2);
		}
	});

	it("is not bought after a run without a signal: nothing is", async () => {
		const run = await runParcels({ ...WORLD, skill: skillKnowing(RULES), world: { slips: 0 } });
		expect(endOf(run.events).stoppedBy).toBe("no-signal");
		expect(eventsOf(run.events, "trials-measured").map((event) => event.purpose)).toEqual(["incumbent"]);
	});

	it("is bought when nothing better was found, so that the report has figures of v0", async () => {
		const run = await runParcels({ ...WORLD, world: { reflection: "useless", slips: 0 } });
		expect(endOf(run.events).status).toBe("kept");
		expect(looksOf(run)).toEqual([]);
		const incumbent = run.state.opened?.incumbent.id ?? "";
		expect(variantsIn(measurements(run, "finalist")).has(incumbent)).toBe(true);
		expect(measurements(run, "validation")).toEqual([]);
	});

	it("never touches sealed cases", async () => {
		const run = await runParcels({ ...WORLD, family: { ...WORLD.family, holdout: 9 }, spec: {} });
		for (const event of measurements(run, "validation", "finalist")) {
			for (const trial of event.trials) expect(trial.caseId.startsWith("validation-")).toBe(true);
		}
		const sealed = variantsIn(measurements(run, "holdout"));
		expect(sealed).toEqual(new Set([run.state.opened?.incumbent.id, run.state.search?.finished?.finalist]));
	});
});

describe("repeats", () => {
	it("are missing for each side of each case, interleaved: drift of the endpoint meets all alike", () => {
		const start = begun({ cases: parcelCases({ train: 3, validation: 2, holdout: 0 }) });
		const cases = casesInOrder(start.context, "validation");
		const wanted = missingTrials(start.state, ["a", "b"], cases, 2).map(({ variant, caseId, repeat }) => [
			caseId,
			repeat,
			variant,
		]);
		const [one, two] = cases.map((entry) => entry.id);
		expect(wanted).toEqual([
			[one, 0, "a"],
			[one, 0, "b"],
			[one, 1, "a"],
			[one, 1, "b"],
			[two, 0, "a"],
			[two, 0, "b"],
			[two, 1, "a"],
			[two, 1, "b"],
		]);
	});

	it("are bought only where they are missing", () => {
		const start = begun({ cases: parcelCases({ train: 3, validation: 1, holdout: 0 }) });
		const [entry] = casesInOrder(start.context, "validation");
		const id = entry?.id ?? "";
		const state = start.after({
			type: "trials-measured",
			purpose: "validation",
			generation: 0,
			trials: [aTrial(start.incumbent, id, measured([null, 1, 1, 1]))],
		});
		expect(missingTrials(state, [start.incumbent], entry ? [entry] : [], 3)).toEqual([
			{ variant: start.incumbent, caseId: id, repeat: 1 },
			{ variant: start.incumbent, caseId: id, repeat: 2 },
		]);
	});

	it("are drawn by the gates and not by the search, each an answer of its own", async () => {
		const repeats = 3;
		const spec = { repeats, search: { frontShare: 0 }, budget: { calls: 900 } };
		const run = await runParcels({ ...SMALL, spec, world: { slips: 0, noise: 0.1 } });
		for (const event of eventsOf(run.events, "trials-measured")) {
			const gate = event.purpose === "validation" || event.purpose === "holdout";
			if (!gate) {
				expect(event.trials.every((trial) => trial.repeat === 0)).toBe(true);
				continue;
			}
			for (let at = 0; at < event.trials.length; at += 2 * repeats) {
				const group = event.trials.slice(at, at + 2 * repeats);
				expect(new Set(group.map((trial) => trial.caseId)).size).toBe(1);
				// Where a look leaves it open, the same cases are drawn again.
				const base = (group[0]?.repeat ?? 0) - ((group[0]?.repeat ?? 0) % repeats);
				expect(group.map((trial) => trial.repeat - base)).toEqual([0, 0, 1, 1, 2, 2]);
				const [first, second] = group.map((trial) => trial.variant);
				expect(group.map((trial) => trial.variant)).toEqual([first, second, first, second, first, second]);
				expect(new Set(group.map((trial) => trial.rollout)).size).toBe(2 * repeats);
			}
		}
		const looks = looksOf(run);
		expect(looks.length).toBeGreaterThan(0);
		// A pair is a case, however often it was drawn.
		for (const look of looks) expect([8, 9]).toContain(look.pairs);
	});
});
