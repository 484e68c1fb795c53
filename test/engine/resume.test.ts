import { describe, expect, it } from "vitest";
import { worstCost } from "../../src/domain/budget.ts";
import { digest } from "../../src/domain/digest.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { replay } from "../../src/domain/run-state.ts";
import { type ParcelResult, type ParcelRun, runParcels, SMALL } from "../support/parcel-run.ts";
import { skillBytes } from "../support/parcels.ts";
import { createRecordedStore, type RecordedStore } from "../support/recorded-store.ts";

interface Recorded extends ParcelResult {
	store: RecordedStore;
	/** Writes to the store when event n was about to be appended. */
	writesAt: number[];
}

async function recorded(run: ParcelRun): Promise<Recorded> {
	const store = createRecordedStore();
	const writesAt: number[] = [];
	const onEvent = (_event: RunEvent, sequence: number) => {
		writesAt[sequence] = store.writes;
	};
	const result = await runParcels({ ...run, store, onEvent });
	return { ...result, store, writesAt };
}

const QUIET: ParcelRun = { ...SMALL, world: { slips: 0 } };
const purposeOf = (event: RunEvent) => (event.type === "trials-measured" ? event.purpose : event.type);

/** The quiet world with a limit on tokens that is reached within the first step of this purpose. */
async function endsWithin(purpose: string): Promise<ParcelRun> {
	// Without re-asks the worst case of a trial is below that of a reflection, which is then the first to be refused.
	const [role, maxRetries, reasks] = purpose === "proposals-received" ? ["reflection", 0, 1] : ["task", 2, 2];
	const free = await runParcels({ ...QUIET, spec: { maxRetries, budget: { tokens: 1e9 } } });
	const at = free.events.findIndex((event) => purposeOf(event) === purpose);
	const spentAt = (end: number) => replay(free.events.slice(0, end)).spend.tokens;
	const worst = free.client.answered
		.filter((request) => request.role === role)
		.map(({ messages, model }) => worstCost({ messages: [...messages], model, maxRetries: reasks }, 0).tokens);
	const tokens = Math.ceil(Math.max(...worst) + spentAt(at) + 0.4 * (spentAt(at + 1) - spentAt(at)));
	return { ...QUIET, spec: { maxRetries, budget: { tokens } } };
}

type World = [name: string, run: () => Promise<ParcelRun>, endsIn?: string];
const WORLDS: World[] = [
	["a run that proves a text", async () => SMALL],
	[
		"a run with a judge",
		async () => ({ ...SMALL, skill: skillBytes(), family: { train: 5, validation: 6, holdout: 6, checks: "rubrics" } }),
	],
	["a run whose tokens end while v0 is measured", () => endsWithin("incumbent"), "incumbent"],
	["a run whose tokens end while it reflects", () => endsWithin("proposals-received"), "proposals-received"],
	["a run whose tokens end in the proof", () => endsWithin("validation"), "validation"],
	["a run whose tokens end on the sealed cases", () => endsWithin("holdout"), "holdout"],
];

describe.each(WORLDS)("%s", (_name, worldOf, endsIn) => {
	it("goes on from every prefix of its log to the same events, and buys nothing with the whole store", async () => {
		const world = await worldOf();
		const full = await recorded(world);
		const limited = full.events.filter((event) => "limit" in event && event.limit !== undefined);
		expect(limited.map(purposeOf)).toEqual(endsIn === undefined ? [] : [endsIn]);
		for (let cut = 1; cut < full.events.length; cut++) {
			const resumed = await runParcels({ ...world, store: full.store, events: full.events.slice(0, cut) });
			expect(resumed.client.arrived, `calls after event ${cut}`).toBe(0);
			expect(digest(resumed.events), `events from ${cut}`).toBe(digest(full.events));
		}
	});

	it("goes on from every prefix with what was paid for by then, and buys no answer twice", async () => {
		const world = await worldOf();
		const full = await recorded(world);
		for (let cut = 1; cut < full.events.length; cut++) {
			const [from, to] = [full.writesAt[cut - 1] ?? 0, full.writesAt[cut] ?? 0];
			const writes = from + ((cut * 7919) % (to - from + 1));
			const store = await full.store.cutAt(writes);
			const resumed = await runParcels({ ...world, store, events: full.events.slice(0, cut) });
			expect(digest(resumed.events), `events from ${cut}`).toBe(digest(full.events));
			expect(resumed.client.repeated()).toBe(0);
			expect(full.store.repliesIn(writes) + resumed.client.answered.length).toBe(full.client.answered.length);
		}
	});
});
