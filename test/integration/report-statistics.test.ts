/**
 * The figures of a real run's report, computed again from its log and its case files by another path: plain formulas here, with
 * quantiles of simple-statistics and of a numerical integral, and nothing of the program.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mean, median, probit, sampleStandardDeviation } from "simple-statistics";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { EventOf, RunEvent } from "../../src/domain/events.ts";
import type { ReportDocument } from "../../src/domain/report-schema.ts";
import type { Trial } from "../../src/domain/trial.ts";
import { CASES_FOLDER as CASES, demoRun } from "../support/demo-run.ts";

interface CaseEntry {
	id: string;
	split?: string;
	group?: string;
	weight?: number;
}
type Objective = "quality" | "latencyMs" | "tokens" | "retries";
const OBJECTIVES: readonly Objective[] = ["quality", "latencyMs", "tokens", "retries"];

let report: ReportDocument;
let events: RunEvent[];
let cases: Map<string, CaseEntry>;
let page = "";

function eventsOf<Type extends RunEvent["type"]>(type: Type): EventOf<Type>[] {
	return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** All trials of a variant on the cases of a split, in the order of the log. */
function trialsOf(variant: string, split: string): Trial[] {
	return eventsOf("trials-measured")
		.flatMap(({ trials }) => trials)
		.filter((trial) => trial.variant === variant && cases.get(trial.caseId)?.split === split);
}

function valueIn({ outcome }: Trial, objective: Objective): number | null {
	if (objective === "latencyMs") return outcome.status === "measured" ? (outcome.latencyMs ?? null) : null;
	return outcome[objective];
}

/** Mean over the repeats of each case; cases without a value are left out. */
function byCase(trials: readonly Trial[], objective: Objective): Map<string, number> {
	const values = new Map<string, number[]>();
	for (const trial of trials) {
		const value = valueIn(trial, objective);
		if (value !== null) values.set(trial.caseId, [...(values.get(trial.caseId) ?? []), value]);
	}
	return new Map([...values].map(([id, list]) => [id, mean(list)]));
}

/** Half of the central 95 % of Student's t, by integrating its density with Simpson's rule. */
function tReach(degrees: number): number {
	const density = (t: number) => (1 + (t * t) / degrees) ** (-(degrees + 1) / 2);
	const integral = (to: number) => {
		const steps = 4_000;
		const width = to / steps;
		let sum = density(0) + density(to);
		for (let at = 1; at < steps; at++) sum += density(at * width) * (at % 2 === 1 ? 4 : 2);
		return (sum * width) / 3;
	};
	// Far enough out that what is left is below 1e-9 for the degrees of freedom that occur here.
	const half = integral(60);
	let [low, high] = [0, 20];
	for (let at = 0; at < 60; at++) {
		const middle = (low + high) / 2;
		if (integral(middle) < 0.475 * 2 * half) low = middle;
		else high = middle;
	}
	return low;
}

/** One-sided sign-flip p by drawing signs; a standard error of 0.0003 at p = 0.02. */
function signFlip(differences: readonly number[]): number {
	const seen = differences.reduce((sum, one) => sum + one, 0);
	let state = 12_345;
	const bit = () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return state & 1;
	};
	let atLeast = 0;
	const draws = 200_000;
	for (let draw = 0; draw < draws; draw++) {
		let sum = 0;
		for (const one of differences) sum += bit() === 1 ? one : -one;
		if (sum >= seen - 1e-12) atLeast++;
	}
	return atLeast / draws;
}

/** Sums and sizes of the groups of cases; a case without a group is one of its own. */
function unitsOf(ids: readonly string[], values: readonly number[]): Map<string, { total: number; size: number }> {
	const units = new Map<string, { total: number; size: number }>();
	for (const [at, id] of ids.entries()) {
		const group = cases.get(id)?.group;
		const name = group === undefined ? `case ${id}` : `group ${group}`;
		const unit = units.get(name) ?? { total: 0, size: 0 };
		units.set(name, { total: unit.total + (values[at] as number), size: unit.size + 1 });
	}
	return units;
}

/** Half of the 95 % interval of a mean over groups: the linearised variance of a ratio, as survey samplers use it (Cochran 1977). */
function clusterReach(ids: readonly string[], values: readonly number[]): number {
	const units = [...unitsOf(ids, values).values()];
	const centre = mean([...values]);
	const squares = units.reduce((sum, { total, size }) => sum + (total - centre * size) ** 2, 0);
	const error = Math.sqrt((units.length / (units.length - 1)) * squares) / values.length;
	return tReach(units.length - 1) * error;
}

/** v0 and another text by case. */
function sides(other: string, split: string, objective: Objective): [Map<string, number>, Map<string, number>] {
	return [byCase(trialsOf(report.incumbent, split), objective), byCase(trialsOf(other, split), objective)];
}

beforeAll(async () => {
	const demo = await demoRun();
	const home = demo.folder;
	report = JSON.parse(readFileSync(join(home, "report.json"), "utf8"));
	page = readFileSync(join(home, "report.html"), "utf8")
		.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, "")
		.replace(/<[^>]*>/g, " ");
	events = readFileSync(join(home, "events.jsonl"), "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line).event);
	const files = readdirSync(join(CASES, "dataviz")).filter((name) => name.endsWith(".yaml"));
	const entries = files.flatMap(
		(name) => parse(readFileSync(join(CASES, "dataviz", name), "utf8")).cases as CaseEntry[],
	);
	cases = new Map(entries.map((entry) => [entry.id, entry]));
	demo.remove();
}, 180_000);

describe("the report of a run, computed again", () => {
	it("has a text that was compared on validation, and cases that say their split and weigh the same", () => {
		expect(report.challenger).not.toBeNull();
		expect(report.changes.validation).not.toBeNull();
		for (const entry of cases.values()) {
			expect(entry.split).toBeDefined();
			expect(entry.weight).toBeUndefined();
		}
	});

	it.each(["validation", "holdout", "train"] as const)("has the means, numbers and errors of %s", (split) => {
		for (const variant of report.variants) {
			const card = variant.scorecards[split];
			const trials = trialsOf(variant.id, split);
			if (card === null) {
				expect(trials).toEqual([]);
				continue;
			}
			for (const objective of OBJECTIVES) {
				const values = [...byCase(trials, objective).values()];
				const known = trials.filter((trial) => valueIn(trial, objective) !== null).length;
				expect(card[objective].n).toBe(values.length);
				expect(card[objective].errors).toBe(trials.length - known);
				const wanted = objective === "latencyMs" ? median(values) : mean(values);
				expect(card[objective].mean).toBeCloseTo(wanted, 8);
			}
		}
	});

	it("has intervals of means as wide as their standard errors say", () => {
		const card = report.variants.find((variant) => variant.id === report.incumbent)?.scorecards.validation;
		if (!card) throw new Error("v0 was not validated");
		for (const objective of ["quality", "tokens"] as const) {
			const values = [...byCase(trialsOf(report.incumbent, "validation"), objective).values()];
			const reach = probit(0.975) * (sampleStandardDeviation(values) / Math.sqrt(values.length));
			const { low, high, mean: centre } = card[objective];
			if (low === null || high === null) throw new Error("there is no interval");
			expect(low).toBeLessThan(centre ?? 0);
			expect(high).toBeGreaterThan(centre ?? 0);
			expect((high - low) / (2 * reach)).toBeGreaterThan(0.8);
			expect((high - low) / (2 * reach)).toBeLessThan(1.35);
		}
	});

	it.each(["validation", "holdout"] as const)("has the paired differences of %s with their intervals", (split) => {
		const changes = report.changes[split];
		if (changes === null) return;
		for (const change of changes) {
			const objective = change.objective as Objective;
			const [before, after] = sides(report.challenger ?? "", split, objective);
			const both = [...after.keys()].filter((id) => before.has(id));
			const differences = both.map((id) => (after.get(id) as number) - (before.get(id) as number));
			expect(change.n).toBe(both.length);
			expect(change.missing).toBe(
				new Set([...before.keys(), ...after.keys()]).size - both.length + lost(split, objective),
			);
			const isProved = change.says === "better" || change.says === "worse";
			const isApart = objective === "quality" || (change.low ?? 0) > 0 || (change.high ?? 0) < 0;
			expect(change.p <= 0.05 && isApart, `${objective} ${change.says}`).toBe(isProved);
			if (objective === "latencyMs") {
				// Of times the medians count, and the interval of their difference is drawn: it lies around it.
				const moved =
					median(both.map((id) => after.get(id) as number)) - median(both.map((id) => before.get(id) as number));
				expect(change.mean).toBeCloseTo(moved, 8);
				expect(change.low).toBeLessThanOrEqual(moved);
				expect(change.high).toBeGreaterThanOrEqual(moved);
				continue;
			}
			expect(change.mean).toBeCloseTo(mean(differences), 8);
			const reach = clusterReach(both, differences);
			const bound = (value: number) => (objective === "quality" ? Math.max(-1, Math.min(1, value)) : value);
			expect(change.low).toBeCloseTo(bound(mean(differences) - reach), 4);
			expect(change.high).toBeCloseTo(bound(mean(differences) + reach), 4);
		}
	});

	it("has the looks of the gates, with p values of the test that it names", () => {
		expect(report.gates.length).toBeGreaterThan(0);
		let checked = 0;
		for (const gate of report.gates) {
			if (gate.objective !== "quality") continue;
			const [before, after] = sides(gate.variant, gate.gate, "quality");
			const all = [...after.keys()].filter((id) => before.has(id));
			// A look takes the first pairs of an order that the run has drawn; the last one that took all of them can be computed again.
			if (gate.pairs !== all.length) continue;
			const differences = all.map((id) => (after.get(id) as number) - (before.get(id) as number));
			expect(gate.mean).toBeCloseTo(mean(differences), 8);
			const units = [...unitsOf(all, differences).values()].map(({ total }) => total);
			expect(Math.abs((gate.p ?? 1) - signFlip(units))).toBeLessThan(0.003);
			checked += 1;
		}
		expect(checked).toBeGreaterThan(0);
	});

	it("has the shrinkage between validation and sealed cases", () => {
		for (const { objective, validation, holdout, difference, kept } of report.shrinkage) {
			const of = (split: "validation" | "holdout") =>
				report.changes[split]?.find((change) => change.objective === objective)?.mean ?? Number.NaN;
			expect(validation).toBe(of("validation"));
			expect(holdout).toBe(of("holdout"));
			expect(difference).toBeCloseTo(of("holdout") - of("validation"), 12);
			if (kept !== null) expect(kept).toBeCloseTo(of("holdout") / of("validation"), 12);
		}
	});

	it("spent what the log says", () => {
		const trials = eventsOf("trials-measured").flatMap(({ trials: list }) => list);
		const proposals = eventsOf("proposals-received").flatMap(({ proposals: list }) => list);
		const merged = eventsOf("proposals-consolidated");
		const sum = <T>(list: readonly T[], pick: (entry: T) => number) =>
			list.reduce((total, entry) => total + pick(entry), 0);
		expect(report.spend.taskCalls).toBe(sum(trials, ({ spend }) => spend.taskCalls));
		expect(report.spend.judgeCalls).toBe(sum(trials, ({ spend }) => spend.judgeCalls));
		expect(report.spend.reflectionCalls).toBe(sum([...proposals, ...merged], ({ calls }) => calls));
		expect(report.spend.tokens).toBe(
			sum(trials, ({ spend }) => spend.tokens) + sum([...proposals, ...merged], ({ tokens }) => tokens),
		);
		expect(report.progress.at(-1)?.calls).toBe(report.spend.modelCalls);
	});

	it("has a hypervolume that never falls and that a grid of points agrees with", () => {
		const volumes = report.generations.map(({ hypervolume }) => hypervolume);
		expect(volumes).toEqual([...volumes].sort((a, b) => a - b));
		const sample = eventsOf("run-opened")[0]?.trainSample.length ?? 0;
		const whole = report.variants
			.map(({ scorecards }) => scorecards.train)
			.flatMap((card) => (card !== null && card.quality.n + card.quality.errors >= sample ? [card] : []));
		const worst = (name: "tokens" | "retries") => 1.1 * Math.max(...whole.map((card) => card[name].mean ?? 0));
		const steps = 40;
		let inside = 0;
		for (let a = 0; a < steps; a++)
			for (let b = 0; b < steps; b++)
				for (let c = 0; c < steps; c++) {
					const [q, t, r] = [
						(a + 0.5) / steps,
						((b + 0.5) / steps) * worst("tokens"),
						((c + 0.5) / steps) * worst("retries"),
					];
					if (
						whole.some(
							(card) => (card.quality.mean ?? 0) >= q && (card.tokens.mean ?? 0) <= t && (card.retries.mean ?? 0) <= r,
						)
					)
						inside++;
				}
		expect(volumes.at(-1)).toBeCloseTo(inside / steps ** 3, 1);
	});

	it("shows these figures on the page", () => {
		for (const change of report.changes.validation ?? []) {
			if (change.objective !== "quality") continue;
			expect(page).toContain(change.before.mean?.toFixed(3));
			expect(page).toContain(change.after.mean?.toFixed(3));
			expect(page).toContain(Math.abs(change.mean ?? 0).toFixed(3));
		}
	});

	/** Cases of the compared texts without a value on either side. */
	function lost(split: string, objective: Objective): number {
		const [before, after] = [trialsOf(report.incumbent, split), trialsOf(report.challenger ?? "", split)];
		const tried = new Set([...before, ...after].map(({ caseId }) => caseId));
		const known = new Set([...byCase(before, objective).keys(), ...byCase(after, objective).keys()]);
		return [...tried].filter((id) => !known.has(id)).length;
	}
});
