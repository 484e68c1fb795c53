/**
 * What whoever follows a run is told beside its progress: who conducts it, that nobody takes it or does its tasks and how long
 * that is waited for, and that workers refuse them. Each once. Knows standings and workers; changes nothing.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { QueuedRun } from "../adapters/run-desk.ts";
import type { WorkerRegistry } from "../adapters/worker-registry.ts";
import { visible } from "../report/visible-text.ts";
import type { Io } from "./io.ts";

/** A run that nobody takes for so long gets a note, in milliseconds. */
const UNTAKEN_MS = 3_000;
/** The registry may be silent for so long before it is asked again another time, in milliseconds. */
const SILENT_MS = 2_000;

interface FollowNotesOptions {
	run: string;
	io: Io;
	registry: WorkerRegistry;
	/** How a worker is started that could take the run. */
	workerLine: string;
	/** How long a run that nobody takes is waited for. */
	minutes: number | undefined;
	/** Told before a note is printed. */
	before(): void;
}

export interface FollowNotes {
	look(found: QueuedRun): Promise<void>;
	/** Why workers refuse the tasks of the run; null when they do not. */
	trouble(why: string | null): void;
}

export function createFollowNotes({ run, io, registry, workerLine, minutes, before }: FollowNotesOptions): FollowNotes {
	const begun = performance.now();
	let hasNoted = false;
	let conductor: string | null = null;
	let refused: string | null = null;
	const say = (text: string): void => {
		before();
		io.err(visible(text));
	};
	const isFor =
		minutes === undefined ? "Waiting has no limit" : `Waiting ends after ${minutes} minutes (--max-minutes)`;
	return {
		async look(found) {
			if (found.holder !== null && found.holder !== conductor) {
				const host = found.holder.split(":")[0] ?? "";
				say(conductor === null ? `Conducted on ${host}` : `Taken over, now conducted on ${host}`);
				conductor = found.holder;
			}
			if (hasNoted || performance.now() - begun < UNTAKEN_MS) return;
			const workers = await Promise.race([registry.list(), delay(SILENT_MS, null, { ref: false })]);
			if (workers === null) return;
			const lacks = (["run", "trial"] as const).filter((role) => !workers.some(({ roles }) => roles.includes(role)));
			if (lacks.length === 0) return;
			hasNoted = true;
			const what = lacks.includes("run") ? "no worker conducts runs" : "no worker does tasks";
			say(`Note: ${what}, so nothing happens until one does. Start it with: ${workerLine}`);
			if (lacks.includes("run"))
				say(`${isFor}; Ctrl-C ends it now, and the run stays in the queue. --detach does not wait at all.`);
		},
		trouble(why) {
			if (why === refused) return;
			if (why !== null) say(`Note: tasks of run ${run} wait for another worker. Refused by ${why}`);
			else say("Another worker does the tasks now.");
			refused = why;
		},
	};
}
