import { describe, expect, it } from "vitest";
import type { Proposal, RunEvent, TracedEdit } from "../../src/domain/events.ts";
import { type RunState, replay } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import { combine } from "../../src/engine/search/combine.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { adoptedWith } from "../support/adopted.ts";
import { anAppend, aProposal, aTracedEdit, begun, measured } from "../support/builders.ts";
import { lineOf, RULES } from "../support/parcels.ts";

/** Every check fails, so that lines about all of them are about something. */
const START = begun({ outcome: () => measured([null, 0, 0, 0]) });
const GROUPS = currentGroups(START.state, START.context);
const idOf = (label: string) => causesIn(GROUPS).find((group) => group.label === label)?.id ?? "none";
const [PADDED, SEALED, AIR] = [idOf('/box = "padded"'), idOf('/box = "sealed"'), idOf('/route = "air"')];
const [padded = "", sealed = "", air = ""] = RULES.map(lineOf);

/** A run in which these lines were added and kept. */
const standing = (...lines: TracedEdit[]) => adoptedWith(START, lines).events;

function combined(proposals: readonly Proposal[], events: readonly RunEvent[] = START.events) {
	const state = replay(events);
	return combine(state, START.context, proposals, currentGroups(state, START.context));
}

const codes = (edit: Edit, group: string, events: readonly RunEvent[]) =>
	combined([aProposal("p", group, [edit])], events).refusals.map((refusal) => refusal.code);
const idsIn = (edits: readonly TracedEdit[]) => edits.map((traced) => traced.id);

describe("a line about nothing that is checked", () => {
	const advice = anAppend("- Think twice and take your time.");

	it("is refused where words tell what a line is about", () => {
		expect(codes(advice, PADDED, START.events)).toEqual(["unrelated"]);
		expect(codes(anAppend(padded), AIR, START.events)).toEqual([]);
	});

	it("is admitted where hardly any line that was proposed is about anything: then words tell nothing", () => {
		const asked = (lines: string[]): RunEvent => {
			const proposals = lines.map((line, at) => aProposal(`q${at}`, PADDED, [anAppend(line)]));
			return { type: "proposals-received", generation: 0, groups: [], proposals };
		};
		const vague = ["One", "Two", "Three", "Four", "Five"].map((word) => `- ${word} thoughts beat none.`);
		expect(codes(advice, PADDED, [...START.events, asked(vague)])).toEqual([]);
		expect(codes(advice, PADDED, [...START.events, asked([...vague.slice(1), padded])])).toEqual(["unrelated"]);
	});

	it("may be what an edit deletes or rewords: only additions have to be about something", () => {
		const edit: Edit = { op: "delete", section: "1/sending", find: "- Most parcels go by van." };
		expect(codes(edit, PADDED, START.events)).toEqual([]);
	});
});

describe("a line that the text says already", () => {
	const events = standing(aTracedEdit("both", PADDED, anAppend(`${padded} A liquid one: box sealed.`)));

	it("is refused when an added line covers it, though most of its words are others", () => {
		expect(
			codes(anAppend("- Wrap whatever seems fragile somehow in padded paper, carefully."), PADDED, events),
		).toEqual(["duplicate"]);
	});

	it("is passed over without a word when it is the very line that stands", () => {
		const again = combined([aProposal("p", PADDED, [anAppend(`${padded} A liquid one: box sealed.`)])], events);
		expect(again).toMatchObject({ edits: [], refusals: [] });
		expect(idsIn(again.patch)).toEqual(["both"]);
	});
});

describe("an added line that a new one says with more to it", () => {
	it("makes room for it", () => {
		const events = standing(aTracedEdit("short", PADDED, anAppend(padded)), aTracedEdit("air", AIR, anAppend(air)));
		const { edits, patch, refusals } = combined(
			[aProposal("p", SEALED, [anAppend(`${padded} A liquid one: box sealed.`)])],
			events,
		);
		expect(refusals).toEqual([]);
		expect(idsIn(edits)).toEqual(["p.0"]);
		expect(idsIn(patch)).toEqual(["air", "p.0"]);
	});

	it("makes room as well when it was proposed in the same generation", () => {
		const { edits, patch } = combined([
			aProposal("p", PADDED, [anAppend(padded)]),
			aProposal("q", SEALED, [anAppend(`${padded} A liquid one: box sealed.`)]),
		]);
		expect(idsIn(edits)).toEqual(["q.0"]);
		expect(idsIn(patch)).toEqual(["q.0"]);
	});

	it("stays when the new one is refused", () => {
		const events = standing(aTracedEdit("short", PADDED, anAppend(padded)));
		const { patch, refusals } = combined(
			[aProposal("p", PADDED, [anAppend(`${padded} A liquid one: box sealed, see https://example.com.`)])],
			events,
		);
		expect(refusals.map((refusal) => refusal.code)).toEqual(["url"]);
		expect(idsIn(patch)).toEqual(["short"]);
	});
});

describe("deleting what the search has added", () => {
	const events = standing(aTracedEdit("padded", PADDED, anAppend(padded)));

	it.each<[string, Edit]>([
		["the line", { op: "delete", section: "1/packing", find: padded }],
		["a part of it", { op: "delete", section: "1/packing", find: "parcel: box padded" }],
		["it with more around it", { op: "delete", section: "1/packing", find: `cheapest.\n${padded}` }],
	])("is left to those who ask about the very cause that it is about: %s", (_name, edit) => {
		expect(codes(edit, SEALED, events)).toEqual(["proven-line"]);
		expect(codes(edit, "gone", events)).toEqual(["proven-line"]);
		expect(codes(edit, PADDED, events)).toEqual([]);
	});

	it.each<[string, Edit]>([
		["deleted", { op: "delete", section: "1/packing" }],
		["written anew", { op: "replace", section: "1/packing", text: "- Use tape." }],
	])("is nobody's with a whole section, which may not be %s", (_name, edit) => {
		for (const group of [SEALED, PADDED]) expect(codes(edit, group, events)).toEqual(["proven-line"]);
		expect(codes(edit, PADDED, START.events)).toEqual([]);
	});

	it("is no deletion when a line is reworded, which anybody may do", () => {
		const edit: Edit = { op: "replace", section: "1/packing", find: padded, text: `${padded} Unless it is light.` };
		expect(codes(edit, SEALED, events)).toEqual([]);
	});
});

/** The run after a merge answered with these lines; the proposals before it were for the groups of their lines. */
function merged(
	events: readonly RunEvent[],
	proposed: Proposal[],
	lines: string[],
): { state: RunState; reply: Proposal } {
	const reply = aProposal(
		"g0.merge",
		"merge",
		lines.map((line) => anAppend(line)),
	);
	const { generation } = replay(events).search ?? { generation: 0 };
	const state = replay([
		...events,
		{ type: "proposals-received", generation, groups: [], proposals: proposed },
		{
			...{ type: "proposals-consolidated", generation, operator: "merge", proposal: reply, reason: "" },
			...{ calls: 1, tokens: 1, usd: null },
		},
	]);
	return { state, reply };
}

describe("edits that a merge brought", () => {
	const proposed = [
		aProposal("p", PADDED, [anAppend(padded)]),
		aProposal("q", SEALED, [anAppend(sealed)]),
		aProposal("r", AIR, [anAppend(air)]),
	];
	const afterMerge = ({ state, reply }: ReturnType<typeof merged>) =>
		combine(state, START.context, [reply], currentGroups(state, START.context));

	it("belong to the group for which what they are most like was written", () => {
		const lines = ["- Sealed box for whatever is liquid.", "- Foreign parcels: route air.", padded];
		const { edits } = afterMerge(merged(START.events, proposed, lines));
		expect(edits.map((traced) => [traced.edit.text, traced.group])).toEqual([
			[lines[0], SEALED],
			[lines[1], AIR],
			[padded, PADDED],
		]);
	});

	it("belong to what was proposed with the same intent: a deletion to a deletion", () => {
		const gone: Edit = { op: "delete", section: "1/sending", find: "- Most parcels go by van." };
		const other = aProposal("w", SEALED, [anAppend("- Most parcels go by van.")]);
		const { state } = merged(START.events, [other, aProposal("v", AIR, [gone])], []);
		const reply = aProposal("g0.merge", "merge", [gone]);
		const { edits } = combine(state, START.context, [reply], currentGroups(state, START.context));
		expect(edits.map((traced) => [traced.edit.op, traced.group])).toEqual([["delete", AIR]]);
	});

	it("take the place of lines that stood and did not come back", () => {
		const events = standing(aTracedEdit("padded", PADDED, anAppend(padded)), aTracedEdit("air", AIR, anAppend(air)));
		const { patch, edits } = afterMerge(merged(events, proposed.slice(1, 2), [air, sealed]));
		expect(patch.map((traced) => traced.edit.text)).toEqual([air, sealed]);
		expect(edits.map((traced) => traced.edit.text)).toEqual([sealed]);
		expect(idsIn(patch)[0]).toBe("air");
	});

	it("leave alone what was never put to the merge: an edit that rewords", () => {
		const reword: Edit = { op: "replace", section: "1/sending", find: "- Most parcels go by van.", text: "- Van." };
		const events = standing(aTracedEdit("van", AIR, reword), aTracedEdit("padded", PADDED, anAppend(padded)));
		const { patch } = afterMerge(merged(events, proposed.slice(1, 2), [sealed]));
		expect(patch.map((traced) => traced.edit.text)).toEqual(["- Van.", sealed]);
	});

	it("take nothing away when the answer was of no use and the proposals stay as they are", () => {
		const events = standing(aTracedEdit("padded", PADDED, anAppend(padded)));
		const { patch } = combined(proposed.slice(1), events);
		expect(patch.map((traced) => traced.edit.text)).toEqual([padded, sealed, air]);
	});
});
