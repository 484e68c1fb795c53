import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent, TracedEdit } from "../../src/domain/events.ts";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { judgeMeasured } from "../../src/engine/search/judge.ts";
import { createOwners } from "../../src/engine/search/owners.ts";
import { planPruning } from "../../src/engine/search/prune.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { adoptedWith, measuredWith } from "../support/adopted.ts";
import { boxCases, symptomsIn, times } from "../support/boxes.ts";
import { anAdmission, anAppend, aTracedEdit, aTrial, type Begun, begun, measured } from "../support/builders.ts";
import { lineOf, parcelCases, RULES } from "../support/parcels.ts";

const START = begun({ outcome: () => measured([null, 0, 0, 0]) });
const [PADDED, SEALED] = RULES.map(lineOf) as [string, string];
const FILLER = "- Take your time and think twice.";

const causesOf = ({ state, context }: Begun) => causesIn(currentGroups(state, context));
const idOf = (start: Begun, label: string) => {
	const found = causesOf(start).find((group) => group.label === label);
	if (found === undefined) throw new Error(`no cause ${label}`);
	return found.id;
};

describe("the owner of a line", () => {
	const ownerOf = createOwners(causesOf(START), START.context);
	const labelOf = (line: string) => ownerOf(line)?.group.label ?? null;

	it("is the group whose words it shares, whichever group it was written for", () => {
		for (const rule of RULES) expect(labelOf(lineOf(rule))).toBe(`/${rule.field} = "${rule.value}"`);
		expect(labelOf("- Whatever is fragile has to be padded.")).toBe('/box = "padded"');
	});

	it("is found by a value of two letters, too", () => {
		const start = begun({
			cases: boxCases([...times(4, { value: "go", note: "" }), ...times(4, { value: "stop", note: "" })]),
			outcome: () => measured([0]),
		});
		const find = createOwners(causesOf(start), start.context);
		expect(find("- For green the answer is go.")?.group.label).toContain('"go"');
		expect(find("- Be on time, as we all are.")).toBeNull();
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
});

/** The run after a text with these edits passed everywhere, or came out as told. */
const withLines = (start: Begun, edits: TracedEdit[], restored: string[] = [], outcome?: (entry: Case) => Outcome) =>
	adoptedWith(start, edits, { restored, ...(outcome === undefined ? {} : { outcome }) });

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

	it("is nothing of two lines that are alike in words and about different causes", () => {
		const lines = [
			aTracedEdit("a", padded, anAppend(PADDED)),
			aTracedEdit("b", padded, anAppend("- A liquid parcel: box.")),
		];
		expect(pruningOf(START, lines)).toBeNull();
	});

	it("is not what seems to be about nothing where no check is like another: words tell little there", () => {
		const cases = parcelCases({ train: 9, validation: 0, holdout: 0, checks: "rubrics" });
		const unlike = begun({ cases, outcome: (entry) => measured(entry.checks.map(() => 0)) });
		expect(pruningOf(unlike, [aTracedEdit("filler", "g", anAppend(FILLER))])).toBeNull();
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

describe("a cause with two symptoms", () => {
	/** Glass and china both want a padded box; the notes say one thing in other words. */
	const NOTES = { glass: "Glassware breaks without padding.", china: "Porcelain breaks without padding." };
	const others = ["Letters travel flat.", "Coins need insurance.", "Books travel by land."];
	const wishes = [
		...times(3, { value: "padded", note: NOTES.glass }),
		...times(3, { value: "padded", note: NOTES.china }),
		...others.flatMap((note) => times(3, { value: note, note })),
	];
	const start = begun({ cases: boxCases(wishes), outcome: () => measured([0]) });
	const groups = currentGroups(start.state, start.context);
	const symptoms = symptomsIn(groups);
	const ownerOf = createOwners(groups, start.context);
	const symptomOf = (note: string) => {
		const at = note === NOTES.glass ? "case-00" : "case-03";
		return symptoms.find((group) => group.findings.some((finding) => finding.caseId === at));
	};
	const lines = {
		glass: aTracedEdit("glass", symptomOf(NOTES.glass)?.id ?? "", anAppend("- Glassware breaks: padding.")),
		china: aTracedEdit("china", symptomOf(NOTES.china)?.id ?? "", anAppend("- Porcelain breaks: padding.")),
	};

	it("owns each line by the symptom whose note says the same", () => {
		expect(symptoms).toHaveLength(2);
		for (const note of Object.values(NOTES)) expect(ownerOf(`- ${note}`)?.group.id).toBe(symptomOf(note)?.id);
	});

	it("has the lines of its symptoms suspected only when they are alike in their telling words", () => {
		expect(removedIn(pruningOf(start, Object.values(lines)))).toEqual(["china"]);
		const apart = { ...lines.china, edit: anAppend("- Porcelain.") };
		expect(removedIn(pruningOf(start, [lines.glass, apart]))).toEqual([]);
	});

	it("gets back the line of the symptom that misses it", () => {
		const { events, state } = withLines(start, Object.values(lines));
		const patch = planPruning(state, start.context, currentGroups(state, start.context))?.patch ?? [];
		// As much is won elsewhere as is lost here, so the text as a whole is no worse.
		const before = (entry: Case) => measured([["case-06", "case-07", "case-08"].includes(entry.id) ? 0 : 1]);
		const unlucky = withLines(start, Object.values(lines), [], before).events;
		expect(unlucky.length).toBe(events.length);
		const missing = (entry: Case) => measured([["case-03", "case-04"].includes(entry.id) ? 0 : 1]);
		const pruned = measuredWith(start, patch, { events: unlucky, outcome: missing, purpose: "prune" });
		const verdict = judgeMeasured(pruned.state, start.context);
		expect(verdict).toMatchObject({ adopted: true, restored: ["china"], except: ["case-03", "case-04"] });
		expect(verdict.working.patch).toEqual(["glass", "china"]);
	});
});
