import { describe, expect, it } from "vitest";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { digest } from "../../src/domain/digest.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { LaterError } from "../../src/errors.ts";
import { endOf, type ParcelResult, type ParcelRun, runParcels, TINY } from "../support/parcel-run.ts";
import { createScriptedClient, type ScriptedClient, type ScriptedWorld } from "../support/scripted-client.ts";

class Killed extends LaterError {}

/** Conducts until it is killed, then once more with the log and the store that the first conductor left. */
async function twice(
	run: ParcelRun,
	client: ScriptedClient,
	killAtEvent: number | null,
): Promise<{ result: ParcelResult; killed: boolean }> {
	const store = createMemoryDialogueStore();
	const events: RunEvent[] = [];
	const onEvent = (event: RunEvent, sequence: number) => {
		if (sequence === killAtEvent) throw new Killed("killed before an event was written");
		events.push(event);
	};
	try {
		return { result: await runParcels({ ...run, client, store, onEvent }), killed: false };
	} catch (error) {
		if (!(error instanceof Killed)) throw error;
	}
	const opening = (await fresh).events[0];
	if (opening === undefined) throw new Error("a run has an opening");
	return { result: await runParcels({ ...run, client, store, events: [opening, ...events] }), killed: true };
}

const fresh = runParcels(TINY);

describe("a conductor that is killed", () => {
	it("at any event goes on to the same end, and buys nothing twice", async () => {
		const whole = await fresh;
		let untouched = false;
		for (let at = 1; !untouched; at++) {
			const client = createScriptedClient(TINY.world);
			const { result, killed } = await twice(TINY, client, at);
			expect(digest(result.events), `killed at event ${at}`).toBe(digest(whole.events));
			expect(client.repeated()).toBe(0);
			expect(client.answered).toHaveLength(whole.client.answered.length);
			untouched = !killed;
			expect(untouched).toBe(at >= whole.events.length);
		}
	});

	it("at any call goes on to the same end, and buys nothing twice, one at a time or many", async () => {
		const whole = await fresh;
		let untouched = false;
		for (let call = 1; !untouched; call++) {
			const world: ScriptedWorld = {
				...TINY.world,
				fail: ({ number }) => (number === call ? new Killed("killed at a call") : undefined),
			};
			const client = createScriptedClient(world);
			const { result, killed } = await twice({ ...TINY, concurrency: [1, 4, 16][call % 3] ?? 1 }, client, null);
			expect(digest(result.events), `killed at call ${call}`).toBe(digest(whole.events));
			expect(client.repeated()).toBe(0);
			expect(client.answered).toHaveLength(whole.client.answered.length);
			untouched = !killed;
			expect(untouched).toBe(call > whole.client.answered.length);
		}
	});

	it("again and again comes to the same end all the same", async () => {
		const whole = await fresh;
		let next = 3;
		const fail: ScriptedWorld["fail"] = ({ number }) => {
			if (number < next) return undefined;
			next = number + 4;
			return new Killed("killed once more");
		};
		const client = createScriptedClient({ ...TINY.world, fail });
		const store = createMemoryDialogueStore();
		let events: RunEvent[] = whole.events.slice(0, 1);
		let kills = 0;
		for (;;) {
			const written = [...events];
			const onEvent = (event: RunEvent) => void written.push(event);
			try {
				events = (await runParcels({ ...TINY, client, store, events, onEvent, concurrency: 2 })).events;
				break;
			} catch (error) {
				if (!(error instanceof Killed)) throw error;
				events = written;
				kills += 1;
			}
		}
		expect(kills).toBeGreaterThan(5);
		// A call that was cut when the other one failed may have been charged: that is noted, and changes no decision.
		const decisions = events.filter((event) => event.type !== "calls-lost");
		expect(digest(decisions)).toBe(digest(whole.events));
		expect(client.repeated()).toBe(0);
	});
});

describe("the order in which answers arrive", () => {
	it("changes nothing, byte for byte, one at a time or many", async () => {
		const whole = await fresh;
		expect(endOf(whole.events).status).toBe("confirmed");
		for (let seed = 0; seed < 20; seed++) {
			const concurrency = [1, 4, 16][seed % 3] ?? 1;
			const shuffled = await runParcels({ ...TINY, concurrency, world: { ...TINY.world, shuffle: seed } });
			expect(digest(shuffled.events), `seed ${seed}, ${concurrency} at a time`).toBe(digest(whole.events));
			expect(shuffled.client.repeated()).toBe(0);
		}
	});

	it("changes nothing where a limit cuts a step short", async () => {
		const run: ParcelRun = { ...TINY, spec: { ...TINY.spec, budget: { calls: 41 } } };
		const whole = await runParcels({ ...run, concurrency: 1 });
		for (let seed = 0; seed < 6; seed++) {
			const concurrency = [4, 16][seed % 2] ?? 4;
			const shuffled = await runParcels({ ...run, concurrency, world: { ...TINY.world, shuffle: seed } });
			expect(digest(shuffled.events), `seed ${seed}`).toBe(digest(whole.events));
		}
	});
});
