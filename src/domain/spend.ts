/**
 * What a run has spent, by what its log knows of. Arithmetic only: limits are in budget.ts.
 */

/** Amounts by kind of call. */
export interface Spend {
	trials: number;
	taskCalls: number;
	judgeCalls: number;
	reflectionCalls: number;
	tokens: number;
	/** null as soon as anything was spent on a model without a price. */
	usd: number | null;
}

/** Paid calls of every kind. */
export function modelCalls(spend: Spend): number {
	return spend.taskCalls + spend.judgeCalls + spend.reflectionCalls;
}

/** Adds amounts in US dollars; unknown stays unknown. */
export function addUsd(a: number | null, b: number | null): number | null {
	return a === null || b === null ? null : a + b;
}
