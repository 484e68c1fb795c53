/**
 * Money for a task, in a conducting that may go on from another one. What is stored is paid whatever is granted now, so it is
 * counted before anything is, and a task is given only what it may still cost. So a conductor that goes on never passes a limit,
 * also when answers were lost and are bought again.
 */
import { addCost, type Cost, NO_COST, worstCost } from "../domain/budget.ts";
import type { Task } from "../domain/trial.ts";
import { spendOf } from "./dialogue-cost.ts";
import type { Environment } from "./environment.ts";
import type { Reservation } from "./ledger.ts";

/** What was paid for tasks of a step by an earlier conducting and stands in no event, by key. */
export type Prepaid = ReadonlyMap<string, Cost>;

/** Looks the tasks of a step up, and counts what is stored of them. */
export async function countPrepaid(
	env: Pick<Environment, "ledger" | "recall" | "begun">,
	tasks: readonly Task[],
): Promise<Prepaid> {
	const found = new Map<string, Cost>();
	for (const task of tasks) {
		const replies = (await env.recall(task.key))?.replies ?? (await env.begun(task.key));
		if (replies.length === 0 || found.has(task.key)) continue;
		const dialogue = { key: task.key, replies: [...replies], complete: false, met: false, lostCalls: 0 };
		const cost = spendOf(dialogue, task);
		found.set(task.key, cost);
		env.ledger.note(cost);
	}
	return found;
}

/** The cost of a task's dialogue where it is stored whole, else the most that it can cost. */
export async function costLeft(env: Pick<Environment, "recall">, task: Task, trials: 0 | 1): Promise<Cost> {
	const known = await env.recall(task.key);
	return known === undefined ? worstCost(task, trials) : { ...spendOf(known, task), trials };
}

/**
 * Reserves what tasks may cost, less what was paid for them before. `paid` is that amount: where there is no room for the rest, it
 * is what the step has to tell.
 */
export async function reserveFor(
	env: Pick<Environment, "ledger" | "prepaid">,
	keys: readonly string[],
	cost: Cost,
): Promise<{ reservation: Reservation | null; paid: Cost }> {
	const paid = keys.map((key) => env.prepaid?.get(key) ?? NO_COST).reduce(addCost, NO_COST);
	const reservation = await env.ledger.reserve(beyond(cost, paid));
	if (reservation === null) return { reservation, paid };
	return { reservation: { settle: (actual) => reservation.settle(beyond(actual, paid)) }, paid };
}

function beyond(cost: Cost, paid: Cost): Cost {
	const usd = cost.usd === null || paid.usd === null ? null : Math.max(0, cost.usd - paid.usd);
	return {
		calls: Math.max(0, cost.calls - paid.calls),
		trials: cost.trials,
		tokens: Math.max(0, cost.tokens - paid.tokens),
		usd,
	};
}
