/**
 * Keeps what an emptied Redis would lose of nights: a copy of those under way, beside the digests of those that are over. Brings
 * back the history, what each skill was last evolved from, and the nights that were on, which then go on. Knows the books of
 * schedules and the files of nights; must not know how a night is done.
 */
import type { RunQueue } from "../adapters/bullmq-runs.ts";
import { createNightFiles } from "../adapters/night-files.ts";
import type { ScheduleDesk } from "../adapters/schedule-desk.ts";
import { lastRunsOf, type Night } from "../domain/night.ts";
import type { Teller } from "./teller.ts";

/** A night that goes on without a message for so long gets a new one, in milliseconds. */
const WAKE_MS = 60_000;

export interface NightKeeperOptions {
	desk: ScheduleDesk;
	queue: RunQueue;
	/** The name of the books: another one after Redis was emptied. */
	books(): Promise<string>;
	resultsFolder: string;
	/** Milliseconds on any clock that only goes forward. */
	now(): number;
	tell: Teller;
}

/** @returns one look, to be taken every few seconds. `wasEmptied`: Redis knew of no schedule, although this host does */
export function createNightKeeper(options: NightKeeperOptions): (wasEmptied: boolean) => Promise<void> {
	const { desk, queue, resultsFolder, now, tell } = options;
	const files = createNightFiles(resultsFolder);
	let copy = files.open();
	let wokenAt = now();

	const bringBack = async (): Promise<void> => {
		const over = files.over();
		const open = (copy?.nights ?? []).filter((night) => !over.some((other) => isSame(night, other)));
		let count = 0;
		for (const night of [...over, ...open]) if (await desk.begin(night)) count += 1;
		const known = await desk.lastRuns();
		for (const [skill, last] of Object.entries(lastRunsOf(over))) {
			if ((known[skill]?.at ?? 0) < last.at) await desk.remember(skill, last);
		}
		for (const { schedule, dueAt } of open) await queue.sendNight(schedule, dueAt, 0);
		if (count > 0)
			tell.warn("nights-restored", `Redis had forgotten the nights; ${count} were brought back, ${open.length} go on`);
	};

	return async (wasEmptied) => {
		const books = await options.books();
		if (wasEmptied || (copy !== null && copy.books !== books)) await bringBack();
		const open = await desk.openNights();
		if (copy === null || copy.books !== books || JSON.stringify(copy.nights) !== JSON.stringify(open)) {
			copy = { books, nights: open };
			files.keepOpen(copy);
		}
		if (now() - wokenAt < WAKE_MS) return;
		wokenAt = now();
		// A night whose message is there already is not disturbed by another of the same name.
		for (const { schedule, dueAt } of open) await queue.sendNight(schedule, dueAt, 0);
	};
}

const isSame = (a: Night, b: Night): boolean => a.schedule === b.schedule && a.dueAt === b.dueAt;
