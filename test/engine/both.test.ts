import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/domain/events.ts";
import { replay } from "../../src/domain/run-state.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { InterruptedError, LaterError, UnavailableError } from "../../src/errors.ts";
import type { ModelAnswer, ModelRequest } from "../../src/ports/model-client.ts";
import { endOf, eventsOf, type ParcelRun, runParcels } from "../support/parcel-run.ts";
import { createRecordedStore } from "../support/recorded-store.ts";
import { createScriptedClient, type ScriptedClient, type ScriptedWorld } from "../support/scripted-client.ts";

/** A run that asks about one family again while the first whole pass of what it found is measured. */
const BOTH: ParcelRun = { family: { train: 20, validation: 0, holdout: 0 } };

/** Index of the first admission with questions alongside; the events of both parts follow it. */
function admissionIn(events: readonly RunEvent[]): number {
	const at = events.findIndex((event) => event.type === "variant-admitted" && event.alongside.length > 0);
	if (at < 0) throw new Error("nothing was asked alongside a pass");
	return at;
}

const PAID = createRecordedStore();
let paidBefore = 0;
const FULL = await runParcels({
	...BOTH,
	store: PAID,
	onEvent: (event) => {
		if (event.type === "variant-admitted" && event.alongside.length > 0) paidBefore ||= PAID.writes;
	},
});
const AT = admissionIn(FULL.events);
/** The run up to where a pass and questions are due. */
const BEFORE = FULL.events.slice(0, AT + 1);
const PASS = FULL.events[AT + 1] as Extract<RunEvent, { type: "trials-measured" }>;
const ASKED = FULL.events[AT + 2] as Extract<RunEvent, { type: "proposals-received" }>;
const EARLIER = modelCalls(replay(BEFORE).spend);
const PASS_CALLS = PASS.trials.reduce((sum, trial) => sum + trial.spend.taskCalls, 0);

/** Goes on from where both are due; everything before is paid for. */
function goOn(run: ParcelRun = {}) {
	return runParcels({ ...BOTH, store: FULL.store, events: BEFORE, ...run });
}

/** A store with what was paid for before the pass, and nothing of what comes after. */
const storeBefore = () => PAID.cutAt(paidBefore);

/** Kills the conductor after the two events of the step, so that a test stays short. */
const stopAfterBoth = (_event: RunEvent, sequence: number) => {
	if (sequence > AT + 2) throw new Error("far enough");
};

/** A client that holds back some answers until something has been asked. */
function holding(held: (request: ModelRequest) => boolean, until: (request: ModelRequest) => boolean): ScriptedClient {
	const inner = createScriptedClient();
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return Object.assign(Object.create(inner) as ScriptedClient, {
		async complete(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelAnswer> {
			if (until(request)) open();
			if (held(request)) await opened;
			return inner.complete(request, options);
		},
	});
}

const isTask = (request: ModelRequest) => request.role === "task";
const isQuestion = (request: ModelRequest) => request.role === "reflection";

describe("a whole pass and the questions alongside it", () => {
	it("are written as two events in fixed order, the measurements first", () => {
		expect(FULL.events[AT]).toMatchObject({ type: "variant-admitted", purpose: "pass" });
		expect(PASS).toMatchObject({ type: "trials-measured", purpose: "pass" });
		expect(PASS.trials).toHaveLength(20);
		expect(ASKED).toMatchObject({ type: "proposals-received", round: 1 });
		expect(ASKED.groups.map((group) => group.id)).toEqual(
			FULL.events[AT]?.type === "variant-admitted" ? FULL.events[AT].alongside : [],
		);
	});

	it("are under way at the same time: the pass is answered only after a question has arrived", async () => {
		const client = holding(isTask, isQuestion);
		const events: RunEvent[] = [];
		await goOn({
			store: await storeBefore(),
			client,
			concurrency: 64,
			onEvent: (event, sequence) => {
				stopAfterBoth(event, sequence);
				events.push(event);
			},
		}).catch(() => undefined);
		expect(events).toEqual([PASS, ASKED]);
	});

	it("are written the same when the questions are answered last, and whatever the order of answers", async () => {
		for (const shuffle of [1, 2]) {
			const run = await goOn({ store: await storeBefore(), world: { shuffle } });
			expect(run.events).toEqual(FULL.events);
			expect(run.client.repeated()).toBe(0);
		}
		let tasks = 0;
		const late = holding(isQuestion, (request) => isTask(request) && ++tasks === PASS_CALLS);
		const run = await goOn({ store: await storeBefore(), client: late });
		expect(run.events).toEqual(FULL.events);
	});

	it("reach the same end after a kill between the two events, and buy nothing twice", async () => {
		const store = createRecordedStore();
		const written = FULL.events.slice(0, 1);
		const kill = (event: RunEvent, sequence: number) => {
			if (sequence === AT + 2) throw new Error("killed");
			written.push(event);
		};
		await expect(runParcels({ ...BOTH, store, onEvent: kill })).rejects.toThrow("killed");
		expect(written).toEqual(FULL.events.slice(0, AT + 2));
		const paid = store.repliesIn(store.writes);
		const resumed = await runParcels({ ...BOTH, store, events: written });
		expect(resumed.events).toEqual(FULL.events);
		expect(paid + resumed.client.answered.length).toBe(FULL.client.answered.length);
		expect(resumed.client.repeated()).toBe(0);
	});
});

describe("a failure in one of the two", () => {
	const refused = (reason: "config" | "rate-limit"): ModelAnswer => {
		return { status: "unavailable", reason, message: "no", attempts: 1, maybePaid: false };
	};

	/** Goes on with a client that fails for a role, one call at a time, and says what arrived. */
	async function failing(
		role: "task" | "reflection",
		reason: "config" | "rate-limit",
		ofRole: number,
		concurrency: number,
	) {
		const arrived = { task: 0, reflection: 0, judge: 0 };
		const events: RunEvent[] = [];
		const fail: ScriptedWorld["fail"] = (call) => {
			arrived[call.request.role] += 1;
			return call.request.role === role && call.ofRole === ofRole ? refused(reason) : undefined;
		};
		const run = goOn({
			store: await storeBefore(),
			client: createScriptedClient({ fail }),
			concurrency,
			onEvent: (event) => void events.push(event),
		});
		const error: unknown = await run.then(
			() => null,
			(thrown: unknown) => thrown,
		);
		return { error, arrived, events };
	}

	it.each([1, 3])("stops the questions when trial %i of the pass fails", async (ofRole) => {
		for (const reason of ["config", "rate-limit"] as const) {
			const { error, arrived, events } = await failing("task", reason, ofRole, 2);
			expect(error).toBeInstanceOf(reason === "config" ? UnavailableError : LaterError);
			expect(arrived.reflection).toBe(0);
			expect(arrived.task).toBeLessThan(PASS.trials.length / 2);
			expect(events).toEqual([]);
		}
	});

	it("stops the pass when a question fails, and tells of the question", async () => {
		// The question waits behind the whole pass, so the last trials are held back until it has failed.
		const inner = createScriptedClient({
			fail: ({ request }) => (isQuestion(request) ? refused("config") : undefined),
		});
		let arrived = 0;
		const client: ScriptedClient = Object.assign(Object.create(inner) as ScriptedClient, {
			async complete(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelAnswer> {
				arrived += 1;
				if (isTask(request)) {
					await new Promise<void>((_, reject) => {
						options.signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
					});
				}
				return inner.complete(request, options);
			},
		});
		const events: RunEvent[] = [];
		const run = goOn({
			store: await storeBefore(),
			client,
			concurrency: 64,
			onEvent: (event) => void events.push(event),
		});
		await expect(run).rejects.toThrow(UnavailableError);
		expect(eventsOf(events, "trials-measured")).toEqual([]);
		expect(eventsOf(events, "proposals-received")).toEqual([]);
		expect(arrived).toBe(PASS.trials.length + ASKED.groups.length);
	});

	it("goes on afterwards to the end that it would have had", async () => {
		const store = await storeBefore();
		const fail: ScriptedWorld["fail"] = ({ request, ofRole }) =>
			request.role === "task" && ofRole === 4 ? refused("config") : undefined;
		await expect(goOn({ store, client: createScriptedClient({ fail }) })).rejects.toThrow(UnavailableError);
		expect((await goOn({ store })).events).toEqual(FULL.events);
	});

	it("is not a failure when a person stops the run: both parts stop", async () => {
		const stop = new AbortController();
		let calls = 0;
		const fail: ScriptedWorld["fail"] = () => {
			if (++calls === 5) stop.abort();
			return undefined;
		};
		const run = goOn({
			store: await storeBefore(),
			client: createScriptedClient({ fail }),
			concurrency: 2,
			signal: stop.signal,
		});
		await expect(run).rejects.toThrow(InterruptedError);
		expect(calls).toBeLessThan(8);
	});
});

describe("the limits of both", () => {
	const limits = [
		EARLIER + 3,
		EARLIER + Math.floor(PASS_CALLS / 2),
		EARLIER + PASS_CALLS + 1,
		EARLIER + PASS_CALLS + 2,
	];

	/** The run up to the step, opened with this limit on calls. */
	function under(calls: number): RunEvent[] {
		const [opening, ...rest] = BEFORE;
		if (opening?.type !== "run-opened") throw new Error("a run has an opening");
		return [{ ...opening, settings: { ...opening.settings, limits: { calls } } }, ...rest];
	}

	it.each(limits)("are never passed and grant in the same order, whatever arrives first: %i calls", async (calls) => {
		const ends: RunEvent[][] = [];
		for (const [world, concurrency] of [
			[{}, 16],
			[{ shuffle: 1 }, 64],
			[{ shuffle: 2 }, 3],
		] as const) {
			const store = await storeBefore();
			const run = await goOn({ store, events: under(calls), spec: { budget: { calls } }, world, concurrency });
			expect(EARLIER + run.client.arrived).toBeLessThanOrEqual(calls);
			ends.push(run.events);
		}
		expect(ends[1]).toEqual(ends[0]);
		expect(ends[2]).toEqual(ends[0]);
		expect(eventsOf(ends[0] ?? [], "run-closed")).toHaveLength(1);
		expect(endOf(ends[0] ?? []).stoppedBy).toBe("calls");
	});

	it.each(limits)(
		"are named once, and at the same place after a kill between the two events: %i calls",
		async (calls) => {
			const spec = { budget: { calls } };
			const full = await goOn({ store: await storeBefore(), events: under(calls), spec });
			const named = full.events.filter((event) => "limit" in event && event.limit !== undefined);
			expect(named.length).toBeLessThanOrEqual(1);
			for (const cut of [AT + 1, AT + 2, AT + 3]) {
				const resumed = await goOn({ store: full.store, events: full.events.slice(0, cut), spec });
				expect(resumed.events).toEqual(full.events);
				expect(resumed.client.arrived).toBe(0);
			}
		},
	);
});
