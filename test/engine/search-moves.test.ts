import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent, TracedEdit } from "../../src/domain/events.ts";
import { evolve, replay, searchOf } from "../../src/domain/run-state.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { planSearch } from "../../src/engine/search/search.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import type { Step } from "../../src/engine/steps.ts";
import { adoptedWith, measuredWith } from "../support/adopted.ts";
import { boxCases, times } from "../support/boxes.ts";
import { aJudgement, anAppend, aProposal, aTracedEdit, type Begun, begun, measured } from "../support/builders.ts";
import { lineOf, parcelCases, RULES } from "../support/parcels.ts";

const FAILING = () => measured([null, 0, 0, 0]);
const PASSING = () => measured([null, 1, 1, 1]);
/** No limit stands in the way, and v0 fails everywhere but where nothing special is wanted. */
const START = begun({
	cases: parcelCases({ train: 27, validation: 0, holdout: 0 }),
	spec: { budget: {} },
	outcome: (entry) => measured(entry.checks.map((check) => (check.contract ? null : ruleFor(check.note) ? 0 : 1))),
});
const SAMPLE = START.state.opened?.trainSample ?? [];

function ruleFor(note: string | undefined) {
	return RULES.find((rule) => note?.includes(rule.trait));
}

const planned = (events: readonly RunEvent[], { context }: Begun = START): Step => planSearch(replay(events), context);

/** The event that the search decides on. */
function decided(events: readonly RunEvent[], start: Begun = START): RunEvent {
	const step = planned(events, start);
	if (step.type !== "decide") throw new Error(`the search wants to ${step.type}`);
	return step.event;
}

const groupsIn = (events: readonly RunEvent[], { context }: Begun = START) => currentGroups(replay(events), context);
const idOf = (label: string) => causesIn(groupsIn(START.events)).find((group) => group.label === label)?.id ?? "none";
const lines = RULES.map((rule, at) =>
	aTracedEdit(`l${at}`, idOf(`/${rule.field} = "${rule.value}"`), anAppend(lineOf(rule))),
);
const [PADDED, SEALED, AIR, TRUCK] = lines as [TracedEdit, TracedEdit, TracedEdit, TracedEdit];
const filler = aTracedEdit("filler", PADDED.group, anAppend("- Take your time and think twice."));

/** The run after these lines were proposed, a proposal each. */
function proposed(events: readonly RunEvent[], edits: readonly TracedEdit[]): RunEvent[] {
	const { generation } = searchOf(replay(events));
	const proposals = edits.map((traced) => aProposal(`p-${traced.id}`, traced.group, [traced.edit]));
	return [...events, { type: "proposals-received", generation, groups: [], proposals }];
}

/** What the lines of a text state is right under it; everything else is as under v0. */
const obeying = (patch: readonly TracedEdit[]) => (entry: Case) =>
	measured(
		entry.checks.map((check) => {
			if (check.contract) return null;
			const rule = ruleFor(check.note);
			return rule === undefined || patch.some((traced) => traced.edit.text === lineOf(rule)) ? 1 : 0;
		}),
	);

const passed = (patch: TracedEdit[], events: readonly RunEvent[] = START.events) =>
	adoptedWith(START, patch, { events, outcome: obeying(patch) }).events;
const probed = (patch: TracedEdit[], events: readonly RunEvent[]) =>
	adoptedWith(START, patch, { events, purpose: "probe", cases: SAMPLE.slice(0, 3), outcome: obeying(patch) }).events;

describe("what is measured of a child", () => {
	it("is all of the train sample for the first one, however small", () => {
		expect(decided(proposed(START.events, [PADDED]))).toMatchObject({
			...{ type: "variant-admitted", purpose: "pass", cases: SAMPLE },
			edits: [{ group: PADDED.group }],
		});
	});

	it("is a few cases where it should help for a later one with few edits", () => {
		const event = decided(proposed(passed([PADDED]), [SEALED]));
		expect(event).toMatchObject({ type: "variant-admitted", purpose: "probe" });
		if (event.type !== "variant-admitted") throw new Error("a child is admitted");
		expect(event.cases).toHaveLength(2);
		for (const id of event.cases) expect(START.context.byId.get(id)?.input).toContain("liquid");
		expect(event.variant.patch).toHaveLength(2);
	});

	it("is all of it for a later one that changes so much that a probe would hardly be cheaper", () => {
		const small = begun({
			cases: parcelCases({ train: 9, validation: 0, holdout: 0 }),
			spec: { budget: {} },
			outcome: FAILING,
		});
		const events = adoptedWith(small, [PADDED], { outcome: FAILING }).events;
		expect(decided(proposed(events, [SEALED, AIR, TRUCK]), small)).toMatchObject({ purpose: "pass" });
	});

	it("is all of it for one that rewords a line, since what that breaks may be anywhere", () => {
		const reworded = aTracedEdit("reworded", SEALED.group, {
			op: "replace",
			section: "1/packing",
			find: lineOf(RULES[0] as (typeof RULES)[number]),
			text: "- Liquid: sealed.",
		});
		const event = decided(proposed(passed([PADDED]), [reworded]));
		expect(event).toMatchObject({ type: "variant-admitted", purpose: "pass", cases: SAMPLE, refusals: [] });
	});

	it("is all of it for one from which a merge left out a line that stood", () => {
		const events = proposed(passed([PADDED]), [SEALED]);
		const merged: RunEvent = {
			type: "proposals-consolidated",
			...{ generation: 1, operator: "merge", reason: "1 edits of 2", calls: 1, tokens: 1, usd: null },
			proposal: aProposal("g1.merge", "merge", [SEALED.edit]),
		};
		const event = decided([...events, merged]);
		expect(event).toMatchObject({ type: "variant-admitted", purpose: "pass", cases: SAMPLE });
		expect(event.type === "variant-admitted" && event.variant.patch).toHaveLength(1);
	});

	it("is all of it where no check is like another, also later", () => {
		const unlike = begun({
			cases: parcelCases({ train: 27, validation: 0, holdout: 0, checks: "rubrics" }),
			...{ spec: { budget: {} }, outcome: (entry: Case) => measured(entry.checks.map(() => 0)) },
		});
		const events = adoptedWith(unlike, [PADDED], { outcome: (entry) => measured(entry.checks.map(() => 0)) }).events;
		expect(decided(proposed(events, [SEALED]), unlike)).toMatchObject({
			...{ type: "variant-admitted", purpose: "pass" },
			cases: unlike.state.opened?.trainSample,
		});
	});

	it("is nothing when no edit was admitted: the generation was in vain", () => {
		const gone = aTracedEdit("gone", PADDED.group, { op: "delete", section: "1/packing", find: "- Use string." });
		const event = decided(proposed(START.events, [gone]));
		expect(event).toMatchObject({ type: "edits-judged", variant: null, adopted: false, kept: [] });
		expect(event).toMatchObject({ refusals: [{ code: "not-found" }], working: { id: START.incumbent } });
		expect(searchOf(evolve(START.state, event))).toMatchObject({ stalled: 1, generation: 1 });
	});
});

describe("what is asked", () => {
	it("is one question for each open cause, about what fails most first", () => {
		const step = planned(START.events);
		if (step.type !== "reflect") throw new Error("the search asks");
		expect(step.groups.map((group) => group.id).sort()).toEqual(lines.map((line) => line.group).sort());
		expect(step.requests.map((request) => request.group)).toEqual(step.groups);
	});

	it("is no more than the job spec allows", () => {
		const context = {
			...START.context,
			settings: { ...START.settings, search: { ...START.settings.search, reflections: 2 } },
		};
		const step = planSearch(START.state, context);
		expect(step.type === "reflect" && step.requests.length).toBe(2);
	});

	it("is about a symptom where checks repeat, and about the whole cause where they do not", () => {
		const notes = ["Glassware breaks without padding.", "Porcelain breaks without padding."];
		const others = ["Letters travel flat.", "Coins need insurance.", "Books travel by land."];
		const world = (wishes: Parameters<typeof boxCases>[0]) => {
			const cases = boxCases(wishes);
			return begun({ cases, spec: { budget: {} }, outcome: (entry) => measured([cases.indexOf(entry) < 2 ? 0 : 1]) });
		};
		const own = others.flatMap((note) => times(3, { value: note, note }));
		const alike = world([
			...notes.map((note) => ({ value: "padded", note })),
			{ value: "padded", note: notes[0] ?? "" },
			...own,
		]);
		const about = planned(alike.events, alike);
		const [symptom] = about.type === "reflect" ? about.groups : [];
		expect(groupsIn(alike.events, alike).find((group) => group.id === symptom?.id)?.cause).not.toBe(symptom?.id);
		const unlike = world([...notes, ...others].map((note, at) => ({ value: `value-${at}`, note })));
		const whole = planned(unlike.events, unlike);
		expect(whole.type === "reflect" && whole.groups).toMatchObject([{ failing: 2, total: 2 }]);
	});

	it("is nothing any more when what is open is not worth another generation", () => {
		// One check of 81 fails always: less than one in fifty of the quality.
		const cases = boxCases([
			...times(79, { value: "plain", note: "Sturdy." }),
			...times(1, { value: "padded", note: "Glass." }),
		]);
		const outcome = (entry: Case) => measured([cases.indexOf(entry) === 79 ? 0 : 1]);
		const start = begun({ cases, spec: { budget: {} }, outcome });
		expect(planned(start.events, start).type).toBe("reflect");
		const later = [
			...start.events,
			aJudgement(searchOf(start.state).working, { variant: null, adopted: false, kept: ["x"] }),
		];
		expect(decided(later, start)).toMatchObject({
			...{ type: "search-finished", stoppedBy: "converged" },
			reason: "what still fails is not worth another generation",
		});
	});
});

describe("the end of a search", () => {
	const idle = (count: number, events: readonly RunEvent[] = START.events): RunEvent[] => {
		const { working, generation } = searchOf(replay(events));
		const changes = { variant: null, adopted: false, kept: [] };
		return [
			...events,
			...Array.from({ length: count }, (_, at) => aJudgement(working, { ...changes, generation: generation + at })),
		];
	};

	it("comes after so many generations in vain, and not before", () => {
		const { stall } = START.settings.search;
		expect(planned(idle(stall - 1)).type).toBe("reflect");
		expect(decided(idle(stall))).toMatchObject({
			...{ type: "search-finished", finalist: START.incumbent },
			reason: `${stall} generations without an edit that held`,
		});
	});

	it("comes when nothing is open", () => {
		expect(decided(passed(lines))).toMatchObject({
			...{ type: "search-finished", stoppedBy: "converged" },
			reason: "no failure is left that slips of the model do not explain",
		});
	});

	it("comes with a limit that was reached, without another measurement", () => {
		const events: RunEvent[] = [...passed([...lines, filler]), { type: "limit-reached", limit: "minutes" }];
		expect(decided(events)).toMatchObject({ type: "search-finished", stoppedBy: "minutes" });
	});

	it("is put off for one whole pass without the suspect lines", () => {
		const event = decided(passed([...lines, filler]));
		expect(event).toMatchObject({ type: "variant-admitted", purpose: "prune", edits: [], cases: SAMPLE });
		expect(event).toMatchObject({ variant: { operator: "prune", patch: lines.map((line) => line.id) } });
	});

	it("is not put off where the pass cannot be paid beside the proofs", () => {
		const events = passed([...lines, filler]);
		const spent = replay(events).spend.taskCalls;
		const under = (calls: number) =>
			planSearch(replay(events), { ...START.context, settings: { ...START.settings, limits: { calls } } });
		expect(under(spent + SAMPLE.length - 1)).toMatchObject({ event: { type: "search-finished" } });
		expect(under(spent + SAMPLE.length)).toMatchObject({ event: { type: "variant-admitted", purpose: "prune" } });
	});

	it("is put off to confirm a text with three edits or more that only probes have seen", () => {
		const all = lines.slice(0, 6);
		const two = idle(3, probed(all, passed(all.slice(0, 4))));
		expect(decided(two)).toMatchObject({ type: "search-finished" });
		const three = idle(3, probed(all, passed(all.slice(0, 3))));
		expect(decided(three)).toMatchObject({
			...{ type: "variant-admitted", purpose: "prune", cases: SAMPLE, edits: [] },
			variant: { id: searchOf(replay(three)).working.id },
		});
	});

	it("follows a pass that pruned: it is not pruned again", () => {
		const pruned = measuredWith(START, lines, {
			...{ events: passed([...lines, filler]), purpose: "prune", outcome: obeying(lines) },
		});
		const judgement = decided(pruned.events);
		expect(judgement).toMatchObject({ type: "edits-judged", adopted: true, dropped: [{ edit: "filler" }] });
		expect(decided([...pruned.events, judgement])).toMatchObject({
			...{ type: "search-finished", finalist: pruned.variant.id },
		});
	});

	it("confirms the text when a pass without the suspect lines lost quality, and it has edits that only probes have seen", () => {
		const all = lines.slice(0, 6);
		const ended = idle(3, probed([...all, filler], passed(all.slice(0, 3))));
		const pruned = measuredWith(START, all, {
			events: ended,
			purpose: "prune",
			outcome: () => measured([null, 0, 0, 0]),
		});
		const judgement = decided(pruned.events);
		expect(judgement).toMatchObject({ type: "edits-judged", adopted: false, restored: ["filler"] });
		const next = [...pruned.events, judgement];
		expect(searchOf(replay(next)).pruned).toBe(false);
		expect(decided(next)).toMatchObject({
			...{ type: "variant-admitted", purpose: "prune", cases: SAMPLE },
			variant: { id: searchOf(replay(next)).working.id },
		});
	});

	it("may be undone by what the pass shows: the search asks again about what fails now", () => {
		const all = lines.slice(0, 6);
		const ended = idle(3, probed(all, passed(all.slice(0, 3))));
		const text = searchOf(replay(ended)).working;
		const some = all.slice(0, 4);
		const whole = measuredWith(START, all, { events: ended, purpose: "prune", outcome: obeying(some) });
		expect(whole.variant.id).toBe(text.id);
		const judgement = decided(whole.events);
		expect(judgement).toMatchObject({ adopted: true, kept: all.slice(3).map((line) => line.id) });
		const next = planned([...whole.events, judgement]);
		if (next.type !== "reflect") throw new Error("the search asks again");
		expect(next.groups.map((group) => group.id).sort()).toEqual(
			all
				.slice(4)
				.map((line) => line.group)
				.sort(),
		);
	});

	it("prunes once more when something was added since", () => {
		const pruned = passed(lines.slice(0, 5), passed([...lines.slice(0, 5), filler]));
		expect(searchOf(replay(pruned)).pruned).toBe(false);
		const extra = aTracedEdit("more", PADDED.group, anAppend("- Think twice, and smile."));
		expect(decided(passed([...lines, extra], pruned))).toMatchObject({ type: "variant-admitted", purpose: "prune" });
	});
});

describe("a search without a signal", () => {
	it("ends at once", () => {
		const perfect = begun({ outcome: PASSING });
		expect(decided(perfect.events, perfect)).toMatchObject({ type: "search-finished", stoppedBy: "no-signal" });
	});
});
