/** How a night shares out its limits and its order, and when nobody has to read of it. */
import { describe, expect, it } from "vitest";
import { parseDuration } from "../../src/domain/duration.ts";
import {
	fairOrder,
	isQuiet,
	jitterMs,
	lastRunAfter,
	lastRunsOf,
	type Night,
	type NightSkill,
	NO_SPEND,
	NOTHING_CHANGED,
	nightRunId,
	reasonToRest,
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

	describe("with a skill of which nothing has changed", () => {
		const last = (outcome: string, nights = 1) => ({ basis: "b", run: "r", at: 1, outcome, nights });

		it("leaves it out, unless the last run left a text that can be gone on with", () => {
			expect(reasonToRest(undefined, "b", true, "a")).toBeNull();
			expect(reasonToRest(last("kept"), "other", false, "a")).toBeNull();
			expect(reasonToRest(last("kept"), "b", true, "a")).toBe(NOTHING_CHANGED);
			expect(reasonToRest({ basis: "b", run: "r", at: 1 }, "b", true, "a")).toBe(NOTHING_CHANGED);
			expect(reasonToRest(last("undecided"), "b", true, "a")).toBeNull();
			expect(reasonToRest(last("undecided"), "b", false, "a")).toBe(NOTHING_CHANGED);
		});

		it("goes on with an undecided text for two nights, and then says what would decide it", () => {
			expect(reasonToRest(last("undecided", 2), "b", true, "a")).toMatch(/^2 nights .* more cases could.*noise a/);
			expect(reasonToRest(last("undecided", 2), "changed", true, "a")).toBeNull();
		});

		it("counts nights from one basis, and a night that is told twice once", () => {
			const first = lastRunAfter(undefined, { basis: "b", run: "r1", at: 1, outcome: "undecided" });
			expect(first.nights).toBe(1);
			const second = lastRunAfter(first, { basis: "b", run: "r2", at: 2, outcome: "undecided" });
			expect(second.nights).toBe(2);
			expect(lastRunAfter(second, { basis: "b", run: "r2", at: 3, outcome: "undecided" }).nights).toBe(2);
			expect(lastRunAfter(second, { basis: "c", run: "r3", at: 3, outcome: "undecided" }).nights).toBe(1);
		});

		it("is told of it by the nights that are written down, when nothing else knows it any more", () => {
			const told = (n: number, outcome: NightSkill["outcome"], basis: string | null): Night => ({
				...night({ ...entry("a", outcome), run: `r${n}`, basis }),
				dueAt: n,
				endedAt: n,
			});
			const nights = [
				told(3, "unchanged", null),
				told(2, "undecided", "b"),
				told(1, "undecided", "b"),
				told(4, "failed", "c"),
			];
			expect(lastRunsOf(nights)).toEqual({ a: { basis: "b", run: "r2", at: 2, outcome: "undecided", nights: 2 } });
		});
	});
});
