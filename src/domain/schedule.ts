/** A schedule as it was applied: the whole job spec, so that whoever conducts its nights needs no file of it. */
import { z } from "zod";
import { jobSpecSchema } from "./job-spec.ts";

export const scheduleSchema = z.object({
	schemaVersion: z.literal(1),
	name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
	/** With a schedule and at least one skill. */
	spec: jobSpecSchema,
	/** Digest of the job spec. */
	digest: z.string(),
	/** Milliseconds since 1970. */
	appliedAt: z.number(),
	paused: z.boolean(),
	/** When it was last brought back into an emptied Redis, in milliseconds since 1970. */
	restoredAt: z.number().optional(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** The skills that a job spec is about. */
export function skillsOfSpec(spec: { skill?: string | undefined; skills?: string[] | undefined }): string[] {
	return spec.skills ?? (spec.skill === undefined ? [] : [spec.skill]);
}
