/**
 * The job spec: what a file in `jobs/` may say, and the settings of a run that come of it once flags and environment are
 * merged in. Everything that steers decisions is in the settings, so that a run can be resumed only under the same ones.
 */
import { z } from "zod";
import { modelSettingsSchema } from "./dialogue.ts";

export const POLICIES = ["quality-first", "balanced", "cheapest"] as const;
export type Policy = (typeof POLICIES)[number];

export const PROMOTE_MODES = ["current", "branch", "report"] as const;
export type PromoteMode = (typeof PROMOTE_MODES)[number];

/** Upper limits of a run; what is absent is not limited. */
export const limitsSchema = z.strictObject({
	/** Paid model calls of every kind: task with its re-asks, reflection, judge. */
	calls: z.number().int().positive().optional(),
	trials: z.number().int().positive().optional(),
	tokens: z.number().int().positive().optional(),
	usd: z.number().positive().optional(),
	minutes: z.number().positive().optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

export const marginSchema = z.strictObject({
	/** How much quality (0 to 1) a winner may lose at the most, as the non-inferiority test sees it. */
	quality: z.number().min(0).max(0.5).default(0.02),
	/**
	 * By how much a winner may cost more and still be reported as holding latency and tokens (a share of v0's) and retries (a
	 * number a trial). Blocks nothing.
	 */
	costs: z.number().min(0).max(10).default(0.1),
});

/**
 * Thresholds of the search. The defaults were found on a simulated stand (docs/job-spec.md); they are shares, so they carry over
 * better than counts, but a skill with unusual cases may want others.
 */
export const searchSchema = z.strictObject({
	/** A cause is worked on when slips alone would make so many of its checks fail with at most this chance. */
	openChance: z.number().min(0).max(1).default(0.2),
	/** Questions of a generation, at the most. */
	reflections: z.number().int().min(1).max(64).default(24),
	/** Generations without an edit that holds, after which the search stops. */
	stall: z.number().int().min(1).max(20).default(3),
	/** Generations at the most. */
	generations: z.number().int().min(1).max(100).default(16),
	/** Upper limit of the harness in bytes; the growth guard of admission. */
	harnessBytes: z.number().int().positive().default(15_000),
	/** Variants beside the winner that are validated for the front. */
	finalists: z.number().int().min(0).max(10).default(1),
	/** Draws of each case and side that a proof goes up to where single ones leave it open and the limits allow it; 1: never. */
	proofDraws: z.number().int().min(1).max(10).default(3),
	/** Share of every limit up to which that is done, and the intervals of v0 and winner are tightened, once the proofs are through. */
	frontShare: z.number().min(0).max(1).default(0.5),
	/** Whether a train case becomes an example in the text for a cause that was asked about twice and stays open. */
	examples: z.boolean().default(false),
	/** Whether the text is shortened at the end under the policies `balanced` and `cheapest`. */
	trim: z.boolean().default(true),
	/** Sections that the reflection model is asked to say shorter then, at the most, the longest first. */
	reformulations: z.number().int().min(0).max(10).default(2),
});

const skillName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "lowercase letters, digits and hyphens, at most 64");

const scheduleSchema = z.strictObject({
	cron: z.string().min(1),
	timeZone: z.string().min(1),
	jitter: z
		.string()
		.regex(/^\d+[smh]$/, "a duration such as 10m")
		.optional(),
	overlap: z.enum(["skip"]).default("skip"),
	catchUp: z.enum(["one", "none"]).default("one"),
	/** Limits of a whole night, over all skills together. */
	night: limitsSchema.optional(),
});
export type ScheduleSpec = z.infer<typeof scheduleSchema>;

/** A file of `jobs/`. Whatever it leaves out is decided by the defaults of {@link settingsOf}. */
export const jobSpecSchema = z
	.strictObject({
		schemaVersion: z.literal(1),
		skill: skillName.optional(),
		skills: z.array(skillName).min(1).optional(),
		models: z
			.strictObject({
				task: modelSettingsSchema.optional(),
				reflection: modelSettingsSchema.optional(),
				judge: modelSettingsSchema.optional(),
			})
			.optional(),
		budget: limitsSchema.optional(),
		concurrency: z.number().int().min(1).max(1024).optional(),
		repeats: z.number().int().min(1).max(20).optional(),
		maxRetries: z.number().int().min(0).max(10).optional(),
		policy: z.enum(POLICIES).optional(),
		margin: marginSchema.optional(),
		holdout: z.enum(["required", "none"]).optional(),
		kernel: z.enum(["required", "none"]).optional(),
		promote: z.enum(PROMOTE_MODES).optional(),
		seed: z
			.number()
			.int()
			.min(0)
			.max(2 ** 31 - 1)
			.optional(),
		search: searchSchema.partial().optional(),
		schedule: scheduleSchema.optional(),
	})
	.refine((spec) => !(spec.skill !== undefined && spec.skills !== undefined), {
		message: "name either `skill` or `skills`, not both",
	});
export type JobSpec = z.infer<typeof jobSpecSchema>;

/** Everything that steers the decisions of one run. */
export const settingsSchema = z.strictObject({
	skill: skillName,
	models: z.strictObject({ task: modelSettingsSchema, reflection: modelSettingsSchema, judge: modelSettingsSchema }),
	limits: limitsSchema,
	repeats: z.number().int().min(1),
	maxRetries: z.number().int().min(0),
	policy: z.enum(POLICIES),
	margin: marginSchema,
	holdout: z.enum(["required", "none"]),
	kernel: z.enum(["required", "none"]),
	promote: z.enum(PROMOTE_MODES),
	seed: z.number().int(),
	search: searchSchema,
});
export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_LIMITS: Limits = { calls: 600, usd: 5, minutes: 60 };

/** The settings of a run for one skill, from a job spec in which flags and environment are already merged. */
export function settingsOf(skill: string, spec: JobSpec, fallbackModel: string): Settings {
	const task = spec.models?.task ?? { name: fallbackModel };
	return settingsSchema.parse({
		skill,
		models: { task, reflection: spec.models?.reflection ?? task, judge: spec.models?.judge ?? task },
		limits: spec.budget ?? DEFAULT_LIMITS,
		repeats: spec.repeats ?? 1,
		maxRetries: spec.maxRetries ?? 2,
		policy: spec.policy ?? "quality-first",
		margin: spec.margin ?? {},
		holdout: spec.holdout ?? "required",
		kernel: spec.kernel ?? "required",
		promote: spec.promote ?? "current",
		seed: spec.seed ?? 1,
		search: spec.search ?? {},
	});
}
