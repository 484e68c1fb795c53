/**
 * Runs a synchronous function that untrusted patterns or schemas may make slow, and stops it at a deadline. It isolates
 * nothing: the function runs in this realm with all its rights. Only its time is bounded.
 */
import { createContext, Script } from "node:vm";

const sandbox = createContext({ work: undefined as (() => unknown) | undefined });
const call = new Script("work()");

/** Below this share of the limit, the time went to others: the process was starved or stopped. */
const STARVED_SHARE = 0.8;
/** No function is waited for longer than so many times its limit, however busy the machine is. */
const MOST_PATIENCE = 64;

/**
 * The limit is time that this process works: one that gets no processor, or is stopped and continued, tries again with more
 * patience. A machine that is busy must not turn a good pattern into a bad one.
 * @param limitMs in milliseconds
 * @param work may be begun several times
 * @returns the function's value, or undefined when it ran out of time or out of stack. What else it throws is thrown.
 */
export function withinTime<T>(limitMs: number, work: () => T): T | undefined {
	const outer = sandbox.work;
	try {
		for (let patience = 1; patience <= MOST_PATIENCE; patience *= 2) {
			// Set each time: one that was bounded within this one and stopped with it has not set it back.
			sandbox.work = work;
			const before = process.cpuUsage();
			try {
				return call.runInContext(sandbox, { timeout: limitMs * patience }) as T;
			} catch (error) {
				if (error instanceof RangeError) return undefined;
				if ((error as { code?: unknown } | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
			}
			const { user, system } = process.cpuUsage(before);
			if ((user + system) / 1000 >= STARVED_SHARE * limitMs) return undefined;
		}
		return undefined;
	} finally {
		sandbox.work = outer;
	}
}
