/**
 * A run behind a queue that nobody listens to would wait for ever: this ends the wait when the run's minutes are over and there
 * is still no worker, or none that does its tasks. Knows how many workers there are and the clock; knows no task. A run whose
 * work is done here, or whose queue does not tell who listens, is left alone.
 */
import { LaterError } from "../errors.ts";

/** How often workers are counted once the time is over, in milliseconds. */
const LOOK_EVERY_MS = 2_000;

interface WatchOptions {
	/** Limit of the run; undefined: there is none, and the wait has no end. */
	minutes: number | undefined;
	/** Why workers refuse the tasks of the run; null where none does. */
	refusal?(): string | null;
	/** Stops the run for another reason. */
	soft: AbortSignal;
	/** Told at the start when nobody listens. */
	onNone(): void;
}

interface WorkerWatch {
	/** Aborts with the run's own stop, and when the time is over without a worker. */
	signal: AbortSignal;
	/** The outcome of the work; when the wait was ended here, it rejects with the reason in place of what the stop came to. */
	during<T>(work: Promise<T>): Promise<T>;
	end(): void;
}

export async function watchWorkers(workers: () => Promise<number | null>, options: WatchOptions): Promise<WorkerWatch> {
	const { minutes, refusal = () => null, soft, onNone } = options;
	const count = await workers();
	if (count === 0) onNone();
	if (count === null || minutes === undefined) return { signal: soft, during: (work) => work, end: () => undefined };
	const control = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const look = async (): Promise<void> => {
		const refused = refusal();
		if ((await workers()) === 0) control.abort(nobody(minutes, "no worker listens to the queue"));
		else if (refused !== null) control.abort(nobody(minutes, `no worker does its tasks (${refused})`));
		else timer = setTimeout(() => void look(), LOOK_EVERY_MS);
	};
	timer = setTimeout(() => void look(), minutes * 60_000);
	return {
		signal: AbortSignal.any([soft, control.signal]),
		async during(work) {
			try {
				return await work;
			} catch (error) {
				if (control.signal.aborted && !soft.aborted) throw control.signal.reason;
				throw error;
			}
		},
		end() {
			clearTimeout(timer);
		},
	};
}

function nobody(minutes: number, why: string): LaterError {
	return new LaterError({
		message: `the ${minutes} minutes of the run are over, and ${why}`,
		hint: "Start workers of this version with gepa worker --queue URL, then go on with the run.",
	});
}
