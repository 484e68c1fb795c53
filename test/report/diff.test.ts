import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiffLine, diffLines } from "../../src/report/diff.ts";

const textOf = (lines: readonly DiffLine[], left: "removed" | "added") =>
	lines.filter((line) => line.kind !== left).map((line) => line.pieces.map((piece) => piece.text).join(""));

describe("the diff", () => {
	it("gives back both texts, whatever they are", () => {
		const text = fc.array(fc.constantFrom("a b c", "a b d", "", "- rule", "x"), { maxLength: 12 });
		fc.assert(
			fc.property(text, text, (before, after) => {
				const lines = diffLines(before.map((line) => `${line}\n`).join(""), after.map((line) => `${line}\n`).join(""));
				expect(textOf(lines, "added")).toEqual(before);
				expect(textOf(lines, "removed")).toEqual(after);
			}),
		);
	});

	it("marks the words that changed in a line that was reworded", () => {
		const [removed, added] = diffLines("Sort bars by name.\n", "Sort bars by value.\n");
		expect(removed?.pieces).toEqual([
			{ text: "Sort bars by ", changed: false },
			{ text: "name", changed: true },
			{ text: ".", changed: false },
		]);
		expect(added?.pieces[1]).toEqual({ text: "value", changed: true });
	});

	it("does not mix words of lines that have little in common", () => {
		const [removed] = diffLines("Keep it simple.\n", "Use `hbar` for long names.\n");
		expect(removed?.pieces).toEqual([{ text: "Keep it simple.", changed: true }]);
	});

	it("sees no change in line ends alone, nor in two empty texts", () => {
		expect(diffLines("a\r\nb\r\n", "a\nb\n").every((line) => line.kind === "same")).toBe(true);
		expect(diffLines("", "")).toEqual([]);
	});

	it("stays quick on texts beyond its bound, which count as replaced", () => {
		const lines = diffLines(
			Array.from({ length: 4_000 }, (_, index) => `old ${index}`).join("\n"),
			Array.from({ length: 4_000 }, (_, index) => `new ${index}`).join("\n"),
		);
		expect(lines.filter((line) => line.kind === "removed")).toHaveLength(4_000);
	});
});
