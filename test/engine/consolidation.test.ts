import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Consolidation, Proposal, RunEvent } from "../../src/domain/events.ts";
import { type RunState, replay, searchOf } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import {
	addedLines,
	consolidationOf,
	createRelated,
	editsToConsolidate,
	keptOfRanking,
} from "../../src/engine/search/consolidation.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { adoptedWith } from "../support/adopted.ts";
import { anAppend, aProposal, aTracedEdit, type Begun, begun, measured } from "../support/builders.ts";
import { lineOf, parcelCases, RULES } from "../support/parcels.ts";

/** Runs whose checks repeat, and never do; everything fails in both. */
const ALIKE = begun({ outcome: () => measured([null, 0, 0, 0]) });
const UNLIKE = begun({
	cases: parcelCases({ train: 9, validation: 0, holdout: 0, checks: "rubrics" }),
	outcome: (entry) => measured(entry.checks.map(() => 0)),
});
const LINES = RULES.map(lineOf);
const again = (line: string) => line.replace("parcel", "parcel always");

/** The run after proposals of a generation arrived, one for each list of lines. */
function asked(start: Begun, lists: readonly (readonly string[])[], events: readonly RunEvent[] = start.events) {
	const proposals = lists.map((lines, at) =>
		aProposal(
			`p${at}`,
			"g",
			lines.map((line) => anAppend(line)),
		),
	);
	return received(proposals, events);
}

function received(proposals: Proposal[], events: readonly RunEvent[]): RunEvent[] {
	const { generation } = searchOf(replay(events));
	return [...events, { type: "proposals-received", generation, groups: [], proposals }];
}

function consolidated(
	events: readonly RunEvent[],
	operator: Consolidation,
	lines: readonly string[] | null,
): RunEvent[] {
	const reply = aProposal(
		`g0.${operator}`,
		operator,
		(lines ?? []).map((line) => anAppend(line)),
	);
	const paid = { reason: "", calls: 1, tokens: 1, usd: null };
	return [
		...events,
		{ type: "proposals-consolidated", generation: 0, operator, proposal: lines === null ? null : reply, ...paid },
	];
}

function questionIn(start: Begun, events: readonly RunEvent[]) {
	const state = replay(events);
	return consolidationOf(state, start.context, currentGroups(state, start.context));
}
const operatorIn = (start: Begun, events: readonly RunEvent[]) => questionIn(start, events)?.operator ?? null;

describe("where checks repeat", () => {
	const five = [...LINES.slice(0, 4), again(LINES[0] ?? "")];

	it("proposals are merged when they are more than four lines, two of them about one cause", () => {
		expect(operatorIn(ALIKE, asked(ALIKE, [five]))).toBe("merge");
		expect(operatorIn(ALIKE, asked(ALIKE, [[...five.slice(0, 3), five[4] ?? ""]]))).toBeNull();
	});

	it("they are left alone when each is about a cause of its own", () => {
		expect(operatorIn(ALIKE, asked(ALIKE, [LINES.slice(0, 5)]))).toBeNull();
	});

	it("a line that stands already may be the second about its cause", () => {
		const standing = adoptedWith(ALIKE, [aTracedEdit("e", "g", anAppend(again(LINES[0] ?? "")))], {
			outcome: () => measured([null, 0, 0, 0]),
		});
		expect(operatorIn(ALIKE, asked(ALIKE, [LINES.slice(0, 5)], standing.events))).toBe("merge");
	});

	it("lines about nothing do not count, and are not put to the question", () => {
		const advice = ["- Take your time.", "- Think twice.", "- Smile."];
		const events = asked(ALIKE, [[...five.slice(1), ...advice]]);
		expect(operatorIn(ALIKE, events)).toBeNull();
		expect(editsToConsolidate(replay(events), ALIKE.context).map((edit) => edit.text)).toEqual(five.slice(1));
	});

	it("nothing is ever ranked, nor merged twice", () => {
		const events = asked(ALIKE, [five]);
		expect(operatorIn(ALIKE, consolidated(events, "merge", five))).toBeNull();
		expect(operatorIn(ALIKE, consolidated(events, "merge", null))).toBeNull();
	});
});

describe("where no check is like another", () => {
	it("two lines are enough to be merged, and one is not", () => {
		expect(operatorIn(UNLIKE, asked(UNLIKE, [LINES.slice(0, 1), LINES.slice(1, 2)]))).toBe("merge");
		expect(operatorIn(UNLIKE, asked(UNLIKE, [LINES.slice(0, 1)]))).toBeNull();
	});

	it("what came of the merge is ranked when it is more than four lines", () => {
		const events = asked(UNLIKE, [LINES]);
		expect(operatorIn(UNLIKE, consolidated(events, "merge", LINES.slice(0, 5)))).toBe("rank");
		expect(operatorIn(UNLIKE, consolidated(events, "merge", LINES.slice(0, 4)))).toBeNull();
	});

	it("they are ranked as they are when the merge was of no use, and asked for neither again", () => {
		const merged = consolidated(asked(UNLIKE, [LINES]), "merge", null);
		expect(operatorIn(UNLIKE, merged)).toBe("rank");
		expect(operatorIn(UNLIKE, consolidated(merged, "rank", null))).toBeNull();
	});

	it("dropped proposals bring nothing to either", () => {
		const dropped = aProposal(
			"d",
			"g",
			LINES.map((line) => anAppend(line)),
			{ status: "dropped" },
		);
		expect(operatorIn(UNLIKE, received([dropped], UNLIKE.events))).toBeNull();
	});

	it("the question is told one failing check of each symptom, and is named by its generation", () => {
		const step = questionIn(UNLIKE, asked(UNLIKE, [LINES]));
		expect(step).toMatchObject({ id: "g0.merge", generation: 0 });
		const { state, context } = UNLIKE;
		const symptoms = currentGroups(state, context).filter((group) => group.id !== group.cause);
		expect(step?.failing).toHaveLength(symptoms.length);
		expect(step?.failing.length).toBeGreaterThan(0);
		for (const { caseId, check } of step?.failing ?? []) {
			expect(context.byId.get(caseId)?.checks[check]).toBeDefined();
		}
	});
});

describe("the limits", () => {
	it("forbid the question when they leave no room for it beside the proofs", () => {
		const events = asked(UNLIKE, [LINES]);
		const { taskCalls, reflectionCalls } = replay(events).spend;
		const under = (calls: number) => {
			const context = { ...UNLIKE.context, settings: { ...UNLIKE.settings, limits: { calls } } };
			return consolidationOf(replay(events), context, currentGroups(replay(events), context))?.operator ?? null;
		};
		expect(under(taskCalls + reflectionCalls)).toBeNull();
		expect(under(taskCalls + reflectionCalls + 1)).toBe("merge");
	});
});

describe("what is put to the question", () => {
	const [first = "", second = "", third = ""] = LINES;
	const standing = adoptedWith(UNLIKE, [aTracedEdit("e", "g", anAppend(first))], {
		outcome: (entry) => measured(entry.checks.map(() => 0)),
	});
	const textsIn = (events: readonly RunEvent[]) =>
		editsToConsolidate(replay(events), UNLIKE.context).map((edit) => edit.text);

	it("are the lines that stand, then what was proposed, each line by itself", () => {
		expect(textsIn(asked(UNLIKE, [[`${second}\n${third}`]], standing.events))).toEqual([first, second, third]);
	});

	it("is what the merge answered alone, once it has: both are in it", () => {
		const events = consolidated(asked(UNLIKE, [[second]], standing.events), "merge", [first, second]);
		expect(textsIn(events)).toEqual([first, second]);
	});

	it("has no line that was reworded since it was added", () => {
		const reword: Edit = { op: "replace", section: "1/packing", find: first, text: `${first} Or else.` };
		const { state } = adoptedWith(
			UNLIKE,
			[aTracedEdit("e", "g", anAppend(first)), aTracedEdit("r", "g", reword), aTracedEdit("s", "g", anAppend(second))],
			{},
		);
		expect(addedLines(state).map((traced) => traced.id)).toEqual(["s"]);
	});
});

describe("whether an edit is about something", () => {
	const aboutIn = (start: Begun, events: readonly RunEvent[], edit: Edit) => {
		const state: RunState = replay(events);
		return createRelated(state, start.context, currentGroups(state, start.context))(edit);
	};
	const advice = anAppend("- Take your time.");

	it("is told by its words where checks repeat, and taken for granted where they do not", () => {
		expect(aboutIn(ALIKE, ALIKE.events, advice)).toBe(false);
		expect(aboutIn(ALIKE, ALIKE.events, anAppend(LINES[0] ?? ""))).toBe(true);
		expect(aboutIn(UNLIKE, UNLIKE.events, advice)).toBe(true);
	});

	it("is taken for granted where fewer than a fifth of the proposed lines are about anything", () => {
		const vague = ["One", "Two", "Three", "Four", "Five"].map((word) => `- ${word} thoughts beat none.`);
		expect(aboutIn(ALIKE, asked(ALIKE, [vague]), advice)).toBe(true);
		expect(aboutIn(ALIKE, asked(ALIKE, [[LINES[0] ?? "", ...vague]]), advice)).toBe(true);
		expect(aboutIn(ALIKE, asked(ALIKE, [[LINES[0] ?? "", ...vague.slice(1)]]), advice)).toBe(false);
	});
});

describe("what is kept of a ranking", () => {
	const proposed = Array.from({ length: 10 }, (_, at) => anAppend(`- Advice number ${at} of ten.`));
	const kept = (order: readonly number[], edits: readonly Edit[], state = UNLIKE.state) =>
		keptOfRanking(order, edits, state, UNLIKE.context).map((edit) => edits.indexOf(edit));

	it("are the first two thirds, about, in the order of the ranking", () => {
		expect(kept([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], proposed)).toEqual([9, 8, 7, 6, 5, 4, 3]);
	});

	it("are never fewer than four, as long as there are four", () => {
		expect(kept([0, 1, 2, 3, 4], proposed.slice(0, 5))).toEqual([0, 1, 2, 3]);
		expect(kept([2, 0, 1], proposed.slice(0, 3))).toEqual([2, 0, 1]);
	});

	const old = ["- Stale advice.", LINES[0] ?? ""].map((text) => anAppend(text));
	const { state } = adoptedWith(
		UNLIKE,
		old.map((edit, at) => aTracedEdit(`old${at}`, "g", edit)),
		{ outcome: (entry) => measured(entry.checks.map(() => 0)) },
	);
	const all = [...old, ...proposed.slice(0, 8)];

	it("takes a line that stood out only when it comes last and is about nothing", () => {
		// Of ten edits the last share of 0.15 are two; of the eight new ones six are kept.
		expect(kept([2, 3, 4, 5, 6, 7, 8, 9, 0, 1], all, state)).toEqual([2, 3, 4, 5, 6, 7, 1]);
		expect(kept([2, 3, 4, 5, 6, 0, 7, 8, 9, 1], all, state)).toEqual([2, 3, 4, 5, 6, 0, 7, 1]);
	});

	it("keeps each edit once at the most, and the kept ones in the order of the ranking", () => {
		fc.assert(
			fc.property(
				fc.shuffledSubarray(
					all.map((_, at) => at),
					{ minLength: all.length },
				),
				(order) => {
					const indexes = kept(order, all, state);
					expect(indexes).toEqual(order.filter((at) => indexes.includes(at)));
					expect(indexes).toContain(1);
					expect(indexes.filter((at) => at >= 2)).toEqual(order.filter((at) => at >= 2).slice(0, 6));
				},
			),
			{ numRuns: 50 },
		);
	});
});
