/** Measures noise in this process against a model client, with stores in memory. */
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import { createInlinePool } from "../../src/adapters/inline-pool.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { spentCost } from "../../src/domain/budget.ts";
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { type JobSpec, settingsOf } from "../../src/domain/job-spec.ts";
import { replay } from "../../src/domain/run-state.ts";
import { parseSkill } from "../../src/domain/skill.ts";
import { createContext } from "../../src/engine/context.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { measureNoise, type NoiseMeasurement, type NoisePlan } from "../../src/engine/noise.ts";
import { openRun } from "../../src/engine/open.ts";
import { createPerform } from "../../src/engine/perform.ts";
import type { DialogueStore } from "../../src/ports/dialogue-store.ts";
import type { ModelClient } from "../../src/ports/model-client.ts";
import { skillBytes } from "./parcels.ts";

export interface NoiseRun {
	client: ModelClient;
	cases: readonly Case[];
	plan?: Partial<NoisePlan>;
	spec?: Partial<JobSpec>;
	concurrency?: number;
	signal?: AbortSignal;
	/** What an earlier measurement left, which is gone on with; both are added to. */
	store?: DialogueStore;
	events?: RunEvent[];
}

const tools = createCheckTools();

export async function measureInProcess(run: NoiseRun): Promise<NoiseMeasurement> {
	const skill = parseSkill(skillBytes());
	const settings = settingsOf("parcels", { schemaVersion: 1, ...run.spec }, "sim-task");
	const store = run.store ?? createMemoryDialogueStore();
	const events = run.events ?? [];
	if (events.length === 0) {
		const base = { commit: "0".repeat(40), path: "SKILL.md", blob: "0".repeat(40), ref: null };
		const at = "2026-01-01T00:00:00.000Z";
		events.push(openRun({ run: "noise", startedAt: at, settings, offline: false, base, skill, cases: run.cases }));
	}
	const log = {
		events,
		append: async (sequence: number, event: RunEvent) => {
			if (sequence !== events.length) throw new Error(`event ${sequence} of ${events.length}`);
			events.push(event);
		},
		close: async () => undefined,
	};
	const perform = createPerform({ client: run.client, tools });
	const pool = createInlinePool({ concurrency: run.concurrency ?? 8, perform, store });
	try {
		const env = {
			pool,
			tools,
			ledger: createLedger(settings.limits, spentCost(replay(events).spend)),
			signal: run.signal ?? new AbortController().signal,
			recall: (key: string) => store.find(key),
			begun: (key: string) => store.replies(key),
			minutes: () => 0,
			promote: () => Promise.reject(new Error("nothing is promoted")),
		};
		return await measureNoise(log, createContext(skill, settings, run.cases), env, {
			split: "validation",
			repeats: 2,
			...run.plan,
		});
	} finally {
		await pool.close();
	}
}
