/**
 * One task that a conductor waits for, and the steps that bring it forward: put it into the queue, look at what became of it,
 * settle it. Knows BullMQ's job states. Its invariant: replies that a leftover job has paid for are carried into the next
 * asking, and only what belongs to this asking may end it as incomplete.
 */
import type { Job, Queue } from "bullmq";
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue, Task } from "../domain/trial.ts";
import { continues, jobIdOf, readDialogue, readReplies, type TaskPayload } from "./queue-payload.ts";
import { unfinished } from "./task-desk.ts";

const DAY_S = 24 * 3600;
const MOST_KEPT = 100_000;

export interface Wait {
	task: Task;
	/** The run that asks. */
	scope: string;
	/** Names this asking. */
	ask: string;
	/** Replies that the conductor itself has stored; a dialogue that does not go on from them is of no use. */
	stored: readonly Reply[];
	/** Replies that are paid for in all: the stored ones and those of leftovers. */
	replies: readonly Reply[];
	settle(dialogue: Dialogue): void;
}

/** Puts the task into the queue, or finds the job that is there already, and looks at it. */
export async function offer(queue: Queue, wait: Wait): Promise<void> {
	const { task, scope, ask, replies } = wait;
	const payload: TaskPayload = { schemaVersion: 1, ask, scope, task, replies: [...replies] };
	await queue.add(task.kind, payload, {
		jobId: jobIdOf(scope, task.key),
		attempts: 1,
		removeOnComplete: { age: DAY_S, count: MOST_KEPT },
		removeOnFail: { age: DAY_S, count: MOST_KEPT },
	});
	await inspect(queue, wait);
}

/** Looks at the job of a wait: adds it again when it is gone, settles the wait when it has ended. */
export async function inspect(queue: Queue, wait: Wait): Promise<void> {
	const id = jobIdOf(wait.scope, wait.task.key);
	const state = await queue.getJobState(id);
	if (state === "unknown") return offer(queue, wait);
	if (state !== "completed" && state !== "failed") return;
	const job: Job<TaskPayload> | undefined = await queue.getJob(id);
	if (job === undefined) return offer(queue, wait);
	const dialogue = readDialogue(job.returnvalue, wait.task);
	if (takes(wait, dialogue)) return;
	carry(wait, dialogue?.replies ?? readReplies(job.data));
	if (job.data?.ask === wait.ask) return wait.settle(dialogue ?? failed(wait, job));
	// The leftovers of an earlier asking: an id that has ended takes no new job before it is removed.
	await queue.remove(id);
	return offer(queue, wait);
}

/** Settles the wait when the dialogue is complete and goes on from what is stored. */
export function takes(wait: Wait, dialogue: Dialogue | null): boolean {
	if (dialogue?.complete !== true || !continues(dialogue.replies, wait.stored)) return false;
	wait.settle(dialogue);
	return true;
}

function carry(wait: Wait, replies: readonly Reply[]): void {
	if (replies.length > wait.replies.length && continues(replies, wait.stored)) wait.replies = replies;
}

function failed(wait: Wait, job: Job): Dialogue {
	const reason = (job.failedReason || "its answer is no dialogue").slice(0, 400);
	return unfinished(wait.task.key, wait.replies, "worker", `the task cannot be done: ${reason}`);
}
