import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent, TracedEdit } from "../../src/domain/events.ts";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { causesAmong, causesOf, currentGroups, meanQuality, viewOf } from "../../src/engine/search/view.ts";
import { adoptedWith } from "../support/adopted.ts";
import { boxCases, times } from "../support/boxes.ts";
import { anAppend, aTracedEdit, aTrial, begun, lostTrial, measured } from "../support/builders.ts";

/** Five padded boxes, of which two are told of in other words, and three flat ones; under v0 all fail but the flat ones. */
const GLASS = times(3, { value: "padded", note: "Glassware breaks without padding." });
const CHINA = times(2, { value: "padded", note: "Porcelain breaks without padding." });
const FLAT = times(3, { value: "flat", note: "Letters travel flat." });
const OTHERS = ["Coins need insurance.", "Books travel by land."].flatMap((note) => times(3, { value: note, note }));
const CASES = boxCases([...GLASS, ...CHINA, ...FLAT, ...OTHERS]);
const passes = (entry: Case) => CASES.indexOf(entry) >= 5;
const START = begun({ cases: CASES, outcome: (entry) => measured([passes(entry) ? 1 : 0]) });
const GROUPS = currentGroups(START.state, START.context);
const PADDED = causesIn(GROUPS).find((group) => group.label.includes("padded"))?.id ?? "none";
const OTHER = causesIn(GROUPS).find((group) => group.label.includes("flat"))?.id ?? "none";

const line = (id: string, group: string): TracedEdit => aTracedEdit(id, group, anAppend(`- Line ${id}.`));

/** The run after a line was measured on these cases, on which it has this score, and adopted. */
function probed(traced: TracedEdit[], cases: string[], score: number, events: readonly RunEvent[] = START.events) {
	return adoptedWith(START, traced, { events, cases, purpose: "probe", outcome: () => measured([score]) });
}

const paddedIn = (events: readonly RunEvent[]) => {
	const groups = currentGroups(replay(events), START.context);
	return causesIn(groups).find((group) => group.id === PADDED);
};
const casesIn = (events: readonly RunEvent[]) => paddedIn(events)?.findings.map((finding) => finding.caseId);

describe("a failure that a later line may have mended", () => {
	it("says nothing any more once another check of its symptom passes with that line", () => {
		const { events } = probed([line("a", PADDED)], ["case-00"], 1);
		expect(casesIn(events)).toEqual(["case-00", "case-03", "case-04"]);
		expect(paddedIn(events)).toMatchObject({ failing: 2, total: 3 });
	});

	it("stays where the line helped none of its symptom", () => {
		const { events } = probed([line("a", PADDED)], ["case-00"], 0);
		expect(paddedIn(events)).toMatchObject({ failing: 5, total: 5 });
	});

	it("stays where the line was written for another cause", () => {
		const { events } = probed([line("a", OTHER)], ["case-00"], 1);
		expect(paddedIn(events)).toMatchObject({ failing: 4, total: 5 });
	});

	it("is outdated as well by a line that was written for another symptom of its cause", () => {
		const china = GROUPS.find((group) => group.cause === PADDED && group.total === 2)?.id ?? "none";
		const { events } = probed([line("a", china)], ["case-00"], 1);
		expect(casesIn(events)).toEqual(["case-00", "case-03", "case-04"]);
	});

	it("counts again once it was measured with the line, and still failed", () => {
		const first = probed([line("a", PADDED)], ["case-00"], 1);
		const { events } = probed([line("a", PADDED)], ["case-01"], 0, first.events);
		expect(casesIn(events)).toEqual(["case-00", "case-01", "case-03", "case-04"]);
		expect(paddedIn(events)?.failing).toBe(3);
	});

	it("is outdated once more by the next line, and only by what passes with every line so far", () => {
		const first = probed([line("a", PADDED)], ["case-00"], 1);
		const both = [line("a", PADDED), line("b", PADDED)];
		const later = probed(both, ["case-03"], 1, first.events);
		// The first symptom has nothing that was measured with both lines: its failures count again.
		expect(casesIn(later.events)).toEqual(["case-00", "case-01", "case-02", "case-03"]);
	});

	it("stays when it passed under v0: what passes is never left out", () => {
		const { events } = probed([line("a", OTHER)], ["case-05"], 1);
		const flat = causesIn(currentGroups(replay(events), START.context)).find((group) => group.id === OTHER);
		expect(flat).toMatchObject({ failing: 0, total: 3 });
	});
});

describe("what the search sees", () => {
	it("is for each case the trial of the variant that it was last measured with", () => {
		const { state, variant } = probed([line("a", PADDED)], ["case-00"], 1);
		const seen = viewOf(state);
		expect(seen("case-00")?.variant).toBe(variant.id);
		expect(seen("case-01")?.variant).toBe(START.incumbent);
		expect(seen("nobody")).toBeUndefined();
		expect(searchOf(state).view["case-00"]).toBe(variant.id);
	});

	it("has a mean quality by weight over what was measured, and none where nothing was", () => {
		const entries = [
			{ id: "a", weight: 1 },
			{ id: "b", weight: 3 },
			{ id: "c", weight: 9 },
		];
		const trials = new Map([
			["a", aTrial("v", "a", measured([0]))],
			["b", aTrial("v", "b", measured([1]))],
			["c", lostTrial("v", "c")],
		]);
		expect(meanQuality(entries, (id) => trials.get(id))).toBe(0.75);
		expect(meanQuality(entries, () => undefined)).toBeNull();
	});
});

describe("the cases that causes are looked for in", () => {
	const many = boxCases(times(201, { value: "padded", note: "Glassware breaks." }));

	it("are all train cases, and those of the sample only where there are more than two hundred", () => {
		const few = causesAmong(many.slice(1), ["case-01"]);
		expect(many.slice(1).every((entry) => few.symptomOf(entry.id, 0) !== undefined)).toBe(true);
		const some = causesAmong(many, ["case-01", "case-02"]);
		expect(many.filter((entry) => some.symptomOf(entry.id, 0) !== undefined).map((entry) => entry.id)).toEqual([
			"case-01",
			"case-02",
		]);
	});

	it("are never those of another split", () => {
		const [hidden] = many.slice(0, 1).map((entry) => ({ ...entry, split: "validation" as const }));
		const causes = causesAmong([...many.slice(1, 5), hidden as Case], []);
		expect(causes.symptomOf("case-00", 0)).toBeUndefined();
		expect(causes.symptomOf("case-01", 0)).toBeDefined();
	});

	it("are looked at once for a run", () => {
		expect(causesOf(START.state, START.context)).toBe(causesOf(START.after(), START.context));
	});
});
