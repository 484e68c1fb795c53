/** How a night shares out its limits and its order, and when nobody has to read of it. */
import { describe, expect, it } from "vitest";
import { parseDuration } from "../../src/domain/duration.ts";
import {
	fairOrder,
	isQuiet,
	jitterMs,
	type Night,
	type NightSkill,
	NO_SPEND,
	nightRunId,
	shareOf,
	spentIn,
} from "../../src/domain/night.ts";

const entry = (skill: string, outcome: NightSkill["outcome"], calls = 0): NightSkill => ({
	...{ skill, outcome, run: null, reason: "", basis: null },
	spend: calls === 0 ? null : { calls, trials: calls, tokens: calls * 10, usd: calls / 100 },
});
const night = (...skills: NightSkill[]): Night => ({
	...{ schemaVersion: 1, schedule: "nightly", dueAt: Date.UTC(2026, 10, 30, 2), standing: "open", reason: "" },
	...{ byHand: false, startedAt: 0, endedAt: null, skills },
});

describe("a night", () => {
	it("shares what is left among the skills that are left, and never gives more than a skill's own limits", () => {
		const spent = spentIn(night(entry("a", "kept", 100), entry("b", "waiting"), entry("c", "waiting")));
		expect(spent).toEqual({ calls: 100, trials: 100, tokens: 1000, usd: 1 });
		expect(shareOf({ calls: 500 }, { calls: 300, usd: 3 }, spent, 0, 2)).toEqual({ calls: 100, usd: 1 });
		expect(shareOf({ calls: 50 }, { calls: 300 }, spent, 0, 2)).toEqual({ calls: 50 });
		expect(shareOf({ calls: 50 }, undefined, spent, 0, 2)).toEqual({ calls: 50 });
	});

	it("has nothing for a skill once a limit is used up, also that on time", () => {
		expect(shareOf({}, { calls: 100 }, { ...NO_SPEND, calls: 100 }, 0, 1)).toBeNull();
		expect(shareOf({}, { minutes: 60 }, NO_SPEND, 61, 3)).toBeNull();
	});

	it("begins with whoever has waited longest, and keeps the order of the list among equals", () => {
		expect(fairOrder(["a", "b", "c", "d"], { a: 5, b: 3 })).toEqual(["c", "d", "b", "a"]);
	});

	it("begins at the same moment for all workers, spread over its jitter", () => {
		const all = Array.from({ length: 200 }, (_, n) => jitterMs("nightly", n, "10m"));
		expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
		expect(Math.max(...all)).toBeLessThan(600_000);
		expect(new Set(all).size).toBeGreaterThan(150);
		expect(jitterMs("nightly", 7, "10m")).toBe(all[7]);
		expect(jitterMs("nightly", 7, undefined)).toBe(0);
	});

	it("names the run of a skill the same whoever asks, in the form of every run", () => {
		const run = nightRunId("nightly", Date.UTC(2026, 10, 30, 2, 15), "dataviz");
		expect(run).toMatch(/^20261130-021500-[0-9a-f]{4}$/);
		expect(nightRunId("nightly", Date.UTC(2026, 10, 30, 2, 15), "dataviz")).toBe(run);
	});

	it("is quiet when nothing has changed", () => {
		expect(isQuiet(night(entry("a", "unchanged"), entry("b", "unchanged")))).toBe(true);
		expect(isQuiet(night(entry("a", "unchanged"), entry("b", "kept")))).toBe(false);
	});
});

describe("a duration", () => {
	it.each([
		["90s", 90_000],
		["10m", 600_000],
		["12h", 43_200_000],
		["14d", 1_209_600_000],
	])("of %s is %i ms", (text, ms) => expect(parseDuration(text)).toBe(ms));
	it.each(["", "10", "m", "1.5h", "-1s", "10 m"])("is not %j", (text) => expect(parseDuration(text)).toBeNull());
});
