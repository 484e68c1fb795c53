/**
 * Nights, one step at a time: a schedule is due, a night begins, its skills are run one after the other, and a digest is written.
 * A step holds nothing between two messages, so any worker may take the next one, also after a death. Knows the books of
 * schedules and runs; must not know how a run is conducted.
 */
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Next, RunQueue } from "../adapters/bullmq-runs.ts";
import { insist } from "../adapters/redis-errors.ts";
import type { RunDesk } from "../adapters/run-desk.ts";
import { writeWhole } from "../adapters/run-folder.ts";
import type { ScheduleDesk } from "../adapters/schedule-desk.ts";
import { caseSetDigest } from "../domain/case.ts";
import { digest } from "../domain/digest.ts";
import type { EventOf } from "../domain/events.ts";
import type { Limits, Settings } from "../domain/job-spec.ts";
import {
	fairOrder,
	jitterMs,
	lastRunAfter,
	type Night,
	type NightSkill,
	nightRunId,
	reasonToRest,
	saysSomething,
	shareOf,
	spentIn,
} from "../domain/night.ts";
import { type Schedule, skillsOfSpec } from "../domain/schedule.ts";
import { openRun } from "../engine/open.ts";
import { GepaError, LaterError } from "../errors.ts";
import { resolveConfig } from "./config.ts";
import type { Flags } from "./flags.ts";
import type { Environment } from "./io.ts";
import { knownBefore } from "./known-before.ts";
import { nightDocument, nightMarkdown, nightName } from "./night-digest.ts";
import { lookAtRun, type NightLook } from "./night-look.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { freshStart } from "./resume.ts";
import type { Teller } from "./teller.ts";

/** A run of the night is looked at this often, in milliseconds. */
const LOOK_MS = 1_000;
/** What has to wait for something is tried again after this long, in milliseconds. */
const LATER_MS = 10_000;
/** A step that could not be done, such as with a full disk, is tried again after this long, in milliseconds. */
const TROUBLE_MS = 60_000;
/** A night that begins later than this after its time is a catch-up, in milliseconds. */
const LATE_MS = 5 * 60_000;

export interface NightsOptions {
	schedules: ScheduleDesk;
	desk: RunDesk;
	queue: RunQueue;
	/** Those of the worker: where skills and cases are, and which endpoint its calls go to. */
	flags: Flags;
	env: Environment;
	cwd: string;
	resultsFolder: string;
	now(): number;
	tell: Teller;
}

export interface Nights {
	/** A schedule is due: its night begins, unless there is a reason to pass it over. */
	due(schedule: string, dueAt: number): Promise<Next>;
	/** Does the next step of a night. */
	step(schedule: string, dueAt: number): Promise<Next>;
}

export function createNights(options: NightsOptions): Nights {
	const missing = new Map<string, number>();
	return {
		due: (name, dueAt) => insist(() => due(options, name, dueAt)),
		async step(name, dueAt) {
			try {
				return await insist(() => step({ ...options, missing }, name, dueAt));
			} catch (error) {
				// The night stays open, and its next step is tried again: a night without a message would never end.
				options.tell.error("night-step-failed", `night of ${name}: ${String(error)}; tried again`, {
					schedule: name,
					dueAt,
				});
				return { againMs: TROUBLE_MS };
			}
		},
	};
}

async function due({ schedules, queue, now, tell }: NightsOptions, name: string, dueAt: number): Promise<Next> {
	const schedule = await schedules.find(name);
	if (schedule === null || schedule.paused) return "done";
	const spec = schedule.spec.schedule;
	const begun = await beginning(schedules, schedule, dueAt, now());
	const open = (await schedules.nights(name)).find(({ standing, dueAt: at }) => standing === "open" && at !== dueAt);
	const late = now() - dueAt;
	let night = begun;
	if (late > LATE_MS && spec?.catchUp === "none")
		night = passed(begun, "missed", `due ${minutes(late)} ago, and catchUp is none`);
	else if (open !== undefined)
		night = passed(begun, "skipped", `the night of ${new Date(open.dueAt).toISOString()} is still on`);
	else if (late > LATE_MS) night = { ...begun, reason: `caught up ${minutes(late)} late` };
	if (!(await schedules.begin(night))) {
		// Whoever wrote it down may have died before the message was sent; one that is there already will do.
		if ((await schedules.night(name, dueAt))?.standing === "open") await queue.sendNight(name, dueAt, 0);
		return "done";
	}
	tell.info("night-due", `schedule ${name} is due: ${night.reason || night.standing}`, { schedule: name, dueAt });
	if (night.standing === "open") {
		const wait = late > LATE_MS ? 0 : Math.max(0, dueAt + jitterMs(name, dueAt, spec?.jitter) - now());
		await queue.sendNight(name, dueAt, wait);
	}
	return "done";
}

const minutes = (ms: number): string => `${Math.round(ms / 60_000)} minutes`;
const passed = (night: Night, standing: "missed" | "skipped", reason: string): Night => ({
	...night,
	standing,
	reason,
	endedAt: night.startedAt,
	skills: [],
});

/** A night in which nothing has been done yet. */
export async function beginning(
	desk: ScheduleDesk,
	schedule: Schedule,
	dueAt: number,
	now: number,
	byHand = false,
): Promise<Night> {
	const last = await desk.lastRuns();
	const lastAt = Object.fromEntries(Object.entries(last).map(([skill, { at }]) => [skill, at]));
	const skills = fairOrder(skillsOfSpec(schedule.spec), lastAt).map(
		(skill): NightSkill => ({ skill, outcome: "waiting", run: null, reason: "", spend: null, basis: null }),
	);
	const times = { dueAt, startedAt: now, endedAt: null };
	return { schemaVersion: 1, schedule: schedule.name, ...times, standing: "open", reason: "", byHand, skills };
}

async function step(options: NightsOptions & NightLook, name: string, dueAt: number): Promise<Next> {
	const { schedules, now, tell } = options;
	const night = await schedules.night(name, dueAt);
	if (night === null || night.standing !== "open") return "done";
	const schedule = await schedules.find(name);
	const under = night.skills.find(({ outcome }) => outcome === "conducting");
	if (under !== undefined) {
		const settled = await lookAtRun(options, under);
		if (settled === null) return { againMs: LOOK_MS };
		const { basis, run } = settled;
		if (basis !== null && run !== null && saysSomething(settled)) {
			const before = (await schedules.lastRuns())[settled.skill];
			const { outcome } = settled;
			await schedules.remember(settled.skill, lastRunAfter(before, { basis, run, at: now(), outcome }));
		}
		await schedules.update(withSkill(night, settled));
		return { againMs: 0 };
	}
	const next = night.skills.find(({ outcome }) => outcome === "waiting");
	if (next !== undefined && schedule !== null) {
		const begun = await begin(options, schedule, night, next);
		if (begun === "later") return { againMs: LATER_MS };
		tell.info("night-step", `night of ${name}: ${next.skill} ${begun.outcome} ${begun.reason}`, { schedule: name });
		await schedules.update(withSkill(night, begun));
		return { againMs: 0 };
	}
	const skills = night.skills.map(
		(entry): NightSkill =>
			entry.outcome === "waiting" ? { ...entry, outcome: "skipped", reason: "the schedule was removed" } : entry,
	);
	const ended: Night = { ...night, skills, standing: "done", endedAt: now() };
	const zone = schedule?.spec.schedule?.timeZone ?? "UTC";
	const path = join(options.resultsFolder, "nightly", nightName(ended, zone));
	writeWhole(`${path}.md`, nightMarkdown(ended, zone));
	writeWhole(`${path}.json`, nightDocument(ended, zone));
	await schedules.update(ended);
	tell.info("night-ended", `night of ${name} ended; see ${path}.md`, { schedule: name, dueAt });
	return "done";
}

const withSkill = (night: Night, skill: NightSkill): Night => ({
	...night,
	skills: night.skills.map((entry) => (entry.skill === skill.skill ? skill : entry)),
});

/** Puts the run of a skill into the queue, or says why there is none. */
async function begin(
	options: NightsOptions,
	schedule: Schedule,
	night: Night,
	entry: NightSkill,
): Promise<NightSkill | "later"> {
	const skipped = (reason: string): NightSkill => ({ ...entry, outcome: "skipped", reason });
	try {
		const { prepared, config } = await prepareSkill(options, schedule, entry.skill);
		const basis = basisOf(prepared);
		const known = knownBefore(config.resultsFolder, prepared);
		const last = (await options.schedules.lastRuns())[entry.skill];
		const rest = reasonToRest(last, basis, known.start != null, entry.skill);
		if (rest !== null) return { ...entry, outcome: "unchanged", reason: rest };
		const left = night.skills.filter(({ outcome }) => outcome === "waiting").length;
		const took = (options.now() - night.startedAt) / 60_000;
		const limits = shareOf(config.settings.limits, schedule.spec.schedule?.night, spentIn(night), took, left);
		if (limits === null) return skipped("the limits of the night are used up");
		const run = nightRunId(schedule.name, night.dueAt, entry.skill);
		const requestedAt = new Date(options.now()).toISOString();
		const opening = openRun({
			...freshStart({ ...prepared, settings: { ...prepared.settings, limits } }),
			...{ run, startedAt: requestedAt, offline: config.baseUrl === null },
			...known,
		}) as EventOf<"run-opened">;
		const { concurrency } = config;
		const requestedBy = `schedule ${schedule.name} on ${hostname()}`;
		const common = { schemaVersion: 1 as const, opening, cases: prepared.cases, limits, concurrency, push: false };
		const answer = await options.desk.enqueue({ ...common, requestedBy, requestedAt });
		if (answer.status === "taken") return skipped(`run ${answer.run} of this skill is under way`);
		await options.queue.send(run, entry.skill);
		const reason = known.start == null ? "" : `goes on from the text that run ${known.start.run} left undecided`;
		return { ...entry, outcome: "conducting", run, basis, reason };
	} catch (error) {
		if (error instanceof LaterError) return "later";
		if (error instanceof GepaError) return { ...entry, outcome: "failed", reason: error.message };
		return { ...entry, outcome: "failed", reason: `a bug of gepa: ${String(error)}` };
	}
}

async function prepareSkill(options: NightsOptions, schedule: Schedule, skill: string) {
	const { flags, env, cwd } = options;
	const { skill: _one, skills: _all, schedule: _when, ...spec } = schedule.spec;
	const jobSpec = { file: resolve(cwd, "jobs", `${schedule.name}.yaml`), spec: { ...spec, skill } };
	const config = resolveConfig({ skill, flags, env, cwd, jobSpec, jobName: `schedule ${schedule.name}` });
	const prepared = await prepare({
		settings: config.settings,
		skillsRepo: config.skillsRepo,
		skillsRepoOrigin: config.origins.skillsRepo,
		casesFolder: config.casesFolder,
		offline: config.baseUrl === null,
		cwd,
		resume: null,
		dryRun: false,
	});
	return { config, prepared };
}

/** Digest of all that a run rests on; the limits are not among it, since each night shares them out anew. */
function basisOf({ skill, cases, settings }: Prepared): string {
	const { limits: _, ...fixed }: Settings & { limits: Limits } = settings;
	return digest({ skill: Buffer.from(skill.bytes).toString("base64"), cases: caseSetDigest(cases), settings: fixed });
}
