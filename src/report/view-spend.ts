/**
 * What a run has spent, in figures and in words. Knows the log, and for a run that is still open what its store holds beyond
 * it: a call that is paid for counts from the moment its reply is stored.
 *
 * Invariant: money is never shown as zero where nobody knows a price; only the built-in rules are free.
 */
import { costOf, type ModelSettings } from "../domain/dialogue.ts";
import { openingOf, type RunState } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import { formatUsd } from "./numbers.ts";
import type { LimitView, SpendView, ViewContext } from "./view.ts";

type SpendContext = Pick<ViewContext, "seconds" | "harvested" | "paid">;

export function spendView(state: RunState, context: SpendContext): SpendView {
	const { spend } = state;
	const { limits } = openingOf(state).settings;
	const paid = state.closed === null ? context.paid : undefined;
	const calls = Math.max(modelCalls(spend), paid?.calls ?? 0);
	const tokens = Math.max(spend.tokens, paid === undefined ? 0 : paid.usage.prompt + paid.usage.completion);
	const usd = usdOf(state, paid);
	const used: Record<LimitView["limit"], number | null> = {
		calls,
		trials: spend.trials,
		tokens,
		usd,
		minutes: context.seconds / 60,
	};
	const order = ["calls", "trials", "tokens", "usd", "minutes"] as const;
	return {
		trials: spend.trials,
		modelCalls: calls,
		taskCalls: spend.taskCalls,
		judgeCalls: spend.judgeCalls,
		reflectionCalls: spend.reflectionCalls,
		tokens,
		usd,
		cost: costWords(state, usd),
		seconds: context.seconds,
		harvested: context.harvested,
		limits: order.flatMap((limit) => {
			const of = limits[limit];
			return of === undefined ? [] : [{ limit, used: used[limit], of }];
		}),
	};
}

/** A stored reply does not say which role it was paid for: beyond the log there is a figure only where all roles cost the same. */
function usdOf(state: RunState, paid: SpendContext["paid"]): number | null {
	const { offline, settings } = openingOf(state);
	if (offline) return 0;
	const logged = modelCalls(state.spend);
	if (paid === undefined || paid.calls <= logged) return logged > 0 || isPriced(state) ? state.spend.usd : null;
	const { task, judge, reflection } = settings.models;
	// Reflection comes after the first step, so before it all calls are those of trials.
	const roles: readonly ModelSettings[] = logged === 0 ? [task, judge] : [task, judge, reflection];
	const same = new Set(roles.map(({ price }) => JSON.stringify(price ?? null))).size === 1;
	return same ? costOf(paid.usage, task.price) : null;
}

function isPriced(state: RunState): boolean {
	return Object.values(openingOf(state).settings.models).some(({ price }) => price !== undefined);
}

function costWords(state: RunState, usd: number | null): string {
	if (openingOf(state).offline) return "free (built-in rules)";
	if (usd !== null) return formatUsd(usd);
	return state.closed === null && isPriced(state) && state.spend.usd !== null
		? "cost known when this step ends"
		: "no price known";
}
