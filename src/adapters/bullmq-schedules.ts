/**
 * Wakes somebody when a schedule is due. Knows BullMQ's job schedulers; must not know what a night is. What was written is read
 * back, because a scheduler can lose its next message when it is removed and written again in quick succession.
 */
import { type ConnectionOptions, Queue } from "bullmq";
import { RUN_QUEUE } from "./bullmq-runs.ts";

export interface Timing {
	pattern: string;
	timeZone: string;
	/** When it is due next, in milliseconds since 1970. */
	next: number;
}

export interface ScheduleQueue {
	/** Writes the timing of a schedule, again and again until it reads back as written. @returns it as it was read */
	set(name: string, pattern: string, timeZone: string): Promise<Timing>;
	/** Null when there is none, or when nothing would wake anybody. */
	get(name: string): Promise<Timing | null>;
	remove(name: string): Promise<void>;
	close(): Promise<void>;
}

const MOST_TRIES = 5;

export function createScheduleQueue(connection: ConnectionOptions, prefix = "gepa"): ScheduleQueue {
	const queue = new Queue(RUN_QUEUE, { connection, prefix });
	queue.on("error", () => undefined);
	const get = async (name: string): Promise<Timing | null> => {
		const found = await queue.getJobScheduler(name);
		const { pattern, tz, next } = found ?? {};
		if (pattern === undefined || tz === undefined || typeof next !== "number") return null;
		const message = await queue.getJobState(`repeat:${name}:${next}`);
		return message === "unknown" ? null : { pattern, timeZone: tz, next };
	};
	return {
		get,
		async set(name, pattern, timeZone) {
			for (let tries = 0; tries < MOST_TRIES; tries++) {
				const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
				await queue.upsertJobScheduler(
					name,
					{ pattern, tz: timeZone },
					{ name: "due", data: { schedule: name }, opts: options },
				);
				const timing = await get(name);
				if (timing?.pattern === pattern && timing.timeZone === timeZone) return timing;
				await queue.removeJobScheduler(name);
			}
			throw new Error(`the schedule ${name} does not read back as it was written`);
		},
		async remove(name) {
			await queue.removeJobScheduler(name);
		},
		close: () => queue.close(),
	};
}
