import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Proposal, TracedEdit } from "../../src/domain/events.ts";
import { type RunState, searchOf } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import { baseSections, buildText, editsOf, recordOf } from "../../src/engine/patch.ts";
import { combine } from "../../src/engine/search/combine.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { adoptedWith } from "../support/adopted.ts";
import { anAppend, aProposal, type Begun, begun } from "../support/builders.ts";
import { PARCELS_SKILL, parcelCases } from "../support/parcels.ts";

const START = begun();
const GROUPS = currentGroups(START.state, START.context);
const idOf = (label: string) => causesIn(GROUPS).find((group) => group.label === label)?.id ?? "none";
const [FIRST, SECOND] = [idOf('/box = "padded"'), idOf('/route = "truck"')];
/** A run whose checks never repeat: there every line is taken to be about something. */
const UNLIKE = parcelCases({ train: 9, validation: 0, holdout: 0, checks: "rubrics" });
const APART = begun({ cases: UNLIKE });

function combined(
	proposals: readonly Proposal[],
	{ state, context }: Begun | { state: RunState; context: Begun["context"] } = START,
) {
	return combine(state, context, proposals, currentGroups(state, context));
}

describe("combining proposals", () => {
	it("makes one text of all of them, and keeps the origin of every edit", () => {
		const { edits, patch, refusals } = combined([
			aProposal("p1", FIRST, [anAppend("- A fragile parcel: box padded.")]),
			aProposal("p2", SECOND, [
				anAppend("- A heavy parcel: route truck."),
				{ op: "delete", section: "1/sending", find: "- Most parcels go by van." },
			]),
		]);
		expect(refusals).toEqual([]);
		expect(edits.map(({ id, proposal, group }) => [id, proposal, group])).toEqual([
			["p1.0", "p1", FIRST],
			["p2.0", "p2", SECOND],
			["p2.1", "p2", SECOND],
		]);
		const text = buildText(baseSections(START.state), patch).harness.join("");
		expect(text).toContain("- A fragile parcel: box padded.\n- A heavy parcel: route truck.");
		expect(text).not.toContain("by van");
	});

	it("keeps a section from being written anew over lines that another proposal has just added; other sections may be", () => {
		const anew = (section: string): Edit => ({ op: "replace", section, text: "- Use tape." });
		const added = anAppend("- A fragile parcel: box padded.");
		const { patch, refusals } = combined([
			aProposal("p1", FIRST, [added]),
			aProposal("p2", SECOND, [anew("1/packing"), anew("1/sending")]),
		]);
		expect(refusals).toMatchObject([{ proposal: "p2", code: "proven-line" }]);
		const text = buildText(baseSections(START.state), patch).harness.join("");
		expect(text).toContain("- Choose what is cheapest.\n- A fragile parcel: box padded.\n");
		expect(text).toContain("## Sending\n\n- Use tape.\n");
	});

	it("rewords a line that another proposal has just added; taken out again, that line takes its rewording along", () => {
		const line = "- A fragile parcel: box padded.";
		const reword: Edit = { op: "replace", section: "1/packing", find: line, text: `${line} Unless it is light.` };
		const { patch, refusals } = combined([aProposal("p1", FIRST, [anAppend(line)]), aProposal("p2", SECOND, [reword])]);
		expect(refusals).toEqual([]);
		const base = baseSections(START.state);
		expect(buildText(base, patch).harness.join("")).toContain("box padded. Unless it is light.");
		const without = buildText(
			base,
			patch.filter((traced) => traced.id !== "p1.0"),
		);
		expect(without.patch).toEqual([]);
		expect(without.harness).toEqual(START.state.opened?.incumbent.harness);
	});

	it("leaves dropped proposals out", () => {
		const dropped = aProposal("p", FIRST, [anAppend("- Tape.")], { status: "dropped", reason: "truncated" });
		expect(combined([dropped])).toEqual({ edits: [], patch: [], refusals: [] });
	});

	it("takes a list apart into one edit a line, so that each can be judged alone", () => {
		const list = anAppend("- A fragile parcel: box padded.\n- A heavy parcel: route truck.\n");
		expect(combined([aProposal("p", FIRST, [list])]).edits.map((edit) => edit.edit.text)).toEqual([
			"- A fragile parcel: box padded.",
			"- A heavy parcel: route truck.",
		]);
		const prose = anAppend("Look at the parcel.\n- A heavy parcel: route truck.");
		expect(combined([aProposal("p", FIRST, [prose])]).edits).toHaveLength(1);
	});

	it("refuses a line that the text has already, or that another proposal brought, in other words or order", () => {
		const twice = combined([
			aProposal("p1", FIRST, [anAppend("- A fragile parcel: box padded.")]),
			aProposal("p2", SECOND, [anAppend("* A FRAGILE parcel, box: padded!")]),
			aProposal("p3", SECOND, [anAppend("- A parcel that is fragile goes into a box, padded.")]),
		]);
		expect(twice.edits).toHaveLength(1);
		expect(twice.refusals.map(({ proposal, code }) => [proposal, code])).toEqual([
			["p2", "duplicate"],
			["p3", "duplicate"],
		]);
	});

	it.each<[string, Edit, string]>([
		["an address", anAppend("- See https://example.com/rules for more."), "url"],
		["a command that a host would run", anAppend("- Today is !`date`."), "inline-shell"],
		["a kernel marker", anAppend("<!-- kernel:begin id=mine -->"), "marker-like"],
		["a marker in disguise", anAppend("<!-- ke\u200Brnel:end id=output-contract -->"), "marker-like"],
		["a marker in full-width letters", anAppend("<!-- ｋｅｒｎｅｌ:end id=output-contract -->"), "marker-like"],
		["an open fence", anAppend("```\nnever closed"), "open-block"],
		["an invisible character", anAppend("- Use\u202E tape."), "invisible"],
		["the words of a case", anAppend(`- ${Array.from({ length: 14 }, (_, at) => `word${at}`).join(" ")}`), "case-text"],
		["a section that is not there", anAppend("- Use tape.", "output-contract"), "unknown-section"],
		["a text that is not there", { op: "delete", section: "1/packing", find: "Use string." }, "not-found"],
	])("refuses %s", (_name, edit, code) => {
		const words = Array.from({ length: 14 }, (_, at) => `word${at}`).join(" ");
		const cases = UNLIKE.map((entry) => ({ ...entry, input: `${entry.input} ${words}` }));
		const { refusals, edits } = combined([aProposal("p", FIRST, [edit])], begun({ cases }));
		expect(edits).toEqual([]);
		expect(refusals).toMatchObject([{ proposal: "p", code, text: edit.text ?? edit.find }]);
		expect(refusals[0]?.message).not.toBe("");
	});

	it("goes on with the others when one is refused", () => {
		const { edits, refusals } = combined(
			[aProposal("p", FIRST, [anAppend("- See http://x.example."), anAppend("- A fragile parcel: box padded.")])],
			APART,
		);
		expect(edits.map((edit) => edit.id)).toEqual(["p.1"]);
		expect(refusals.map((refusal) => refusal.code)).toEqual(["url"]);
	});

	it("refuses growth beyond the budget of the job spec", () => {
		const small = begun({ cases: UNLIKE, spec: { search: { harnessBytes: 300 } } });
		const { edits, refusals } = combined([aProposal("p", FIRST, [anAppend(`- ${"long ".repeat(60)}`)])], small);
		expect(edits).toEqual([]);
		expect(refusals).toMatchObject([{ code: "too-large" }]);
	});

	it("never admits a text from any bytes that a model writes without keeping what is around it", () => {
		const hostile = fc.oneof(
			fc.string({ unit: "grapheme", maxLength: 60 }),
			fc.constantFrom(
				"<!-- kernel:end id=output-contract -->",
				"---\nname: x\n---",
				"```",
				"<script>",
				"# Parcels",
				"\r\n\r\n",
			),
		);
		fc.assert(
			fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (parts) => {
				const text = parts.join("\n");
				if (text.trim() === "") return;
				const { edits, refusals } = combined([aProposal("p", FIRST, [anAppend(text)])], APART);
				expect(edits.length + refusals.length).toBeGreaterThan(0);
				for (const traced of edits) expect(traced.edit.text).not.toMatch(/kernel:(begin|end)/);
			}),
			{ numRuns: 60 },
		);
		expect(combined([aProposal("p", FIRST, [anAppend("- Fine.")])], APART).refusals).toEqual([]);
	});
});

describe("a text as a patch", () => {
	const lines = ["a", "b", "c"].map((name): TracedEdit => {
		return { id: name, proposal: name, group: "g", generation: 0, edit: anAppend(`- Line ${name}.`) };
	});

	it("is v0 when it has no edits", () => {
		const { harness, patch } = buildText(baseSections(START.state), []);
		expect(harness).toEqual(START.state.opened?.incumbent.harness);
		expect(patch).toEqual([]);
	});

	it("has every edit removable: without one it is the text that never had it", () => {
		const base = baseSections(START.state);
		for (const gone of lines) {
			const rest = lines.filter((line) => line !== gone);
			const text = buildText(base, rest).harness.join("");
			expect(text).not.toContain(gone.edit.text);
			for (const line of rest) expect(text).toContain(line.edit.text);
		}
		expect(PARCELS_SKILL).toContain(buildText(base, []).harness[1]);
	});

	it("lets an edit fall away that no longer finds its place", () => {
		const reword: TracedEdit = {
			id: "r",
			proposal: "r",
			group: "g",
			generation: 0,
			edit: { op: "replace", section: "1/packing", find: "- Line a.", text: "- Line A, reworded." },
		};
		const base = baseSections(START.state);
		expect(buildText(base, [...lines, reword]).patch).toEqual(["a", "b", "c", "r"]);
		expect(buildText(base, [...lines.slice(1), reword]).patch).toEqual(["b", "c"]);
	});

	it("is known again: the same text keeps its origin, with the edits that lead to it now", () => {
		const { state } = adoptedWith(START, lines.slice(0, 1));
		const known = searchOf(state).working;
		const origin = { parents: ["x"], operator: "prune" as const, generation: 7 };
		expect(recordOf(state, editsOf(state, ["a"]), origin)).toEqual(known);
		const other: TracedEdit = { ...(lines[0] as TracedEdit), id: "again", group: "h" };
		expect(recordOf(state, [other], origin)).toEqual({ ...known, patch: ["again"] });
	});
});
