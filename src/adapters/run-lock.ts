/**
 * One run of a skill at a time: `results/<skill>/.lock` says who holds it. Knows no run but its name. The file appears whole or
 * not at all; it is taken from a holder only when that process is surely gone, and by one taker only.
 */
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { LaterError, UnavailableError } from "../errors.ts";

/** A holder on another machine cannot be asked whether it lives: it shows a sign of life, and is given up after long silence. */
const SIGN_OF_LIFE_MS = 15_000;
const SILENCE_MS = 5 * 60_000;
/** Taking a lock over lasts milliseconds: a mark older than this was left by a taker that died. */
const TAKEOVER_MS = 10_000;
const MOST_TRIES = 5;

interface Holder {
	run: string;
	pid: number;
	host: string;
	/** When the process took the lock, ISO 8601. */
	since: string;
	/** When the process was started, in the system's own count; tells a process from a later one with the same number. */
	started: string | null;
	/** Tells two holders with equal data apart. */
	token: string;
}

export interface RunLock {
	/** Whether it was taken from a process that lives: what that one still writes must not be ours. */
	readonly wasTaken: boolean;
	/** Gives the lock back, if it is still ours. Giving it back twice is harmless. */
	release(): void;
}

export interface RunLockOptions {
	/** `results/<skill>`; it is made when it is not there. */
	folder: string;
	/** Name of the run that wants the lock, for the messages of others. */
	run: string;
	/** Takes the lock even from a living process that holds it for the same run: the caller has proved that it is cut off. */
	evenFromOwn?: boolean;
}

/**
 * @throws LaterError naming the run that holds it, UnavailableError when no lock can be made in the folder
 */
export function acquireRunLock({ folder, run, evenFromOwn = false }: RunLockOptions): RunLock {
	const path = join(folder, ".lock");
	try {
		mkdirSync(folder, { recursive: true });
	} catch (error) {
		throw unusable(folder, error);
	}
	const token = randomUUID();
	const me: Holder = {
		run,
		pid: process.pid,
		host: hostname(),
		since: new Date().toISOString(),
		started: startOf(process.pid),
		token,
	};
	let wasTaken = false;
	for (let tries = 0; !appears(path, me); tries++) {
		const holder = read(path);
		const may = (one: Holder | "unreadable") =>
			isGone(path, one) || (evenFromOwn && one !== "unreadable" && one.run === run);
		if (holder !== undefined && (tries >= MOST_TRIES || !may(holder))) throw held(path, holder);
		if (holder !== undefined) {
			wasTaken ||= !isGone(path, holder);
			takeAway(path, may);
		}
	}
	const life = setInterval(() => showLife(path, token), SIGN_OF_LIFE_MS).unref();
	return {
		wasTaken,
		release() {
			clearInterval(life);
			const holder = read(path);
			if (typeof holder === "object" && holder.token === token) rmSync(path, { force: true });
		},
	};
}

/** Puts the whole file in place at once; false when there is one already. */
function appears(path: string, me: Holder): boolean {
	const draft = `${path}.${me.token}`;
	try {
		writeFileSync(draft, `${JSON.stringify(me)}\n`, { flag: "wx" });
		linkSync(draft, path);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw unusable(path, error);
	} finally {
		rmSync(draft, { force: true });
	}
}

/** Undefined when there is no lock, "unreadable" when it holds nothing of ours. */
function read(path: string): Holder | "unreadable" | undefined {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw unusable(path, error);
	}
	try {
		const holder = JSON.parse(text) as Partial<Holder> | null;
		const isWhole =
			typeof holder?.pid === "number" && typeof holder.host === "string" && typeof holder.run === "string";
		return isWhole ? (holder as Holder) : "unreadable";
	} catch {
		return "unreadable";
	}
}

function isGone(path: string, holder: Holder | "unreadable"): boolean {
	if (holder === "unreadable" || holder.host !== hostname()) return isSilent(path);
	try {
		process.kill(holder.pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ESRCH";
	}
	return holder.started !== null && startOf(holder.pid) !== holder.started;
}

function isSilent(path: string): boolean {
	try {
		return Date.now() - statSync(path).mtimeMs > SILENCE_MS;
	} catch {
		return false;
	}
}

/** Removes a lock whose holder is gone. Takers exclude one another, and look again once they may act. */
function takeAway(path: string, may: (holder: Holder | "unreadable") => boolean): void {
	const mark = `${path}.takeover`;
	try {
		mkdirSync(mark);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		if (Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > TAKEOVER_MS) rmdirSync(mark);
		return;
	}
	try {
		const holder = read(path);
		if (holder !== undefined && may(holder)) rmSync(path, { force: true });
	} finally {
		rmdirSync(mark);
	}
}

/** Start of a process in clock ticks since boot (field 22 of /proc/<pid>/stat); null where the system has no such file. */
function startOf(pid: number): string | null {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
	} catch {
		return null;
	}
}

function showLife(path: string, token: string): void {
	try {
		const holder = read(path);
		const now = new Date();
		if (typeof holder === "object" && holder.token === token) utimesSync(path, now, now);
	} catch {
		// The next sign will do.
	}
}

/** What the disk says in one word of its own, in words for people. A full disk passes by itself and is told elsewhere. */
function unusable(path: string, cause: unknown): unknown {
	const { code = "", message } = cause as NodeJS.ErrnoException;
	const file = { file: path };
	if (code === "" || code === "ENOSPC" || code === "EDQUOT") return cause;
	if (code === "EEXIST" || code === "ENOTDIR") {
		const said = `the folder ${path} cannot be made: a file of that name, or of a folder above it, is in the way`;
		return new UnavailableError({
			message: said,
			place: file,
			hint: "Move it away, or name another folder with --results.",
			cause,
		});
	}
	if (code === "EISDIR") {
		const said = `${path} is a folder, where a run would put its lock`;
		return new UnavailableError({
			message: said,
			place: file,
			hint: "Remove the folder: it is none of gepa's.",
			cause,
		});
	}
	const said = `nothing can be written at ${path}: ${message}`;
	const hint = "Check the rights of the folder and whether its disk is read-only, or name another one with --results.";
	return new UnavailableError({ message: said, place: file, hint, cause });
}

function held(path: string, holder: Holder | "unreadable"): LaterError {
	const hint = `Wait for it. If that run is surely dead, remove ${path}.`;
	if (holder === "unreadable")
		return new LaterError({ message: `something unreadable holds the lock ${path}`, hint, place: { file: path } });
	const { run, pid, host, since } = holder;
	return new LaterError({
		message: `run ${run} holds this skill (process ${pid} on ${host}, since ${since})`,
		hint,
		place: { file: path },
	});
}
