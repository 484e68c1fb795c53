import { describe, expect, it } from "vitest";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import type { RunEvent, TracedEdit } from "../../src/domain/events.ts";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { judgeMeasured } from "../../src/engine/search/judge.ts";
import { createOwners, createReferences } from "../../src/engine/search/owners.ts";
import { planPruning } from "../../src/engine/search/prune.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import {
	aJudgement,
	anAdmission,
	anAppend,
	aTracedEdit,
	aTrial,
	type Begun,
	begun,
	measured,
} from "../support/builders.ts";
import { lineOf, parcelCases, RULES } from "../support/parcels.ts";

const START = begun({ outcome: () => measured([null, 0, 0, 0]) });
const [PADDED, SEALED] = RULES.map(lineOf) as [string, string];
const FILLER = "- Take your time and think twice.";

/** Families of a run that has begun. */
const familiesOf = ({ state, context }: Begun) =>
	currentGroups(state, context).filter((group) => group.id === group.family);
const idOf = (start: Begun, label: string, note?: string) => {
	const groups = currentGroups(start.state, start.context).filter((group) => group.label === label);
	const check = (group: (typeof groups)[number]) => start.context.byId.get(group.findings[0]?.caseId ?? "");
	const found =
		note === undefined
			? groups.find((group) => group.id === group.family)
			: groups.find(
					(group) => group.id !== group.family && check(group)?.checks[group.findings[0]?.check ?? -1]?.note === note,
				);
	if (found === undefined) throw new Error(`no group ${label}`);
	return found.id;
};

describe("the owner of a line", () => {
	const ownerOf = createOwners(familiesOf(START), START.context);
	const labelOf = (line: string) => ownerOf(line)?.group.label ?? null;

	it("is the group whose words it shares, whichever group it was written for", () => {
		for (const rule of RULES) expect(labelOf(lineOf(rule))).toBe(`/${rule.field} = "${rule.value}"`);
		expect(labelOf("- Whatever is fragile has to be padded.")).toBe('/box = "padded"');
	});

	it("is found by rare words: those that many groups have count for little", () => {
		// "parcel" stands in every note, "box" in three; "air" in one.
		expect(labelOf("- Parcel, parcel box parcel: air.")).toBe('/route = "air"');
	});

	it("is nobody for a filler, an empty line, or words that no group knows", () => {
		for (const line of [FILLER, "- Be careful and precise.", "", "- !", "- Zebras graze."])
			expect(labelOf(line)).toBeNull();
	});

	it("says how much of the line is about it, more for a line that says nothing else", () => {
		const plain = ownerOf(PADDED)?.related ?? 0;
		const wordy = ownerOf("- Fragile goods want somebody careful, padded or otherwise wrapped.")?.related ?? 0;
		expect(plain).toBeGreaterThan(wordy);
		expect(wordy).toBeGreaterThan(0);
		expect(plain).toBeLessThanOrEqual(1);
	});

	it("reads what a group wants and every note of its checks", () => {
		const referenceOf = createReferences(START.context);
		const padded = familiesOf(START).find((group) => group.label === '/box = "padded"');
		if (padded === undefined) throw new Error("the family is known");
		expect([...referenceOf(padded)].sort()).toEqual(["box", "fragile", "padded", "parcel"]);
	});
});

/** The run after a text with these edits passed everywhere. */
function withLines(start: Begun, edits: TracedEdit[], restored: string[] = [], outcome?: (entry: Case) => Outcome) {
	const admission = anAdmission(searchOf(start.state).working, { edits });
	const origin = { parents: [start.incumbent], operator: "reflect" as const, generation: 0 };
	const variant = recordOf(start.after(admission), edits, origin);
	const cases = start.state.opened?.trainSample ?? [];
	const score = (id: string) => {
		const entry = start.context.byId.get(id) as Case;
		return outcome?.(entry) ?? measured(entry.checks.map((check) => (check.contract ? null : 1)));
	};
	const trials = cases.map((id) => aTrial(variant.id, id, score(id)));
	const events: RunEvent[] = [
		...start.events,
		{ ...admission, variant, cases },
		{ type: "trials-measured", purpose: "pass", generation: 0, trials },
		aJudgement(variant, { kept: edits.map((edit) => edit.id), restored }),
	];
	return { events, state: replay(events) };
}

const pruningOf = (start: Begun, edits: TracedEdit[], restored: string[] = []) => {
	const { state } = withLines(start, edits, restored);
	return planPruning(state, start.context, currentGroups(state, start.context));
};
const removedIn = (pruning: ReturnType<typeof pruningOf>) => pruning?.removed.map((entry) => entry.edit.id) ?? [];

describe("what pruning takes out", () => {
	const padded = idOf(START, '/box = "padded"');

	it("is all but the best line of a family, and what belongs to none", () => {
		const lines = [
			aTracedEdit("wordy", padded, anAppend("- Fragile goods want somebody careful, padded or otherwise wrapped.")),
			aTracedEdit("plain", padded, anAppend(PADDED)),
			aTracedEdit("again", padded, anAppend("- A fragile parcel goes into a padded box, says the foreman.")),
			aTracedEdit("sealed", padded, anAppend(SEALED)),
			aTracedEdit("filler", padded, anAppend(FILLER)),
		];
		expect(removedIn(pruningOf(START, lines))).toEqual(["wordy", "again", "filler"]);
	});

	it("goes by what a line is about, not by the question it came of", () => {
		const other = idOf(START, '/route = "air"');
		const lines = [
			aTracedEdit("a", padded, anAppend(PADDED)),
			aTracedEdit("b", other, anAppend("- Fragile: padded box, please do.")),
		];
		const pruning = pruningOf(START, lines);
		expect(removedIn(pruning)).toEqual(["b"]);
		// Both groups tell whether it may stay out.
		expect(pruning?.removed[0]?.groups).toEqual([other, padded]);
	});

	it("keeps the first of two lines that are about it equally", () => {
		const lines = [
			aTracedEdit("first", padded, anAppend("- Fragile: padded box.")),
			aTracedEdit("second", padded, anAppend("- Padded box: fragile.")),
		];
		expect(removedIn(pruningOf(START, lines))).toEqual(["second"]);
	});
});

describe("what comes back after pruning", () => {
	const padded = idOf(START, '/box = "padded"');
	const sealed = idOf(START, '/box = "sealed"');
	const lines = [
		aTracedEdit("good", padded, anAppend(PADDED)),
		aTracedEdit("missed", sealed, anAppend("- Fragile or not: padded box, if liquid then sealed tight.")),
		aTracedEdit("filler", padded, anAppend(FILLER)),
	];

	/** Measures the pruned text, under which the box is wrong in some cases; `luck` had the label wrong in two cases before. */
	function pruned(fails: (entry: Case) => boolean, luck = false) {
		const unlucky = new Set(luck ? ["train-01", "train-03"] : []);
		const outcome = (entry: Case) => measured([null, 1, 1, unlucky.has(entry.id) ? 0 : 1]);
		const { events, state } = withLines(START, lines, [], outcome);
		const pruning = planPruning(state, START.context, currentGroups(state, START.context));
		if (pruning === null) throw new Error("something is suspect");
		const origin = { parents: [searchOf(state).working.id], operator: "prune" as const, generation: 1 };
		const variant = recordOf(state, pruning.patch, origin);
		const cases = START.state.opened?.trainSample ?? [];
		const trials = cases.map((id) => {
			const bad = fails(START.context.byId.get(id) as Case);
			return aTrial(variant.id, id, measured([null, bad ? 0 : 1, 1, 1]));
		});
		const measuredEvents: RunEvent[] = [
			...events,
			anAdmission(variant, { cases, purpose: "prune" }),
			{ type: "trials-measured", purpose: "prune", generation: 1, trials },
		];
		const verdict = judgeMeasured(replay(measuredEvents), START.context);
		return { removed: removedIn(pruning), verdict, after: replay([...measuredEvents, verdict]) };
	}
	const wantsSealed = (entry: Case) => entry.checks.some((check) => "value" in check && check.value === "sealed");

	it("is nothing while every check passes without it: the lines are out for good", () => {
		const { removed, verdict } = pruned(() => false);
		expect(removed).toEqual(["missed", "filler"]);
		expect(verdict).toMatchObject({ adopted: true, restored: [], working: { patch: ["good"] } });
		expect(verdict.dropped.map((entry) => entry.edit)).toEqual(["missed", "filler"]);
	});

	it("is what its checks miss, and it is not suspect again", () => {
		// As much is won by luck elsewhere as is lost here, so the text as a whole is no worse.
		const { verdict, after } = pruned((entry) => wantsSealed(entry) && entry.id !== "train-02", true);
		expect(verdict).toMatchObject({ adopted: true, restored: ["missed"], working: { patch: ["good", "missed"] } });
		expect(verdict.dropped.map((entry) => entry.edit)).toEqual(["filler"]);
		expect(planPruning(after, START.context, currentGroups(after, START.context))).toBeNull();
	});

	it("is not brought back by a single failure of several, which may be chance", () => {
		const { verdict } = pruned((entry) => wantsSealed(entry) && entry.id === "train-02", true);
		expect(verdict).toMatchObject({ adopted: true, restored: [] });
	});

	it("is everything when the text as a whole loses quality, and none of it is suspect again", () => {
		const { verdict, after } = pruned(() => true);
		expect(verdict).toMatchObject({ adopted: false, kept: [], dropped: [], restored: ["missed", "filler"] });
		expect(verdict.working.patch).toEqual(["good", "missed", "filler"]);
		expect(planPruning(after, START.context, currentGroups(after, START.context))).toBeNull();
	});
});

describe("a family of two causes", () => {
	/** Fragile and antique parcels both want a padded box, which only the notes tell apart. */
	const cases = [
		...["fragile", "antique"].flatMap((trait) =>
			[1, 2, 3].map((at) =>
				placeCase(
					caseSchema.parse({
						id: `${trait}-${at}`,
						split: "train",
						input: `Parcel ${trait}-${at}: ${trait}.`,
						checks: [{ type: "json-equals", path: "/box", value: "padded", note: `A ${trait} parcel: box padded.` }],
					}),
				),
			),
		),
		...parcelCases({ train: 0, validation: 3, holdout: 0 }),
	];
	const start = begun({ cases, outcome: () => measured([0]) });
	const family = idOf(start, '/box = "padded"');
	const lines = [
		aTracedEdit("fragile", family, anAppend("- A fragile parcel: box padded.")),
		aTracedEdit("antique", family, anAppend("- An antique parcel: box padded.")),
	];

	it("has an owner for each of its lines: the part whose note says the same", () => {
		const parts = currentGroups(start.state, start.context).filter((group) => group.id !== group.family);
		const ownerOf = createOwners(parts, start.context);
		for (const trait of ["fragile", "antique"]) {
			const owner = ownerOf(`- A ${trait} parcel: box padded.`)?.group;
			expect(owner?.id).toBe(idOf(start, '/box = "padded"', `A ${trait} parcel: box padded.`));
		}
	});

	it("gets back the line of the cause that misses it", () => {
		const { events, state } = withLines(start, lines);
		const pruning = planPruning(state, start.context, currentGroups(state, start.context));
		expect(removedIn(pruning)).toHaveLength(1);
		const [gone] = removedIn(pruning);
		const origin = { parents: [searchOf(state).working.id], operator: "prune" as const, generation: 1 };
		const variant = recordOf(state, pruning?.patch ?? [], origin);
		const sample = start.state.opened?.trainSample ?? [];
		const trials = sample.map((id) =>
			aTrial(variant.id, id, measured([id === `${gone}-1` || id === `${gone}-2` ? 0 : 1])),
		);
		const verdict = judgeMeasured(
			replay([
				...events,
				anAdmission(variant, { cases: sample, purpose: "prune" }),
				{ type: "trials-measured", purpose: "prune", generation: 1, trials },
			]),
			start.context,
		);
		expect(verdict.restored).toEqual([gone]);
	});

	it("keeps one line for each cause where it was taken apart", () => {
		const { events } = withLines(start, lines);
		const parts = currentGroups(start.state, start.context).filter((group) => group.id !== group.family);
		const groups = parts.map(({ id, label, failing, total }) => ({ id, label, failing, total }));
		const state = replay([...events, { type: "proposals-received", generation: 0, round: 0, groups, proposals: [] }]);
		expect(removedIn(planPruning(state, start.context, currentGroups(state, start.context)))).toEqual([]);
	});
});
