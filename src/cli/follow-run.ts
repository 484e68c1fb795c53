/**
 * Follows a run that somebody else conducts, from its books in Redis: shows how far it is, and what came of it. Knows events and
 * standings; changes nothing, but for a run that Redis has forgotten while its request is still at hand.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { createFileRunLog } from "../adapters/file-run-log.ts";
import { passes } from "../adapters/redis-errors.ts";
import type { QueuedRun } from "../adapters/run-desk.ts";
import { readSharedLog, type SharedLog } from "../adapters/shared-log.ts";
import { parseRunEvent } from "../domain/events.ts";
import type { RunEnding, RunRequest } from "../domain/run-request.ts";
import { evolve, INITIAL, type RunState } from "../domain/run-state.ts";
import type { Progress } from "../engine/environment.ts";
import { LaterError } from "../errors.ts";
import type { RunView } from "../report/view.ts";
import { createFollowNotes } from "./follow-notes.ts";
import type { Io } from "./io.ts";
import { createProgress } from "./progress.ts";
import type { QueueParts } from "./queue-parts.ts";
import { startOf } from "./queued-parts.ts";
import { type ReportSource, viewOfRun, writeReport } from "./write-report.ts";

const LOOK_EVERY_MS = 300;
/** Redis may be silent for so long before following is given up, in milliseconds. */
const PATIENCE_MS = 5 * 60_000;
/** A run that Redis has forgotten is put in again when its conductor has not done so within this time, in milliseconds. */
const FORGOTTEN_MS = 10_000;

export interface FollowedRun {
	state: RunState;
	history: SharedLog;
	ending: RunEnding;
}

export interface FollowOptions {
	parts: QueueParts;
	run: string;
	/** Puts the run in again, should Redis forget it; null when it is not at hand. */
	request: RunRequest | null;
	io: Io;
	/** How a worker is started that could take it, for a note. */
	workerLine: string;
	/** Following is given up when nobody has taken the run for so long; undefined: never. */
	minutes: number | undefined;
	/** Stops following; the run goes on. */
	signal: AbortSignal;
}

/**
 * @returns null when following was stopped.
 * @throws LaterError when Redis stays silent, knows no such run, or nobody takes it in time. The run stays in the queue.
 */
export async function followRun(options: FollowOptions): Promise<FollowedRun | null> {
	const { parts, run, io, signal } = options;
	let paid = 0;
	const progress = createProgress({
		write: (text) => void process.stderr.write(text),
		animated: io.isTty && !io.json,
		now: () => performance.now(),
		calls: () => paid,
	});
	const notes = createFollowNotes({ ...options, registry: parts.registry, before: () => progress.end() });
	const history: SharedLog = { events: [], times: [] };
	let state = INITIAL;
	let shown = "";
	let [answeredAt, knownAt, heldAt] = [performance.now(), performance.now(), performance.now()];
	try {
		while (!signal.aborted) {
			const seen = await look(parts, run, history.events.length);
			const now = performance.now();
			if (seen !== null) answeredAt = now;
			if (now - answeredAt > PATIENCE_MS) throw silent(run);
			const found = seen?.found ?? null;
			if (seen !== null && found === null) {
				if (options.request === null) throw unknownRun(run);
				if (now - knownAt > FORGOTTEN_MS) await putBack(options);
			} else if (seen !== null && found !== null) {
				knownAt = now;
				history.events.push(...seen.log.events);
				history.times.push(...seen.log.times);
				state = seen.log.events.reduce(evolve, state);
				if (found.ending !== null && found.standing !== "queued") return { state, history, ending: found.ending };
				if (found.standing !== "queued") heldAt = now;
				if (options.minutes !== undefined && now - heldAt > options.minutes * 60_000) {
					throw untaken(run, options.minutes);
				}
				await notes.look(found);
				if (found.progress !== null && found.progress !== shown) {
					shown = found.progress;
					const step = readStep(shown);
					notes.trouble(step.trouble);
					paid = step.paid ?? paid;
					if (step.progress !== null && state.opened) progress.show(step.progress, state);
				}
			}
			await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
		}
		return null;
	} finally {
		progress.end();
	}
}

/** Null when Redis does not answer in time. */
async function look(
	{ desk }: QueueParts,
	run: string,
	from: number,
): Promise<{ found: QueuedRun | null; log: SharedLog } | null> {
	const asked = desk.find(run).then(async (found) => {
		return { found, log: readSharedLog(found === null ? [] : await desk.events(run, from), from) };
	});
	const answer = await Promise.race([
		asked.catch((error: unknown) => {
			if (passes(error)) return null;
			throw error;
		}),
		delay(2_000, null, { ref: false }),
	]);
	return answer;
}

async function putBack({ parts, request, run }: FollowOptions): Promise<void> {
	if (request === null) return;
	await parts.desk.enqueue(request);
	await parts.queue.send(run, request.opening.settings.skill);
}

/** What a conductor says of a run; one of another version may say it otherwise, and then nothing is shown. */
function readStep(text: string): { progress: Progress | null; paid: number | null; trouble: string | null } {
	const said = readObject(text);
	const { phase, generation, done, total, paid, trouble } = said;
	const isWhole = typeof phase === "string" && [generation, done, total].every((value) => typeof value === "number");
	return {
		progress: isWhole ? (said as unknown as Progress) : null,
		paid: typeof paid === "number" ? paid : null,
		trouble: typeof trouble === "string" ? trouble : null,
	};
}

function readObject(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
	} catch {
		return {};
	}
}

function untaken(run: string, minutes: number): LaterError {
	return new LaterError({
		message: `no worker has taken run ${run} within ${minutes} minutes (--max-minutes)`,
		hint: `It stays in the queue until one does. Follow it with: gepa runs follow ${run}. Take it out with: gepa runs cancel ${run}`,
	});
}

function silent(run: string): LaterError {
	return new LaterError({
		message: `Redis has not answered for ${PATIENCE_MS / 60_000} minutes`,
		hint: `The run is not lost. Go on following with: gepa runs follow ${run}`,
	});
}

function unknownRun(run: string): LaterError {
	return new LaterError({
		message: `the queue knows no run ${run}`,
		hint: "gepa runs list shows the runs of this folder and of the queue.",
	});
}

export interface ShownRun {
	request: RunRequest;
	history: SharedLog;
	state: RunState;
	resultsFolder: string;
	cwd: string;
	/** Path of the skills repository where it was conducted; null when nobody said. */
	repository: string | null;
	/** That conducting took. */
	seconds: number;
}

/** The view of a run of the queue as its events tell it. */
export function viewShown(shown: ShownRun): RunView {
	return viewOfRun(sourceOf(shown), "there");
}

function sourceOf({ request, history, state, cwd, seconds, resultsFolder, repository }: ShownRun): ReportSource {
	const { run, settings } = request.opening;
	const folder = join(resultsFolder, settings.skill, run);
	const { skill, cases } = startOf(request);
	const repositoryPath = repository !== null && existsSync(repository) ? repository : null;
	return { state, skill, cases, folder, cwd, seconds, harvested: 0, repositoryPath, history };
}

/**
 * The view of a followed run. Where the run's folder is not on this host, log and report are written here, with the answers
 * that the queue still holds.
 */
export async function viewFollowed(parts: QueueParts, shown: ShownRun): Promise<RunView> {
	const source = sourceOf(shown);
	const { folder } = source;
	if (existsSync(join(folder, "events.jsonl"))) return viewOfRun(source, "there");
	const log = await createFileRunLog({ folder, now: () => new Date(), parse: parseRunEvent });
	try {
		const { events, times } = shown.history;
		for (const [n, event] of events.entries()) await log.append(n, event, times[n]);
	} finally {
		await log.close();
	}
	const { createQueueDialogues } = await import("../adapters/queue-dialogues.ts");
	const dialogues = createQueueDialogues(parts.redis.client, shown.request.opening.run);
	try {
		return await writeReport(source, dialogues);
	} finally {
		void dialogues.close().catch(() => undefined);
	}
}
