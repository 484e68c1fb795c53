/**
 * A run that waits in the queue for whoever conducts it: self-contained, so that any host that has the skills repository can
 * conduct it, and hold no secret. Knows how a run is opened; must not know where it is done.
 */
import { z } from "zod";
import { caseSchema, placeCase } from "./case.ts";
import { parseRunEvent, type RunEvent } from "./events.ts";
import { limitsSchema } from "./job-spec.ts";

const openingSchema = z.custom<RunEvent>().transform((value, context) => {
	try {
		const event = parseRunEvent(value);
		if (event.type === "run-opened") return event;
	} catch {
		// Told below.
	}
	context.addIssue({ code: "custom", message: "this is no opening of a run" });
	return z.NEVER;
});

export const runRequestSchema = z.strictObject({
	schemaVersion: z.literal(1),
	/** The event that opens the run; it holds settings, base, pin and digests. */
	opening: openingSchema,
	/** Every case of the skill. */
	cases: z.array(caseSchema.transform(placeCase)),
	/** The limits of now; a run that goes on may have others than it was opened with. */
	limits: limitsSchema,
	/** Tasks that the run has in the queue at once where nobody tells how many workers do. */
	concurrency: z.number().int().min(1).max(1024),
	push: z.boolean(),
	/** Who asked, for people: a host, or a schedule. */
	requestedBy: z.string(),
	/** ISO 8601 */
	requestedAt: z.string(),
});
export type RunRequest = z.infer<typeof runRequestSchema>;

/** How a run stands that is in the queue or was. A run that is halted can be resumed; one that is ended cannot. */
export const RUN_STANDINGS = ["queued", "conducting", "halted", "ended"] as const;
export type RunStanding = (typeof RUN_STANDINGS)[number];

/** What a conducting came to, for whoever follows the run. */
export const runEndingSchema = z.strictObject({
	exitCode: z.number().int(),
	status: z.string().nullable(),
	message: z.string(),
	hint: z.string().optional(),
	/** Absolute path of the skills repository on the host that conducted. */
	repository: z.string().optional(),
	/** That the last conducting took. */
	seconds: z.number().optional(),
});
export type RunEnding = z.infer<typeof runEndingSchema>;
