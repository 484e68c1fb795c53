/** What `gepa worker` is told by its flags, read and checked. Knows words and ranges alone. */
import type { EndpointLimits } from "../adapters/endpoint-limits.ts";
import { WORKER_ROLES, type WorkerRole } from "../domain/worker-line.ts";
import { UsageError } from "../errors.ts";
import { type Flags, readInteger } from "./flags.ts";

export interface WorkerFlags {
	roles: readonly WorkerRole[];
	/** Undefined: no pages are served. */
	port: number | undefined;
	limits: EndpointLimits;
	/** A line for each task, too. */
	verbose: boolean;
}

/** @throws UsageError naming the flag */
export function readWorkerFlags(flags: Flags): WorkerFlags {
	return {
		roles: readRoles(flags.roles),
		port: readInteger("--port", flags.port, 0, 65_535),
		verbose: flags.verbose === true,
		limits: {
			requestsPerMinute: readInteger("--requests-per-minute", flags.requestsPerMinute, 1),
			tokensPerMinute: readInteger("--tokens-per-minute", flags.tokensPerMinute, 1),
			callsAtOnce: readInteger("--calls-at-once", flags.callsAtOnce, 1),
		},
	};
}

function readRoles(text: string | undefined): readonly WorkerRole[] {
	if (text === undefined) return WORKER_ROLES;
	const words = text.split(",").map((word) => word.trim());
	const roles = WORKER_ROLES.filter((role) => words.includes(role));
	if (roles.length === words.length && roles.length > 0) return roles;
	throw new UsageError(`--roles is trial, run or both with a comma, not ${JSON.stringify(text.slice(0, 40))}`);
}
