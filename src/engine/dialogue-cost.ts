/** What the dialogue of a task cost. Knows replies and prices; must not know limits. */
import { type Cost, worstCost } from "../domain/budget.ts";
import { costOf } from "../domain/dialogue.ts";
import { callsOf, type Dialogue, type Task, usageOf } from "../domain/trial.ts";

/** What a dialogue cost. A call that may have been charged without an answer counts as much as it can have cost. */
export function spendOf(dialogue: Dialogue, task: Pick<Task, "messages" | "model">): Cost {
	const usage = usageOf(dialogue.replies);
	const lost = worstCost({ ...task, maxRetries: 0 }, 0);
	const times = dialogue.lostCalls;
	const answered = costOf(usage, task.model.price);
	return {
		calls: callsOf(dialogue),
		trials: 0,
		tokens: usage.prompt + usage.completion + lost.tokens * times,
		usd: answered === null || lost.usd === null ? null : answered + lost.usd * times,
	};
}
