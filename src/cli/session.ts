/**
 * One run on disk, from the lock to the closed log: opens or resumes it, conducts it, and lets everything go in reverse order.
 * The command prints; this only does.
 */
import { join } from "node:path";
import { createFileDialogueStore } from "../adapters/file-dialogue-store.ts";
import { createFileRunLog } from "../adapters/file-run-log.ts";
import type { Wait } from "../adapters/retrying-client.ts";
import { acquireRunLock } from "../adapters/run-lock.ts";
import { parseRunEvent } from "../domain/events.ts";
import { openingOf, type RunState, replay } from "../domain/run-state.ts";
import type { Progress } from "../engine/environment.ts";
import { openRun } from "../engine/open.ts";
import { composeClient, composePerform, composePool } from "./compose.ts";
import { conductOpened, type SessionResult } from "./conducting.ts";
import type { Resolved } from "./config.ts";
import { knownBefore } from "./known-before.ts";
import type { Prepared } from "./prepare.ts";
import { freshStart, resumedStart } from "./resume.ts";

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
	/** Told once the run is open: whether it goes on from an earlier conducting, and from which run's text its search starts. */
	onOpen(resumed: boolean, startsFrom: string | null): void;
}

/** Conducts the run of a folder to its end and writes its report. */
export async function conductRun(options: SessionOptions): Promise<SessionResult> {
	const { config, run, folder } = options;
	const releasers: (() => Promise<void> | void)[] = [];
	try {
		// What is needed and may be away is opened before anything is made on disk.
		const client = await composeClient(config, options.hard, { onWait: options.onWait });
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
					...knownBefore(config.resultsFolder, options.prepared),
					...start,
				}),
			);
		}
		options.onOpen(resumed, openingOf(replay(log.events)).start?.run ?? null);
		const body = composePool(config.concurrency, store, composePerform(client));
		releasers.push(body.close);
		const { repository } = options.prepared;
		const { cwd, soft, onProgress } = options;
		const onNoWorker = () => undefined;
		return await conductOpened({
			start,
			log,
			history: log,
			store,
			body,
			repository,
			folder,
			cwd,
			soft,
			onProgress,
			onNoWorker,
		});
	} finally {
		for (const release of releasers.reverse()) await release();
	}
}
