/**
 * Schedules and their nights as Redis keeps them, and what each skill was last evolved from. Knows keys; must not know when a
 * schedule is due.
 */
import type { Redis } from "ioredis";
import { type LastRun, type Night, nightSchema } from "../domain/night.ts";
import { type Schedule, scheduleSchema } from "../domain/schedule.ts";

export interface ScheduleDesk {
	put(schedule: Schedule): Promise<void>;
	find(name: string): Promise<Schedule | null>;
	list(): Promise<Schedule[]>;
	remove(name: string): Promise<boolean>;
	/** Whether Redis knows of schedules at all; false after it was emptied. */
	isKnown(): Promise<boolean>;
	/** Writes down that a night begins. @returns false when that is written already */
	begin(night: Night): Promise<boolean>;
	update(night: Night): Promise<void>;
	night(schedule: string, dueAt: number): Promise<Night | null>;
	/** Oldest first. */
	nights(schedule: string): Promise<Night[]>;
	/** Nights of all schedules that are not over. */
	openNights(): Promise<Night[]>;
	lastRuns(): Promise<Record<string, LastRun>>;
	remember(skill: string, last: LastRun): Promise<void>;
}

/** Older nights are forgotten. */
const MOST_NIGHTS = 400;

export function createScheduleDesk(client: Redis, prefix = "gepa"): ScheduleDesk {
	const schedules = `${prefix}:schedules`;
	const known = `${schedules}:known`;
	const last = `${prefix}:last-runs`;
	const nightsKey = (name: string) => `${prefix}:nights:${name}`;
	// Beside the history, because it is looked at every few seconds.
	const open = `${prefix}:open-nights`;
	const openField = ({ schedule, dueAt }: Night) => `${schedule} ${dueAt}`;
	const nights = async (name: string): Promise<Night[]> => {
		const texts = Object.values(await client.hgetall(nightsKey(name)));
		return texts.flatMap((text) => read(text, nightSchema) ?? []).sort((a, b) => a.dueAt - b.dueAt);
	};
	return {
		nights,
		async put(schedule) {
			await client.multi().hset(schedules, schedule.name, JSON.stringify(schedule)).set(known, "1").exec();
		},
		async find(name) {
			const text = await client.hget(schedules, name);
			return text === null ? null : read(text, scheduleSchema);
		},
		async list() {
			const texts = Object.values(await client.hgetall(schedules));
			return texts.flatMap((text) => read(text, scheduleSchema) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
		},
		remove: async (name) => (await client.hdel(schedules, name)) === 1,
		isKnown: async () => (await client.exists(known)) === 1,
		async begin(night) {
			const key = nightsKey(night.schedule);
			if ((await client.hsetnx(key, String(night.dueAt), JSON.stringify(night))) === 0) return false;
			if (night.standing === "open") await client.hset(open, openField(night), JSON.stringify(night));
			const old = (await nights(night.schedule)).slice(0, -MOST_NIGHTS);
			if (old.length > 0) await client.hdel(key, ...old.map(({ dueAt }) => String(dueAt)));
			return true;
		},
		async update(night) {
			const text = JSON.stringify(night);
			const both = client.multi().hset(nightsKey(night.schedule), String(night.dueAt), text);
			if (night.standing === "open") both.hset(open, openField(night), text);
			else both.hdel(open, openField(night));
			await both.exec();
		},
		async openNights() {
			return Object.values(await client.hgetall(open)).flatMap((text) => read(text, nightSchema) ?? []);
		},
		async night(schedule, dueAt) {
			const text = await client.hget(nightsKey(schedule), String(dueAt));
			return text === null ? null : read(text, nightSchema);
		},
		async lastRuns() {
			const texts = Object.entries(await client.hgetall(last));
			return Object.fromEntries(texts.map(([skill, text]) => [skill, JSON.parse(text) as LastRun]));
		},
		async remember(skill, value) {
			await client.hset(last, skill, JSON.stringify(value));
		},
	};
}

interface Reader<T> {
	safeParse(value: unknown): { success: true; data: T } | { success: false };
}

function read<T>(text: string, schema: Reader<T>): T | null {
	try {
		const parsed = schema.safeParse(JSON.parse(text));
		return parsed.success ? parsed.data : null;
	} catch {
		return null;
	}
}
