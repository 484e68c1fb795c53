/**
 * Runs as Redis keeps them: who wants them, who conducts them, and a copy of their logs, so that another host can go on. Knows
 * keys and leases; must not know how a run is conducted. Invariants: a skill has one run at a time, a run has one holder whose
 * fence is the highest, and whoever comes with a lower one changes nothing.
 */
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { RunEnding, RunRequest, RunStanding } from "../domain/run-request.ts";
import { APPEND, CANCEL, END, ENQUEUE, LEASE, RELEASE, REMEMBER, RENEW, RESTORE } from "./run-scripts.ts";

export interface RunLease {
	run: string;
	skill: string;
	holder: string;
	/** Grows with each lease of the skill. */
	fence: number;
}

/** A run as it stands in the queue. */
export interface QueuedRun {
	run: string;
	skill: string;
	standing: RunStanding;
	by: string;
	/** ISO 8601 */
	at: string;
	holder: string | null;
	/** What the conductor last said of it: JSON of its own. */
	progress: string | null;
	isCancelled: boolean;
	ending: RunEnding | null;
}

/** A run that waits for a conductor or has one. */
export interface RunUnderWay {
	run: string;
	skill: string;
	/** Whether a conductor has a lease of it that is not over. */
	isHeld: boolean;
	/** Whether a decision of it has been shared. */
	isBegun: boolean;
}

export type EnqueueAnswer = { status: "queued" | "conducting" | "ended" } | { status: "taken"; run: string };
export type LeaseAnswer =
	| { status: "leased"; lease: RunLease }
	| { status: "gone" | "ended" | "halted" }
	/** For so many milliseconds at the most, unless it is prolonged. */
	| { status: "held"; forMs: number }
	| { status: "taken"; run: string };
/** `missing`: Redis was emptied and does not know the run. */
export type HoldAnswer = "held" | "cancel" | "fenced" | "missing";
export type AppendAnswer =
	| { status: "appended" | "fenced" | "missing" | "conflict" }
	| { status: "behind"; at: number };

export interface RunDesk {
	/** Puts the run into the books unless another one has the skill; its message in the queue is not sent here. */
	enqueue(request: RunRequest): Promise<EnqueueAnswer>;
	/** Null when Redis does not know the run. */
	find(run: string): Promise<QueuedRun | null>;
	/** All runs that Redis knows, oldest first. */
	list(): Promise<QueuedRun[]>;
	/** Runs that are not over. */
	underWay(): Promise<RunUnderWay[]>;
	/** The name of these books: another one after Redis was emptied. */
	books(): Promise<string>;
	/** The request as it was written, unread; null when Redis does not know the run. */
	request(run: string): Promise<unknown>;
	/** Entries of the log from number `from` on. */
	events(run: string, from?: number): Promise<string[]>;
	lease(run: string, skill: string, holder: string, ms: number): Promise<LeaseAnswer>;
	renew(lease: RunLease, ms: number, progress: string): Promise<HoldAnswer>;
	append(lease: RunLease, n: number, entry: string): Promise<AppendAnswer>;
	/** Brings a run back that an emptied Redis has forgotten. */
	restore(lease: RunLease, request: RunRequest, ms: number): Promise<"restored" | "fenced">;
	end(lease: RunLease, standing: "ended" | "halted", ending: RunEnding): Promise<"ended" | "fenced" | "missing">;
	/** Tells books that do not know the run how it ended; those that know it stay as they are. */
	remember(request: RunRequest, standing: "ended" | "halted", ending: RunEnding): Promise<void>;
	release(lease: RunLease): Promise<void>;
	cancel(run: string, skill: string): Promise<"gone" | "ended" | "asked" | "cancelled">;
	/** Forgets runs that are over and older than so many milliseconds. @returns their ids */
	prune(olderThanMs: number): Promise<string[]>;
}

export function createRunDesk(client: Redis, prefix = "gepa"): RunDesk {
	const runKey = (run: string) => `${prefix}:run:${run}`;
	const logKey = (run: string) => `${runKey(run)}:log`;
	const all = `${prefix}:runs`;
	const script = async (text: string, run: string, skill: string, ...args: (string | number)[]): Promise<string[]> => {
		const keys = [runKey(run), logKey(run), `${prefix}:skill:${skill}`, all];
		return (await client.eval(text, keys.length, ...keys, ...args.map(String))) as string[];
	};
	const held = ({ run, skill, fence }: RunLease, text: string, ...args: (string | number)[]) =>
		script(text, run, skill, fence, run, ...args);
	const find = async (run: string): Promise<QueuedRun | null> => readRun(await client.hgetall(runKey(run)));

	return {
		find,
		async enqueue(request) {
			const { run, settings } = request.opening;
			const text = JSON.stringify(request);
			const { requestedBy, requestedAt } = request;
			const args = [run, settings.skill, text, requestedBy, runKey(""), requestedAt];
			const [status = "", owner = ""] = await script(ENQUEUE, run, settings.skill, ...args);
			return status === "taken" ? { status, run: owner } : { status: status as "queued" };
		},
		async list() {
			const runs = await Promise.all((await client.zrange(all, "0", "-1")).map(find));
			return runs.filter((run) => run !== null).sort((a, b) => (a.run < b.run ? -1 : 1));
		},
		async underWay() {
			const runs = await client.zrange(all, "0", "-1");
			const asked = client.pipeline();
			for (const run of runs) asked.hmget(runKey(run), "skill", "standing", "leaseUntil").llen(logKey(run));
			const [answers, [seconds = "0"]] = await Promise.all([asked.exec(), client.time()]);
			return runs.flatMap((run, n) => {
				const [skill, standing, until] = (answers?.[2 * n]?.[1] ?? []) as (string | null)[];
				const isBegun = Number(answers?.[2 * n + 1]?.[1] ?? 0) > 0;
				if (typeof skill !== "string" || (standing !== "queued" && standing !== "conducting")) return [];
				const isHeld = standing === "conducting" && Number(until ?? 0) > Number(seconds) * 1000;
				return [{ run, skill, isHeld, isBegun }];
			});
		},
		async books() {
			await client.set(`${prefix}:books`, randomUUID(), "NX");
			return (await client.get(`${prefix}:books`)) ?? "";
		},
		async request(run) {
			const text = await client.hget(runKey(run), "request");
			try {
				return text === null ? null : JSON.parse(text);
			} catch {
				return text;
			}
		},
		events: (run, from = 0) => client.lrange(logKey(run), from, -1),
		async lease(run, skill, holder, ms) {
			const [status = "", detail = ""] = await script(LEASE, run, skill, run, holder, ms, runKey(""));
			if (status === "leased") return { status, lease: { run, skill, holder, fence: Number(detail) } };
			if (status === "held") return { status, forMs: Number(detail) };
			return status === "taken" ? { status, run: detail } : { status: status as "gone" };
		},
		async renew(lease, ms, progress) {
			const [status, cancel] = await held(lease, RENEW, ms, progress);
			return status === "held" && cancel === "1" ? "cancel" : (status as HoldAnswer);
		},
		async append(lease, n, entry) {
			const [status = "", at = "0"] = await held(lease, APPEND, n, entry);
			return status === "behind" ? { status, at: Number(at) } : { status: status as "appended" };
		},
		async restore(lease, request, ms) {
			const { requestedBy, requestedAt } = request;
			const rest = [JSON.stringify(request), requestedBy, lease.holder, ms, requestedAt];
			const [status] = await held(lease, RESTORE, lease.skill, ...rest);
			return status as "restored" | "fenced";
		},
		async end(lease, standing, ending) {
			const [status] = await held(lease, END, standing, JSON.stringify(ending));
			return status as "ended" | "fenced" | "missing";
		},
		async remember({ opening, requestedBy, requestedAt, ...rest }, standing, ending) {
			const { run, settings } = opening;
			const request = JSON.stringify({ opening, requestedBy, requestedAt, ...rest });
			const known = [run, settings.skill, request, requestedBy, requestedAt];
			await script(REMEMBER, run, settings.skill, ...known, standing, JSON.stringify(ending));
		},
		async release(lease) {
			await held(lease, RELEASE);
		},
		async cancel(run, skill) {
			const ending: RunEnding = { exitCode: 0, status: "stopped", message: "cancelled before anybody conducted it" };
			const [status] = await script(CANCEL, run, skill, run, JSON.stringify(ending));
			return status as "gone";
		},
		async prune(olderThanMs) {
			const [seconds = "0"] = (await client.time()).map(String);
			const old = await client.zrangebyscore(all, "-inf", String(Number(seconds) * 1000 - olderThanMs));
			const over: string[] = [];
			for (const run of old) {
				const standing = (await find(run))?.standing;
				if (standing === "queued" || standing === "conducting") continue;
				await client.multi().del(runKey(run)).del(logKey(run)).zrem(all, run).exec();
				over.push(run);
			}
			return over;
		},
	};
}

function readRun(fields: Record<string, string>): QueuedRun | null {
	const { run, skill, standing, by = "", at = "", holder = null, progress = null, cancel, ending } = fields;
	if (run === undefined || skill === undefined || standing === undefined) return null;
	return {
		run,
		skill,
		standing: standing as RunStanding,
		by,
		at,
		holder,
		progress,
		isCancelled: cancel === "1",
		ending: ending === undefined ? null : (JSON.parse(ending) as RunEnding),
	};
}
