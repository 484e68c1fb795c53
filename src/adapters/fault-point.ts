/**
 * Named moments at which tests make this process fail. Knows names and counts; must not know what stands around them. Nothing
 * happens at any of them unless a test has armed one: then the process is killed, stopped or blocked when it gets there.
 */
/** Moments of the worker, in the order of a task. */
export const WORKER_POINTS = ["task-claimed", "call-begins", "call-answered", "reply-stored", "task-done"] as const;
/** Moments of the conductor, in the order of a run. */
export const CONDUCTOR_POINTS = [
	"run-claimed",
	"run-opened",
	"event-begins",
	"event-shared",
	"event-appended",
	"reply-kept",
	"objects-written",
	"ref-moved",
	"report-written",
	"run-ended",
] as const;
const POINTS = [...WORKER_POINTS, ...CONDUCTOR_POINTS] as const;
export type FaultPoint = (typeof POINTS)[number];

interface Fault {
	point: FaultPoint;
	/** How many times it is passed before it strikes, the striking time included. */
	times: number;
	strike(): void;
}

let armed: Fault | null = null;

/** Tells that a moment has come. Does nothing outside of a test. */
export function reached(point: FaultPoint): void {
	if (armed?.point !== point || --armed.times > 0) return;
	const { strike } = armed;
	armed = null;
	strike();
}

/**
 * Arms one moment: `call-answered:3` kills the process there the third time, `event-begins:1:stop` stops it until it is
 * continued, `event-begins:1:block=5000` keeps it busy for so many milliseconds.
 * @throws RangeError for anything else
 */
export function armFault(text: string): void {
	const [name, times = "1", action = "kill"] = text.split(":");
	const point = POINTS.find((known) => known === name);
	const strike = strikes(action);
	if (point === undefined || !/^[1-9]\d*$/.test(times) || strike === null) throw new RangeError(`no fault ${text}`);
	armed = { point, times: Number(times), strike };
}

function strikes(action: string): (() => void) | null {
	if (action === "kill") return () => signalSelf("SIGKILL");
	if (action === "stop") return () => signalSelf("SIGSTOP");
	const block = /^block=(\d+)$/.exec(action);
	return block === null ? null : () => blockFor(Number(block[1]));
}

function signalSelf(signal: "SIGKILL" | "SIGSTOP"): void {
	process.kill(process.pid, signal);
	// The signal strikes before the process gets further.
	blockFor(50);
}

function blockFor(ms: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
