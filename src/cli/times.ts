/** How long work belongs to a worker that gives no sign of life. Knows numbers alone. */
import { UsageError } from "../errors.ts";

export interface Times {
	/** A task, in milliseconds. */
	taskLockMs: number;
	/** The message of a run. */
	runLockMs: number;
	/** How often the work of dead workers is looked for. */
	stalledMs: number;
	/** The lease of a run. */
	leaseMs: number;
}

/** Long enough for a pause of the process or the network, short enough that a dead worker is missed for less than 45 seconds. */
export const TIMES: Times = { taskLockMs: 30_000, runLockMs: 20_000, stalledMs: 5_000, leaseMs: 15_000 };

/** Tests of many deaths do not wait for that long: GEPA_TEST_LOCK_MS shortens all of them in proportion. */
export function timesFrom(env: Readonly<Record<string, string | undefined>>): Times {
	const text = env.GEPA_TEST_LOCK_MS;
	if (text === undefined) return TIMES;
	const ms = Number(text);
	if (!(ms >= 200)) throw new UsageError("GEPA_TEST_LOCK_MS is a number of at least 200, for tests");
	return { taskLockMs: ms, runLockMs: ms, stalledMs: Math.max(100, ms / 3), leaseMs: ms };
}
