/**
 * `gepa run` with a queue: puts the run in, and follows it until it ends, as if it were conducted here. Knows the books of runs;
 * what is decided, paid and committed is the business of whoever conducts.
 */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { readFileRunLog } from "../adapters/file-run-log.ts";
import { insist } from "../adapters/redis-errors.ts";
import { type EventOf, parseRunEvent } from "../domain/events.ts";
import type { RunEnding, RunRequest } from "../domain/run-request.ts";
import { openingOf, replay } from "../domain/run-state.ts";
import { openRun } from "../engine/open.ts";
import {
	BudgetError,
	type GepaError,
	GuardError,
	InputError,
	InterruptedError,
	LaterError,
	UnavailableError,
	UsageError,
} from "../errors.ts";
import { runResult } from "../report/json.ts";
import { shellWord } from "../report/resume-command.ts";
import { terminalReport } from "../report/terminal.ts";
import type { Resolved } from "./config.ts";
import { followRun, viewFollowed } from "./follow-run.ts";
import { dropCopy, keepCopy } from "./forgotten-runs.ts";
import type { Io } from "./io.ts";
import { knownBefore } from "./known-before.ts";
import { printDocument } from "./output.ts";
import type { Prepared } from "./prepare.ts";
import { openQueueParts, type QueueParts } from "./queue-parts.ts";
import { freshStart, resumedStart } from "./resume.ts";
import { redact } from "./secrets.ts";

export interface QueuedRunOptions {
	config: Resolved;
	prepared: Prepared;
	run: string;
	folder: string;
	io: Io;
	/** Puts the run in and does not follow it. */
	detach: boolean;
}

/** What else a person can do when Redis is away. */
const IN_THIS_PROCESS = "run without --queue: the work is then done in this process";

/** Puts a run into the queue and, unless it is detached, follows it and prints what came of it. */
export async function runQueued(options: QueuedRunOptions): Promise<void> {
	const { config, run, io } = options;
	const parts = await openQueueParts(config.queueUrl, IN_THIS_PROCESS);
	try {
		const request = await requestOf(options, parts);
		await submit(parts, request, config.resultsFolder);
		io.err(`${config.resume === null ? "Run" : "Going on with"} ${run}`);
		if (options.detach) {
			if (io.json) return printDocument(io, { run, skill: config.skill, detached: true });
			io.err(`Follow it with: gepa runs follow ${run}`);
			return io.out(run);
		}
		await followToEnd(parts, { config, run, request, io, minutes: request.limits.minutes });
	} finally {
		await parts.close();
	}
}

/** @throws LaterError when the skill has another run */
export async function submit({ desk, queue }: QueueParts, request: RunRequest, resultsFolder: string): Promise<void> {
	const { run, settings } = request.opening;
	const answer = await insist(() => desk.enqueue(request));
	if (answer.status === "taken") {
		throw new LaterError({
			message: `${settings.skill} has a run already: ${answer.run}`,
			hint: `Wait for it (gepa runs follow ${answer.run}), or end it (gepa runs cancel ${answer.run}).`,
		});
	}
	if (answer.status === "ended") return;
	await keepCopy(desk, resultsFolder, request);
	await queue.send(run, settings.skill);
}

async function requestOf(
	{ config, prepared, run, folder }: QueuedRunOptions,
	{ desk }: QueueParts,
): Promise<RunRequest> {
	const rest = {
		schemaVersion: 1 as const,
		cases: prepared.cases,
		limits: config.settings.limits,
		concurrency: config.concurrency,
		push: config.push,
		requestedBy: hostname(),
		requestedAt: new Date().toISOString(),
	};
	const offline = config.baseUrl === null;
	if (config.resume === null) {
		const opening = openRun({
			...{ run, startedAt: rest.requestedAt, offline },
			...knownBefore(config.resultsFolder, prepared),
			...freshStart(prepared),
		});
		return { ...rest, opening: opening as EventOf<"run-opened"> };
	}
	if ((await desk.find(run)) === null && !existsSync(join(folder, "request.json"))) {
		throw new UsageError({
			message: `run ${run} was begun without a queue, and what it has paid for is only in ${folder}`,
			hint: "Go on without --queue (and without GEPA_QUEUE_URL).",
		});
	}
	const state = replay(readFileRunLog({ folder, parse: parseRunEvent }).events);
	await resumedStart(state, prepared, config);
	return { ...rest, opening: openingOf(state) };
}

export interface FollowTarget {
	config: Resolved;
	run: string;
	/** Null when it is not at hand: it is read from the queue. */
	request: RunRequest | null;
	io: Io;
	/** How long a run that nobody takes is waited for; undefined: without end. */
	minutes?: number | undefined;
}

/** Follows a run to its end and prints it. @throws what the conducting ended with, InterruptedError when following is stopped */
export async function followToEnd(
	parts: QueueParts,
	{ config, run, request, io, minutes }: FollowTarget,
): Promise<void> {
	const workerLine = workerLineOf(config);
	const followed = await followRun({ parts, run, request, io, workerLine, minutes, signal: io.signal });
	if (followed === null) throw unfollowed(io, run);
	const { state, history, ending } = followed;
	dropCopy(config.resultsFolder, run);
	if (ending.exitCode !== 0) throw failureOf(ending);
	const known = request ?? ((await parts.desk.request(run)) as RunRequest);
	if (!state.opened) return io.err(`Run ${run}: ${ending.message}`);
	const { resultsFolder } = config;
	const shown = { request: known, history, state, resultsFolder, cwd: io.cwd, seconds: ending.seconds ?? 0 };
	const view = await viewFollowed(parts, { ...shown, repository: ending.repository ?? null });
	if (io.json) printDocument(io, { ...runResult(view) });
	else io.out(terminalReport(view, { color: io.color }));
}

/** An address with a password is not an argument: whoever has one keeps it in a variable. */
function workerLineOf({ queueUrl }: Resolved): string {
	const address = queueUrl ?? "";
	if (redact(address) === address) return `npx gepa worker --queue ${shellWord(address)}`;
	return `GEPA_QUEUE_URL=… npx gepa worker (for ${new URL(address).host})`;
}

function unfollowed(io: Io, run: string): InterruptedError {
	const reason: unknown = io.signal.reason;
	const signal = reason instanceof InterruptedError && reason.exitCode === 143 ? "SIGTERM" : "SIGINT";
	const hint = `Follow it again with: gepa runs follow ${run}. End it with: gepa runs cancel ${run}`;
	return new InterruptedError({ message: `no longer following run ${run}; it goes on`, hint }, signal);
}

/** The conductor's error as one of this process. */
export function failureOf({ exitCode, message, hint }: RunEnding): Error {
	const complaint = hint === undefined ? { message } : { message, hint };
	const kinds: Readonly<Record<number, new (complaint: { message: string }) => GepaError>> = {
		2: UsageError,
		3: InputError,
		4: UnavailableError,
		5: BudgetError,
		6: GuardError,
		75: LaterError,
	};
	const Kind = kinds[exitCode];
	return Kind === undefined ? new Error(message) : new Kind(complaint);
}
