import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/domain/events.ts";
import { openingOf, replay } from "../../src/domain/run-state.ts";
import { startFrom } from "../../src/engine/start.ts";
import { endOf, eventsOf, runParcels } from "../support/parcel-run.ts";
import { RULES, skillKnowing } from "../support/parcels.ts";

/** So few validation cases prove nothing, whatever they show. */
const FEW = {
	skill: skillKnowing(RULES.slice(0, 3)),
	family: { train: 9, validation: 3, holdout: 3 },
	world: { moods: false },
};
const ENOUGH = { ...FEW, family: { train: 9, validation: 12, holdout: 12 } };

describe("a text that stayed undecided", () => {
	it("is where the next run starts: its lines are measured before anything is asked, and need not be found again", async () => {
		const first = await runParcels(FEW);
		expect(endOf(first.events).status).toBe("undecided");
		const start = startFrom(first.state, openingOf(first.state).incumbent.id);
		expect(start?.run).toBe("test-run");
		const second = await runParcels({ ...ENOUGH, start });
		const kinds = second.events.map((event) => event.type);
		expect(kinds.slice(0, 3)).toEqual(["run-opened", "trials-measured", "variant-admitted"]);
		expect(eventsOf(second.events, "variant-admitted")[0]?.variant.operator).toBe("start");
		const finalist = new TextDecoder().decode(second.fileOf(second.state.search?.finished?.finalist ?? ""));
		for (const { edit } of start?.edits ?? []) expect(finalist).toContain(edit.text?.trim());
		expect(second.state.spend.reflectionCalls).toBeLessThan(first.state.spend.reflectionCalls);
	});

	it("is proved against v0 like any other, on draws of its own", async () => {
		const first = await runParcels(FEW);
		const second = await runParcels({ ...ENOUGH, start: startFrom(first.state, openingOf(first.state).incumbent.id) });
		expect(second.state.looks.map((look) => `${look.gate} ${look.answer}`)).toContain("validation better");
		expect(openingOf(second.state).incumbent.id).toBe(openingOf(first.state).incumbent.id);
		const proofs = eventsOf(second.events, "trials-measured").filter(({ purpose }) => purpose === "validation");
		expect(new Set(proofs.flatMap(({ trials }) => trials.map(({ variant }) => variant))).size).toBeGreaterThanOrEqual(
			2,
		);
	});

	it("is dropped like any child when the train cases do not find it better", async () => {
		const first = await runParcels(FEW);
		const found = startFrom(first.state, openingOf(first.state).incumbent.id);
		const idle = {
			run: "other",
			edits: (found?.edits ?? [])
				.map((traced) => ({ ...traced, edit: { ...traced.edit, text: "- Be kind." } }))
				.slice(0, 1),
		};
		const second = await runParcels({ ...ENOUGH, start: idle });
		const finalist = new TextDecoder().decode(second.fileOf(second.state.search?.finished?.finalist ?? ""));
		expect(finalist).not.toContain("Be kind");
	});

	it("survives a kill: every prefix of the log leads to the same end", async () => {
		const first = await runParcels(FEW);
		const start = startFrom(first.state, openingOf(first.state).incumbent.id);
		const whole = await runParcels({ ...ENOUGH, start });
		const cut = whole.events.slice(0, 4);
		const resumed = await runParcels({ ...ENOUGH, events: cut, store: whole.store });
		expect(resumed.events).toEqual(whole.events);
	});
});

describe("the tries of an undecided text", () => {
	it("are counted on by the run that goes on with it, and are dearer to prove", async () => {
		const first = await runParcels(FEW);
		const start = startFrom(first.state, openingOf(first.state).incumbent.id);
		expect(start?.tried).toEqual({ validation: 1, holdout: 0 });
		const second = await runParcels({ ...ENOUGH, start });
		const look = second.state.looks.find(({ gate }) => gate === "validation");
		expect(look?.event.attempt).toBe(2);
		const fresh = await runParcels(ENOUGH);
		const earliest = fresh.state.looks.find(({ gate }) => gate === "validation");
		expect(look?.event.alpha).toBeLessThan(earliest?.event.alpha ?? 0);
	});

	it("are handed over as well when a limit cut the proof off, and not when nothing was looked at", async () => {
		const { events, state } = await runParcels(FEW);
		const closed: RunEvent = { type: "run-closed", status: "stopped", stoppedBy: "calls", reason: "the limit" };
		const cut = replay([...events.slice(0, -1), closed]);
		expect(startFrom(cut, openingOf(state).incumbent.id)?.tried).toEqual({ validation: 1, holdout: 0 });
		const unlooked = events.slice(0, -1).filter(({ type }) => type !== "look-taken");
		expect(startFrom(replay([...unlooked, closed]), openingOf(state).incumbent.id)).toBeNull();
	});
});

describe("no start is left", () => {
	it("by a run that was decided, by one of another v0, or by one that found nothing", async () => {
		const proved = await runParcels({ ...ENOUGH, spec: { promote: "report" } });
		expect(startFrom(proved.state, openingOf(proved.state).incumbent.id)).toBeNull();
		const undecided = await runParcels(FEW);
		expect(startFrom(undecided.state, "another-text")).toBeNull();
		const open = replay(undecided.events.slice(0, -1));
		expect(startFrom(open, openingOf(open).incumbent.id)).toBeNull();
	});
});
