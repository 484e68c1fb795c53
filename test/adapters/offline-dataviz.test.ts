import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { answerTask } from "../../src/adapters/offline/task-role.ts";

interface RecordedCase {
	id: string;
	split: string;
	input?: string;
	checks: { type: string; path?: string; value?: unknown; values?: unknown[]; note?: string }[];
}

const folder = new URL("../../eval-cases/dataviz/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const cases = files
	.flatMap((name) => (parse(readFileSync(new URL(name, folder), "utf8")) as { cases: RecordedCase[] }).cases)
	.filter((entry) => entry.input !== undefined);
const seed = readFileSync(new URL("seed/SKILL.md", folder), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");

/** Mean share of the checks on single keys that the first answers meet; an answer that is not one bare object meets none. */
function quality(text: string, split: string): number {
	const scores = cases
		.filter((entry) => entry.split === split)
		.map((entry) => {
			const checks = entry.checks.filter((check) => check.path !== undefined);
			const reply = answerTask([
				{ role: "system", content: text },
				{ role: "user", content: entry.input ?? "" },
			]);
			if (!/^\{[^\n]*\}$/.test(reply)) return 0;
			const answer = JSON.parse(reply) as Record<string, unknown>;
			const met = checks.filter((check) => {
				const value = answer[(check.path ?? "").slice(1)];
				return check.values?.includes(value) ?? value === check.value;
			});
			return met.length / checks.length;
		});
	return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

const notes = [
	...new Set(
		cases
			.filter((entry) => entry.split === "train")
			.flatMap((entry) => entry.checks.flatMap((check) => (check.path === undefined ? [] : (check.note ?? [])))),
	),
];
const kernel = seed.match(/<!-- kernel:begin[\s\S]*?kernel:end[^\n]*-->/g) ?? [];
const stating = (lines: readonly string[]) =>
	`${kernel.join("\n\n")}\n\n## Conventions\n\n${lines.map((line) => `- ${line}`).join("\n")}\n`;

describe("the offline model on the recorded cases of the skill that ships with the project", () => {
	it("does poorly on the seed text and far better on a text that states what the notes of train cases teach", () => {
		const before = quality(seed, "validation");
		const after = quality(stating(notes), "validation");
		expect(before).toBeLessThan(0.45);
		expect(after).toBeGreaterThan(0.65);
		expect(after).toBeGreaterThan(before + 0.3);
	});

	it("carries over to cases on which nothing was tuned", () => {
		expect(quality(stating(notes), "holdout")).toBeGreaterThan(quality(seed, "holdout") + 0.15);
	});

	it("loses by what is left out and by what clutters", () => {
		const whole = quality(stating(notes), "validation");
		const half = quality(stating(notes.filter((_, index) => index % 3 === 0)), "validation");
		const filler = Array.from(
			{ length: 40 },
			() => "Stay thoughtful and friendly, and mind what the audience hopes to learn.",
		);
		expect(half).toBeLessThan(whole - 0.05);
		expect(quality(stating([...filler, ...notes]), "validation")).toBeLessThan(whole - 0.03);
	});
});
