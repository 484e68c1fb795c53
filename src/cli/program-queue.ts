/**
 * The part of the command tree that works with a queue: workers, and what can be done about runs in it. Knows where each
 * command's module is and loads it only when it is asked for.
 */
import type { Command } from "commander";
import { examples, type Perform } from "./command-parts.ts";
import type { Flags } from "./flags.ts";
import type { Io } from "./io.ts";

export function addQueueCommands(program: Command, version: string, io: Io, perform: Perform): void {
	addWorker(program, version, io, perform);
	addSchedule(program, io, perform);
	program
		.command("doctor")
		.description("look at the queue, and say what is wrong and how to mend it")
		.addHelpText("before", examples("doctor --queue redis://127.0.0.1:6379"))
		.option("--queue <url>", "Redis of the queue (GEPA_QUEUE_URL, else REDIS_URL)")
		.action((flags: Flags) =>
			perform(async () => (await import("./commands/doctor.ts")).doctorCommand(flags, io, version)),
		);
}

function addSchedule(program: Command, io: Io, perform: Perform): void {
	const schedule = program
		.command("schedule")
		.description("evolve skills every night, by the schedules of jobs/*.yaml")
		.addHelpText(
			"before",
			examples("schedule apply", "schedule list", "schedule run-now nightly", "schedule history nightly"),
		);
	const module = () => import("./commands/schedule.ts");
	const command = (name: string, description: string) =>
		schedule
			.command(name)
			.description(description)
			.option("--queue <url>", "Redis of the queue (GEPA_QUEUE_URL, else REDIS_URL)");
	command("apply", "write the schedules of jobs/*.yaml into the queue")
		.argument("[files...]", "job specs (all of jobs/)")
		.action((files: string[], flags: Flags) =>
			perform(async () => (await module()).scheduleApplyCommand(files, flags, io)),
		);
	command("list", "schedules and when they are due next").action((flags: Flags) =>
		perform(async () => (await module()).scheduleListCommand(flags, io)),
	);
	const named = (name: string, description: string) =>
		command(name, description).argument("<schedule>", "its name: the file in jobs/ without its ending");
	named("pause", "no more nights until it is resumed").action((name: string, flags: Flags) =>
		perform(async () => (await module()).schedulePauseCommand(name, flags, io)),
	);
	named("resume", "nights again").action((name: string, flags: Flags) =>
		perform(async () => (await module()).scheduleResumeCommand(name, flags, io)),
	);
	named("remove", "take a schedule out of the queue").action((name: string, flags: Flags) =>
		perform(async () => (await module()).scheduleRemoveCommand(name, flags, io)),
	);
	named("run-now", "a night now").action((name: string, flags: Flags) =>
		perform(async () => (await module()).scheduleRunNowCommand(name, flags, io)),
	);
	named("history", "what came of the nights, and which were missed").action((name: string, flags: Flags) =>
		perform(async () => (await module()).scheduleHistoryCommand(name, flags, io)),
	);
}

function addWorker(program: Command, version: string, io: Io, perform: Perform): void {
	const worker = program
		.command("worker")
		.description("take runs and paid work from a queue until it is stopped")
		.addHelpText(
			"before",
			examples("worker --queue redis://127.0.0.1:6379 --concurrency 16", "worker --roles trial --port 9464"),
		)
		.option("--queue <url>", "Redis of the queue (GEPA_QUEUE_URL, else REDIS_URL)")
		.option("--concurrency <n>", "tasks at the same time (16)")
		.option("--roles <list>", "trial: do tasks; run: conduct runs and nights (trial,run)")
		.option("--verbose", "a line for each task, too")
		.option("--port <n>", "serve /healthz and /metrics on 127.0.0.1")
		.option("--requests-per-minute <n>", "limit of the endpoint, shared by all workers")
		.option("--tokens-per-minute <n>", "limit of the endpoint, shared by all workers")
		.option("--calls-at-once <n>", "limit of the endpoint, shared by all workers")
		.option("--base-url <url>", "model endpoint (OPENAI_BASE_URL)");
	worker
		.option("--skills-repo <dir>", "git repository of skills (GEPA_SKILLS_REPO)")
		.option("--cases <dir>", "folder of cases, for nights (eval-cases)")
		.option("--results <dir>", "folder for runs (results)");
	worker.action((flags: Flags) =>
		perform(async () => (await import("./commands/worker.ts")).workerCommand(flags, io, version)),
	);
}

export function addQueuedRuns(runs: Command, io: Io, perform: Perform): void {
	const queued = (name: string, description: string) =>
		runs
			.command(name)
			.description(description)
			.option("--queue <url>", "Redis of the queue (GEPA_QUEUE_URL, else REDIS_URL)");
	const named = (name: string, description: string) =>
		queued(name, description).argument("<run>", "a run, the beginning of its id, or a skill for its latest");
	const module = () => import("./commands/runs-queue.ts");
	named("follow", "watch a run of the queue to its end")
		.option("--results <dir>", "folder for its report (results)")
		.action((run: string, flags: Flags) => perform(async () => (await module()).runsFollowCommand(run, flags, io)));
	named("cancel", "end a run of the queue; what is paid for is kept").action((run: string, flags: Flags) =>
		perform(async () => (await module()).runsCancelCommand(run, flags, io)),
	);
	named("resume", "put a halted run into the queue again")
		.option("--results <dir>", "folder for its report (results)")
		.option("--detach", "do not follow it")
		.action((run: string, flags: Flags) => perform(async () => (await module()).runsResumeCommand(run, flags, io)));
	queued("prune", "forget finished runs in Redis; their folders are kept")
		.option("--older-than <duration>", "such as 14d, 12h or 30m (14d)")
		.action((flags: Flags) => perform(async () => (await module()).runsPruneCommand(flags, io)));
}
