/**
 * Calls that may have been charged without an answer, added up beside a pool. Changes nothing of what the pool does.
 */
import { addCost, type Cost, NO_COST } from "../domain/budget.ts";
import type { Dialogue, Task } from "../domain/trial.ts";
import type { TaskPool } from "../ports/task-pool.ts";
import { spendOf } from "./dialogue-cost.ts";

/** Adds up calls that may have been charged without an answer: a step that fails is not written, but they must not be forgotten. */
export function watchLosses(pool: TaskPool): { pool: TaskPool; lost(): Cost } {
	let lost = NO_COST;
	const note = (task: Task) => (dialogue: Dialogue) => {
		if (dialogue.lostCalls > 0) lost = addCost(lost, spendOf({ ...dialogue, replies: [] }, task));
	};
	return {
		lost: () => lost,
		pool: {
			concurrency: pool.concurrency,
			close: () => pool.close(),
			run(task, options) {
				const dialogue = pool.run(task, options);
				// Beside the promise and not in its way: whoever waits for a failure hears of it at once.
				dialogue.then(note(task), () => undefined);
				return dialogue;
			},
		},
	};
}
