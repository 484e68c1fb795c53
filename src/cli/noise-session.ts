/**
 * One A/A measurement on disk, from the lock to the stored figure. The command prints; this only does. Killed anywhere and started
 * again it goes on with what is stored.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createCheckTools } from "../adapters/check-tools.ts";
import { createFileDialogueStore } from "../adapters/file-dialogue-store.ts";
import { createFileRunLog } from "../adapters/file-run-log.ts";
import { noiseFolder, writeNoise } from "../adapters/noise-file.ts";
import type { Wait } from "../adapters/retrying-client.ts";
import { acquireRunLock } from "../adapters/run-lock.ts";
import { spentCost } from "../domain/budget.ts";
import { caseSetDigest, casesOf } from "../domain/case.ts";
import { parseRunEvent } from "../domain/events.ts";
import { type RunState, replay } from "../domain/run-state.ts";
import { createContext } from "../engine/context.ts";
import type { Progress } from "../engine/environment.ts";
import { createLedger } from "../engine/ledger.ts";
import { keyOfNoise, measureNoise, type NoiseMeasurement, type NoisePlan } from "../engine/noise.ts";
import { composeClient, composePerform, composePool, composeQueuePool, countCalls, openQueue } from "./compose.ts";
import type { Resolved } from "./config.ts";
import { openingFor } from "./noise-figures.ts";
import type { Prepared } from "./prepare.ts";
import { watchWorkers } from "./watch-workers.ts";

export interface NoiseSession {
	config: Resolved;
	prepared: Prepared;
	plan: NoisePlan;
	/** First stop: no new work. Second stop: calls under way are cut. */
	soft: AbortSignal;
	hard: AbortSignal;
	onProgress(progress: Progress, state: RunState, calls: number): void;
	onWait(wait: Wait): void;
	/** Told when the work goes to a queue that nobody listens to. */
	onNoWorker(): void;
	/** Told each time a worker refuses a task: who, and why. */
	onRefused(why: string): void;
	/** Told once the folder is open: whether an earlier measurement is gone on with. */
	onOpen(resumed: boolean): void;
}

export interface NoiseResult extends NoiseMeasurement {
	/** Absolute path of the stored figure. */
	file: string;
	/** Answers that were stored before. */
	harvested: number;
}

/** Measures and stores the figure. @throws as a run does, with everything paid for stored */
export async function conductNoise(options: NoiseSession): Promise<NoiseResult> {
	const { config, prepared, plan } = options;
	const { settings, cases, skill } = prepared;
	const offline = config.baseUrl === null;
	const releasers: (() => Promise<void> | void)[] = [];
	try {
		const client = await composeClient(config, options.hard, { onWait: options.onWait });
		const queue =
			config.queueUrl === null
				? null
				: await openQueue(config.queueUrl, "run without --queue: the work is then done in this process");
		if (queue !== null) releasers.push(() => queue.close());
		const opened = openingFor(prepared, "noise", offline);
		const key = keyOfNoise(opened, cases, plan.split);
		const folder = noiseFolder(config.resultsFolder, settings.skill, key);
		const lock = acquireRunLock({ folder: join(config.resultsFolder, settings.skill), run: `noise ${key}` });
		releasers.push(() => lock.release());
		const log = await createFileRunLog({ folder, now: () => new Date(), parse: parseRunEvent });
		releasers.push(() => log.close());
		const store = await createFileDialogueStore({ folder });
		releasers.push(() => store.close());
		const resumed = log.events.length > 0;
		if (!resumed) await log.append(0, opened);
		options.onOpen(resumed);
		const perform = composePerform(client);
		const { concurrency } = config;
		const body =
			queue === null
				? composePool(concurrency, store, perform)
				: await composeQueuePool({ queue, run: `noise-${key}`, concurrency, store, onRefused: options.onRefused });
		releasers.push(body.close);
		const waiting = await watchWorkers(body.workers, {
			minutes: settings.limits.minutes,
			refusal: body.refusal,
			soft: options.soft,
			onNone: options.onNoWorker,
		});
		releasers.push(waiting.end);
		const { pool, count } = countCalls(body.pool, store);
		const started = performance.now();
		const lost = spentCost(replay(log.events).spend);
		const env = {
			pool,
			tools: createCheckTools(),
			ledger: createLedger(settings.limits, lost),
			signal: waiting.signal,
			recall: (name: string) => store.find(name),
			begun: (name: string) => store.replies(name),
			minutes: () => (performance.now() - started) / 60_000,
			promote: () => Promise.reject(new Error("a measurement promotes nothing")),
			observe: (progress: Progress, state: RunState) =>
				options.onProgress(progress, state, lost.calls + count.paid + count.harvested),
		};
		const context = createContext(skill, settings, cases);
		const found = await waiting.during(measureNoise(log, context, env, plan));
		const { calls, tokens, usd } = found.spent;
		const file = writeNoise(folder, {
			schemaVersion: 1,
			skill: settings.skill,
			split: plan.split,
			measuredAt: new Date().toISOString(),
			simulation: offline,
			text: opened.incumbent.id,
			cases: caseSetDigest(casesOf(cases, plan.split)),
			protocol: opened.protocol,
			models: { task: settings.models.task.name, judge: settings.models.judge.name },
			repeats: plan.repeats,
			drawn: new Set(found.trials.map(({ caseId }) => caseId)).size,
			unaffordable: found.unaffordable,
			spend: { calls, tokens, usd },
			objectives: found.noise,
		});
		return { ...found, file, harvested: count.harvested };
	} finally {
		for (const release of releasers.reverse()) await release();
	}
}
