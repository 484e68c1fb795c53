/** Small tasks, replies and checks for tests of what holds dialogues. */

import type { Check } from "../../src/domain/check.ts";
import type { Reply } from "../../src/domain/dialogue.ts";
import { createTask, type Task, type TaskBody } from "../../src/domain/trial.ts";

export function task(text: string, changes: Partial<TaskBody> = {}): Task {
	return createTask({
		kind: "rollout",
		role: "task",
		model: { name: "m" },
		messages: [{ role: "user", content: text }],
		contracts: [],
		maxRetries: 2,
		repeat: 0,
		...changes,
	});
}

export function reply(text: string, changes: Partial<Reply> = {}): Reply {
	const usage = { prompt: 10, completion: 5, cached: 0, reasoning: 0, estimated: false };
	return { text, finish: "stop", usage, latencyMs: 7, ...changes };
}

/** A check with the fields that every check has, as a file's parser would fill them in. */
export function check<T extends Check["type"]>(type: T, fields: object): Extract<Check, { type: T }> {
	const ignoreCase = type === "contains" || type === "not-contains" ? { ignoreCase: false } : {};
	return { type, weight: 1, not: false, contract: false, ...ignoreCase, ...fields } as unknown as Extract<
		Check,
		{ type: T }
	>;
}
