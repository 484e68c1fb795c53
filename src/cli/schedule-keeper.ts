/**
 * Keeps a copy of the schedules on this host, and brings them back when Redis was emptied. What a person removed stays removed: an
 * emptied Redis does not even know that there ever were any. Knows the books of schedules and one file.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ScheduleQueue } from "../adapters/bullmq-schedules.ts";
import { writeWhole } from "../adapters/run-folder.ts";
import type { ScheduleDesk } from "../adapters/schedule-desk.ts";
import { type Schedule, scheduleSchema } from "../domain/schedule.ts";
import type { Teller } from "./teller.ts";

/** @returns one look, to be taken every few seconds; it tells whether Redis had forgotten the schedules */
export function createScheduleKeeper(
	desk: ScheduleDesk,
	queue: ScheduleQueue,
	resultsFolder: string,
	tell: Teller,
): () => Promise<boolean> {
	const path = join(resultsFolder, "nightly", "schedules.json");
	let copy = readCopy(path);
	return async () => {
		if (!(await desk.isKnown())) {
			if (copy.length === 0) return false;
			for (const schedule of copy) await bringBack(desk, queue, { ...schedule, restoredAt: Date.now() });
			tell.warn("schedules-restored", `Redis had forgotten the schedules; ${copy.length} were brought back`);
			return true;
		}
		const now = await desk.list();
		if (JSON.stringify(now) !== JSON.stringify(copy)) {
			writeWhole(path, `${JSON.stringify(now, null, 2)}\n`);
			copy = now;
		}
		// The books are right, and what wakes somebody follows from them.
		for (const { name, paused, spec } of now) {
			if (!paused && spec.schedule !== undefined && (await queue.get(name)) === null) {
				await queue.set(name, spec.schedule.cron, spec.schedule.timeZone);
			}
		}
		return false;
	};
}

async function bringBack(desk: ScheduleDesk, queue: ScheduleQueue, schedule: Schedule): Promise<void> {
	const when = schedule.spec.schedule;
	if (when !== undefined && !schedule.paused) await queue.set(schedule.name, when.cron, when.timeZone);
	await desk.put(schedule);
}

function readCopy(path: string): Schedule[] {
	if (!existsSync(path)) return [];
	try {
		return scheduleSchema.array().parse(JSON.parse(readFileSync(path, "utf8")));
	} catch {
		return [];
	}
}
