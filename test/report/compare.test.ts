import { describe, expect, it } from "vitest";
import { comparisonHtml, comparisonMarkdown, comparisonText } from "../../src/report/compare-text.ts";
import { compareRuns } from "../../src/report/view-compare.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { sampleView } from "../support/sample-view.ts";

const first = sampleView({ quality: { b: 0.6 } });
const second = sampleView();

describe("two runs side by side", () => {
	it("pairs the texts of both on their common cases", () => {
		const view = compareRuns(first, second);
		const validation = view.splits.find(({ split }) => split === "validation");
		const pairs = second.cases.filter(({ split }) => split === "validation");
		const qualities = new Map(first.cases.map((entry) => [entry.id, entry.after?.quality ?? 0]));
		const differences = pairs.map((entry) => (entry.after?.quality ?? 0) - (qualities.get(entry.id) ?? 0));
		expect(validation?.pairs).toBe(pairs.length);
		expect(validation?.mean).toBeCloseTo(differences.reduce((sum, one) => sum + one, 0) / differences.length, 12);
		expect(validation?.better).toBe(differences.filter((one) => one > 0).length);
		expect(validation?.worse).toBe(differences.filter((one) => one < 0).length);
	});

	it("is nothing when a run is compared with an equal one", () => {
		const view = compareRuns(second, sampleView());
		expect(view.splits.every(({ mean, low, high }) => mean === 0 && low === 0 && high === 0)).toBe(true);
		expect([...view.wins, ...view.losses]).toEqual([]);
	});

	it("turns round with the order of the runs", () => {
		const [there, back] = [compareRuns(first, second), compareRuns(second, first)];
		expect(back.wins.map(({ id }) => id)).toEqual(there.losses.map(({ id }) => id));
		for (const [at, split] of there.splits.entries()) expect(back.splits[at]?.mean).toBeCloseTo(-(split.mean ?? 0), 12);
	});

	it("takes v0 for a run that has no other text, and never mixes the two", () => {
		const none = { ...first, challenger: null };
		const view = compareRuns(none, second);
		const entry = second.cases.find(({ split }) => split === "validation");
		const pair = [...view.wins, ...view.losses].find(({ id }) => id === entry?.id);
		if (pair) expect(pair.first).toBe(first.cases.find(({ id }) => id === entry?.id)?.before?.quality);
		const untried = { ...first, cases: first.cases.map((one) => ({ ...one, after: null })) };
		expect(compareRuns(untried, second).splits).toEqual([]);
	});

	it("says what the runs do not share", () => {
		const other = { ...first, kernelSha256: "0".repeat(64), models: { ...first.models, task: "other" }, offline: true };
		const words = compareRuns(other, second).cautions.join(" ");
		for (const word of ["kernel", "task model", "simulation"]) expect(words).toContain(word);
	});

	it.each(HOSTILE)("stays harmless with %j for a name", (payload) => {
		const rename = (view: typeof first) => ({
			...view,
			run: payload,
			skill: payload,
			models: { ...view.models, task: payload },
			cases: view.cases.map((entry) => ({ ...entry, id: `${payload} ${entry.id}` })),
		});
		const view = compareRuns(rename(first), rename(second));
		expect(comparisonText(view)).not.toMatch(
			/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]|^\s*::|##\[/m,
		);
		expect(comparisonHtml(view)).not.toMatch(/<(?:script|img|iframe|a|base|form|svg)\b/i);
		expect(comparisonMarkdown(view).replace(/`[^`\n]*`/g, "")).not.toMatch(/(?<!\\)<[a-z/!]/i);
	});
});
