import { describe, expect, it } from "vitest";
import { wrapped } from "../../src/cli/output.ts";
import { progressLine } from "../../src/cli/progress.ts";
import { sampleRun } from "../support/sample-run.ts";

const { state } = sampleRun();
const opened = state.opened;
const limited = {
	...state,
	opened: opened && {
		...opened,
		settings: { ...opened.settings, limits: { ...opened.settings.limits, calls: 12_000 } },
	},
} as typeof state;
const at = (phase: string) => ({ phase, generation: 12, done: 0, total: 200 });

describe("a line of progress", () => {
	it("names a generation only while there is a search", () => {
		for (const phase of ["incumbent", "validation", "holdout", "finalist", "noise"])
			expect(progressLine(at(phase), limited, 10), phase).not.toContain("generation");
		for (const phase of ["reflect", "pass", "probe", "prune"])
			expect(progressLine(at(phase), limited, 10), phase).toMatch(/^generation 12 · /);
		expect(progressLine(at("noise"), limited, 10)).toMatch(/^measuring v0 against itself · 0\/200 · 10 /);
	});

	it("fits 80 columns and never loses the count, the calls or the quality", () => {
		for (const phase of ["incumbent", "pass", "validation", "holdout", "finalist"]) {
			const line = progressLine(at(phase), limited, 11_999);
			expect(line.length, line).toBeLessThanOrEqual(80);
			expect(line).toMatch(/0\/200 · 11999(?: of 12000)? calls.*quality \d\.\d\d(?: \(v0 \d\.\d\d\))?$/);
		}
	});
});

describe("text before the verdict", () => {
	it("is wrapped at 80 columns, with words that are longer left whole", () => {
		const path = "/a".repeat(60);
		const lines = wrapped(
			`Forecast: about 577 of at most 1200 calls, free; up to 14 generations on 48 train cases in ${path} now`,
		);
		expect(lines.split("\n").filter((line) => line.length > 80)).toEqual([path]);
		expect(lines.replaceAll("\n", " ")).toContain(`cases in ${path} now`);
	});
});
