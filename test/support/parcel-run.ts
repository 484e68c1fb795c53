/** Whole runs in the world of parcels: the scripted client, the tiny family and a strict job spec, each of them replaceable. */
import type { RunEvent } from "../../src/domain/events.ts";
import type { JobSpec } from "../../src/domain/job-spec.ts";
import { type InProcessResult, type InProcessRun, runInProcess } from "./in-process.ts";
import { type FamilyOptions, parcelCases, RULES, skillBytes, skillKnowing } from "./parcels.ts";
import { createScriptedClient, type ScriptedClient, type ScriptedWorld } from "./scripted-client.ts";

export interface ParcelRun extends Partial<Omit<InProcessRun, "client" | "spec">> {
	family?: FamilyOptions;
	world?: ScriptedWorld;
	client?: ScriptedClient;
	spec?: Partial<JobSpec>;
}

export interface ParcelResult extends InProcessResult {
	client: ScriptedClient;
}

/** Nothing is waived: kernel and holdout are required and a commit is asked for. */
export const STRICT: Partial<JobSpec> = { holdout: "required", kernel: "required", promote: "current" };

/** A world in which a run is small (about 45 calls) and still takes every kind of step: two rules are missing. */
export const SMALL: Pick<ParcelRun, "skill" | "family"> = {
	skill: skillKnowing(RULES.slice(0, 4)),
	family: { train: 9, validation: 9, holdout: 9 },
};

/** The smallest world in which a text is found and proved (about 45 calls), with some answers that are asked for again, and no request made twice. */
export const TINY: Pick<ParcelRun, "skill" | "family" | "spec" | "world"> = {
	skill: skillKnowing(RULES.slice(0, 4)),
	family: { train: 9, validation: 9, holdout: 0 },
	spec: { holdout: "none", search: { proofDraws: 1 } },
	world: { slips: (input) => (input.includes("validation") ? 0.3 : 0), moods: false },
};

export async function runParcels(run: ParcelRun = {}): Promise<ParcelResult> {
	const { family, world, client = createScriptedClient(world), spec, ...rest } = run;
	const result = await runInProcess({
		skill: skillBytes(),
		cases: parcelCases(family),
		...rest,
		client,
		spec: { ...STRICT, ...spec },
	});
	return { ...result, client };
}

/** The event that closed a run. */
export function endOf(events: readonly RunEvent[]): Extract<RunEvent, { type: "run-closed" }> {
	const last = events.at(-1);
	if (last?.type !== "run-closed") throw new Error(`the run ended with ${last?.type}`);
	return last;
}

/** Events of one type, in order. */
export function eventsOf<Type extends RunEvent["type"]>(
	events: readonly RunEvent[],
	type: Type,
): Extract<RunEvent, { type: Type }>[] {
	return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}
