/**
 * Runs a synchronous function that untrusted patterns or schemas may make slow, and stops it at a deadline. It isolates
 * nothing: the function runs in this realm with all its rights. Only its time is bounded.
 */
import { createContext, Script } from "node:vm";

const sandbox = createContext({ work: undefined as (() => unknown) | undefined });
const call = new Script("work()");

/**
 * @param limitMs wall time in milliseconds
 * @returns the function's value, or undefined when it ran out of time or out of stack. What else it throws is thrown.
 */
export function withinTime<T>(limitMs: number, work: () => T): T | undefined {
	const outer = sandbox.work;
	sandbox.work = work;
	try {
		return call.runInContext(sandbox, { timeout: limitMs }) as T;
	} catch (error) {
		if (error instanceof RangeError || (error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
			return undefined;
		throw error;
	} finally {
		sandbox.work = outer;
	}
}
