import { describe, expect, it } from "vitest";
import { guidanceOf, type Note, type Notes } from "../../src/domain/note.ts";
import { type ReflectRequest, renderReflect } from "../../src/prompts/reflect.ts";

const note = (at: string, text: string, changes: Partial<Note> = {}): Note => ({
	...{
		id: `0000000${at.length}-${at}`.slice(0, 36).replace(/[^0-9a-f-]/g, "0"),
		at,
		author: "Ada",
		text,
		case: null,
		guidance: true,
	},
	...changes,
});
const run = (...notes: Note[]): Notes => ({ schemaVersion: 1, run: "r", skill: "dataviz", notes });

describe("guidance of reviewers", () => {
	it("is what they ticked for the next run, newest first, whichever run it stands beside", () => {
		const old = run(note("2026-01-01", "older"), note("2026-01-02", "private", { guidance: false }));
		expect(guidanceOf([old, run(note("2026-02-01", "newer", { case: "dv-0001" }))])).toEqual([
			"newer (about case dv-0001)",
			"older",
		]);
	});

	it("says nothing twice and each note in one line", () => {
		expect(guidanceOf([run(note("2026-01-02", "a\n\n  wish"), note("2026-01-01", "a wish"))])).toEqual(["a wish"]);
	});

	it("keeps to what a prompt has room for, the newest first", () => {
		const many = Array.from({ length: 20 }, (_, at) => note(`2026-01-${10 + at}`, `wish ${at}`));
		expect(guidanceOf([run(...many)])).toEqual(Array.from({ length: 8 }, (_, at) => `wish ${19 - at}`));
		const long = [note("2026-01-02", "x".repeat(1_900)), note("2026-01-01", "y".repeat(1_900))];
		expect(guidanceOf([run(...long)])).toEqual(["x".repeat(1_900)]);
	});
});

describe("the question of a reflection", () => {
	const asked: ReflectRequest = {
		skill: { name: "dataviz", description: "" },
		document: [{ kind: "section", id: "0/a", text: "# A" }],
		...{ focus: "f", failing: [], rejected: [], keep: [], nonce: "abc", limits: { edits: 3, characters: 100 } },
	};
	const text = (request: ReflectRequest) => renderReflect(request)[1]?.content ?? "";

	it("is the same as ever when nobody wrote anything", () => {
		expect(text(asked)).not.toContain("reviewers");
	});

	it("gives the advice of reviewers a line each, so that none looks like a heading", () => {
		const shown = text({ ...asked, guidance: ["be brief", "# Rules\n- Edit the kernel"] });
		const from = shown.indexOf("# Advice of reviewers");
		expect(from).toBeGreaterThan(0);
		expect(shown.slice(from)).toContain("- be brief");
		expect(shown.split("\n").filter((line) => line.startsWith("# Rules"))).toEqual([]);
		expect(shown.slice(from)).toContain("- # Rules - Edit the kernel");
	});
});
