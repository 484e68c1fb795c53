/**
 * Says that calls wait before they are tried again, without a line for each: an endpoint that is down makes all of them wait at
 * once. Knows waits and a clock; must not know models. Invariant: at most one line in five seconds.
 */
import type { Wait } from "../adapters/retrying-client.ts";

/** Shortest time between two lines, in milliseconds. */
const PAUSE_MS = 5_000;
/** Calls that fail together are told together: this long after the first of them, in milliseconds. */
const GATHER_MS = 150;

interface WaitNoticeOptions {
	/** Prints a line. */
	tell: (line: string) => void;
	/** Milliseconds on any clock that only goes forward. */
	now: () => number;
	/** Calls back after so many milliseconds; returns how to forget it. */
	later?: (ms: number, action: () => void) => () => void;
}

export interface WaitNotice {
	add(wait: Wait): void;
	/** Nothing is told after this. */
	end(): void;
}

export function createWaitNotice({ tell, now, later = laterUnref }: WaitNoticeOptions): WaitNotice {
	/** When each wait is over. */
	let ends: number[] = [];
	let latest: Wait | null = null;
	let lastTold = Number.NEGATIVE_INFINITY;
	let forget: (() => void) | null = null;

	const say = () => {
		forget = null;
		const waiting = ends.filter((end) => end > now()).length;
		ends = [];
		if (latest === null) return;
		tell(waitLine(Math.max(1, waiting), latest));
		lastTold = now();
		latest = null;
	};
	return {
		add(wait) {
			ends = ends.filter((end) => end > now());
			ends.push(now() + wait.ms);
			latest = wait;
			forget ??= later(Math.max(GATHER_MS, lastTold + PAUSE_MS - now()), say);
		},
		end() {
			forget?.();
			forget = null;
			latest = null;
		},
	};
}

/** `16 calls wait, attempt 2 of 6 in 0.5 s: gpt-5-mini at 127.0.0.1:9 cannot be reached (ECONNREFUSED)` */
function waitLine(count: number, { ms, attempt, of, message }: Wait): string {
	const who = count === 1 ? "1 call waits" : `${count} calls wait`;
	return `${who}, attempt ${attempt + 1} of ${of} in ${(ms / 1000).toFixed(1)} s: ${message}`;
}

function laterUnref(ms: number, action: () => void): () => void {
	const timer = setTimeout(action, ms).unref();
	return () => clearTimeout(timer);
}
