/** A process that measures one job after another for the pool, and ends with it. */
import type { Job } from "./job.ts";
import { measure } from "./measure.ts";
import type { Answer } from "./pool.ts";

const answer = (message: Answer) => process.send?.(message);

process.on("message", (job: Job) => {
	measure(job).then(
		(row) => answer({ row }),
		(error: unknown) => answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
	);
});
// An end by process.exit takes the stand with it, which a signal would leave behind.
for (const end of ["disconnect", "SIGINT", "SIGTERM"]) process.once(end, () => process.exit(0));
