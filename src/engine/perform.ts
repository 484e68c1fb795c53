/**
 * Does one task with a model: asks, asks again in the same dialogue while the reply falls short, and stops at the task's
 * limit. Knows no queue and no store. Its invariant: the requests are a function of the task and of the replies so far, so
 * a dialogue that was interrupted goes on from its journal exactly as it would have gone, and no reply is bought twice.
 */
import type { CheckTools } from "../domain/check.ts";
import type { Message, Reply } from "../domain/dialogue.ts";
import { type Dialogue, type Loss, type Task, worstCaseCalls } from "../domain/trial.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../ports/model-client.ts";
import type { Perform } from "../ports/task-pool.ts";
import { reaskMessages, type Shortcoming } from "../prompts/reask.ts";
import { looseJson } from "./loose-json.ts";
import { judgeReply } from "./reply-use.ts";

/**
 * @returns a Perform that rejects only for a bug of ours or when the journal cannot record; a model that does not answer
 * and an aborted signal end in an incomplete dialogue with its loss.
 */
export function createPerform({ client, tools }: { client: ModelClient; tools: CheckTools }): Perform {
	return async (task, journal, signal) => {
		const replies: Reply[] = [...journal.replies];
		const incomplete = (reason: Loss, message: string, lostCalls: number): Dialogue => {
			return { key: task.key, replies, complete: false, met: false, lostCalls, loss: { reason, message } };
		};
		for (;;) {
			const verdicts = replies.map((reply) => judgeReply(readable(task, reply), task.contracts, tools));
			const last = verdicts.at(-1);
			const asksAgain = last === undefined || last.shortcoming !== undefined;
			if (!asksAgain || replies.length >= worstCaseCalls(task)) {
				return { key: task.key, replies, complete: true, met: last?.met ?? false, lostCalls: 0 };
			}
			if (signal.aborted) return incomplete("cancelled", "stopped before the model was asked", 0);
			const shortcomings = verdicts.map((verdict) => verdict.shortcoming);
			const answer = await ask(client, requestOf(task, replies, shortcomings), signal);
			// A call that was cut short may have been answered, and charged, all the same.
			if (answer === "aborted") return incomplete("cancelled", "stopped while the model was being asked", 1);
			if (answer.status === "unavailable") {
				const lost = answer.maybePaid ? 1 : 0;
				// A run that was stopped while a call waited to be tried again has not met an outage.
				if (signal.aborted) return incomplete("cancelled", "stopped before the model was asked again", lost);
				return incomplete(answer.reason, answer.message, lost);
			}
			await journal.record(answer.reply);
			replies.push(answer.reply);
		}
	};
}

/** A skill is held to its contract to the letter; judge and reflection may wrap their JSON, and are read by the tolerant reader. */
function readable(task: Task, reply: Reply): Reply {
	const value = task.role === "task" ? undefined : looseJson(reply.text);
	return value === undefined ? reply : { ...reply, text: JSON.stringify(value) };
}

async function ask(client: ModelClient, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer | "aborted"> {
	try {
		return await client.complete(request, { signal });
	} catch (error) {
		if (signal.aborted) return "aborted";
		throw error;
	}
}

function requestOf(
	task: Task,
	replies: readonly Reply[],
	shortcomings: readonly (Shortcoming | undefined)[],
): ModelRequest {
	const messages: Message[] = [...task.messages];
	replies.forEach((reply, index) => {
		const shortcoming = shortcomings[index];
		if (shortcoming !== undefined) messages.push(...reaskMessages(reply.text, shortcoming));
	});
	const request = { role: task.role, model: task.model, messages };
	return task.format === undefined ? request : { ...request, format: task.format };
}
