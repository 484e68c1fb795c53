/**
 * Conducts a run whose log and store are open, and writes its report: what a run in this process and one from the queue have in
 * common. Knows ports; must not know where log, store and work come from.
 */
import { performance } from "node:perf_hooks";
import { createCheckTools } from "../adapters/check-tools.ts";
import { spentCost } from "../domain/budget.ts";
import { type RunState, replay } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import { conduct } from "../engine/conduct.ts";
import { createContext } from "../engine/context.ts";
import type { Progress } from "../engine/environment.ts";
import { createLedger } from "../engine/ledger.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { RunLog } from "../ports/run-log.ts";
import type { SkillsRepository } from "../ports/skills-repository.ts";
import type { RunView } from "../report/view.ts";
import type { RunHistory } from "../report/view-progress.ts";
import { type Body, countCalls } from "./compose.ts";
import { promoteVariant } from "./promotion.ts";
import type { Start } from "./resume.ts";
import { watchWorkers } from "./watch-workers.ts";
import { viewOfRun, writeReport } from "./write-report.ts";

export interface Conducting {
	start: Start;
	/** Holds the opening at least. */
	log: RunLog;
	/** The log with its times, where they are known: for the course of the run in the report. */
	history?: RunHistory;
	store: DialogueStore;
	body: Body;
	/** Null where nothing is promoted. */
	repository: SkillsRepository | null;
	/** Number of the lease, where the run is conducted under one. */
	fence?: number;
	folder: string;
	cwd: string;
	/** First stop: no new work. */
	soft: AbortSignal;
	onProgress(progress: Progress, state: RunState, paid: number): void;
	/** Told when the work goes to a queue that nobody listens to. */
	onNoWorker(): void;
	/** Told before the promotion is planned; rejects when there must be none. */
	beforePromotion?(): Promise<void>;
}

export interface SessionResult {
	state: RunState;
	view: RunView;
}

/** Conducts to the end of the run. @throws what `conduct` throws; the store keeps what was paid for */
export async function conductOpened(parts: Conducting): Promise<SessionResult> {
	const { start, log, store, body, repository, folder, cwd } = parts;
	const before = replay(log.events);
	const context = createContext(start.skill, start.settings, start.cases);
	const waiting = await watchWorkers(body.workers, {
		minutes: start.settings.limits.minutes,
		soft: parts.soft,
		refusal: body.refusal,
		onNone: parts.onNoWorker,
	});
	try {
		const { pool, count } = countCalls(body.pool, store);
		const started = performance.now();
		const alreadyPaid = modelCalls(before.spend);
		const source = (state: RunState) => ({
			state,
			skill: start.skill,
			cases: start.cases,
			folder,
			cwd,
			seconds: (performance.now() - started) / 1000,
			harvested: count.harvested,
			repositoryPath: repository?.root ?? null,
			...(parts.history !== undefined && { history: parts.history }),
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
				async promote(variant, current) {
					await parts.beforePromotion?.();
					if (repository === null)
						return { type: "promotion-refused", reason: "not-possible", message: "no repository is here" };
					const view = (seen: RunState) => viewOfRun(source(seen));
					const fence = parts.fence === undefined ? {} : { fence: parts.fence };
					return promoteVariant(variant, current, { repository, context, view, ...fence });
				},
				observe: (progress, current) => parts.onProgress(progress, current, alreadyPaid + count.paid + count.harvested),
			}),
		);
		return { state, view: await writeReport(source(state), store) };
	} finally {
		waiting.end();
	}
}
