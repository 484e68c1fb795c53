/**
 * Trials: tasks that are paid for, the rollouts and judgements that come back, and the outcome that a trial has.
 *
 * A task is keyed by all that determines its answer and by nothing else: the text, the input, the model's settings, the
 * contract and the repeat. The checks that score a rollout are not part of it, so an edited check re-scores what is stored.
 */
import { z } from "zod";
import { checkSchema } from "./check.ts";
import {
	addUsage,
	messageSchema,
	modelSettingsSchema,
	NO_USAGE,
	type Reply,
	ROLES,
	replySchema,
	type Usage,
} from "./dialogue.ts";
import { digest } from "./digest.ts";

export const TASK_KINDS = ["rollout", "judgement", "reflection"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** What a task is keyed by. */
const taskBodyShape = {
	kind: z.enum(TASK_KINDS),
	role: z.enum(ROLES),
	model: modelSettingsSchema,
	messages: z.array(messageSchema).min(1),
	/** Structured output that is asked for, where the endpoint can do it. */
	format: z.strictObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) }).optional(),
	/** Checks that a reply must meet; otherwise it is asked for again, at most `maxRetries` times. */
	contracts: z.array(checkSchema),
	maxRetries: z.number().int().min(0).max(10),
	/** Which draw this is: 0 for the first, higher for fresh draws of the same request. */
	repeat: z.number().int().nonnegative(),
};

/** Self-contained message that a worker takes: no secret, nothing to look up. */
export const taskSchema = z.strictObject({
	schemaVersion: z.literal(1),
	key: z.string().regex(/^[0-9a-f]{64}$/),
	...taskBodyShape,
});
export type Task = z.infer<typeof taskSchema>;
export type TaskBody = Omit<Task, "schemaVersion" | "key">;

/** The content key of a task: SHA-256 of its canonical JSON. The price is left out: it changes no answer. */
export function taskKey(body: TaskBody): string {
	const { price: _price, ...model } = body.model;
	return digest({ task: 1, ...body, model });
}

export function createTask(body: TaskBody): Task {
	return { schemaVersion: 1, key: taskKey(body), ...body };
}

/** Paid calls that a task can cost at the most. */
export function worstCaseCalls(task: Pick<Task, "maxRetries">): number {
	return 1 + task.maxRetries;
}

/** Why a task has no usable answer from its model. */
export const LOSSES = [
	"rate-limit",
	"timeout",
	"connection",
	"server",
	"too-large",
	"malformed",
	"config",
	"budget",
	"cancelled",
	"worker",
] as const;
export type Loss = (typeof LOSSES)[number];

/**
 * What was paid for a task: its replies in order (the last one is the answer). `complete` says that nothing more will be
 * asked; an incomplete dialogue carries why. `lostCalls` counts calls that may have been charged without an answer.
 */
export const dialogueSchema = z.strictObject({
	key: z.string(),
	replies: z.array(replySchema),
	complete: z.boolean(),
	/** Whether the last reply meets every contract. */
	met: z.boolean(),
	lostCalls: z.number().int().nonnegative(),
	loss: z.strictObject({ reason: z.enum(LOSSES), message: z.string() }).optional(),
});
export type Dialogue = z.infer<typeof dialogueSchema>;

/** What the store keeps of a trial: its dialogue with the model under test, with re-asks, tokens and time. */
export type Rollout = Dialogue;
/** The judge's answer on the rubric checks of one rollout. */
export type Judgement = Dialogue;

/** Paid calls of a dialogue. */
export function callsOf(dialogue: Dialogue): number {
	return dialogue.replies.length + dialogue.lostCalls;
}

export function usageOf(replies: readonly Reply[]): Usage {
	return replies.reduce((sum, reply) => addUsage(sum, reply.usage), NO_USAGE);
}

/** Why a trial failed. Those that are the text's own doing score 0; the others are missing data. */
export type Failure = "contract" | "truncated" | "refused" | "judge" | "check" | "infrastructure" | "budget";

/** Cost of a trial in paid calls and tokens, whatever came of it. */
export interface TrialSpend {
	taskCalls: number;
	judgeCalls: number;
	tokens: number;
	usd: number | null;
}

/**
 * What a trial produced. A failed trial has no latency, never zero; its quality is 0 when the contract was never met
 * and null when nothing is known (missing data, counted and shown).
 */
export type Outcome =
	| {
			status: "measured";
			/** 0 to 1 */
			quality: number;
			latencyMs: number;
			tokens: number;
			retries: number;
			/** Score of each check of the case in order; null for contracts and for checks that erred. */
			scores: (number | null)[];
	  }
	| { status: "failed"; reason: Failure; quality: 0 | null; tokens: number | null; retries: number | null };

/** One variant on one case, repeat n. */
export interface Trial {
	variant: string;
	caseId: string;
	repeat: number;
	/** Key of the rollout, under which the store keeps what was said. */
	rollout: string;
	outcome: Outcome;
	spend: TrialSpend;
}
