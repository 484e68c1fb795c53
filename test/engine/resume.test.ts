import { describe, expect, it } from "vitest";
import { digest } from "../../src/domain/digest.ts";
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
	const result = await runParcels({ ...run, store, onEvent: (_event, sequence) => (writesAt[sequence] = store.writes) });
	return { ...result, store, writesAt };
}

const WORLDS: [name: string, run: ParcelRun][] = [
	["a run that proves a text", SMALL],
	["a run with a judge", { ...SMALL, skill: skillBytes(), family: { train: 5, validation: 6, holdout: 6, checks: "rubrics" } }],
	["a run without the calls to measure v0", { ...SMALL, spec: { budget: { calls: 8 } } }],
	["a run whose calls end in the search", { ...SMALL, spec: { budget: { calls: 50 } } }],
	["a run whose calls end in the proof", { spec: { budget: { calls: 64 } } }],
	["a run whose calls end on the sealed cases", { spec: { budget: { calls: 91 } } }],
	["a run that proves a text with its last calls", { spec: { budget: { calls: 97 } } }],
];

describe.each(WORLDS)("%s", (_name, world) => {
	it("goes on from every prefix of its log to the same events, and buys nothing with the whole store", async () => {
		const full = await recorded(world);
		for (let cut = 1; cut < full.events.length; cut++) {
			const resumed = await runParcels({ ...world, store: full.store, events: full.events.slice(0, cut) });
			expect(resumed.client.arrived, `calls after event ${cut}`).toBe(0);
			expect(digest(resumed.events), `events from ${cut}`).toBe(digest(full.events));
		}
	});

	it("goes on from every prefix with what was paid for by then, and buys no answer twice", async () => {
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
