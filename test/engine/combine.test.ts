import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Proposal, TracedEdit } from "../../src/domain/events.ts";
import { type RunState, searchOf } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import { baseSections, buildText, editsOf, recordOf } from "../../src/engine/patch.ts";
import { combine } from "../../src/engine/search/combine.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import {
	aJudgement,
	anAdmission,
	anAppend,
	aProposal,
	aTrial,
	type Begun,
	begun,
	measured,
} from "../support/builders.ts";
import { PARCELS_SKILL } from "../support/parcels.ts";

const START = begun();
const GROUPS = currentGroups(START.state, START.context);
const [FIRST = "", SECOND = ""] = GROUPS.filter((group) => group.failing > 0 && group.id === group.family).map(
	(group) => group.id,
);

function combined(
	proposals: readonly Proposal[],
	{ state, context }: Begun | { state: RunState; context: Begun["context"] } = START,
) {
	return combine(state, context, proposals, currentGroups(state, context));
}

const codesOf = (edit: Edit) => combined([aProposal("p", FIRST, [edit])]).refusals.map((refusal) => refusal.code);

/** The run after a child with these edits was admitted, measured and adopted as the working text; every check passes under it. */
function adopted(edits: readonly TracedEdit[], start: Begun = START): RunState {
	const admission = anAdmission(searchOf(start.state).working, { edits: [...edits] });
	const origin = { parents: [start.incumbent], operator: "reflect" as const, generation: 0 };
	const variant = recordOf(start.after(admission), edits, origin);
	const cases = start.state.opened?.trainSample ?? [];
	const trials = cases.map((caseId) => aTrial(variant.id, caseId, measured([null, 1, 1, 1])));
	return start.after(
		{ ...admission, variant, cases },
		{ type: "trials-measured", purpose: "pass", generation: 0, trials },
		aJudgement(variant, { kept: edits.map((edit) => edit.id) }),
	);
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
		const prose = anAppend("First look at the list.\n- A heavy parcel: route truck.");
		expect(combined([aProposal("p", FIRST, [prose])]).edits).toHaveLength(1);
	});

	it("refuses a line that the text has already, or that another proposal brought, in other words or order", () => {
		const twice = combined([
			aProposal("p1", FIRST, [anAppend("- A fragile parcel: box padded.")]),
			aProposal("p2", SECOND, [anAppend("* A FRAGILE parcel, box: padded!")]),
			aProposal("p3", SECOND, [anAppend("- Choose what is cheapest.")]),
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
		const cases = START.cases.map((entry) =>
			entry.split === "train" ? { ...entry, input: `${entry.input} ${words}` } : entry,
		);
		const { refusals, edits } = combined([aProposal("p", FIRST, [edit])], begun({ cases }));
		expect(edits).toEqual([]);
		expect(refusals).toMatchObject([{ proposal: "p", code, text: edit.text ?? edit.find }]);
		expect(refusals[0]?.message).not.toBe("");
	});

	it("goes on with the others when one is refused", () => {
		const { edits, refusals } = combined([
			aProposal("p", FIRST, [anAppend("- See http://x.example."), anAppend("- A fragile parcel: box padded.")]),
		]);
		expect(edits.map((edit) => edit.id)).toEqual(["p.1"]);
		expect(refusals.map((refusal) => refusal.code)).toEqual(["url"]);
	});

	it("refuses growth beyond the budget of the job spec", () => {
		const small = begun({ spec: { search: { harnessBytes: 300 } } });
		const { edits, refusals } = combined([aProposal("p", FIRST, [anAppend(`- ${"long ".repeat(60)}`)])], small);
		expect(edits).toEqual([]);
		expect(refusals).toMatchObject([{ code: "too-large" }]);
	});

	it("lets nobody but its own group touch a line whose checks pass", () => {
		const line: TracedEdit = {
			id: "e",
			proposal: "e",
			group: FIRST,
			generation: 0,
			edit: anAppend("- A fragile parcel: box padded."),
		};
		const state = adopted([line]);
		const world = { state, context: START.context };
		const attack: Edit = { op: "delete", section: "1/packing", find: "A fragile parcel" };
		const reworded: Edit = {
			op: "replace",
			section: "1/packing",
			find: "- A fragile parcel: box padded.",
			text: "- A fragile one: box foam.",
		};
		const sweeping: Edit = { op: "delete", section: "1/packing" };
		for (const edit of [attack, reworded, sweeping]) {
			expect(combined([aProposal("p", SECOND, [edit])], world).refusals).toMatchObject([{ code: "proven-line" }]);
			expect(combined([aProposal("p", FIRST, [edit])], world).refusals).toEqual([]);
		}
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
				const { edits, refusals } = combined([aProposal("p", FIRST, [anAppend(text)])]);
				expect(edits.length + refusals.length).toBeGreaterThan(0);
				for (const traced of edits) expect(traced.edit.text).not.toMatch(/kernel:(begin|end)/);
			}),
			{ numRuns: 60 },
		);
		expect(codesOf(anAppend("- Fine."))).toEqual([]);
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
		const state = adopted(lines.slice(0, 1));
		const known = searchOf(state).working;
		const origin = { parents: ["x"], operator: "prune" as const, generation: 7 };
		expect(recordOf(state, editsOf(state, ["a"]), origin)).toEqual(known);
		const other: TracedEdit = { ...(lines[0] as TracedEdit), id: "again", group: "h" };
		expect(recordOf(state, [other], origin)).toEqual({ ...known, patch: ["again"] });
	});
});
