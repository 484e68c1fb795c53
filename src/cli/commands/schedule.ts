/**
 * `gepa schedule …`: writes the schedules of job specs into the queue, says when they are due, and what came of their nights. The
 * nights themselves are done by workers.
 */
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { createScheduleQueue, type ScheduleQueue } from "../../adapters/bullmq-schedules.ts";
import { cronProblem, firesBetween, nextFires } from "../../adapters/cron-fires.ts";
import { readJobSpec } from "../../adapters/job-files.ts";
import { createScheduleDesk, type ScheduleDesk } from "../../adapters/schedule-desk.ts";
import { digest } from "../../domain/digest.ts";
import type { ScheduleSpec } from "../../domain/job-spec.ts";
import type { Night } from "../../domain/night.ts";
import { type Schedule, scheduleSchema, skillsOfSpec } from "../../domain/schedule.ts";
import { InputError } from "../../errors.ts";
import { visible } from "../../report/visible-text.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { nightSummary, timeIn } from "../night-digest.ts";
import { beginning } from "../nights.ts";
import { plural, printDocument, table } from "../output.ts";
import { openQueueParts, type QueueParts } from "../queue-parts.ts";

const FIRES = 5;
/** Nights that `history` tells of, newest last. */
const MOST_NIGHTS = 30;

interface Desks {
	parts: QueueParts;
	desk: ScheduleDesk;
	queue: ScheduleQueue;
}

async function withDesks(flags: Flags, io: Io, action: (desks: Desks) => Promise<void>): Promise<void> {
	const config = await loadConfig(null, flags, io);
	const parts = await openQueueParts(config.queueUrl);
	const queue = createScheduleQueue(parts.redis.client);
	try {
		await action({ parts, desk: createScheduleDesk(parts.redis.client), queue });
	} finally {
		void queue.close().catch(() => undefined);
		await parts.close();
	}
}

/** Writes the schedules of all job specs, or of the files that are named. Doing it again changes nothing. */
export async function scheduleApplyCommand(files: readonly string[], flags: Flags, io: Io): Promise<void> {
	const found = await scheduledSpecs(files, io.cwd);
	await withDesks(flags, io, async ({ desk, queue }) => {
		const rows: Applied[] = [];
		for (const { schedule, file } of found) {
			const before = await desk.find(schedule.name);
			const when = whenOf(schedule);
			const timing = await queue.get(schedule.name);
			const isSame = before?.digest === schedule.digest;
			const isSet = timing?.pattern === when.cron && timing.timeZone === when.timeZone;
			const paused = before?.paused === true;
			const change = before === null ? "new" : isSame && (isSet || paused) ? "unchanged" : "changed";
			if (change !== "unchanged") await desk.put({ ...schedule, paused });
			const set = paused ? null : isSet ? timing : await queue.set(schedule.name, when.cron, when.timeZone);
			const next = set === null ? null : new Date(set.next).toISOString();
			rows.push({ name: schedule.name, file: relative(io.cwd, file), change, next, timeZone: when.timeZone });
		}
		const names = new Set(found.map(({ schedule }) => schedule.name));
		const others = files.length > 0 ? [] : (await desk.list()).filter(({ name }) => !names.has(name));
		if (io.json) return printDocument(io, { schedules: rows, notInJobs: others.map(({ name }) => name) });
		for (const row of rows) io.out(appliedLine(row));
		for (const { name } of others)
			io.err(`${name} has no job spec here any more. Take it out with: gepa schedule remove ${name}`);
	});
}

interface Applied {
	name: string;
	/** Relative to the folder in which the command is started. */
	file: string;
	change: string;
	/** ISO 8601; null when it is paused. */
	next: string | null;
	timeZone: string;
}

/** `nightly: new, from jobs/nightly.yaml, next 2026-12-01 02:15 GMT+1 (2026-12-01T01:15:00.000Z)` */
function appliedLine({ name, file, change, next, timeZone }: Applied): string {
	const when = next === null ? "paused" : `next ${timeIn(Date.parse(next), timeZone)} (${next})`;
	return visible(`${name}: ${change}, from ${file}, ${when}`);
}

/** Every schedule with its next times, in its zone and in UTC. */
export async function scheduleListCommand(flags: Flags, io: Io): Promise<void> {
	await withDesks(flags, io, async ({ desk, queue }) => {
		const now = new Date();
		const shown = [];
		for (const schedule of await desk.list()) {
			const { cron, timeZone, jitter, overlap, catchUp } = whenOf(schedule);
			const timing = await queue.get(schedule.name);
			const fires = schedule.paused ? [] : nextFires(cron, timeZone, now, FIRES).map((time) => time.getTime());
			const isRight =
				schedule.paused || (timing !== null && timing.next === fires[0]) || (timing?.next ?? 0) <= now.getTime();
			const skills = skillsOfSpec(schedule.spec);
			shown.push({
				name: schedule.name,
				paused: schedule.paused,
				cron,
				timeZone,
				jitter,
				overlap,
				catchUp,
				skills,
				fires,
				isRight,
			});
		}
		if (io.json) {
			const iso = shown.map((entry) => ({ ...entry, fires: entry.fires.map((at) => new Date(at).toISOString()) }));
			return printDocument(io, { schedules: iso });
		}
		if (shown.length === 0)
			return io.out("No schedules. Write `schedule:` into a file of jobs/, then: gepa schedule apply");
		for (const entry of shown) {
			const more = [entry.jitter === undefined ? "" : `up to ${entry.jitter} later`, `catch-up: ${entry.catchUp}`];
			io.out(`${entry.name}: ${entry.cron} in ${entry.timeZone}, ${more.filter((text) => text !== "").join(", ")}`);
			io.out(`  ${plural(entry.skills.length, "skill")}: ${entry.skills.join(", ")}`);
			if (entry.paused) io.out("  paused");
			const rows = entry.fires.map((at) => [timeIn(at, entry.timeZone), new Date(at).toISOString()]);
			if (rows.length > 0) io.out(table(rows, "  "));
			if (!entry.isRight)
				io.err(
					`${entry.name}: the queue would not wake anybody at the first of these times. Mend it with: gepa schedule apply`,
				);
		}
	});
}

/** No more nights until it is resumed; what is under way goes on. */
export async function schedulePauseCommand(name: string, flags: Flags, io: Io): Promise<void> {
	await withDesks(flags, io, async ({ desk, queue }) => {
		const schedule = await theSchedule(desk, name);
		await desk.put({ ...schedule, paused: true });
		await queue.remove(name);
		say(io, { name, paused: true }, `${name} is paused. Go on with: gepa schedule resume ${name}`);
	});
}

export async function scheduleResumeCommand(name: string, flags: Flags, io: Io): Promise<void> {
	await withDesks(flags, io, async ({ desk, queue }) => {
		const schedule = await theSchedule(desk, name);
		const when = whenOf(schedule);
		// What was missed while it was paused was meant to be missed.
		await desk.put({ ...schedule, paused: false, appliedAt: Date.now() });
		const { next } = await queue.set(name, when.cron, when.timeZone);
		say(io, { name, paused: false }, `${name} is on, next ${new Date(next).toISOString()}`);
	});
}

export async function scheduleRemoveCommand(name: string, flags: Flags, io: Io): Promise<void> {
	await withDesks(flags, io, async ({ desk, queue }) => {
		await theSchedule(desk, name);
		await queue.remove(name);
		await desk.remove(name);
		say(io, { name, removed: true }, `${name} is removed; its history is kept.`);
	});
}

/** A night now, beside the times of the schedule. */
export async function scheduleRunNowCommand(name: string, flags: Flags, io: Io): Promise<void> {
	await withDesks(flags, io, async ({ parts, desk }) => {
		const schedule = await theSchedule(desk, name);
		const open = (await desk.nights(name)).find(({ standing }) => standing === "open");
		const dueAt = open?.dueAt ?? Date.now();
		if (open === undefined) await desk.begin(await beginning(desk, schedule, dueAt, dueAt, true));
		await parts.queue.sendNight(name, dueAt, 0);
		const said = open === undefined ? "A night begins" : "A night is on already";
		say(
			io,
			{ name, dueAt: new Date(dueAt).toISOString() },
			`${said}. See what comes of it: gepa schedule history ${name}`,
		);
	});
}

/** What came of the nights, and which ones nobody was there for. */
export async function scheduleHistoryCommand(name: string, flags: Flags, io: Io): Promise<void> {
	await withDesks(flags, io, async ({ desk }) => {
		const schedule = await theSchedule(desk, name);
		const nights = await desk.nights(name);
		const all = [...nights, ...missedNights(schedule, nights, Date.now())].sort((a, b) => a.dueAt - b.dueAt);
		const shown = all.slice(-MOST_NIGHTS);
		if (io.json) return printDocument(io, { name, nights: shown });
		if (shown.length === 0) return io.out(`${name} has had no night yet.`);
		const zone = whenOf(schedule).timeZone;
		const rows = shown.map((night) => [
			timeIn(night.dueAt, zone),
			night.standing === "open" ? "under way" : night.standing,
			night.standing === "done" || night.standing === "open" ? nightSummary(night) : night.reason,
			night.byHand ? "by hand" : night.standing === "done" ? night.reason : "",
		]);
		io.out(table([["DUE", "NIGHT", "WHAT CAME OF IT", ""], ...rows]));
	});
}

/** Times that have passed since the schedule was applied and of which nothing is written down. */
function missedNights(schedule: Schedule, nights: readonly Night[], now: number): Night[] {
	const { cron, timeZone } = whenOf(schedule);
	if (schedule.paused) return [];
	const known = new Set(nights.map(({ dueAt }) => dueAt));
	// The latest time may still be on its way to a worker.
	const fires = firesBetween(cron, timeZone, new Date(schedule.appliedAt), new Date(now - 60_000), 1_000);
	return fires.flatMap((time) => {
		const dueAt = time.getTime();
		if (known.has(dueAt)) return [];
		const times = { dueAt, startedAt: dueAt, endedAt: dueAt };
		const rest = { schemaVersion: 1, schedule: schedule.name, ...times, byHand: false, skills: [] } as const;
		if (dueAt < (schedule.restoredAt ?? 0))
			return { ...rest, skills: [], standing: "lost", reason: "Redis was emptied since, and no file here tells of it" };
		return { ...rest, skills: [], standing: "missed", reason: "no worker took it at that time" };
	});
}

function say(io: Io, document: Readonly<Record<string, unknown>>, text: string): void {
	if (io.json) printDocument(io, document);
	else io.out(text);
}

async function theSchedule(desk: ScheduleDesk, name: string): Promise<Schedule> {
	const schedule = await desk.find(name);
	if (schedule !== null) return schedule;
	const names = (await desk.list()).map((entry) => entry.name);
	const hint = names.length === 0 ? "Write schedules with: gepa schedule apply" : `There is: ${names.join(", ")}`;
	throw new InputError({ message: `there is no schedule ${name} in the queue`, hint });
}

function whenOf({ spec, name }: Schedule): ScheduleSpec {
	if (spec.schedule !== undefined) return spec.schedule;
	throw new InputError(`the schedule ${name} does not say when it is due`);
}

/** The job specs that have a schedule. @throws InputError for one that cannot be used */
async function scheduledSpecs(files: readonly string[], cwd: string): Promise<{ schedule: Schedule; file: string }[]> {
	const folder = join(cwd, "jobs");
	const names = (await readdir(folder).catch(() => [] as string[]))
		.filter((file) => /^[^.].*\.ya?ml$/.test(file))
		.sort();
	const paths = files.length > 0 ? files.map((file) => resolve(cwd, file)) : names.map((file) => join(folder, file));
	const found: { schedule: Schedule; file: string }[] = [];
	for (const path of paths) {
		const spec = await readJobSpec(path);
		const name = basename(path).replace(/\.ya?ml$/, "");
		const place = { file: path };
		if (spec.schedule === undefined) {
			if (files.length > 0) throw new InputError({ message: "this job spec has no schedule", place });
			continue;
		}
		const problem = cronProblem(spec.schedule.cron, spec.schedule.timeZone);
		if (problem !== null) throw new InputError({ message: problem, place });
		if (skillsOfSpec(spec).length === 0) spec.skill = name;
		const times = { appliedAt: Date.now(), paused: false };
		const read = scheduleSchema.safeParse({ schemaVersion: 1, name, spec, digest: digest(spec), ...times });
		if (!read.success)
			throw new InputError({
				message: "a schedule is named by its file: lowercase letters, digits and hyphens",
				place,
			});
		found.push({ schedule: read.data, file: path });
	}
	if (found.length > 0) return found;
	throw new InputError({
		message: `no job spec in ${folder} has a schedule`,
		hint: "docs/job-spec.md says how it is written.",
	});
}
