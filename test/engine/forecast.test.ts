import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import { type JobSpec, settingsOf } from "../../src/domain/job-spec.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { type Forecast, forecastRun } from "../../src/engine/forecast.ts";
import { runParcels } from "../support/parcel-run.ts";
import { type FamilyOptions, PARCELS_SKILL, parcelCases } from "../support/parcels.ts";

const PRICE = { inputPerMTok: 1, outputPerMTok: 2 };

function forecast(
	family: FamilyOptions,
	spec: Partial<JobSpec> = {},
	cases: readonly Case[] = parcelCases(family),
): Forecast {
	return forecastRun(settingsOf("parcels", { schemaVersion: 1, ...spec }, "m"), cases, PARCELS_SKILL.length);
}

const WORLDS: FamilyOptions[] = [
	{ train: 1, validation: 1, holdout: 1 },
	{ train: 3, validation: 0, holdout: 0 },
	{ train: 20, validation: 20, holdout: 12 },
	{ train: 27, validation: 30, holdout: 40 },
	{ train: 6, validation: 6, holdout: 6, checks: "rubrics" },
];

describe("the forecast of a run", () => {
	it("is made of whole, finite figures within sane bounds, in every small world and under every limit", () => {
		for (const family of WORLDS) {
			for (const calls of [1, 100, undefined]) {
				const told = forecast(family, { budget: calls === undefined ? {} : { calls } });
				for (const figure of [
					told.opening,
					told.generation,
					told.proofs,
					told.calls,
					told.generations,
					told.smallest,
				]) {
					expect(Number.isInteger(figure)).toBe(true);
					expect(figure).toBeGreaterThanOrEqual(0);
				}
				expect(told.calls).toBeLessThanOrEqual(calls ?? Number.POSITIVE_INFINITY);
				expect(told.smallest).toBeGreaterThanOrEqual(told.opening);
				if (calls === undefined || calls >= told.smallest) expect(told.smallest).toBeLessThanOrEqual(told.calls);
				expect(told.generations).toBeLessThanOrEqual(16);
				expect(told.tokens).toBeGreaterThan(0);
				expect(told.opening).toBeGreaterThanOrEqual(told.trainCases);
				if (told.provable !== null) expect(told.provable).toBeGreaterThan(0);
				if (told.provable !== null) expect(told.provable).toBeLessThan(1);
			}
		}
	});

	it("counts the cases that a run will have: the train sample, validation and the sealed ones", () => {
		expect(forecast({ train: 27, validation: 15, holdout: 9 }, { budget: { calls: 96 } })).toMatchObject({
			trainCases: 8,
			validationCases: 15,
			holdoutCases: 9,
		});
		expect(forecast({ train: 27, validation: 15, holdout: 9 }, { budget: {} }).trainCases).toBe(27);
	});

	it("says that nothing can be proved without validation cases, or with too few", () => {
		expect(forecast({ train: 9, validation: 0, holdout: 0 })).toMatchObject({ provable: null, validationCases: 0 });
		expect(forecast({ train: 9, validation: 2, holdout: 0 }).provable).toBeNull();
	});

	it("says that more validation cases prove smaller gains", () => {
		const provable = [9, 20, 40].map((validation) => forecast({ train: 9, validation, holdout: 0 }).provable ?? 1);
		expect(provable).toEqual([...provable].sort((a, b) => b - a));
		expect(new Set(provable).size).toBe(3);
	});

	it("leaves the sealed cases out where the job spec wants none", () => {
		const family = { train: 9, validation: 9, holdout: 9 };
		expect(forecast(family, { holdout: "none" }).proofs).toBe(forecast({ ...family, holdout: 0 }).proofs);
		expect(forecast(family).proofs).toBeGreaterThan(forecast(family, { holdout: "none" }).proofs);
	});

	it("has fewer generations under a smaller limit, and none below the smallest", () => {
		const family = { train: 20, validation: 20, holdout: 12 };
		const generations = [40, 150, 600].map((calls) => forecast(family, { budget: { calls } }).generations);
		expect(generations).toEqual([...generations].sort((a, b) => a - b));
		expect(generations[0]).toBe(0);
		expect(forecast(family, { budget: { calls: 9999 }, search: { generations: 2 } }).generations).toBe(2);
	});

	it("counts the judge's calls where cases have criteria", () => {
		const plain = forecast({ train: 6, validation: 6, holdout: 6 });
		const judged = forecast({ train: 6, validation: 6, holdout: 6, checks: "rubrics" });
		expect(judged.opening).toBe(2 * plain.opening);
		expect(Math.abs(judged.proofs - 2 * plain.proofs)).toBeLessThanOrEqual(1);
	});

	it("counts every draw of the gates where the job spec wants several", () => {
		const family = { train: 9, validation: 9, holdout: 9 };
		const [once, thrice] = [forecast(family, { budget: {} }), forecast(family, { budget: {}, repeats: 3 })];
		expect(Math.abs(thrice.proofs - 3 * once.proofs)).toBeLessThanOrEqual(2);
		expect(thrice.calls - once.calls).toBeGreaterThanOrEqual(thrice.proofs - once.proofs);
		expect(thrice.smallest).toBeGreaterThan(once.smallest);
		expect(thrice.opening).toBe(once.opening);
	});

	it("names a price only when every model has one", () => {
		const family = { train: 9, validation: 9, holdout: 0 };
		expect(forecast(family).usd).toBeNull();
		const priced = { name: "m", price: PRICE };
		const told = forecast(family, { models: { task: priced, reflection: priced, judge: priced } });
		expect(told.usd).toBeGreaterThan((told.tokens / 1e6) * PRICE.inputPerMTok * 0.99);
		expect(told.usd).toBeLessThan((told.tokens / 1e6) * PRICE.outputPerMTok * 1.01);
		expect(forecast(family, { models: { task: priced, reflection: { name: "r" } } }).usd).toBeNull();
	});

	it("is the same whatever the order of the cases", () => {
		const family = { train: 20, validation: 20, holdout: 12 };
		expect(forecast(family, {}, parcelCases(family).reverse())).toEqual(forecast(family));
	});

	it("is within a factor of two of what ten runs really took", async () => {
		for (let seed = 1; seed <= 10; seed++) {
			const idOf = (split: string, at: number) => `${split}-${seed}-${at}`;
			const run = await runParcels({
				family: { train: 12, validation: 12, holdout: 0, idOf },
				spec: { seed, budget: { calls: 400 }, holdout: "none" },
			});
			const told = forecastRun(run.settings, run.context.cases, PARCELS_SKILL.length);
			const taken = modelCalls(run.state.spend);
			expect(taken / told.calls, `seed ${seed}: ${taken} calls, ${told.calls} were forecast`).toBeGreaterThan(0.5);
			expect(taken / told.calls, `seed ${seed}: ${taken} calls, ${told.calls} were forecast`).toBeLessThan(2);
		}
	});
});
