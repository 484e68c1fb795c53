import { describe, expect, it } from "vitest";
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent, TracedEdit } from "../../src/domain/events.ts";
import { evolve, replay, searchOf } from "../../src/domain/run-state.ts";
import { causesIn } from "../../src/engine/search/groups.ts";
import { judgeMeasured } from "../../src/engine/search/judge.ts";
import { currentGroups } from "../../src/engine/search/view.ts";
import { adoptedWith, measuredWith } from "../support/adopted.ts";
import { anAppend, aTracedEdit, begun, measured } from "../support/builders.ts";
import { lineOf, RULES } from "../support/parcels.ts";

const START = begun({ outcome: () => measured([null, 0, 0, 0]) });
const GROUPS = currentGroups(START.state, START.context);
const idOf = (label: string) => causesIn(GROUPS).find((group) => group.label === label)?.id ?? "none";
const [PADDED, SEALED, AIR] = [idOf('/box = "padded"'), idOf('/box = "sealed"'), idOf('/route = "air"')];
const [padded = "", sealed = "", air = ""] = RULES.map(lineOf);
const PADDED_LINE = aTracedEdit("padded", PADDED, anAppend(padded));
const SEALED_LINE = aTracedEdit("sealed", SEALED, anAppend(sealed));
const AIR_LINE = aTracedEdit("air", AIR, anAppend(air));
const BOTH_LINE = aTracedEdit("both", PADDED, anAppend(`${padded} A liquid one: box sealed.`));

const wants = (entry: Case, value: string) => entry.checks.some((check) => "value" in check && check.value === value);
/** The box is right where one of these values is wanted, and nothing else is. */
const right =
	(...values: string[]) =>
	(entry: Case) =>
		measured([null, values.some((value) => wants(entry, value)) ? 1 : 0, 0, 0]);
const dropped = (verdict: ReturnType<typeof judgeMeasured>) => verdict.dropped.map((entry) => entry.edit);

function judged(patch: TracedEdit[], options: Parameters<typeof measuredWith>[2]) {
	const { state, variant, events } = measuredWith(START, patch, options);
	const verdict = judgeMeasured(state, START.context);
	return { verdict, variant, state, after: evolve(state, verdict), events: [...events, verdict] as RunEvent[] };
}

describe("judging a probe", () => {
	const cases = START.state.opened?.trainSample ?? [];

	it("keeps what helped its own cause, takes out what did not, and goes on with the rest", () => {
		const { verdict, variant, after } = judged([PADDED_LINE, SEALED_LINE], {
			purpose: "probe",
			cases,
			outcome: right("padded"),
		});
		expect(verdict).toMatchObject({ adopted: true, kept: ["padded"], restored: [], variant: variant.id });
		expect(dropped(verdict)).toEqual(["sealed"]);
		expect(verdict.working.patch).toEqual(["padded"]);
		expect(verdict.working.operator).toBe("attribute");
		expect(searchOf(after)).toMatchObject({ generation: 1, stalled: 0, passes: [START.incumbent] });
	});

	it("leaves the child as it is when all of it helped", () => {
		const { verdict, variant } = judged([PADDED_LINE, SEALED_LINE], {
			purpose: "probe",
			outcome: right("padded", "sealed"),
		});
		expect(verdict.working).toEqual(variant);
	});

	it("judges new edits only: what the working text had stays", () => {
		const standing = adoptedWith(START, [AIR_LINE], { outcome: right() }).events;
		const { verdict } = judged([AIR_LINE, PADDED_LINE], { events: standing, purpose: "probe", outcome: right() });
		expect(dropped(verdict)).toEqual(["padded"]);
		expect(verdict.working.patch).toEqual(["air"]);
	});

	it("counts as a generation in vain when nothing helped", () => {
		const { after } = judged([PADDED_LINE], { purpose: "probe", outcome: right() });
		expect(searchOf(after)).toMatchObject({ generation: 1, stalled: 1 });
	});
});

describe("judging a whole pass", () => {
	it("keeps the child with all of its edits when its mean is higher, whether each edit helped or not", () => {
		const { verdict, variant, after } = judged([PADDED_LINE, SEALED_LINE], { outcome: right("padded") });
		expect(verdict).toMatchObject({ adopted: true, kept: ["padded", "sealed"], dropped: [], working: variant });
		expect(searchOf(after).passes).toEqual([START.incumbent, variant.id]);
	});

	it("goes back to the text of the last pass when it is not, and says that nothing improved", () => {
		const { verdict, after } = judged([PADDED_LINE], { outcome: right() });
		expect(verdict).toMatchObject({ adopted: false, kept: [], restored: [], working: { id: START.incumbent } });
		expect(verdict.dropped).toMatchObject([{ edit: "padded", reason: expect.stringContaining("did not improve") }]);
		expect(searchOf(after).passes).toEqual([START.incumbent]);
	});

	it("says that quality was lost when it was", () => {
		const standing = adoptedWith(START, [PADDED_LINE], { outcome: right("padded", "sealed") });
		const { verdict } = judged([PADDED_LINE, AIR_LINE], { events: standing.events, outcome: right() });
		expect(verdict).toMatchObject({ adopted: false, working: { id: standing.variant.id } });
		expect(verdict.dropped).toEqual([{ edit: "air", reason: "the text as a whole lost quality" }]);
	});

	it("takes back what probes had kept as well, back to the text of the last pass", () => {
		const probe = adoptedWith(START, [PADDED_LINE], { purpose: "probe", outcome: right() });
		const { verdict } = judged([PADDED_LINE, AIR_LINE], { events: probe.events, outcome: right() });
		expect(dropped(verdict)).toEqual(["padded", "air"]);
		expect(verdict.working.id).toBe(START.incumbent);
	});
});

describe("a whole pass of a text in which a merged line takes the place of others", () => {
	const standing = adoptedWith(START, [PADDED_LINE, AIR_LINE], { outcome: right("padded") });

	it("keeps the merged line, and is without the others for good: they do not come back beside it", () => {
		const { verdict, variant } = judged([AIR_LINE, BOTH_LINE], {
			events: standing.events,
			outcome: right("padded", "sealed"),
		});
		expect(verdict).toMatchObject({ adopted: true, kept: ["both"], restored: [], except: [], working: variant });
		expect(verdict.dropped).toEqual([{ edit: "padded", reason: "another line says it now" }]);
	});

	it("does so even where a line that made room is suspect and its checks fail", () => {
		const filler = aTracedEdit("filler", PADDED, anAppend("- Take your time."));
		const before = adoptedWith(START, [PADDED_LINE, filler], { outcome: right("padded") });
		const outcome = (entry: Case) => measured([null, wants(entry, "padded") ? 0 : 1, 1, 1]);
		const { verdict, variant } = judged([PADDED_LINE, SEALED_LINE], { events: before.events, outcome });
		expect(verdict).toMatchObject({ adopted: true, kept: ["sealed"], restored: [], working: variant });
		expect(verdict.working.patch).toEqual(["padded", "sealed"]);
	});

	it("goes back to the text before the merge when it is no better, and tells of the merged line that it did not hold", () => {
		const { verdict } = judged([AIR_LINE, BOTH_LINE], { events: standing.events, outcome: right("padded") });
		expect(verdict).toMatchObject({ adopted: false, restored: [], working: { id: standing.variant.id } });
		expect(dropped(verdict)).toEqual(["both"]);
	});
});

describe("judging a pass that prunes", () => {
	const filler = aTracedEdit("filler", PADDED, anAppend("- Take your time."));
	const standing = adoptedWith(START, [PADDED_LINE, filler], { outcome: right("padded") });

	it("is content with a text that is no better, as long as it is no worse", () => {
		const { verdict, variant, after } = judged([PADDED_LINE], {
			events: standing.events,
			purpose: "prune",
			outcome: right("padded"),
		});
		expect(verdict).toMatchObject({ adopted: true, kept: [], restored: [], working: variant });
		expect(verdict.dropped).toEqual([{ edit: "filler", reason: "pruned: its checks pass without it" }]);
		expect(searchOf(after)).toMatchObject({ pruned: true, passes: [START.incumbent, standing.variant.id, variant.id] });
	});

	it("brings everything back that it took out when the text is worse than that of the last pass", () => {
		const { verdict } = judged([PADDED_LINE], { events: standing.events, purpose: "prune", outcome: right() });
		expect(verdict).toMatchObject({ adopted: false, dropped: [], restored: ["filler"], kept: [] });
		expect(verdict.working.patch).toEqual(["padded", "filler"]);
	});

	it("confirms edits that only probes have seen, and takes them out together when the text lost quality with them", () => {
		const probe = adoptedWith(START, [PADDED_LINE, filler, SEALED_LINE], {
			events: standing.events,
			purpose: "probe",
			cases: [],
		});
		const whole = [PADDED_LINE, filler, SEALED_LINE];
		const good = judged(whole, { events: probe.events, purpose: "prune", outcome: right("padded", "sealed") });
		expect(good.verdict).toMatchObject({ adopted: true, kept: ["sealed"], dropped: [] });
		const bad = judged(whole, { events: probe.events, purpose: "prune", outcome: right() });
		expect(bad.verdict).toMatchObject({ adopted: false, kept: [], working: { id: standing.variant.id } });
		expect(dropped(bad.verdict)).toEqual(["sealed"]);
	});
});

describe("judging", () => {
	it("needs something that was measured", () => {
		expect(() => judgeMeasured(replay(START.events), START.context)).toThrow("nothing was measured");
	});
});
