import { describe, expect, it } from "vitest";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { settingsOf } from "../../src/domain/job-spec.ts";
import { parseSkill } from "../../src/domain/skill.ts";
import { createContext } from "../../src/engine/context.ts";
import { forecastNoise, keyOfNoise, measuredNoise, noiseCases } from "../../src/engine/noise.ts";
import { openRun } from "../../src/engine/open.ts";
import { measureInProcess } from "../support/noise-run.ts";
import { parcelCases, skillBytes } from "../support/parcels.ts";
import { createScriptedClient, shareOf } from "../support/scripted-client.ts";

const cases = parcelCases({ train: 3, validation: 12, holdout: 4 });

/** A task model that gets one field wrong in a third of its draws: no two draws of a request are alike. */
function dicing(world: { slips?: number } = {}) {
	let draws = 0;
	return createScriptedClient({
		slips: 0,
		...world,
		task: () => {
			draws += 1;
			const box = shareOf(`draw ${draws}`) < 0.33 ? "lost" : "plain";
			return JSON.stringify({ box, route: "van", label: "white" });
		},
	});
}

describe("measuring noise", () => {
	it("draws v0 on every case of the split, as often on either side, and nothing else", async () => {
		const client = dicing();
		const found = await measureInProcess({ client, cases });
		expect(client.arrived).toBe(12 * 4);
		expect(found.spent).toMatchObject({ calls: 48, trials: 48 });
		expect(new Set(found.trials.map(({ rollout }) => rollout)).size).toBe(48);
		const asked = client.answered.map(({ messages }) => messages[1]?.content ?? "");
		expect(asked.every((input) => input.includes("validation-"))).toBe(true);
		expect(found.noise.quality.n).toBe(12);
		expect(found.noise.quality.within).toBeGreaterThan(0.05);
	});

	it("finds none where every draw comes out alike", async () => {
		const { noise } = await measureInProcess({ client: createScriptedClient({ slips: 0 }), cases });
		expect(noise.quality).toMatchObject({ difference: 0, sd: 0, within: 0, between: 0, p: 1 });
	});

	it("takes the sides in turn, so that drift of the endpoint meets both alike", async () => {
		let answers = 0;
		const client = createScriptedClient({
			slips: 0,
			task: () => {
				answers += 1;
				return JSON.stringify({ box: answers > 24 ? "lost" : "plain", route: "van", label: "white" });
			},
		});
		const { noise } = await measureInProcess({ client, cases, concurrency: 1 });
		expect(noise.quality.difference).toBe(0);
	});

	it("looks at no more cases than a proof would, in its order", () => {
		const many = parcelCases({ train: 1, validation: 60, holdout: 0 });
		const settings = settingsOf("parcels", { schemaVersion: 1 }, "m");
		const context = createContext(parseSkill(skillBytes()), settings, many);
		expect(noiseCases(context, "validation")).toHaveLength(40);
	});

	it("buys nothing twice when it is done again, and only what is new when more repeats are wanted", async () => {
		const [store, events] = [createMemoryDialogueStore(), [] as RunEvent[]];
		const client = dicing();
		const first = await measureInProcess({ client, cases, store, events });
		const again = await measureInProcess({ client, cases, store, events });
		expect(client.arrived).toBe(48);
		expect(again.noise).toEqual(first.noise);
		expect(again.spent.calls).toBe(48);
		const more = await measureInProcess({ client, cases, store, events, plan: { repeats: 3 } });
		expect(client.arrived).toBe(72);
		expect(more.spent.calls).toBe(72);
	});

	it("goes on after it was stopped anywhere without buying an answer twice", async () => {
		for (const stopAt of [1, 7, 20, 47]) {
			const [store, events] = [createMemoryDialogueStore(), [] as RunEvent[]];
			const stop = new AbortController();
			const client = createScriptedClient({
				fail: ({ number }) => {
					if (number === stopAt) stop.abort();
					return undefined;
				},
			});
			const run = { client, cases, store, events };
			await expect(measureInProcess({ ...run, signal: stop.signal })).rejects.toThrow();
			const found = await measureInProcess(run);
			expect(found.noise.quality.n).toBe(12);
			// Each request of a draw is one of four equal ones; a re-ask comes on top.
			const whole = createScriptedClient({});
			await measureInProcess({ client: whole, cases });
			expect(client.arrived, `stopped at call ${stopAt}`).toBe(whole.arrived);
		}
	});

	it("remembers calls that were lost, and holds them against the limit when it goes on", async () => {
		const [store, events] = [createMemoryDialogueStore(), [] as RunEvent[]];
		const lost = { status: "unavailable", reason: "timeout", message: "", attempts: 1, maybePaid: true } as const;
		const flaky = createScriptedClient({ slips: 0, fail: ({ number }) => (number % 8 === 0 ? lost : undefined) });
		const spec = { budget: { calls: 60 } };
		const first = await measureInProcess({ client: flaky, cases, store, events, spec });
		const failed = (found: typeof first) => found.trials.filter(({ outcome }) => outcome.status === "failed").length;
		expect(failed(first)).toBe(6);
		expect(first.spent.calls).toBe(flaky.arrived);
		expect(events.at(-1)).toMatchObject({ type: "calls-lost", calls: flaky.arrived - flaky.answered.length });
		const well = createScriptedClient({ slips: 0 });
		const second = await measureInProcess({ client: well, cases, store, events, spec });
		expect(failed(second)).toBe(0);
		expect(second.spent.calls).toBe(flaky.arrived + well.arrived);
		expect(second.spent.calls).toBeLessThanOrEqual(60);
	});

	it("keeps a limit to the call, re-asks and judge included, and measures the cases that it pays for", async () => {
		for (const checks of ["pointers", "rubrics"] as const) {
			const family = parcelCases({ train: 1, validation: 10, holdout: 0, checks });
			for (let calls = 1; calls <= 60; calls += 3) {
				const client = createScriptedClient({ slips: 0.4 });
				const found = await measureInProcess({ client, cases: family, spec: { budget: { calls } } });
				expect(client.arrived).toBeLessThanOrEqual(calls);
				expect(found.spent.calls).toBe(client.arrived);
				const unpaid = found.trials.filter(({ outcome }) => outcome.status === "failed" && outcome.reason === "budget");
				expect(found.unaffordable).toBe(unpaid.length);
			}
		}
	});
});

describe("the forecast of a measurement", () => {
	const settings = settingsOf("parcels", { schemaVersion: 1 }, "m");

	it("names a smallest limit that pays every draw", async () => {
		for (const checks of ["pointers", "rubrics"] as const) {
			const family = parcelCases({ train: 1, validation: 14, holdout: 0, checks });
			const told = forecastNoise(
				settings,
				family.filter(({ split }) => split === "validation"),
				2,
				1000,
			);
			expect(told.trials).toBe(56);
			const client = createScriptedClient({ slips: 0.15 });
			const spec = { budget: { calls: told.smallest } };
			const found = await measureInProcess({ client, cases: family, spec });
			expect(found.unaffordable).toBe(0);
			expect(told.calls).toBeGreaterThan(0.8 * client.arrived);
			expect(told.calls).toBeLessThan(1.25 * client.arrived);
		}
	});
});

describe("the range of the forecast", () => {
	it("holds what is paid, from texts that answer in form to such as are asked again for one answer in five", async () => {
		const settings = settingsOf("parcels", { schemaVersion: 1 }, "m");
		for (const slips of [0.1, 0.14, 0.18]) {
			for (const checks of ["pointers", "rubrics"] as const) {
				const family = parcelCases({ train: 1, validation: 20, holdout: 0, checks });
				const own = family.filter(({ split }) => split === "validation");
				const { calls, mostCalls, smallest } = forecastNoise(settings, own, 2, 1000);
				expect([calls <= mostCalls, mostCalls < smallest]).toEqual([true, true]);
				const client = createScriptedClient({ slips });
				await measureInProcess({ client, cases: family });
				expect(client.arrived, `${checks}, ${slips}`).toBeLessThanOrEqual(mostCalls);
				expect(client.arrived, `${checks}, ${slips}`).toBeGreaterThan(0.9 * calls);
			}
		}
	});
});

describe("a measured figure", () => {
	const open = (harness: Uint8Array, model = "m") =>
		openRun({
			run: "r",
			startedAt: "",
			settings: settingsOf("parcels", { schemaVersion: 1 }, model),
			offline: false,
			base: { commit: "", path: "", blob: "", ref: null },
			skill: parseSkill(harness),
			cases,
		});

	it("holds for one text, one protocol and the cases of one split", () => {
		const key = keyOfNoise(open(skillBytes()), cases, "validation");
		const other = new TextEncoder().encode(Buffer.from(skillBytes()).toString().replace("cheapest", "best"));
		const fewer = (split: string) => cases.filter((entry) => entry.id !== `${split}-01`);
		expect(keyOfNoise(open(skillBytes()), fewer("train"), "validation")).toBe(key);
		for (const changed of [
			keyOfNoise(open(other), cases, "validation"),
			keyOfNoise(open(skillBytes(), "n"), cases, "validation"),
			keyOfNoise(open(skillBytes()), fewer("validation"), "validation"),
			keyOfNoise(open(skillBytes()), cases, "holdout"),
		])
			expect(changed).not.toBe(key);
	});

	it("gives forecasts the noise between two draws, and nothing where that is not known", async () => {
		const { noise } = await measureInProcess({ client: dicing(), cases });
		expect(measuredNoise({ validation: noise })).toEqual({ validation: noise.quality.within });
		expect(measuredNoise({ train: noise })).toEqual({});
		const unknown = { ...noise, quality: { ...noise.quality, within: null } };
		expect(measuredNoise({ holdout: unknown })).toEqual({});
	});
});
