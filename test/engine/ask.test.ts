import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import { searchOf } from "../../src/domain/run-state.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { recordOfGroup, requestsFor } from "../../src/engine/search/ask.ts";
import { causesIn, type Group } from "../../src/engine/search/groups.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import type { ReflectionRequest } from "../../src/engine/steps.ts";
import { boxCases, symptomsIn, times, type Wish } from "../support/boxes.ts";
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

/** A run on these wishes whose v0 passes where it is told to. */
function run(wishes: readonly Wish[], passes: (at: number) => boolean): Begun {
	const cases = boxCases(wishes);
	return begun({ cases, outcome: (entry) => measured([passes(cases.indexOf(entry)) ? 1 : 0]) });
}

const groupsIn = (start: Begun) => currentGroups(start.state, start.context);
const causeWith = (groups: readonly Group[], value: string) =>
	causesIn(groups).find((group) => group.label.includes(`"${value}"`)) as Group;

function asked(start: Begun, { id }: Group, state = start.state): ReflectionRequest {
	const all = currentGroups(state, start.context);
	const groups = all.filter((group) => group.id === id);
	const [request] = requestsFor(state, start.context, groups, all);
	if (request === undefined) throw new Error("one question a group");
	return request;
}

const examplesOf = (request: ReflectionRequest) => request.failing.map((example) => example.caseId);

/** Padded boxes fail; four that want another box pass, one of them very like the first failing case. */
const NEAR: Wish[] = [
	{ value: "padded", note: "Glassware breaks.", input: "Six crystal goblets from the attic, wrapped." },
	...times(3, { value: "padded", note: "Glassware breaks.", input: "A vase." }),
	{ value: "plain", note: "Sturdy goods.", input: "Iron nails." },
	{ value: "plain", note: "Sturdy goods.", input: "Six crystal goblets from the attic, made of plastic." },
	...times(2, { value: "plain", note: "Sturdy goods.", input: "A hammer." }),
];

describe("a question", () => {
	const start = run(NEAR, (at) => at >= 4);
	const padded = causeWith(groupsIn(start), "padded");

	it("is one for each group, in their order, and named by generation and group", () => {
		const groups = causesIn(groupsIn(start));
		const requests = requestsFor(start.state, start.context, groups, groups);
		expect(requests.map((request) => request.group)).toEqual(groups.map(recordOfGroup));
		expect(requests[0]?.id).toBe(`g0.${groups[0]?.id}`);
		expect(new Set(requests.map((request) => request.id)).size).toBe(groups.length);
	});

	it("shows two failing answers, and others when it is asked again", () => {
		expect(examplesOf(asked(start, padded))).toEqual(["case-00", "case-01"]);
		const again = (tries: number) => {
			const state = { ...start.state, search: { ...searchOf(start.state), worked: { [padded.id]: tries } } };
			return examplesOf(asked(start, padded, state));
		};
		expect(again(1)).toEqual(["case-02", "case-03"]);
		expect(again(2)).toEqual(["case-00", "case-01"]);
	});

	it("borrows an example from its cause for a symptom that has only one", () => {
		const wishes = [
			{ value: "padded", note: "Glassware needs padding." },
			...times(3, { value: "padded", note: "Glassware breaks." }),
			...["Letters travel flat.", "Coins need insurance."].flatMap((note) => times(3, { value: note, note })),
		];
		const several = run(wishes, (at) => at >= 4);
		const single = symptomsIn(groupsIn(several)).find((group) => group.total === 1) as Group;
		expect(examplesOf(asked(several, single))).toEqual(["case-00", "case-01"]);
	});
});

describe("the contrast of a question", () => {
	it("is the near miss: a case like the failing one that wants something else of the same subject, and passes", () => {
		const start = run(NEAR, (at) => at >= 4);
		expect(asked(start, causeWith(groupsIn(start), "padded")).passing).toEqual({
			caseId: "case-05",
			variant: start.incumbent,
		});
	});

	it("is not one that fails, however near", () => {
		const start = run(NEAR, (at) => at >= 4 && at !== 5);
		const { passing } = asked(start, causeWith(groupsIn(start), "padded"));
		expect(["case-04", "case-06", "case-07"]).toContain(passing?.caseId);
	});

	it("is not one of another subject, even where nothing else passes", () => {
		const wishes = NEAR.map((wish, at) => (at >= 4 ? { ...wish, path: "/route" } : wish));
		const start = run(wishes, (at) => at >= 4);
		expect(asked(start, causeWith(groupsIn(start), "padded")).passing).toBeNull();
	});

	it("is never the failing case itself, which may pass another check of the same subject", () => {
		const cases = boxCases([{ value: "padded", note: "Glassware breaks.", input: "A vase." }]).map((entry) => ({
			...entry,
			checks: [...entry.checks, { ...entry.checks[0], not: true, value: "plain" } as Case["checks"][number]],
		}));
		const start = begun({ cases, outcome: () => measured([0, 1]) });
		expect(asked(start, causeWith(groupsIn(start), "padded")).passing).toBeNull();
	});

	it("may be a case of its own cause that passes", () => {
		const start = run(NEAR, (at) => at === 3);
		expect(asked(start, causeWith(groupsIn(start), "padded")).passing?.caseId).toBe("case-03");
	});

	it("is none where nothing passes, or nothing fails", () => {
		const failing = run(NEAR, () => false);
		expect(asked(failing, causeWith(groupsIn(failing), "padded")).passing).toBeNull();
		const passing = run(NEAR, () => true);
		const request = asked(passing, causeWith(groupsIn(passing), "padded"));
		expect([request.failing, request.passing]).toEqual([[], null]);
	});

	it("is for a contract an answer that kept it", () => {
		const start = begun({ outcome: (_entry, at) => measured([null, 1, 1, 1], { retries: at === 4 ? 0 : 1 }) });
		const contract = groupsIn(start).find((group) => group.contract) as Group;
		const request = asked(start, contract);
		expect(request.failing.map((example) => example.check)).toEqual([-1, -1]);
		expect(request.passing?.caseId).toBe(start.state.opened?.trainSample[4]);
	});
});

describe("what a question is told of earlier attempts", () => {
	const start = run(NEAR, (at) => at >= 4);
	const padded = causeWith(groupsIn(start), "padded");
	const names = ["a", "b", "c", "d", "e", "f"];
	const lines = names.map((name) => aTracedEdit(name, padded.id, anAppend(`- Tried ${name}.`)));
	const other = aTracedEdit("other", "another", anAppend("- Stays."));
	const own = aTracedEdit("own", padded.id, anAppend("- Own."));
	const admission = anAdmission(searchOf(start.state).working, { edits: [...lines, other, own] });
	const origin = { parents: [start.incumbent], operator: "reflect" as const, generation: 0 };
	const child = recordOf(start.after(admission), [other, own], origin);
	const cases = start.state.opened?.trainSample ?? [];
	const score = (id: string) => ((start.context.byId.get(id) as Case).input === "A hammer." ? 1 : 0);
	const state = start.after(
		admission,
		{ ...admission, variant: child, edits: [], cases: cases.slice(2, 4) },
		{
			type: "trials-measured",
			purpose: "probe",
			generation: 0,
			trials: cases.slice(2, 4).map((id) => aTrial(child.id, id, measured([score(id)]))),
		},
		aJudgement(child, {
			kept: ["other", "own"],
			dropped: [...names, "other"].map((edit) => ({ edit, reason: `no use: ${edit}` })),
		}),
	);
	const request = asked(start, padded, state);

	it("are the last five that did not hold for its group, with what came of them", () => {
		expect(request.rejected).toEqual(
			names.slice(1).map((name) => ({ text: `append: - Tried ${name}.`, effect: `no use: ${name}` })),
		);
	});

	it("are the lines of other groups, which have to stay", () => {
		expect(request.keep).toEqual(["- Stays."]);
	});

	it("shows each failing answer of the text under which it failed", () => {
		expect(request.failing.map((example) => example.variant)).toContain(start.incumbent);
		expect(request.variant).toBe(child.id);
		const variants = new Map(request.failing.map((example) => [example.caseId, example.variant]));
		for (const [id, variant] of variants) expect(variant).toBe(searchOf(state).view[id]);
	});
});
