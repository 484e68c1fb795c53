/** What a worker says of itself, for whoever plans, watches or looks for what is wrong. */
import { z } from "zod";

export const WORKER_ROLES = ["trial", "run"] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

export const workerLineSchema = z.object({
	id: z.string(),
	host: z.string(),
	pid: z.number(),
	version: z.string(),
	roles: z.array(z.enum(WORKER_ROLES)),
	/** Tasks at the same time. */
	concurrency: z.number(),
	/** Host of the model endpoint; null: the built-in rules. */
	endpoint: z.string().nullable(),
	/** ISO 8601 */
	since: z.string(),
	/** Milliseconds since 1970 by the worker's own clock. */
	clock: z.number(),
	/** The same moment by the clock of Redis. */
	seenAt: z.number(),
});
export type WorkerLine = z.infer<typeof workerLineSchema>;
