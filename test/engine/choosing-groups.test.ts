import { describe, expect, it } from "vitest";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import { searchSchema } from "../../src/domain/job-spec.ts";
import { searchOf } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { combine } from "../../src/engine/search/combine.ts";
import { probeCases } from "../../src/engine/search/cover.ts";
import {
	CONTRACT_GROUP,
	firstOfFamilies,
	type Group,
	groupsOf,
	openGroups,
	partsOf,
	unlikeGroups,
	worthOf,
} from "../../src/engine/search/groups.ts";
import { currentGroups, hasRegressed } from "../../src/engine/search/view.ts";
import {
	aJudgement,
	anAdmission,
	anAppend,
	aProposal,
	aTracedEdit,
	aTrial,
	begun,
	measured,
} from "../support/builders.ts";

const SETTINGS = searchSchema.parse({});

interface Wish {
	value: string;
	note?: string;
	weight?: number;
}

/** Train cases that want one value of a box each. */
function cases(wishes: readonly Wish[]): Case[] {
	return wishes.map(({ value, note, weight = 1 }, at) =>
		placeCase(
			caseSchema.parse({
				id: `case-${String(at).padStart(2, "0")}`,
				split: "train",
				input: `Parcel number ${at}.`,
				checks: [{ type: "json-equals", path: "/box", value, weight, ...(note === undefined ? {} : { note }) }],
			}),
		),
	);
}

function grouped(entries: readonly Case[], fails: (at: number) => boolean = () => true): Group[] {
	return groupsOf(entries, (id) =>
		aTrial("v", id, measured([fails(entries.findIndex((entry) => entry.id === id)) ? 0 : 1])),
	);
}

const times = (count: number, wish: Wish) => Array.from({ length: count }, () => wish);
const noteIn = (entries: readonly Case[], group: Group) => {
	const [finding] = group.findings;
	return entries.find((entry) => entry.id === finding?.caseId)?.checks[0]?.note;
};

/** Two causes that want the same value, one that wants another. */
const TWO_CAUSES = cases([
	...times(3, { value: "padded", note: "Fragile goods want padding." }),
	...times(2, { value: "padded", note: "Antique clocks travel softly." }),
	...times(2, { value: "sealed", note: "Liquids leak." }),
]);

describe("families and their parts", () => {
	it("are told apart by what the notes say, whatever their spacing and case", () => {
		const entries = cases([
			{ value: "padded", note: "Fragile goods: padding!" },
			{ value: "padded", note: "  fragile  goods, PADDING" },
			{ value: "padded", note: "Antique clocks." },
		]);
		const groups = grouped(entries);
		const family = groups.find((group) => group.id === group.family)?.id ?? "";
		expect(
			partsOf(groups, family)
				.map((part) => part.total)
				.sort(),
		).toEqual([1, 2]);
		for (const part of partsOf(groups, family)) expect(part.family).toBe(family);
	});

	it("are one where all notes say the same, or none says anything", () => {
		for (const note of [{ note: "Fragile." }, {}]) {
			const groups = grouped(cases(times(3, { value: "padded", ...note })));
			const family = groups.find((group) => group.id === group.family)?.id ?? "";
			expect(partsOf(groups, family).map((part) => part.id)).toEqual([family]);
		}
	});
});

describe("opening groups of families", () => {
	const groups = grouped(TWO_CAUSES);
	const families = groups.filter((group) => group.id === group.family);
	const padded = families.find((group) => group.total === 5)?.id ?? "";

	it("opens a family as a whole first, then one of its parts at a time, the worst first", () => {
		const opened = (worked: Record<string, number>) =>
			openGroups(groups, worked, SETTINGS).filter((group) => group.family === padded);
		expect(opened({}).map((group) => group.id)).toEqual([padded]);
		const [part, ...more] = opened({ [padded]: 1 });
		expect(more).toEqual([]);
		expect(part?.failing).toBe(3);
		expect(part && noteIn(TWO_CAUSES, part)).toContain("Fragile");
		const [other] = opened({ [padded]: 1, [part?.id ?? ""]: 6 });
		expect(other && noteIn(TWO_CAUSES, other)).toContain("Antique");
	});

	it("goes by the weight of what fails, not by its number alone", () => {
		const entries = cases([...times(3, { value: "a" }), ...times(2, { value: "b", weight: 5 })]);
		const open = openGroups(grouped(entries), {}, SETTINGS);
		expect(open.map((group) => group.label)).toEqual(['/box = "b"', '/box = "a"']);
	});

	it("gives the first of each family, in the order given", () => {
		const ids = firstOfFamilies([...groups].reverse()).map((group) => group.family);
		expect(ids).toEqual([...new Set([...groups].reverse().map((group) => group.family))]);
	});
});

describe("choosing unlike groups", () => {
	const entries = cases([
		...times(2, { value: "a", note: "Fragile goods want a padded box today." }),
		{ value: "b", note: "Fragile goods want a padded box always." },
		{ value: "c", note: "Liquids leak without any seal." },
		{ value: "d", note: "Gifts are labelled in gold." },
	]);
	const groups = grouped(entries);
	const wordsIn = (group: Group) => new Set((noteIn(entries, group) ?? "").toLowerCase().match(/\w{3,}/g) ?? []);
	const chosen = (worked: Record<string, number> = {}, reflections = 16) =>
		unlikeGroups(groups, worked, { ...SETTINGS, reflections }, wordsIn);
	const labels = (list: readonly Group[]) => list.map((group) => group.label.at(-2));

	it("takes no two that say much the same, and of those the one that fails more", () => {
		expect(labels(chosen()).sort()).toEqual(["a", "c", "d"]);
		expect(labels(chosen())[0]).toBe("a");
	});

	it("takes those that were worked on least first, and as many as reflections are allowed", () => {
		const [first] = chosen();
		expect(labels(chosen({ [first?.id ?? ""]: 1 }))).toContain("b");
		expect(labels(chosen({ [first?.id ?? ""]: 1 }))).not.toContain("a");
		const worked = Object.fromEntries(chosen().map((group, at) => [group.id, at + 1]));
		expect(labels(chosen(worked, 1))).toEqual(["b"]);
		expect(chosen({}, 2)).toEqual(chosen().slice(0, 2));
	});

	it("takes each cause of a family for itself, and gives up what was worked on often", () => {
		const all = grouped(TWO_CAUSES);
		const words = (group: Group) => new Set([group.id]);
		const open = unlikeGroups(all, {}, SETTINGS, words);
		expect(open.map((group) => noteIn(TWO_CAUSES, group)?.split(" ")[0]).sort()).toEqual([
			"Antique",
			"Fragile",
			"Liquids",
		]);
		const worked = { [open[0]?.id ?? ""]: 6 };
		expect(unlikeGroups(all, worked, SETTINGS, words)).toHaveLength(2);
	});

	it("takes nothing that passes, and no single slip of the contract", () => {
		expect(
			unlikeGroups(
				grouped(entries, () => false),
				{},
				SETTINGS,
				wordsIn,
			),
		).toEqual([]);
		const contract = (failing: number): Group => {
			const findings = [0, 1, 2].map((at) => ({ caseId: `case-0${at}`, check: -1, failed: at < failing, weight: 1 }));
			return { id: CONTRACT_GROUP, family: CONTRACT_GROUP, label: "", contract: true, findings, failing, total: 3 };
		};
		expect(unlikeGroups([contract(1)], {}, SETTINGS, wordsIn)).toEqual([]);
		expect(unlikeGroups([contract(2)], {}, SETTINGS, wordsIn)).toHaveLength(1);
	});
});

describe("what mending groups is worth", () => {
	const groups = grouped(TWO_CAUSES, (at) => at < 4);
	const families = groups.filter((group) => group.id === group.family);

	it("is the share of all scoring weight that fails in them", () => {
		expect(worthOf(families, groups)).toBeCloseTo(4 / 7);
		expect(worthOf([], groups)).toBe(0);
		expect(worthOf([], [])).toBe(0);
		const weighty = grouped(cases([{ value: "a", weight: 3 }, { value: "b" }]), (at) => at === 0);
		expect(
			worthOf(
				weighty.filter((group) => group.id === group.family),
				weighty,
			),
		).toBe(0.75);
	});

	it("counts a part by its own failures", () => {
		const parts = partsOf(groups, families.find((group) => group.total === 5)?.id ?? "");
		expect(parts.map((part) => worthOf([part], groups)).sort()).toEqual([1 / 7, 3 / 7]);
	});
});

describe("the cases of a probe", () => {
	it("show what was asked about twice, and each other cause of its family once", () => {
		const groups = grouped(TWO_CAUSES);
		const fragile = groups.find((group) => group.id !== group.family && group.total === 3);
		const probe = probeCases(groups, new Set([fragile?.id ?? ""]));
		const count = (start: string) =>
			probe.filter((id) => TWO_CAUSES.find((entry) => entry.id === id)?.checks[0]?.note?.startsWith(start)).length;
		expect([count("Fragile"), count("Antique"), count("Liquids")]).toEqual([2, 1, 0]);
	});
});

describe("a group that passed under v0 and fails now", () => {
	// Everything fails under v0 but the light parcels, whose box is plain; then a line makes every box padded.
	const entries = cases([
		...times(3, { value: "padded", note: "Padded boxes." }),
		...times(3, { value: "plain", note: "Light ones." }),
	]);
	const wants = (entry: Case, value: string) =>
		"value" in (entry.checks[0] ?? {}) && JSON.stringify(entry.checks[0]).includes(`"${value}"`);
	const start = begun({ cases: entries, outcome: (entry) => measured([wants(entry, "plain") ? 1 : 0]) });
	const groupOf = (value: string) =>
		currentGroups(start.state, start.context).find((group) => group.label.includes(value) && group.id === group.family)
			?.id ?? "";
	const line = aTracedEdit("line", groupOf("padded"), anAppend("- Every box is padded."));
	const admission = anAdmission(searchOf(start.state).working, { edits: [line] });
	const origin = { parents: [start.incumbent], operator: "reflect" as const, generation: 0 };
	const child = recordOf(start.after(admission), [line], origin);

	/** The state after the line was adopted; the light parcels have this score under it. */
	function adopted(light: number) {
		const sample = start.state.opened?.trainSample ?? [];
		const score = (id: string) => (wants(start.context.byId.get(id) as Case, "plain") ? light : 1);
		const trials = sample.map((id) => aTrial(child.id, id, measured([score(id)])));
		return start.after(
			{ ...admission, variant: child, cases: sample },
			{ type: "trials-measured", purpose: "pass", generation: 0, trials },
			aJudgement(child, { kept: ["line"] }),
		);
	}
	const state = adopted(0);
	const codes = (edit: Edit, by: string, under = state) =>
		combine(under, start.context, [aProposal("p", by, [edit])], currentGroups(under, start.context)).refusals.map(
			({ code }) => code,
		);
	const reword: Edit = {
		op: "replace",
		section: "1/packing",
		find: "- Every box is padded.",
		text: "- Every box is padded, unless light.",
	};

	it("has regressed, and no other has", () => {
		const regressed = currentGroups(state, start.context).filter((group) => hasRegressed(state, group));
		expect(new Set(regressed.map((group) => group.family))).toEqual(new Set([groupOf("plain")]));
		expect(currentGroups(start.state, start.context).some((group) => hasRegressed(start.state, group))).toBe(false);
		const never = adopted(1);
		expect(currentGroups(never, start.context).some((group) => hasRegressed(never, group))).toBe(false);
	});

	it("may reword the proven line, which lacks an exception", () => {
		expect(codes(reword, groupOf("plain"))).toEqual([]);
	});

	it("may not reword it while it has not regressed", () => {
		expect(codes(reword, groupOf("plain"), adopted(1))).toEqual(["proven-line"]);
		expect(codes(reword, "another")).toEqual(["proven-line"]);
	});

	it.each<[string, Edit]>([
		["the line", { op: "delete", section: "1/packing", find: "- Every box is padded." }],
		["a part of it", { op: "delete", section: "1/packing", find: "is padded" }],
		["its whole section", { op: "delete", section: "1/packing" }],
		["its whole section for another text", { op: "replace", section: "1/packing", text: "- Use tape." }],
	])("may not delete %s", (_name, edit) => {
		expect(codes(edit, groupOf("plain"))).toEqual(["proven-line"]);
	});

	it("may not delete a piece of it together with a piece of the line before", () => {
		const edit: Edit = { op: "delete", section: "1/packing", find: "cheapest.\n- Every box" };
		expect(codes(edit, groupOf("plain"))).toEqual(["proven-line"]);
	});
});
