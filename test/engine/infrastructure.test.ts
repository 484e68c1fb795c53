import { describe, expect, it } from "vitest";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import type { Role } from "../../src/domain/dialogue.ts";
import { digest } from "../../src/domain/digest.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { InterruptedError, LaterError, UnavailableError } from "../../src/errors.ts";
import type { ModelAnswer, Unavailable } from "../../src/ports/model-client.ts";
import { endOf, eventsOf, type ParcelRun, runParcels, TINY } from "../support/parcel-run.ts";
import { RULES, skillKnowing } from "../support/parcels.ts";
import { createScriptedClient, type ScriptedCall, type ScriptedWorld } from "../support/scripted-client.ts";

function lost(reason: Unavailable, maybePaid = false): ModelAnswer {
	return { status: "unavailable", reason, message: `scripted ${reason}`, attempts: 1, maybePaid };
}

/** Conducts in a world that fails, and keeps what is left behind. */
async function conductAnyhow(run: ParcelRun, world: ScriptedWorld) {
	const store = createMemoryDialogueStore();
	const client = createScriptedClient({ ...TINY.world, ...world });
	const events: RunEvent[] = (await whole).events.slice(0, 1);
	const onEvent = (event: RunEvent) => void events.push(event);
	const error: unknown = await runParcels({ ...TINY, ...run, client, store, onEvent, events: [...events] }).then(
		() => null,
		(thrown: unknown) => thrown,
	);
	return { error, events, store, client };
}

const whole = runParcels(TINY);

/** The first call of a role, and all that follow. */
const from = (role: Role, number: number, answer: ModelAnswer) => (call: ScriptedCall) =>
	call.request.role === role && call.ofRole >= number ? answer : undefined;

describe("an endpoint that refuses every call", () => {
	it.each<[Role, number]>([
		["task", 1],
		["task", 4],
		["reflection", 1],
	])("ends the conducting at once, with nothing of the step written: %s call %i", async (role, number) => {
		const { error, events, client } = await conductAnyhow(
			{ concurrency: 1 },
			{ fail: from(role, number, lost("config")) },
		);
		expect(error).toBeInstanceOf(UnavailableError);
		expect(String(error)).toContain("scripted config");
		expect(events.map((event) => event.type)).toEqual(
			role === "task" ? ["run-opened"] : ["run-opened", "trials-measured"],
		);
		const asked = client.arrived - client.answered.length;
		expect(asked, "what waits is not sent once the endpoint has said no").toBeLessThanOrEqual(2);
	});

	it("names the refusal and not what it cut short, whatever was under way", async () => {
		const fail = ({ number }: ScriptedCall) => (number === 7 ? lost("config") : undefined);
		const { error } = await conductAnyhow({ concurrency: 4 }, { fail, shuffle: 3 });
		expect(error).toBeInstanceOf(UnavailableError);
	});
});

describe("a rate limit", () => {
	it("asks to come back later, and later the run comes to the same end", async () => {
		for (const number of [2, 12, 20, 30]) {
			const fail = (call: ScriptedCall) => (call.number >= number ? lost("rate-limit") : undefined);
			const { error, events, store, client } = await conductAnyhow({ concurrency: 2 }, { fail });
			expect(error).toBeInstanceOf(LaterError);
			expect(client.arrived - client.answered.length, "what waits is not sent any more").toBeLessThanOrEqual(4);
			const resumed = await runParcels({ ...TINY, events, store });
			expect(digest(resumed.events)).toBe(digest((await whole).events));
			expect(client.answered.length + resumed.client.answered.length).toBe((await whole).client.answered.length);
		}
	});
});

describe("answers that are lost", () => {
	it("in more than half of a step end the conducting with nothing written, and a well endpoint goes on to the same end", async () => {
		const fail = ({ request, ofRole }: ScriptedCall) =>
			request.role === "task" && ofRole % 5 !== 0 ? lost("server") : undefined;
		const { error, events, store } = await conductAnyhow({}, { fail });
		expect(error).toBeInstanceOf(UnavailableError);
		expect(String(error)).toContain("answers were lost");
		expect(events).toHaveLength(1);
		const resumed = await runParcels({ ...TINY, events, store });
		expect(digest(resumed.events)).toBe(digest((await whole).events));
	});

	it("in a few trials are missing data: counted, paid for where they may have been, and never a score", async () => {
		const fail = ({ request, ofRole }: ScriptedCall) =>
			request.role === "task" && ofRole <= 3 ? lost("timeout", ofRole === 1) : undefined;
		const { error, events } = await conductAnyhow({}, { fail });
		expect(error).toBeNull();
		const [first] = eventsOf(events, "trials-measured");
		const failed = first?.trials.filter((trial) => trial.outcome.status === "failed") ?? [];
		expect(failed.map((trial) => trial.outcome)).toEqual(
			Array.from({ length: 3 }, () => ({
				status: "failed",
				reason: "infrastructure",
				quality: null,
				tokens: null,
				retries: null,
			})),
		);
		expect(failed.map((trial) => trial.spend.taskCalls)).toEqual([1, 0, 0]);
		expect(endOf(events).status).toBe("confirmed");
	});

	it("and were perhaps charged are remembered when their step ends the run, once for each", async () => {
		const fail = ({ request }: ScriptedCall) => (request.role === "task" ? lost("malformed", true) : undefined);
		const { error, events, store, client } = await conductAnyhow({ concurrency: 1 }, { fail });
		expect(error).toBeInstanceOf(UnavailableError);
		expect(eventsOf(events, "calls-lost").map((event) => event.calls)).toEqual([client.arrived]);
		const again = await runParcels({ ...TINY, events, store });
		expect(again.state.spend.taskCalls).toBe((await whole).state.spend.taskCalls + client.arrived);
	});

	it("because of what a text says are missing data of that text: nothing of it is promoted, and the run ends by itself", async () => {
		let seed: string | undefined;
		const fail = ({ request }: ScriptedCall) => {
			if (request.role !== "task") return undefined;
			const text = request.messages[0]?.content ?? "";
			seed ??= text;
			return text === seed ? undefined : lost("too-large");
		};
		const { error, events } = await conductAnyhow({}, { fail });
		expect(error).toBeNull();
		const outcomes = eventsOf(events, "trials-measured").flatMap((event) => event.trials.map(({ outcome }) => outcome));
		expect(outcomes.some((outcome) => outcome.status === "failed" && outcome.quality === null)).toBe(true);
		expect(["kept", "undecided"]).toContain(endOf(events).status);
	});

	it("leave a proof open when too many of its pairs miss a side", async () => {
		const fail = ({ request }: ScriptedCall) =>
			/validation-0[123]/.test(request.messages[1]?.content ?? "") ? lost("connection") : undefined;
		const { error, events } = await conductAnyhow({}, { fail });
		expect(error).toBeNull();
		expect(endOf(events)).toMatchObject({ status: "undecided" });
		expect(endOf(events).reason).toContain("missing");
	});

	it("of the judge are missing data, not a bad verdict", async () => {
		const family = { train: 5, validation: 6, holdout: 0, checks: "rubrics" } as const;
		const fail = ({ request, ofRole }: ScriptedCall) =>
			request.role === "judge" && ofRole === 2 ? lost("server") : undefined;
		const run = await runParcels({ ...TINY, family, world: { ...TINY.world, fail } });
		const outcomes = eventsOf(run.events, "trials-measured").flatMap((event) =>
			event.trials.map(({ outcome }) => outcome),
		);
		expect(outcomes.filter((outcome) => outcome.status === "failed")).toMatchObject([
			{ reason: "judge", quality: null },
		]);
	});

	it("of a reflection drop that proposal and nothing else", async () => {
		const fail = ({ request, ofRole }: ScriptedCall) =>
			request.role === "reflection" && ofRole === 1 ? lost("server") : undefined;
		const { error, events } = await conductAnyhow({}, { fail });
		expect(error).toBeNull();
		const [first] = eventsOf(events, "proposals-received");
		expect(first?.proposals.map((proposal) => [proposal.status, proposal.reason])).toEqual([
			["dropped", "unavailable: server"],
			["usable", undefined],
		]);
	});
});

describe("the only answer of a step", () => {
	const skill = skillKnowing(RULES.slice(0, 5));
	const never =
		(reason: Unavailable) =>
		({ request }: ScriptedCall) =>
			request.role === "reflection" ? lost(reason) : undefined;

	it("that can never be had does not hold up a run for ever", async () => {
		const run = await runParcels({ ...TINY, skill, world: { ...TINY.world, fail: never("too-large") } });
		expect(endOf(run.events)).toMatchObject({ status: "kept", stoppedBy: "converged" });
		const dropped = eventsOf(run.events, "proposals-received").flatMap((event) => event.proposals);
		expect(dropped[0]).toMatchObject({ status: "dropped", reason: "unavailable: too-large" });
	});

	it("that is lost to an outage ends the conducting, to be resumed", async () => {
		const run = runParcels({ ...TINY, skill, world: { ...TINY.world, fail: never("connection") } });
		await expect(run).rejects.toBeInstanceOf(UnavailableError);
	});
});

describe("a person who stops a run", () => {
	it("finds what was paid for saved, and the resumed run comes to the same end", async () => {
		for (const number of [1, 5, 11, 14, 25, 33]) {
			const stop = new AbortController();
			const fail = (call: ScriptedCall) => {
				if (call.number === number) stop.abort();
				return undefined;
			};
			const { error, events, store, client } = await conductAnyhow({ signal: stop.signal, concurrency: 3 }, { fail });
			expect(error).toBeInstanceOf(InterruptedError);
			expect(client.arrived, "no new call after the stop").toBe(number);
			const resumed = await runParcels({ ...TINY, events, store });
			expect(digest(resumed.events), `stopped at call ${number}`).toBe(digest((await whole).events));
			expect(client.answered.length + resumed.client.answered.length).toBe((await whole).client.answered.length);
		}
	});

	it("buys nothing when the stop comes before the run begins", async () => {
		const { error, client, events } = await conductAnyhow({ signal: AbortSignal.abort() }, {});
		expect(error).toBeInstanceOf(InterruptedError);
		expect(client.arrived).toBe(0);
		expect(events).toHaveLength(1);
	});
});

describe("a limit", () => {
	it("holds also for the calls of a step that failed", async () => {
		for (let number = 2; number <= 24; number++) {
			const fail = (call: ScriptedCall) => (call.number === number ? lost("rate-limit", true) : undefined);
			const { client } = await conductAnyhow({ spec: { ...TINY.spec, budget: { calls: 20 } } }, { fail, slips: 0.5 });
			expect(client.answered.length, `lost at call ${number}`).toBeLessThanOrEqual(20);
		}
	});
});
