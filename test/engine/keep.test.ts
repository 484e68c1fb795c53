import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import type { TracedEdit } from "../../src/domain/events.ts";
import type { Trial } from "../../src/domain/trial.ts";
import { createCauses } from "../../src/engine/search/causes.ts";
import { causesIn, groupsOf } from "../../src/engine/search/groups.ts";
import { attribute, type Comparison, harmsWhole, keepWhole } from "../../src/engine/search/keep.ts";
import { anAppend, aTracedEdit, aTrial, lostTrial, measured } from "../support/builders.ts";
import { parcelCases } from "../support/parcels.ts";

const CASES = parcelCases({ train: 9, validation: 0, holdout: 0 });
const CAUSES = createCauses(CASES);
/** Scores of box, route and label for each case. */
type Scores = readonly (readonly number[] | null)[];

function lookup(variant: string, scores: Scores): (caseId: string) => Trial | undefined {
	const trials = new Map(
		CASES.flatMap((entry, at): [string, Trial][] => {
			const own = scores[at];
			return own === undefined
				? []
				: [
						[
							entry.id,
							own === null ? lostTrial(variant, entry.id) : aTrial(variant, entry.id, measured([null, ...own])),
						],
					];
		}),
	);
	return (id) => trials.get(id);
}

const all = (box: number, route = 1, label = 1): Scores => CASES.map(() => [box, route, label]);

/** Id of the group that wants this. */
function groupOf(label: string): string {
	const groups = groupsOf(CASES, lookup("v", all(0, 0, 0)), CAUSES);
	return causesIn(groups).find((group) => group.label === label)?.id ?? "none";
}
const PADDED = groupOf('/box = "padded"');
const SEALED = groupOf('/box = "sealed"');
const AIR = groupOf('/route = "air"');

function comparison(before: Scores, after: Scores, edits: TracedEdit[], more: Partial<Comparison> = {}): Comparison {
	const sides = { before: lookup("a", before), after: lookup("b", after) };
	return { cases: CASES, ...sides, edits, ownerOf: () => null, causes: CAUSES, ...more };
}

const wants = (entry: Case, value: string) => entry.checks.some((check) => "value" in check && check.value === value);

describe("attributing a child to its edits", () => {
	it("keeps an edit whose own group fails less, and takes out one whose group does not", () => {
		const after = CASES.map((entry) => [wants(entry, "padded") ? 1 : 0, 1, 1]);
		const verdicts = attribute(comparison(all(0), after, [aTracedEdit("good", PADDED), aTracedEdit("vain", SEALED)]));
		expect(verdicts.kept).toEqual(["good"]);
		expect(verdicts.dropped).toMatchObject([
			{ edit: "vain", reason: expect.stringContaining("did not improve: 3 of 3 failing before, 3 of 3 failing after") },
		]);
	});

	it("keeps an edit that helped what it is about, though not the group that it was written for", () => {
		const after = CASES.map((entry) => [wants(entry, "padded") ? 1 : 0, 1, 1]);
		const astray = aTracedEdit("astray", SEALED, anAppend("- Padded."));
		const ownerOf = (text: string) => (text === "- Padded." ? PADDED : null);
		expect(attribute(comparison(all(0), after, [astray], { ownerOf })).kept).toEqual(["astray"]);
		expect(attribute(comparison(all(0), after, [astray])).kept).toEqual([]);
	});

	it("takes out an edit whose group was not seen at all", () => {
		const verdicts = attribute(comparison([], [], [aTracedEdit("e", PADDED)]));
		expect(verdicts.dropped).toMatchObject([{ edit: "e", reason: expect.stringContaining("not seen") }]);
	});

	it("takes out what took something away when a group that used to pass begins to fail", () => {
		const edit = { op: "delete", section: "1/packing", find: "- Choose" } as const;
		const before = CASES.map(() => [0, 1, 1]);
		const after = CASES.map(() => [1, 0, 1]);
		const verdicts = attribute(
			comparison(before, after, [aTracedEdit("cut", PADDED, edit), aTracedEdit("add", PADDED)]),
		);
		expect(verdicts.kept).toEqual(["add"]);
		expect(verdicts.dropped).toMatchObject([{ edit: "cut", reason: expect.stringContaining("took something away") }]);
	});

	it("never takes out an addition whose group improved, and decides on every edit once", () => {
		const anyScores = fc.array(fc.option(fc.array(fc.constantFrom(0, 1), { minLength: 3, maxLength: 3 })), {
			minLength: 9,
			maxLength: 9,
		});
		const anyGroup = fc.constantFrom(PADDED, SEALED, AIR, "contract", "gone");
		fc.assert(
			fc.property(anyScores, anyScores, fc.array(anyGroup, { maxLength: 5 }), (before, after, groups) => {
				const edits = groups.map((group, at) => aTracedEdit(`e${at}`, group));
				const one = comparison(before, after, edits);
				const verdicts = attribute(one);
				const decided = [...verdicts.kept, ...verdicts.dropped.map((entry) => entry.edit)];
				expect(decided.sort()).toEqual(edits.map((edit) => edit.id).sort());
				const share = (trialOf: Comparison["before"], id: string) => {
					const group = groupsOf(CASES, trialOf, CAUSES).find((candidate) => candidate.id === id);
					return group === undefined || group.total === 0 ? null : group.failing / group.total;
				};
				for (const edit of edits) {
					// What was not seen again is no improvement.
					const [before, after] = [share(one.before, edit.group) ?? 0, share(one.after, edit.group)];
					expect(verdicts.kept.includes(edit.id)).toBe(after !== null && after < before);
				}
			}),
			{ numRuns: 40 },
		);
	});
});

describe("what is not known", () => {
	it("helps no edit: lost answers of a probe are no improvement", () => {
		const lost: Scores = CASES.map(() => null);
		const verdicts = attribute(comparison(all(0), lost, [aTracedEdit("e", PADDED)]));
		expect(verdicts.kept).toEqual([]);
	});

	it("is left out on both sides: a child that is worse wherever it is known is not kept", () => {
		const before = CASES.map((_, at) => (at < 3 ? [0, 0, 0] : [1, 1, 1]));
		const after: Scores = CASES.map((_, at) => (at < 3 ? null : [1, 1, 0]));
		expect(keepWhole(comparison(before, after, [aTracedEdit("e", PADDED)])).adopted).toBe(false);
	});
});

describe("judging a child as a whole", () => {
	const edits = [aTracedEdit("e", PADDED)];

	it("keeps everything or nothing, by the mean", () => {
		expect(keepWhole(comparison(all(0), all(1), edits))).toMatchObject({ adopted: true, kept: ["e"], dropped: [] });
		for (const after of [all(0), all(0, 0)]) {
			const verdicts = keepWhole(comparison(all(0), after, edits));
			expect(verdicts).toMatchObject({ adopted: false, kept: [], dropped: [{ edit: "e" }] });
			expect(verdicts.dropped[0]?.reason).toContain("did not improve");
		}
	});

	it("goes by the weighted mean of quality, and says what it was", () => {
		const heavy = CASES.map((entry, at) => ({ ...entry, weight: at === 0 ? 20 : 1 }));
		const one: Scores = CASES.map((_, at) => [at === 0 ? 1 : 0, 1, 1]);
		const others: Scores = CASES.map((_, at) => [at === 0 ? 0 : 1, 1, 1]);
		expect(keepWhole(comparison(one, others, edits)).adopted).toBe(true);
		const weighty = keepWhole(comparison(one, others, edits, { cases: heavy }));
		expect(weighty.adopted).toBe(false);
		const quality = (box: number) => (((20 * (1 - box) + 8 * box) * 1 + 28 * 2) / 3 / 28).toFixed(3);
		expect(weighty.dropped[0]?.reason).toContain(`${quality(0)} before, ${quality(1)} after`);
	});

	it("does not keep a child that was not measured at all", () => {
		const lost: Scores = CASES.map(() => null);
		expect(keepWhole(comparison(all(0), lost, edits))).toMatchObject({ adopted: false, kept: [] });
	});

	it("sees harm in a clear loss, and none in noise, a gain or missing data", () => {
		const noisy: Scores = CASES.map((_, at) => [1, 1, at === 0 ? 0 : 1]);
		expect(harmsWhole(comparison(all(1), all(1, 0), edits))).toBe(true);
		expect(harmsWhole(comparison(all(1), noisy, edits))).toBe(false);
		expect(harmsWhole(comparison(all(0), all(1), edits))).toBe(false);
		expect(
			harmsWhole(
				comparison(
					all(1),
					CASES.map(() => null),
					edits,
				),
			),
		).toBe(false);
	});
});
