/**
 * Run events: one decision, one event. The log of a run is the list of its events; the state is their fold. An event says
 * everything that its decision consisted of, so that folding needs no clock, file or model. Old shapes are lifted here.
 */
import { z } from "zod";
import { settingsSchema } from "./job-spec.ts";
import { pinSchema } from "./kernel.ts";
import { measuredNoiseSchema } from "./noise.ts";
import { editSchema } from "./section.ts";

/** Generations count from 0; the incumbent is of generation 0. */
export const generationSchema = z.number().int().nonnegative();

const spendSchema = z.strictObject({
	taskCalls: z.number().int().nonnegative(),
	judgeCalls: z.number().int().nonnegative(),
	tokens: z.number().nonnegative(),
	usd: z.number().nonnegative().nullable(),
});

const outcomeSchema = z.discriminatedUnion("status", [
	z.strictObject({
		status: z.literal("measured"),
		quality: z.number(),
		latencyMs: z.number(),
		tokens: z.number(),
		retries: z.number(),
		scores: z.array(z.number().nullable()),
	}),
	z.strictObject({
		status: z.literal("failed"),
		reason: z.enum(["contract", "truncated", "refused", "judge", "check", "infrastructure", "budget"]),
		quality: z.literal(0).nullable(),
		tokens: z.number().nullable(),
		retries: z.number().nullable(),
	}),
]);

const trialSchema = z.strictObject({
	variant: z.string(),
	caseId: z.string(),
	repeat: z.number().int().nonnegative(),
	rollout: z.string(),
	outcome: outcomeSchema,
	spend: spendSchema,
});

/** An edit with its origin: which proposal brought it, and for which group of failures it was written. */
const tracedEditSchema = z.strictObject({
	id: z.string(),
	proposal: z.string(),
	group: z.string(),
	generation: generationSchema,
	edit: editSchema,
});
export type TracedEdit = z.infer<typeof tracedEditSchema>;

export const OPERATORS = ["seed", "start", "reflect", "attribute", "prune", "trim", "reformulate"] as const;
export type Operator = (typeof OPERATORS)[number];

const variantRecordSchema = z.strictObject({
	id: z.string(),
	parents: z.array(z.string()),
	operator: z.enum(OPERATORS),
	generation: generationSchema,
	/** The harness segments of the document, in order. */
	harness: z.array(z.string()),
	/** Ids of the edits that lead from v0 to this text, in order. */
	patch: z.array(z.string()),
});
export type VariantRecord = z.infer<typeof variantRecordSchema>;

/** One answer of the reflection model, read and judged as a proposal. */
const proposalSchema = z.strictObject({
	id: z.string(),
	/** Key of the paid dialogue. */
	reflection: z.string(),
	group: z.string(),
	status: z.enum(["usable", "dropped"]),
	/** Why a dropped proposal was dropped: truncated, refused, malformed, no edits, unavailable. */
	reason: z.string().optional(),
	diagnosis: z.string(),
	cause: z.string().nullable(),
	/** Cases whose expectation the model takes to be wrong, of those that it was shown. */
	suspects: z.array(z.string()).optional(),
	edits: z.array(editSchema),
	calls: z.number().int().nonnegative(),
	tokens: z.number().nonnegative(),
	usd: z.number().nonnegative().nullable(),
});
export type Proposal = z.infer<typeof proposalSchema>;

const refusalSchema = z.strictObject({
	proposal: z.string(),
	code: z.string(),
	message: z.string(),
	text: z.string().optional(),
});
export type Refusal = z.infer<typeof refusalSchema>;

/** Questions about what is there already: the proposals of a generation before they become a child, or a section to say shorter. */
export const CONSOLIDATIONS = ["merge", "rank", "reformulate"] as const;
export type Consolidation = (typeof CONSOLIDATIONS)[number];

export const PURPOSES = ["incumbent", "probe", "pass", "prune", "trim", "validation", "holdout", "finalist"] as const;
export type Purpose = (typeof PURPOSES)[number];

export const STATUSES = ["promoted", "confirmed", "kept", "undecided", "stopped"] as const;
export type Status = (typeof STATUSES)[number];

export const STOPPERS = ["converged", "calls", "trials", "tokens", "usd", "minutes", "no-signal", "cancelled"] as const;
export type Stopper = (typeof STOPPERS)[number];

/** The limit that left no room for a part of what the event reports, when it is the first to do so. */
const limitSchema = z.enum(STOPPERS).optional();

const groupRecordSchema = z.strictObject({
	id: z.string(),
	label: z.string(),
	failing: z.number().int().nonnegative(),
	total: z.number().int().nonnegative(),
});
export type GroupRecord = z.infer<typeof groupRecordSchema>;

export const runEventSchema = z.discriminatedUnion("type", [
	z.strictObject({
		type: z.literal("run-opened"),
		v: z.literal(1),
		run: z.string(),
		startedAt: z.string(),
		settings: settingsSchema,
		offline: z.boolean(),
		base: z.strictObject({
			commit: z.string(),
			path: z.string(),
			blob: z.string(),
			ref: z.string().nullable(),
			/** The whole SKILL.md, base64 of its bytes. */
			bytes: z.string(),
		}),
		pin: pinSchema,
		caseSet: z.string(),
		protocol: z.string(),
		incumbent: variantRecordSchema,
		/** Ids of the train cases that the search works on. */
		trainSample: z.array(z.string()),
		/** Measured noise of this text, these cases and these models, where there was any when the run was opened. */
		noise: measuredNoiseSchema.optional(),
		/** The text that an earlier run left undecided, as edits of v0: the search starts from it. */
		start: z
			.strictObject({
				run: z.string(),
				edits: z.array(tracedEditSchema).min(1),
				/** Texts that it and the runs before it have tried to prove on these splits; absent when none. */
				tried: z.strictObject({ validation: z.number().int().min(0), holdout: z.number().int().min(0) }).optional(),
			})
			.optional(),
		/** What reviewers of earlier runs want the reflection model to know; absent when nothing. */
		guidance: z.array(z.string()).optional(),
	}),
	z.strictObject({
		type: z.literal("trials-measured"),
		purpose: z.enum(PURPOSES),
		generation: generationSchema,
		trials: z.array(trialSchema),
		limit: limitSchema,
	}),
	z.strictObject({
		type: z.literal("proposals-received"),
		generation: generationSchema,
		groups: z.array(groupRecordSchema),
		proposals: z.array(proposalSchema),
		limit: limitSchema,
	}),
	z.strictObject({
		type: z.literal("proposals-consolidated"),
		generation: generationSchema,
		operator: z.enum(CONSOLIDATIONS),
		/** The section that was to be said shorter, for a reformulation. */
		section: z.string().optional(),
		/** What stands for all proposals from here on; null when the answer was of no use and they stay as they are. */
		proposal: proposalSchema.nullable(),
		reason: z.string(),
		calls: z.number().int().nonnegative(),
		tokens: z.number().nonnegative(),
		usd: z.number().nonnegative().nullable(),
		limit: z.enum(STOPPERS).optional(),
	}),
	z.strictObject({
		type: z.literal("variant-admitted"),
		variant: variantRecordSchema,
		/** New edits of its patch. */
		edits: z.array(tracedEditSchema),
		refusals: z.array(refusalSchema),
		/** Case ids on which it is measured next. */
		cases: z.array(z.string()),
		purpose: z.enum(PURPOSES),
	}),
	z.strictObject({
		type: z.literal("edits-judged"),
		generation: generationSchema,
		/** The variant that was measured for it; null when no edit was admitted. */
		variant: z.string().nullable(),
		/** Whether its measurements become the view that the search works from. */
		adopted: z.boolean(),
		/** Cases on which they do not, although they do elsewhere. */
		except: z.array(z.string()),
		kept: z.array(z.string()),
		dropped: z.array(z.strictObject({ edit: z.string(), reason: z.string() })),
		/** Edits that pruning took out and that came back, because their checks missed them: they are not suspect again. */
		restored: z.array(z.string()),
		refusals: z.array(refusalSchema),
		/** The working text from here on. */
		working: variantRecordSchema,
		reason: z.string(),
	}),
	z.strictObject({
		type: z.literal("search-finished"),
		finalist: z.string(),
		others: z.array(z.string()),
		stoppedBy: z.enum(STOPPERS),
		reason: z.string(),
		/** Draws of each case and side that the last look of a proof may go up to, for each that the job spec asks for. */
		draws: z.number().int().min(1).optional(),
	}),
	z.strictObject({
		type: z.literal("look-taken"),
		gate: z.enum(["validation", "holdout"]),
		variant: z.string(),
		attempt: z.number().int().positive(),
		objective: z.enum(["quality", "tokens"]),
		pairs: z.number().int().nonnegative(),
		/** Draws of each case on either side. */
		draws: z.number().int().min(1).optional(),
		answer: z.enum(["better", "not-better", "undecided", "continue"]),
		p: z.number().nullable(),
		alpha: z.number(),
		mean: z.number().nullable(),
		low: z.number().nullable(),
		high: z.number().nullable(),
		reason: z.string(),
	}),
	/** A step could not be finished, and some of its calls may have been charged without an answer. */
	z.strictObject({
		type: z.literal("calls-lost"),
		calls: z.number().int().positive(),
		tokens: z.number().nonnegative(),
		usd: z.number().nonnegative().nullable(),
	}),
	z.strictObject({ type: z.literal("holdout-opened"), variant: z.string() }),
	z.strictObject({ type: z.literal("limit-reached"), limit: z.enum(STOPPERS) }),
	z.strictObject({
		type: z.literal("promotion-done"),
		commit: z.string(),
		ref: z.string(),
		tag: z.string(),
		version: z.number().int().positive(),
		kernelSha256: z.string(),
	}),
	z.strictObject({ type: z.literal("promotion-refused"), reason: z.string(), message: z.string() }),
	z.strictObject({
		type: z.literal("run-closed"),
		status: z.enum(STATUSES),
		stoppedBy: z.enum(STOPPERS).nullable(),
		reason: z.string(),
	}),
]);
export type RunEvent = z.infer<typeof runEventSchema>;
/** What a promotion came to. */
export type Promotion = Extract<RunEvent, { type: "promotion-done" }>;
export type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** An event of the log in today's shape. @throws ZodError for what is no event of any version. */
export function parseRunEvent(value: unknown): RunEvent {
	return runEventSchema.parse(value);
}
