/** What came of a run of a night, from the books of runs, or from its folder when Redis has forgotten it. Changes nothing. */
import { join } from "node:path";
import type { RunDesk } from "../adapters/run-desk.ts";
import { readSharedLog } from "../adapters/shared-log.ts";
import type { NightSkill, NightSpend } from "../domain/night.ts";
import { type RunState, replay } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import { GepaError } from "../errors.ts";
import { endOnDisk } from "./stored-end.ts";

/** A run of the night that an emptied Redis has forgotten is waited for so long: somebody brings it back. In milliseconds. */
const FORGOTTEN_MS = 60_000;

export interface NightLook {
	desk: RunDesk;
	resultsFolder: string;
	/** Since when runs of nights are not in Redis, by the run. */
	missing: Map<string, number>;
	now(): number;
}

/** What came of a run of the night; null while it goes on. */
export async function lookAtRun(options: NightLook, entry: NightSkill): Promise<NightSkill | null> {
	const { desk, missing, resultsFolder, now } = options;
	const run = entry.run ?? "";
	const found = await desk.find(run);
	if (found === null) {
		const state = endOnDisk(join(resultsFolder, entry.skill, run));
		if (state !== null) {
			const { status, reason } = state.closed;
			return { ...entry, outcome: status, reason, spend: spendOf(state) };
		}
		const since = missing.get(run) ?? now();
		missing.set(run, since);
		if (now() - since < FORGOTTEN_MS) return null;
		return { ...entry, outcome: "failed", reason: "Redis was emptied, and nobody has brought the run back" };
	}
	missing.delete(run);
	if (found.ending === null || found.standing === "queued" || found.standing === "conducting") return null;
	const { status, message } = found.ending;
	const outcome = found.standing === "ended" && status !== null ? (status as NightSkill["outcome"]) : "failed";
	return { ...entry, outcome, reason: message, spend: spendTold(await desk.events(found.run)) };
}

/** Null when another version has written the log. */
function spendTold(entries: readonly string[]): NightSpend | null {
	try {
		return spendOf(replay(readSharedLog(entries).events));
	} catch (error) {
		if (error instanceof GepaError) return null;
		throw error;
	}
}

function spendOf({ spend }: RunState): NightSpend {
	return { calls: modelCalls(spend), trials: spend.trials, tokens: spend.tokens, usd: spend.usd };
}
