/**
 * The log of a run as a file, `<run>/events.jsonl`. Knows no event: it is told how to read one. Each line is sealed over the
 * line before it, so a byte that somebody changes, or a line that is taken out, is found at its very line.
 */
import { join } from "node:path";
import type { RunEvent } from "../domain/events.ts";
import { DamageError, LaterError } from "../errors.ts";
import type { RunLog } from "../ports/run-log.ts";
import { openAppendFile, readAppendFile } from "./append-file.ts";
import { sealLine, unsealLine } from "./sealed-line.ts";

const DIGITS = 64;

export interface FileRunLogOptions {
	/** Folder of the run; it is made when it is not there. */
	folder: string;
	now: () => Date;
	/** Reads an event of any version; throws when it is none. */
	parse: (value: unknown) => RunEvent;
}

export interface FileRunLog extends RunLog {
	/** When each event was written, as ISO 8601 in UTC, in the order of the events. */
	readonly times: readonly string[];
}

interface Taken {
	events: RunEvent[];
	times: string[];
	/** Seal of the last line, which the next one covers. */
	chain: string;
}

/** Takes lines one after the other into `taken`; false for one that is not what was written. */
function taker(path: string, parse: FileRunLogOptions["parse"], taken: Taken): (line: Buffer) => boolean {
	return (line) => {
		const sealed = unsealLine(line, taken.chain, DIGITS);
		if (sealed === null) return false;
		const { seq, at, event } = sealed.record as { seq: number; at: string; event: unknown };
		if (seq !== taken.events.length) return false;
		taken.events.push(parseEvent(event, taken.events.length + 1, path, parse));
		taken.times.push(at);
		taken.chain = sealed.seal;
		return true;
	};
}

/** Events and times of a log as it stands, also while its run is under way; changes nothing. @throws DamageError naming the line */
export function readFileRunLog({
	folder,
	parse,
}: Omit<FileRunLogOptions, "now">): Pick<FileRunLog, "events" | "times"> {
	const path = join(folder, "events.jsonl");
	const taken: Taken = { events: [], times: [], chain: "" };
	readAppendFile({ path, accept: taker(path, parse, taken) });
	return taken;
}

/** @throws DamageError naming the line that is not what was written or holds no event; a torn last line is cut */
export async function createFileRunLog({ folder, now, parse }: FileRunLogOptions): Promise<FileRunLog> {
	const path = join(folder, "events.jsonl");
	const taken: Taken = { events: [], times: [], chain: "" };
	const { events, times } = taken;
	const file = openAppendFile({ path, accept: taker(path, parse, taken) });
	return {
		events,
		times,
		async append(sequence, event, at = now().toISOString()) {
			if (sequence !== events.length) {
				throw new LaterError({
					message: `the run's log is at event ${events.length}, not at ${sequence}: somebody else has appended to ${path}`,
					hint: "Wait for the other run, then resume this one.",
				});
			}
			const { line, seal } = sealLine({ seq: sequence, at, event }, taken.chain, DIGITS);
			file.append(line);
			taken.chain = seal;
			events.push(event);
			times.push(at);
			await file.durable();
		},
		close: () => file.close(),
	};
}

function parseEvent(value: unknown, line: number, path: string, parse: (value: unknown) => RunEvent): RunEvent {
	try {
		return parse(value);
	} catch (cause) {
		throw new DamageError({
			message: `line ${line} of ${path} holds no event that this version knows`,
			hint: "The run may have been written by a newer version of gepa.",
			place: { file: path, line },
			cause,
		});
	}
}
