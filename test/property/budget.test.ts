/**
 * No call over the budget: any limit, with answers that are asked for again, judge calls, calls that are lost although they may
 * have been charged, at any concurrency and order of arrival, and with conductors that are stopped and go on.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { settingsOf } from "../../src/domain/job-spec.ts";
import { replay } from "../../src/domain/run-state.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { forecastRun } from "../../src/engine/forecast.ts";
import { GepaError } from "../../src/errors.ts";
import type { ModelAnswer } from "../../src/ports/model-client.ts";
import { measureInProcess } from "../support/noise-run.ts";
import { runParcels, SMALL } from "../support/parcel-run.ts";
import { parcelCases, skillBytes } from "../support/parcels.ts";
import { createScriptedClient, type ScriptedCall } from "../support/scripted-client.ts";

const LOST: ModelAnswer = { status: "unavailable", reason: "timeout", message: "", attempts: 1, maybePaid: true };
const NEVER_SENT: ModelAnswer = { ...LOST, reason: "too-large", maybePaid: false };

const anyWorld = fc.record({
	calls: fc.integer({ min: 1, max: 160 }),
	slips: fc.constantFrom(0, 0.2, 0.6, 1),
	concurrency: fc.constantFrom(1, 3, 16),
	checks: fc.constantFrom("pointers", "rubrics"),
	shuffle: fc.option(fc.nat(99), { nil: undefined }),
	/** One call in so many gets lost; 0: none does. */
	lossEvery: fc.constantFrom(0, 3, 7, 20),
	/** Calls after which the conductor is stopped, one after the other. */
	stops: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
} as const);

/** A client that loses calls by number and tells when so many have arrived. */
function clientOf(
	world: { slips: number; shuffle?: number | undefined; lossEvery: number },
	onCall: (number: number) => void,
) {
	const fail = ({ number }: ScriptedCall) => {
		onCall(number);
		if (world.lossEvery === 0 || number % world.lossEvery !== 0) return undefined;
		return number % (2 * world.lossEvery) === 0 ? NEVER_SENT : LOST;
	};
	const { slips, shuffle } = world;
	return createScriptedClient({ slips, fail, ...(shuffle !== undefined && { shuffle }) });
}

/** What the endpoint may have charged: everything that arrived but what was refused before it was worked on. */
function charged(client: ReturnType<typeof clientOf>, lossEvery: number): number {
	const refused = lossEvery === 0 ? 0 : Math.floor(client.arrived / (2 * lossEvery));
	return client.arrived - refused;
}

describe("the limit on calls", () => {
	it("of a run is never passed by one call, and what the run says it spent is what was charged", async () => {
		await fc.assert(
			fc.asyncProperty(anyWorld, async (world) => {
				let stop = new AbortController();
				let next = 0;
				const client = clientOf(world, (number) => {
					if (number === world.stops[next]) stop.abort();
				});
				const run = {
					...SMALL,
					family: { ...SMALL.family, checks: world.checks },
					concurrency: world.concurrency,
					spec: { budget: { calls: world.calls } },
				};
				const store = createMemoryDialogueStore();
				let events: RunEvent[] = (await runParcels(run)).events.slice(0, 1);
				let spent = Number.NaN;
				for (let conducting = 0; Number.isNaN(spent) && conducting < world.stops.length + 3; conducting++) {
					stop = new AbortController();
					const kept = [...events];
					const onEvent = (event: RunEvent) => void kept.push(event);
					try {
						const { state } = await runParcels({ ...run, client, store, events, onEvent, signal: stop.signal });
						spent = modelCalls(state.spend);
					} catch (error) {
						// Stopped, or too many calls were lost: the run is saved.
						if (!(error instanceof GepaError)) throw error;
						next += 1;
					}
					events = kept;
				}
				if (Number.isNaN(spent)) spent = modelCalls(replay(events).spend);
				expect(charged(client, world.lossEvery)).toBeLessThanOrEqual(world.calls);
				expect(spent).toBeLessThanOrEqual(charged(client, world.lossEvery));
				// A run that lost calls in a step may find that step too dear when it goes on: its answers then stand in the store alone.
				if (replay(events).closed && next === 0) expect(spent).toBe(charged(client, world.lossEvery));
			}),
			{ numRuns: 60 },
		);
	});

	it("of a measurement of noise is never passed either, over all its conductings", async () => {
		await fc.assert(
			fc.asyncProperty(anyWorld, fc.integer({ min: 1, max: 3 }), async (world, repeats) => {
				let stop = new AbortController();
				let next = 0;
				const client = clientOf(world, (number) => {
					if (number === world.stops[next]) stop.abort();
				});
				const cases = parcelCases({ train: 1, validation: 8, holdout: 0, checks: world.checks });
				const [store, events] = [createMemoryDialogueStore(), [] as RunEvent[]];
				for (let conducting = 0; conducting < world.stops.length + 2; conducting++) {
					stop = new AbortController();
					try {
						const found = await measureInProcess({
							client,
							cases,
							store,
							events,
							plan: { repeats },
							concurrency: world.concurrency,
							spec: { budget: { calls: world.calls } },
							signal: stop.signal,
						});
						expect(found.spent.calls).toBe(charged(client, world.lossEvery));
					} catch (error) {
						if (!(error instanceof GepaError)) throw error;
						next += 1;
					}
					expect(charged(client, world.lossEvery)).toBeLessThanOrEqual(world.calls);
				}
			}),
			{ numRuns: 60 },
		);
	});
});

const BASE = settingsOf("parcels", { schemaVersion: 1 }, "m");

describe("the smallest useful limit", () => {
	it("is one that a run can use: it asks, and it looks at what came of it", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					train: fc.integer({ min: 4, max: 27 }),
					validation: fc.integer({ min: 6, max: 24 }),
					holdout: fc.constantFrom(0, 6, 12),
					checks: fc.constantFrom("pointers", "rubrics"),
					slips: fc.constantFrom(0, 0.1, 0.2),
					seed: fc.integer({ min: 1, max: 50 }),
				} as const),
				async ({ slips, seed, holdout, ...family }) => {
					const cases = parcelCases({ ...family, holdout });
					const spec = { seed, holdout: holdout === 0 ? ("none" as const) : ("required" as const) };
					const probe = await runParcels({ cases, spec: { ...spec, budget: { calls: 1 } }, world: { slips } });
					const { smallest } = forecastRun(probe.settings, cases, skillBytes().length);
					const run = await runParcels({ cases, spec: { ...spec, budget: { calls: smallest } }, world: { slips } });
					const told = forecastRun(run.settings, cases, skillBytes().length);
					expect(told.generations).toBeGreaterThanOrEqual(1);
					expect(told.smallest).toBeLessThanOrEqual(smallest);
					expect(run.state.proposals.length, "questions were asked").toBeGreaterThan(0);
					const found = run.state.search?.finished?.finalist;
					const isOther = found !== run.state.opened?.incumbent.id;
					if (isOther) expect(run.state.looks.length, "the text that was found was looked at").toBeGreaterThan(0);
					expect(run.client.arrived).toBeLessThanOrEqual(smallest);
				},
			),
			{ numRuns: 40 },
		);
	});

	it("stays enough when the limit is raised", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 4, max: 80 }),
				fc.integer({ min: 0, max: 45 }),
				fc.integer({ min: 0, max: 45 }),
				fc.nat(400),
				(train, validation, holdout, more) => {
					const cases = parcelCases({ train, validation, holdout });
					const settings = (calls: number) => ({ ...BASE, limits: { calls } });
					const { smallest } = forecastRun(settings(1), cases, 1000);
					expect(forecastRun(settings(smallest), cases, 1000).generations).toBeGreaterThanOrEqual(1);
					expect(forecastRun(settings(smallest + more), cases, 1000).generations).toBeGreaterThanOrEqual(1);
				},
			),
			{ numRuns: 60 },
		);
	});
});
