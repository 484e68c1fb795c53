/**
 * Money is reserved before it is spent. Reservations are granted strictly in the order in which they are asked for, and one
 * that does not fit waits until everything before it has been settled. So whether a task is run depends on what the tasks
 * before it really cost and on nothing else: not on which answer came first. A limit is never passed, not by one call.
 */
import { addCost, type Cost, exceeded, NO_COST } from "../domain/budget.ts";
import type { Limits } from "../domain/job-spec.ts";

export interface Reservation {
	/** Replaces the reservation by what was really spent. */
	settle(actual: Cost): void;
}

export interface Ledger {
	/** Null when the amount does not fit into any limit once all earlier ones are settled. */
	reserve(worst: Cost): Promise<Reservation | null>;
	/** Counts what was paid without a reservation: by an earlier conducting. */
	note(paid: Cost): void;
	readonly spent: Cost;
	/** The first limit that refused a reservation, if any. */
	readonly refusedBy: "calls" | "trials" | "tokens" | "usd" | null;
}

interface Waiter {
	worst: Cost;
	grant: (reservation: Reservation | null) => void;
}

const minus = (a: Cost, b: Cost): Cost => ({
	calls: a.calls - b.calls,
	trials: a.trials - b.trials,
	tokens: a.tokens - b.tokens,
	usd: a.usd === null || b.usd === null ? null : a.usd - b.usd,
});

/** A ledger that goes on from what has been spent. */
export function createLedger(limits: Limits, alreadySpent: Cost): Ledger {
	let spent = alreadySpent;
	let reserved: Cost = NO_COST;
	let open = 0;
	let refusedBy: Ledger["refusedBy"] = null;
	const waiting: Waiter[] = [];

	function grant(worst: Cost): Reservation {
		reserved = addCost(reserved, worst);
		open += 1;
		let settled = false;
		return {
			settle(actual) {
				if (settled) return;
				settled = true;
				open -= 1;
				reserved = open === 0 ? NO_COST : minus(reserved, worst);
				spent = addCost(spent, actual);
				serve();
			},
		};
	}

	function serve(): void {
		for (;;) {
			const first = waiting[0];
			if (!first) return;
			const limit = exceeded(limits, addCost(addCost(spent, reserved), first.worst));
			if (limit !== null && open > 0) return;
			waiting.shift();
			if (limit !== null) refusedBy ??= limit;
			first.grant(limit === null ? grant(first.worst) : null);
		}
	}

	return {
		reserve(worst) {
			return new Promise((resolve) => {
				waiting.push({ worst, grant: resolve });
				serve();
			});
		},
		note(paid) {
			spent = addCost(spent, paid);
		},
		get spent() {
			return spent;
		},
		get refusedBy() {
			return refusedBy;
		},
	};
}
