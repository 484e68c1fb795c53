/**
 * One run on disk, from the lock to the closed log: opens or resumes it, conducts it, and lets everything go in reverse order.
 * The command prints; this only does.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createCheckTools } from "../adapters/check-tools.ts";
import { createFileDialogueStore } from "../adapters/file-dialogue-store.ts";
import { createFileRunLog } from "../adapters/file-run-log.ts";
import { notesOfSkill } from "../adapters/note-files.ts";
import type { Wait } from "../adapters/retrying-client.ts";
import { acquireRunLock } from "../adapters/run-lock.ts";
import { spentCost } from "../domain/budget.ts";
import { parseRunEvent } from "../domain/events.ts";
import { guidanceOf } from "../domain/note.ts";
import { openingOf, type RunState, replay } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import { conduct } from "../engine/conduct.ts";
import { createContext } from "../engine/context.ts";
import type { Progress } from "../engine/environment.ts";
import { createLedger } from "../engine/ledger.ts";
import { openRun } from "../engine/open.ts";
import type { RunView } from "../report/view.ts";
import { composeClient, composePerform, composePool, countCalls, openQueue } from "./compose.ts";
import type { Resolved } from "./config.ts";
import { findNoise } from "./noise-figures.ts";
import type { Prepared } from "./prepare.ts";
import { promoteVariant } from "./promotion.ts";
import { freshStart, resumedStart } from "./resume.ts";
import { findSearchStart } from "./search-start.ts";
import { watchWorkers } from "./watch-workers.ts";
import { viewOfRun, writeReport } from "./write-report.ts";

export interface SessionOptions {
	config: Resolved;
	prepared: Prepared;
	run: string;
	folder: string;
	cwd: string;
	/** First stop: no new work. */
	soft: AbortSignal;
	/** Second stop: calls under way are cut. */
	hard: AbortSignal;
	onProgress(progress: Progress, state: RunState, paid: number): void;
	onWait(wait: Wait): void;
	/** Told when the work goes to a queue that nobody listens to. */
	onNoWorker(): void;
	/** Told once the run is open: whether it goes on from an earlier conducting, and from which run's text its search starts. */
	onOpen(resumed: boolean, startsFrom: string | null): void;
}

export interface SessionResult {
	state: RunState;
	view: RunView;
}

/** Conducts the run of a folder to its end and writes its report. */
export async function conductRun(options: SessionOptions): Promise<SessionResult> {
	const { config, run, folder } = options;
	const releasers: (() => Promise<void> | void)[] = [];
	try {
		// What is needed and may be away is opened before anything is made on disk.
		const client = await composeClient(config, options.hard, { onWait: options.onWait });
		const queue = config.queueUrl === null ? null : await openQueue(config.queueUrl);
		if (queue !== null) releasers.push(() => queue.close());
		const lock = acquireRunLock({ folder: join(folder, ".."), run });
		releasers.push(() => lock.release());
		const log = await createFileRunLog({ folder, now: () => new Date(), parse: parseRunEvent });
		releasers.push(() => log.close());
		const store = await createFileDialogueStore({ folder });
		releasers.push(() => store.close());
		const resumed = log.events.length > 0;
		const start = resumed
			? await resumedStart(replay(log.events), options.prepared, config)
			: freshStart(options.prepared);
		if (!resumed) {
			await log.append(
				0,
				openRun({
					run,
					startedAt: new Date().toISOString(),
					offline: config.baseUrl === null,
					noise: findNoise(config.resultsFolder, options.prepared),
					start: findSearchStart(config.resultsFolder, options.prepared),
					...start,
					guidance: guidanceOf(notesOfSkill(config.resultsFolder, start.settings.skill)),
				}),
			);
		}
		const before = replay(log.events);
		options.onOpen(resumed, openingOf(before).start?.run ?? null);
		const context = createContext(start.skill, start.settings, start.cases);
		const body = await composePool({
			queue,
			run,
			concurrency: config.concurrency,
			store,
			perform: composePerform(client),
		});
		releasers.push(body.close);
		const waiting = await watchWorkers(body.workers, {
			minutes: start.settings.limits.minutes,
			soft: options.soft,
			onNone: options.onNoWorker,
		});
		releasers.push(waiting.end);
		const { pool, count } = countCalls(body.pool, store);
		const { repository } = options.prepared;
		const started = performance.now();
		const alreadyPaid = modelCalls(before.spend);
		const source = (state: RunState) => ({
			state,
			skill: start.skill,
			cases: start.cases,
			folder,
			cwd: options.cwd,
			seconds: (performance.now() - started) / 1000,
			harvested: count.harvested,
			repositoryPath: repository.root,
			history: log,
		});
		const state = await waiting.during(
			conduct(log, context, {
				pool,
				tools: createCheckTools(),
				ledger: createLedger(start.settings.limits, spentCost(before.spend)),
				signal: waiting.signal,
				recall: (key) => store.find(key),
				begun: (key) => store.replies(key),
				minutes: () => (performance.now() - started) / 60_000,
				promote: (variant, current) =>
					promoteVariant(variant, current, { repository, context, view: (seen) => viewOfRun(source(seen)) }),
				observe: (progress, current) =>
					options.onProgress(progress, current, alreadyPaid + count.paid + count.harvested),
			}),
		);
		return { state, view: await writeReport(source(state), store) };
	} finally {
		for (const release of releasers.reverse()) await release();
	}
}
