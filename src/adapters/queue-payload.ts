/**
 * What travels through the queue: the payload of a task, and the dialogue that comes back. Both ends read it here, and neither
 * trusts the other: Redis holds whatever somebody put there. Knows no Redis.
 */
import { z } from "zod";
import { type Reply, replySchema } from "../domain/dialogue.ts";
import { canonicalJson, sha256 } from "../domain/digest.ts";
import { type Dialogue, dialogueSchema, type Task, taskKey, taskSchema } from "../domain/trial.ts";

export const TASK_QUEUE = "gepa-tasks";

/**
 * Id of a task's job. It is the task's own within its run: another conductor of that run finds what was paid for, while another
 * run draws afresh, as it would without a queue. A custom id of BullMQ may hold no colon and may not be all digits.
 */
export function jobIdOf(scope: string, key: string): string {
	return `t-${sha256(`${scope} ${key}`)}`;
}

const payloadSchema = z.strictObject({
	schemaVersion: z.literal(1),
	/** Names this asking, so that its answer is told from one that an earlier asking left under the same id. */
	ask: z.string(),
	/** The run that asks. */
	scope: z.string(),
	task: taskSchema,
	/** Replies that are paid for; whoever does the task goes on from them. */
	replies: z.array(replySchema),
});
export type TaskPayload = z.infer<typeof payloadSchema>;

/** What any version puts into the queue, whatever else is in it. */
const anyPayloadSchema = z.looseObject({
	schemaVersion: z.number(),
	ask: z.string(),
	scope: z.string(),
	task: z.looseObject({}),
});

export type ReadPayload =
	| { ok: true; payload: TaskPayload }
	/** `foreign`: a task that a worker of another version may be able to do; otherwise it is none at all. */
	| { ok: false; reason: string; foreign: { scope: string } | null };

/** Refuses what is not a task, and a task whose key is not the digest of its content: another version would answer for it. */
export function readPayload(data: unknown): ReadPayload {
	const parsed = payloadSchema.safeParse(data);
	const foreign = anyPayloadSchema.safeParse(data).data ?? null;
	if (!parsed.success) {
		const version = foreign === null || foreign.schemaVersion === 1 ? "" : ` but of version ${foreign.schemaVersion}`;
		const why = z.prettifyError(parsed.error).replace(/\s+/g, " ").slice(0, 300);
		return { ok: false, reason: `this is no task of version 1${version}: ${why}`, foreign };
	}
	const { schemaVersion: _version, key, ...body } = parsed.data.task;
	if (taskKey(body) !== key) {
		const reason = "the key is not the digest of the task: conductor and worker are not of one version";
		return { ok: false, reason, foreign };
	}
	return { ok: true, payload: parsed.data };
}

/** The dialogue that a worker returned for a task, or null when it is none. */
export function readDialogue(value: unknown, task: Task): Dialogue | null {
	const parsed = dialogueSchema.safeParse(value);
	return parsed.success && parsed.data.key === task.key ? (parsed.data as Dialogue) : null;
}

/** Replies that an unfinished job has already paid for; none when they cannot be read. */
export function readReplies(data: unknown): Reply[] {
	const parsed = z.looseObject({ replies: z.array(replySchema) }).safeParse(data);
	return parsed.success ? parsed.data.replies : [];
}

/** Whether a dialogue goes on from these replies: two that were bought apart are never mixed. */
export function continues(replies: readonly Reply[], from: readonly Reply[]): boolean {
	return replies.length >= from.length && canonicalJson(replies.slice(0, from.length)) === canonicalJson(from);
}
