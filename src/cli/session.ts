/**
 * One run on disk, from the lock to the closed log: opens or resumes it, conducts it, and lets everything go in reverse order.
 * The command prints; this only does.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createCheckTools } from "../adapters/check-tools.ts";
import { createFileDialogueStore } from "../adapters/file-dialogue-store.ts";
import { createFileRunLog } from "../adapters/file-run-log.ts";
import { acquireRunLock } from "../adapters/run-lock.ts";
import { spentCost } from "../domain/budget.ts";
import { parseRunEvent } from "../domain/events.ts";
import { openingOf, type RunState, replay } from "../domain/run-state.ts";
import { parseSkill } from "../domain/skill.ts";
import { modelCalls } from "../domain/spend.ts";
import { conduct } from "../engine/conduct.ts";
import { createContext } from "../engine/context.ts";
import type { Progress } from "../engine/environment.ts";
import { createLedger } from "../engine/ledger.ts";
import { changesSince, type Opening, openRun } from "../engine/open.ts";
import { GuardError } from "../errors.ts";
import type { RunView } from "../report/view.ts";
import { composeClient, composePerform, composePool, countCalls } from "./compose.ts";
import type { Resolved } from "./config.ts";
import type { Prepared } from "./prepare.ts";
import { promoteVariant } from "./promotion.ts";
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
	onWait(wait: { ms: number; attempt: number; message: string }): void;
	/** Told when the work goes to a queue that nobody listens to. */
	onNoWorker(): void;
	/** Told once the run is open: its id and whether it goes on from an earlier conducting. */
	onOpen(resumed: boolean): void;
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
		const lock = acquireRunLock({ folder: join(folder, ".."), run });
		releasers.push(() => lock.release());
		const log = await createFileRunLog({ folder, now: () => new Date(), parse: parseRunEvent });
		releasers.push(() => log.close());
		const store = await createFileDialogueStore({ folder });
		releasers.push(() => store.close());
		const resumed = log.events.length > 0;
		const start = resumed ? await resume(replay(log.events), options.prepared, config) : fresh(options.prepared);
		if (!resumed) {
			await log.append(
				0,
				openRun({ run, startedAt: new Date().toISOString(), offline: config.baseUrl === null, ...start }),
			);
		}
		options.onOpen(resumed);
		const before = replay(log.events);
		const context = createContext(start.skill, start.settings, start.cases);
		const client = await composeClient(config, options.hard, { onWait: options.onWait });
		const body = await composePool({
			queueUrl: config.queueUrl,
			run,
			concurrency: config.concurrency,
			store,
			perform: composePerform(client),
			onNoWorker: options.onNoWorker,
		});
		releasers.push(body.close);
		const { pool, count } = countCalls(body.pool, store);
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
		});
		const { repository } = options.prepared;
		const state = await conduct(log, context, {
			pool,
			tools: createCheckTools(),
			ledger: createLedger(start.settings.limits, spentCost(before.spend)),
			signal: options.soft,
			recall: (key) => store.find(key),
			minutes: () => (performance.now() - started) / 60_000,
			promote: (variant, current) =>
				promoteVariant(variant, current, { repository, context, view: (seen) => viewOfRun(source(seen)) }),
			observe: (progress, current) => options.onProgress(progress, current, alreadyPaid + count.paid + count.harvested),
		});
		return { state, view: await writeReport(source(state), store) };
	} finally {
		for (const release of releasers.reverse()) await release();
	}
}

/** What a run starts from: everything that its opening event is made of. */
type Start = Pick<Opening, "settings" | "skill" | "cases" | "base">;

function fresh({ settings, skill, cases, base }: Prepared): Start {
	const { commit, path, blob, currentRef } = base;
	return { settings, skill, cases, base: { commit, path, blob, ref: currentRef } };
}

/**
 * What a resumed run goes on from: its own text and settings, with the limits of now.
 * @throws GuardError when skill, cases, protocol or settings have changed since
 */
async function resume(state: RunState, prepared: Prepared, config: Resolved): Promise<Start> {
	const opened = openingOf(state);
	const settings = { ...opened.settings, limits: config.settings.limits };
	const own = parseSkill(Buffer.from(opened.base.bytes, "base64"), opened.base.path);
	// A run that landed its commit before it could write so down finds its own text: that is no change.
	const landed = (await prepared.repository.evolved(opened.settings.skill)).some((commit) => commit.run === opened.run);
	const now = {
		...fresh(prepared),
		settings: { ...prepared.settings, promote: opened.settings.promote },
		skill: landed ? own : prepared.skill,
	};
	const changes = changesSince(opened, now);
	if (changes.length > 0) {
		throw new GuardError({
			message: `run ${opened.run} cannot go on: ${changes.join("; ")}`,
			hint: "Start a new run, or put back what was changed.",
		});
	}
	const { commit, path, blob, ref } = opened.base;
	return { settings, skill: own, cases: prepared.cases, base: { commit, path, blob, ref } };
}
