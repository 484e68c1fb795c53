import { describe, expect, it } from "vitest";
import { worstCost } from "../../src/domain/budget.ts";
import { digest } from "../../src/domain/digest.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { replay } from "../../src/domain/run-state.ts";
import { type ParcelResult, type ParcelRun, runParcels, SMALL } from "../support/parcel-run.ts";
import { bloatedSkill, skillBytes } from "../support/parcels.ts";
import { createRecordedStore, type RecordedStore } from "../support/recorded-store.ts";
import { appendReply, replaceReply, sectionIn, shareOf } from "../support/scripted-client.ts";

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

/** No request is made twice. */
const SINGLE = { search: { proofDraws: 1 } };
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

/**
 * Resumes after every event from `first` on, with the whole store and with what was paid for by then.
 * @param again whether the run draws the same requests more than once
 */
async function resumeEverywhere(world: ParcelRun, full: Recorded, first: number, again = false): Promise<void> {
	for (let cut = first; cut < full.events.length; cut++) {
		const events = full.events.slice(0, cut);
		const harvested = await runParcels({ ...world, store: full.store, events });
		expect(digest(harvested.events), `events from ${cut}, all paid for`).toBe(digest(full.events));
		expect(harvested.client.arrived, `calls after event ${cut}`).toBe(0);

		const [from, to] = [full.writesAt[cut - 1] ?? 0, full.writesAt[cut] ?? 0];
		const writes = from + ((cut * 7919) % (to - from + 1));
		const store = await full.store.cutAt(writes);
		const resumed = await runParcels({ ...world, store, events });
		expect(digest(resumed.events), `events from ${cut}`).toBe(digest(full.events));
		if (!again) expect(resumed.client.repeated()).toBe(0);
		expect(full.store.repliesIn(writes) + resumed.client.answered.length).toBe(full.client.answered.length);
	}
}

describe("a run goes on from every prefix of its log to the same events, and buys no answer twice", () => {
	const rubrics = { train: 5, validation: 6, holdout: 6, checks: "rubrics" } as const;

	/** One rule is learned at once; what is proposed after that helps nothing, and is taken back. */
	const WHOLE: ParcelRun = {
		family: { ...rubrics, validation: 0, holdout: 0 },
		spec: { search: { stall: 1, proofDraws: 1 } },
		world: {
			slips: 0,
			reflection: (request) => {
				const prompt = request.messages[1]?.content ?? "";
				const known = prompt.includes("- A fragile parcel");
				const number = Math.floor(shareOf(prompt) * 1000);
				const line = known ? `- Think of number ${number} twice.` : "- A fragile parcel: box padded.";
				return appendReply(sectionIn(prompt), line);
			},
		},
	};

	/** v0 is right and too long. A section is said shorter in a way that loses a rule, which is not kept. */
	const SHORTENED: ParcelRun = {
		skill: bloatedSkill(),
		family: { train: 9, validation: 9, holdout: 9 },
		spec: { ...SINGLE, policy: "balanced" },
		world: { slips: 0, reformulate: () => replaceReply("1/packing", "- A fragile parcel: box padded.") },
	};

	it.each<[string, ParcelRun]>([
		["when it proves a text", { ...SMALL, spec: SINGLE }],
		["when a judge scores it", { ...SMALL, skill: skillBytes(), family: rubrics, spec: SINGLE }],
		["when edits are merged, ranked and judged as a whole, some children in vain", WHOLE],
		["when a text is shortened", SHORTENED],
	])("%s", async (_name, world) => {
		const full = await recorded(world);
		expect(full.client.repeated()).toBe(0);
		await resumeEverywhere(world, full, 1);
	});

	it("when a proof draws its cases again", async () => {
		const world: ParcelRun = { ...SMALL, world: { slips: 0.1, noise: 0.1 }, spec: { seed: 3 } };
		const full = await recorded(world);
		expect(full.state.looks.some(({ event }) => (event.draws ?? 1) > 1)).toBe(true);
		expect(full.client.repeated()).toBeGreaterThan(0);
		await resumeEverywhere(world, full, 1, true);
	});

	it("also when its log was written to a file and read back: no decision rests on which object a text is", async () => {
		const full = await runParcels(WHOLE);
		for (let cut = 1; cut < full.events.length; cut++) {
			const events = JSON.parse(JSON.stringify(full.events.slice(0, cut))) as RunEvent[];
			const resumed = await runParcels({ ...WHOLE, store: full.store, events });
			expect(digest(resumed.events), `events from ${cut}`).toBe(digest(full.events));
		}
	});

	it.each(["incumbent", "proposals-received", "validation", "holdout"])(
		"when its tokens end within: %s",
		async (purpose) => {
			const world = await endsWithin(purpose);
			const full = await recorded(world);
			const limited = full.events.flatMap((event, at) => ("limit" in event && event.limit !== undefined ? [at] : []));
			expect(limited.map((at) => purposeOf(full.events[at] as RunEvent))).toEqual([purpose]);
			await resumeEverywhere(world, full, Math.max(1, (limited[0] ?? 0) - 1));
		},
	);
});
