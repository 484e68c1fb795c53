/** One whole run on the stand, measured from outside: the text it hands out, calls that the endpoint counted, slots, time. */
import { performance } from "node:perf_hooks";
import { createOpenAiClient } from "../../src/adapters/openai-client.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import type { JobSpec } from "../../src/domain/job-spec.ts";
import { openingOf, type RunState } from "../../src/domain/run-state.ts";
import { runInProcess } from "../support/in-process.ts";
import {
	bodyOfBytes,
	type ExportedFamily,
	exportFamily,
	paidCalls,
	type Stand,
	type StandStats,
	startStand,
} from "../support/stand.ts";
import { processorMs } from "./floor.ts";

export interface RunRequest {
	family: string;
	/** Limit on paid calls. */
	budget: number;
	seed: number;
	/** Options of the stand, such as latency. */
	stand?: Readonly<Record<string, number>>;
	/** `search` of the job spec; what does not fit there is refused when the run is opened. */
	search?: Readonly<Record<string, number | boolean | string>>;
	/** Policy of the job spec. */
	policy?: JobSpec["policy"];
	/** The text to start from; by default the family's seed text. */
	harness?: string;
	/** How many cases of the test split the run gets as sealed cases: the first in the order of the file. */
	sealed?: number;
	concurrency?: number;
}

export interface OneRun {
	/** Still running: for scoring. */
	stand: Stand;
	exported: ExportedFamily;
	state: RunState;
	events: readonly RunEvent[];
	stats: StandStats;
	paid: number;
	seconds: number;
	/** Milliseconds of processor time of this process for the run. */
	cpu: number;
	/** Whether something else than v0 was proved and would be handed out. */
	won: boolean;
	/** The text that is handed out: the proven winner, or v0. */
	text: string;
	textOf(variant: string): string;
}

/** Conducts one run and hands it to `look` while the stand still runs. */
export async function withRun<T>(request: RunRequest, look: (run: OneRun) => Promise<T>): Promise<T> {
	const { family, budget, seed, sealed = 0 } = request;
	const stand = await startStand({ seed, ...request.stand });
	try {
		const exported = exportFamily(family, request.harness === undefined ? {} : { harness: request.harness });
		const client = createOpenAiClient({ baseUrl: stand.url, apiKey: "none" });
		const [started, cpuBefore] = [performance.now(), processorMs()];
		const { state, events, fileOf } = await runInProcess({
			skill: exported.skill,
			cases: [...exported.cases, ...exported.test.slice(0, sealed)],
			client,
			concurrency: request.concurrency ?? 16,
			spec: {
				budget: { calls: budget },
				seed,
				...(request.policy === undefined ? {} : { policy: request.policy }),
				holdout: sealed > 0 ? "required" : "none",
				...(request.search === undefined ? {} : { search: request.search as JobSpec["search"] }),
			},
		});
		const [seconds, cpu] = [(performance.now() - started) / 1000, processorMs() - cpuBefore];
		const stats = await stand.stats();
		const won = state.closed?.status === "confirmed" || state.closed?.status === "promoted";
		const textOf = (variant: string) => bodyOfBytes(fileOf(variant));
		const handedOut = won ? state.search?.finished?.finalist : undefined;
		const text = textOf(handedOut ?? openingOf(state).incumbent.id);
		return await look({
			stand,
			exported,
			state,
			events,
			stats,
			paid: paidCalls(stats),
			seconds,
			cpu,
			won,
			text,
			textOf,
		});
	} finally {
		await stand.stop();
	}
}
