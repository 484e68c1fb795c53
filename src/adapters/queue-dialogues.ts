/**
 * Paid answers of a run as the queue still holds them, for a report that is made where the run's own files are not. Reads only;
 * knows BullMQ's jobs and nothing of reports.
 */
import { type ConnectionOptions, Queue } from "bullmq";
import { type Dialogue, dialogueSchema } from "../domain/trial.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import { jobIdOf, TASK_QUEUE } from "./queue-payload.ts";

export function createQueueDialogues(connection: ConnectionOptions, run: string, prefix = "gepa"): DialogueStore {
	const queue = new Queue(TASK_QUEUE, { connection, prefix });
	queue.on("error", () => undefined);
	return {
		async find(key) {
			const job = await queue.getJob(jobIdOf(run, key));
			const read = dialogueSchema.safeParse(job?.returnvalue);
			return read.success && read.data.key === key && read.data.complete ? (read.data as Dialogue) : undefined;
		},
		replies: async () => [],
		addReply: async () => undefined,
		finish: async () => undefined,
		close: () => queue.close(),
	};
}
