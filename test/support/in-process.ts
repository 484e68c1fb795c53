/** Conducts a whole run in this process against a model client, with stores in memory: for tests and benchmarks of the engine. */

import { createCheckTools } from "../../src/adapters/check-tools.ts";
import { createInlinePool } from "../../src/adapters/inline-pool.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { spentCost } from "../../src/domain/budget.ts";
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { type JobSpec, type Settings, settingsOf } from "../../src/domain/job-spec.ts";
import { type RunState, replay } from "../../src/domain/run-state.ts";
import { parseSkill, rebuildSkill } from "../../src/domain/skill.ts";
import { conduct } from "../../src/engine/conduct.ts";
import { createContext, type RunContext } from "../../src/engine/context.ts";
import type { Environment } from "../../src/engine/environment.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { openRun } from "../../src/engine/open.ts";
import { createPerform } from "../../src/engine/perform.ts";
import type { SearchStart } from "../../src/engine/start.ts";
import type { DialogueStore } from "../../src/ports/dialogue-store.ts";
import type { ModelClient } from "../../src/ports/model-client.ts";
import type { RunLog } from "../../src/ports/run-log.ts";

export interface InProcessRun {
	skill: Uint8Array;
	cases: readonly Case[];
	client: ModelClient;
	spec?: Partial<JobSpec>;
	concurrency?: number;
	/** What was paid for before, to resume with. */
	store?: DialogueStore;
	/** Events of an earlier conducting, to resume from. */
	events?: readonly RunEvent[];
	/** The text that an earlier run left undecided. */
	start?: SearchStart | null;
	signal?: AbortSignal;
	/** Called before each event is written; throwing kills the conductor there. */
	onEvent?: (event: RunEvent, sequence: number) => void;
	/** The clock of the run; by default no time passes. */
	minutes?: () => number;
	/** Lands a promotion; by default it is refused. */
	promote?: Environment["promote"];
}

/** Compiled schemas and patterns are shared by all runs of a process: they depend on nothing else. */
const tools = createCheckTools();

export interface InProcessResult {
	state: RunState;
	events: RunEvent[];
	store: DialogueStore;
	context: RunContext;
	settings: Settings;
	/** The complete SKILL.md of a variant. */
	fileOf(variant: string): Uint8Array;
}

function memoryLog(events: readonly RunEvent[], onEvent?: InProcessRun["onEvent"]): RunLog & { events: RunEvent[] } {
	const list = [...events];
	return {
		events: list,
		append: async (sequence, event) => {
			onEvent?.(event, sequence);
			list.push(event);
		},
		close: async () => undefined,
	};
}

export async function runInProcess(run: InProcessRun): Promise<InProcessResult> {
	const skill = parseSkill(run.skill);
	const name = skill.frontmatter?.name ?? "skill";
	const settings = settingsOf(
		name,
		{
			schemaVersion: 1,
			kernel: "none",
			holdout: "none",
			promote: "report",
			models: { task: { name: "sim-task" }, reflection: { name: "sim-reflect" }, judge: { name: "sim-judge" } },
			...run.spec,
		},
		"sim-task",
	);
	const context = createContext(skill, settings, run.cases);
	const store = run.store ?? createMemoryDialogueStore();
	const opening = () =>
		openRun({
			run: "test-run",
			startedAt: "2026-01-01T00:00:00.000Z",
			settings,
			offline: false,
			base: { commit: "0".repeat(40), path: "SKILL.md", blob: "0".repeat(40), ref: null },
			skill,
			cases: run.cases,
			...(run.start && { start: run.start }),
		});
	const log = memoryLog(run.events ?? [opening()], run.onEvent);
	const pool = createInlinePool({
		concurrency: run.concurrency ?? 16,
		perform: createPerform({ client: run.client, tools }),
		store,
	});
	const spent = spentCost(replay(log.events).spend);
	const state = await conduct(log, context, {
		pool,
		tools,
		ledger: createLedger(settings.limits, spent),
		signal: run.signal ?? new AbortController().signal,
		recall: (key) => store.find(key),
		begun: (key) => store.replies(key),
		minutes: run.minutes ?? (() => 0),
		promote:
			run.promote ?? (async () => ({ type: "promotion-refused", reason: "test", message: "nothing is promoted here" })),
	});
	await pool.close();
	return {
		state,
		events: log.events,
		store,
		context,
		settings,
		fileOf: (variant) => rebuildSkill(skill, state.variants[variant]?.harness ?? []),
	};
}
