import { describe, expect, it } from "vitest";
import type { Proposal, TracedEdit } from "../../src/domain/events.ts";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { combine } from "../../src/engine/search/combine.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { judgeMeasured } from "../../src/engine/search/judge.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { adoptedWith } from "../support/adopted.ts";
import {
	aJudgement,
	anAdmission,
	anAppend,
	aProposal,
	aTracedEdit,
	aTrial,
	begun,
	lostTrial,
	measured,
} from "../support/builders.ts";
import { endOf, eventsOf, type ParcelRun, runParcels } from "../support/parcel-run.ts";
import { lineOf, parcelCases, RULES } from "../support/parcels.ts";
import { appendReply, type ScriptedWorld, sectionIn, shareOf } from "../support/scripted-client.ts";

const CASES = parcelCases({ train: 6, validation: 6, holdout: 6, checks: "rubrics" });
const WHOLE: ParcelRun = { family: { train: 6, validation: 0, holdout: 0, checks: "rubrics" } };

/** Proposes a line that helps nothing, another one each time. */
const inVain: ScriptedWorld = {
	slips: 0,
	reflection: ({ messages }) => {
		const prompt = messages[1]?.content ?? "";
		return appendReply(sectionIn(prompt), `- Think of number ${Math.floor(shareOf(prompt) * 1e6)} twice.`);
	},
};

const START = begun({ cases: CASES, outcome: (entry) => measured(entry.checks.map(() => 0)) });

/** The decision on a child with one line, when v0 and the child have this quality on the train cases, in turn. */
function judged(before: number, after: (at: number) => number | null) {
	const start = begun({ cases: CASES, outcome: () => measured([before]) });
	const line = aTracedEdit("line", "merge", anAppend("- A fragile parcel: box padded."));
	const { working } = searchOf(start.state);
	const admission = anAdmission(working, { edits: [line] });
	const origin = { parents: [working.id], operator: "reflect" as const, generation: 0 };
	const child = recordOf(start.after(admission), [line], origin);
	const cases = start.state.opened?.trainSample ?? [];
	const trials = cases.map((id, at) => {
		const quality = after(at);
		return quality === null ? lostTrial(child.id, id) : aTrial(child.id, id, measured([quality]));
	});
	const state = start.after(
		{ ...admission, variant: child, cases },
		{ type: "trials-measured", purpose: "pass", generation: 0, trials },
	);
	return { child, working, verdict: judgeMeasured(state, start.context) };
}

describe("a run whose checks never repeat", () => {
	it("keeps a child whose mean over the train cases is higher, with all of its edits", () => {
		const { child, verdict } = judged(0.5, (at) => (at === 0 ? 0.25 : 0.75));
		expect(verdict).toMatchObject({ adopted: true, kept: ["line"], dropped: [], working: { id: child.id } });
	});

	it.each([
		["the same", 0.5],
		["a little lower", 0.49],
		["much lower", 0],
	])("drops a child whose mean is %s, and goes on from the text it had", (_name, quality) => {
		const { working, verdict } = judged(0.5, () => quality);
		expect(verdict).toMatchObject({ adopted: false, kept: [], working: { id: working.id } });
	});

	it("says of every edit of a rejected child that it is out", () => {
		expect(judged(0.5, () => 0.5).verdict.dropped.map((entry) => entry.edit)).toEqual(["line"]);
	});

	it("measures its child on the whole train sample, never on a part of it", async () => {
		const run = await runParcels({ ...WHOLE, world: { moods: false } });
		const admitted = eventsOf(run.events, "variant-admitted");
		expect(admitted.length).toBeGreaterThan(1);
		for (const event of admitted) {
			expect(event).toMatchObject({ purpose: "pass" });
			expect(event.cases).toEqual(run.state.opened?.trainSample);
		}
	});

	it("leaves the working text as it is, and shows nothing of a child that was rejected", async () => {
		const run = await runParcels({ ...WHOLE, world: inVain });
		const judgements = eventsOf(run.events, "edits-judged");
		expect(judgements.length).toBeGreaterThan(1);
		for (const event of judgements) {
			expect(event).toMatchObject({ adopted: false, kept: [], working: { id: run.state.opened?.incumbent.id } });
		}
		expect(new Set(Object.values(run.state.search?.view ?? {}))).toEqual(new Set([run.state.opened?.incumbent.id]));
		expect(run.state.search?.finished?.finalist).toBe(run.state.opened?.incumbent.id);
		expect(endOf(run.events).status).toBe("kept");
	});

	it("stops after as many generations in vain as the job spec's stall says", async () => {
		for (const stall of [1, 2]) {
			const run = await runParcels({ ...WHOLE, world: inVain, spec: { search: { stall } } });
			expect(eventsOf(run.events, "edits-judged")).toHaveLength(stall);
			expect(run.state.search?.finished).toMatchObject({
				stoppedBy: "converged",
				reason: `${stall} generations without an edit that held`,
			});
		}
	});

	it("counts its stalls in a row: a child that is kept begins them anew", async () => {
		let questions = 0;
		const reflection: ScriptedWorld["reflection"] = (request) => {
			const prompt = request.messages[1]?.content ?? "";
			questions += 1;
			const rule = questions === 2 ? RULES[0] : undefined;
			return appendReply(sectionIn(prompt), rule ? lineOf(rule) : `- Think of ${questions} of ${questions * 7} boxes.`);
		};
		const run = await runParcels({
			...WHOLE,
			world: { slips: 0, reflection },
			spec: { search: { reflections: 1, stall: 2 } },
		});
		const told = eventsOf(run.events, "edits-judged").map((event) => event.adopted);
		expect(told).toEqual([false, true, false, false]);
	});

	it("finds the rules all the same, and proves the text", async () => {
		const run = await runParcels({
			family: { train: 6, validation: 9, holdout: 9, checks: "rubrics" },
			world: { moods: false },
		});
		expect(endOf(run.events)).toMatchObject({ status: "confirmed", stoppedBy: "converged" });
		const text = new TextDecoder().decode(run.fileOf(run.state.search?.finished?.finalist ?? ""));
		// Each cause is a field here; what fails twice in ten is not told from slips by so few cases.
		expect(RULES.filter((rule) => text.includes(lineOf(rule))).length).toBeGreaterThanOrEqual(5);
	});
});

describe("lines that were added where edits are not judged apart", () => {
	const line = aTracedEdit("e", "merge", anAppend("- A fragile parcel: box padded."));
	const admission = anAdmission(searchOf(START.state).working, { edits: [line] });
	const origin = { parents: [START.incumbent], operator: "reflect" as const, generation: 0 };
	const child = recordOf(START.after(admission), [line], origin);
	const cases = START.state.opened?.trainSample ?? [];
	// Everything still fails, so that no line is protected by checks that pass.
	const trials = cases.map((id) => aTrial(child.id, id, measured([0, 0, 0, 0])));
	const state = replay([
		...START.events,
		{ ...admission, variant: child, cases },
		{ type: "trials-measured", purpose: "pass", generation: 0, trials },
		aJudgement(child, { kept: ["e"] }),
	]);
	const causes = causesIn(currentGroups(state, START.context));
	const causeWith = (value: string) => causes.find((cause) => cause.label.includes(`"${value}"`))?.id ?? "none";
	const [group, other] = [causeWith("box"), causeWith("air")];
	const tried = (edit: Edit, by = group) => {
		const proposals: Proposal[] = [aProposal("p", by, [edit])];
		return combine(state, START.context, proposals, currentGroups(state, START.context));
	};
	const codes = (edits: { refusals: { code: string }[] }) => edits.refusals.map((refusal) => refusal.code);

	it.each<[string, Edit]>([
		["the line", { op: "delete", section: "1/packing", find: "- A fragile parcel: box padded." }],
		["a part of it", { op: "delete", section: "1/packing", find: "box padded" }],
		[
			"it with more around it",
			{ op: "delete", section: "1/packing", find: "cheapest.\n- A fragile parcel: box padded." },
		],
		["the whole section", { op: "delete", section: "1/packing" }],
		["the whole section for another", { op: "replace", section: "1/packing", text: "- Use tape." }],
	])("may not be deleted by those who ask about something else: %s", (_name, edit) => {
		expect(codes(tried(edit, other))).toEqual(["proven-line"]);
	});

	it("may be deleted by those who ask about the very cause that still fails with it", () => {
		expect(codes(tried({ op: "delete", section: "1/packing", find: "- A fragile parcel: box padded." }))).toEqual([]);
	});

	it("may be reworded", () => {
		const edit: Edit = {
			op: "replace",
			section: "1/packing",
			find: "- A fragile parcel: box padded.",
			text: "- A fragile parcel: box padded, unless it is a gift.",
		};
		const { edits, refusals } = tried(edit, other);
		expect(refusals).toEqual([]);
		expect(edits.map((traced: TracedEdit) => traced.edit)).toEqual([edit]);
	});

	it("may not be deleted for a group that is not known, though they are about nothing themselves", () => {
		const start = begun({ cases: CASES, outcome: () => measured([0]) });
		const { state: odd } = adoptedWith(start, [aTracedEdit("odd", "merge", anAppend("- Zebras graze."))]);
		const edit: Edit = { op: "delete", section: "1/packing", find: "- Zebras graze." };
		const proposals = [aProposal("p", "gone", [edit])];
		expect(codes(combine(odd, start.context, proposals, currentGroups(odd, start.context)))).toEqual(["proven-line"]);
	});

	it("leave what v0 says open to everybody", () => {
		expect(codes(tried({ op: "delete", section: "1/sending", find: "- Most parcels go by van." }))).toEqual([]);
	});
});
