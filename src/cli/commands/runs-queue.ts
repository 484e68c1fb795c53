/**
 * `gepa runs follow|cancel|resume|prune`: what can be done about runs that are in the queue. Knows the books of runs; conducts
 * nothing.
 */

import type { QueuedRun } from "../../adapters/run-desk.ts";
import { readSharedLog } from "../../adapters/shared-log.ts";
import { parseDuration } from "../../domain/duration.ts";
import { type RunRequest, runRequestSchema } from "../../domain/run-request.ts";
import { replay } from "../../domain/run-state.ts";
import { GuardError, InputError, UsageError } from "../../errors.ts";
import { reportJson } from "../../report/json.ts";
import { terminalReport } from "../../report/terminal.ts";
import type { Resolved } from "../config.ts";
import type { Flags } from "../flags.ts";
import { viewShown } from "../follow-run.ts";
import { forgottenRuns } from "../forgotten-runs.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { plural, printDocument } from "../output.ts";
import { openQueueParts, type QueueParts } from "../queue-parts.ts";
import { followToEnd, submit } from "../run-queued.ts";

/** Finished runs stay in Redis for so long unless somebody says otherwise. */
const RETENTION = "14d";

/** The run of an id, of the beginning of one, or the latest of a skill. @throws InputError when the queue knows none */
export async function locateQueued({ desk }: QueueParts, name: string): Promise<QueuedRun> {
	const runs = await desk.list();
	const exact = runs.find(({ run }) => run === name) ?? runs.filter(({ skill }) => skill === name).at(-1);
	if (exact !== undefined) return exact;
	const fitting = name.length < 4 ? [] : runs.filter(({ run }) => run.startsWith(name));
	if (fitting.length === 1 && fitting[0] !== undefined) return fitting[0];
	throw new InputError({
		message:
			fitting.length > 1
				? `${fitting.length} runs of the queue begin with ${name}`
				: `the queue knows no run or skill ${name}`,
		hint: "gepa runs list shows the runs of this folder and of the queue.",
	});
}

async function withQueue(flags: Flags, io: Io, action: (parts: QueueParts) => Promise<void>): Promise<void> {
	const config = await loadConfig(null, flags, io);
	const parts = await openQueueParts(config.queueUrl);
	try {
		await action(parts);
	} finally {
		await parts.close();
	}
}

/** Follows a run to its end, with the exit code that it has. */
export async function runsFollowCommand(name: string, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	await withQueue(flags, io, async (parts) => {
		const { run, skill } = await locateQueued(parts, name);
		io.err(`Following run ${run} of ${skill}. Ctrl-C stops following, not the run.`);
		await followToEnd(parts, { config, run, request: await requestOf(parts, run), io });
	});
}

/** Shows a run that is in the queue and not on this host, as far as it has come. */
export async function showQueued(name: string, config: Resolved, io: Io): Promise<void> {
	const parts = await openQueueParts(config.queueUrl);
	try {
		const found = await locateQueued(parts, name);
		const request = await requestOf(parts, found.run);
		const history = readSharedLog(await parts.desk.events(found.run));
		const { events } = history;
		const { run, skill, standing, by, at, ending } = found;
		const said = ending?.message ?? (found.holder === null ? "nobody has taken it" : `conducted on ${found.holder}`);
		if (events.length === 0) {
			if (io.json) return printDocument(io, { run, skill, standing, by, at, ending });
			return io.out(`Run ${run} of ${skill}, asked for by ${by} at ${at}: ${standing}, ${said}`);
		}
		const shown = { request, history, state: replay(events), cwd: io.cwd, seconds: ending?.seconds ?? 0 };
		const place = { resultsFolder: config.resultsFolder, repository: ending?.repository ?? null };
		const view = viewShown({ ...shown, ...place });
		if (io.json) return io.out(reportJson(view));
		io.out(terminalReport(view, { color: io.color }));
		io.err(`In the queue: ${standing}, ${said}`);
	} finally {
		await parts.close();
	}
}

/** Asks for the end of a run: what is paid for is kept, and nothing new is begun. */
export async function runsCancelCommand(name: string, flags: Flags, io: Io): Promise<void> {
	await withQueue(flags, io, async (parts) => {
		const { run, skill } = await locateQueued(parts, name);
		const answer = await parts.desk.cancel(run, skill);
		if (answer === "cancelled") await parts.queue.withdraw(run);
		if (io.json) return printDocument(io, { run, skill, answer });
		const said = {
			gone: `Run ${run} is gone.`,
			ended: `Run ${run} has ended already.`,
			asked: `Run ${run} is asked to end; calls under way are finished. See gepa runs follow ${run}`,
			cancelled: `Run ${run} is cancelled; nobody had taken it.`,
		};
		io.out(said[answer]);
	});
}

/** Puts a halted run in again. @throws GuardError for one that has ended */
export async function runsResumeCommand(name: string, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	await withQueue(flags, io, async (parts) => {
		const request = await requestToResume(parts, name, config.resultsFolder);
		const { run } = request.opening;
		await submit(parts, request, config.resultsFolder);
		io.err(`Going on with ${run}`);
		if (flags.detach !== true) return followToEnd(parts, { config, run, request, io, minutes: request.limits.minutes });
		if (io.json) return printDocument(io, { run, detached: true });
		io.out(run);
	});
}

/** Of a run that the queue knows, or of one that it has forgotten and that was put in from this folder. */
async function requestToResume(parts: QueueParts, name: string, resultsFolder: string): Promise<RunRequest> {
	const forgotten = await forgottenRuns(parts.desk, resultsFolder);
	const named = forgotten.filter(
		({ opening }) => opening.run === name || (name.length >= 4 && opening.run.startsWith(name)),
	);
	const ofSkill = forgotten.filter(({ opening }) => opening.settings.skill === name);
	const lost = named.length === 1 ? named[0] : ofSkill.at(-1);
	const known = lost === undefined || (await isKnown(parts, name)) ? await locateQueued(parts, name) : null;
	if (known === null) return lost as RunRequest;
	const { run, standing } = known;
	if (standing === "ended") throw new GuardError({ message: `run ${run} has ended`, hint: "Start a new one." });
	return requestOf(parts, run);
}

const isKnown = async ({ desk }: QueueParts, name: string): Promise<boolean> =>
	(await desk.list()).some(({ run, skill }) => run.startsWith(name) || skill === name);

/** Forgets finished runs in Redis; their folders stay. */
export async function runsPruneCommand(flags: Flags, io: Io): Promise<void> {
	const ms = parseDuration(flags.olderThan ?? RETENTION);
	if (ms === null) throw new UsageError("--older-than needs a duration such as 14d, 12h or 30m");
	await withQueue(flags, io, async (parts) => {
		const runs = await parts.desk.prune(ms);
		const { createQueueCounter } = await import("../../adapters/queue-counts.ts");
		const counter = createQueueCounter(parts.redis.client);
		const tasks = await counter.clean(ms).finally(() => counter.close());
		if (io.json) return printDocument(io, { runs, tasks });
		io.out(`${plural(runs.length, "run")} and ${plural(tasks, "task")} forgotten. Folders of runs are kept.`);
	});
}

async function requestOf({ desk }: QueueParts, run: string): Promise<RunRequest> {
	const read = runRequestSchema.safeParse(await desk.request(run));
	if (read.success) return read.data;
	throw new GuardError({
		message: `run ${run} was put in by another version of gepa, which this one does not understand`,
		hint: "Use the version of the workers.",
	});
}
