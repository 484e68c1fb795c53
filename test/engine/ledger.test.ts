import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cost } from "../../src/domain/budget.ts";
import type { Limits } from "../../src/domain/job-spec.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { createLedger, type Ledger, type Reservation } from "../../src/engine/ledger.ts";
import { endOf, runParcels, SMALL } from "../support/parcel-run.ts";

const cost = (calls: number, more: Partial<Cost> = {}): Cost => ({ calls, trials: 0, tokens: 0, usd: 0, ...more });
const UNITS = ["calls", "trials", "tokens", "usd"] as const;

/** What a task may cost at the worst and what it does cost, in small whole numbers so that sums are exact. */
const anyTask = fc
	.record({ worst: fc.array(fc.nat(6), { minLength: 4, maxLength: 4 }), share: fc.nat(6) })
	.map((drawn) => {
		const amount = (scale: (value: number) => number): Cost => {
			const [calls = 0, trials = 0, tokens = 0, usd = 0] = drawn.worst.map(scale);
			return { calls, trials, tokens, usd };
		};
		return { worst: amount((value) => value), actual: amount((value) => Math.floor((value * drawn.share) / 6)) };
	});
type Task = { worst: Cost; actual: Cost };

const anyLimits: fc.Arbitrary<Limits> = fc.record(
	{
		calls: fc.integer({ min: 1, max: 40 }),
		trials: fc.integer({ min: 1, max: 40 }),
		tokens: fc.integer({ min: 1, max: 40 }),
		usd: fc.integer({ min: 1, max: 40 }),
	},
	{ requiredKeys: [] },
);

function within(limits: Limits, amount: Cost): boolean {
	return UNITS.every((unit) => (amount[unit] ?? 0) <= (limits[unit] ?? Number.POSITIVE_INFINITY));
}

function add(a: Cost, b: Cost): Cost {
	return {
		calls: a.calls + b.calls,
		trials: a.trials + b.trials,
		tokens: a.tokens + b.tokens,
		usd: (a.usd ?? 0) + (b.usd ?? 0),
	};
}

/** Which tasks are granted when they run one after the other: what the ledger has to answer in every order. */
function oneByOne(limits: Limits, tasks: readonly Task[]): boolean[] {
	let spent = cost(0);
	return tasks.map((task) => {
		const granted = within(limits, add(spent, task.worst));
		if (granted) spent = add(spent, task.actual);
		return granted;
	});
}

/** Asks for all tasks at once and settles what was granted in a random order. */
async function settleAnyhow(
	ledger: Ledger,
	tasks: readonly Task[],
	seed: number,
	onSettle: () => void,
): Promise<boolean[]> {
	const stream = createStream(seed, "settle");
	const open: { reservation: Reservation; actual: Cost }[] = [];
	const answers = new Array<boolean | undefined>(tasks.length).fill(undefined);
	tasks.forEach((task, at) => {
		void ledger.reserve(task.worst).then((reservation) => {
			answers[at] = reservation !== null;
			if (reservation !== null) open.push({ reservation, actual: task.actual });
		});
	});
	for (;;) {
		await new Promise(setImmediate);
		if (open.length === 0) break;
		const [next] = open.splice(stream.integer(open.length), 1);
		next?.reservation.settle(next.actual);
		onSettle();
	}
	expect(answers, "every question is answered once everything granted is settled").not.toContain(undefined);
	return answers.map((answer) => answer === true);
}

describe("the ledger", () => {
	it("grants by order and real costs alone, never passes a limit, and leaves nobody waiting", async () => {
		await fc.assert(
			fc.asyncProperty(anyLimits, fc.array(anyTask, { maxLength: 12 }), fc.nat(1000), async (limits, tasks, seed) => {
				const ledger = createLedger(limits, cost(0));
				const granted = await settleAnyhow(ledger, tasks, seed, () => {
					expect(within(limits, ledger.spent)).toBe(true);
				});
				expect(granted).toEqual(oneByOne(limits, tasks));
				expect(ledger.refusedBy !== null).toBe(granted.includes(false));
				expect(ledger.spent).toEqual(
					tasks.reduce((sum, task, at) => (granted[at] ? add(sum, task.actual) : sum), cost(0)),
				);
			}),
			{ numRuns: 40 },
		);
	});

	it("goes on from what was spent before", async () => {
		const ledger = createLedger({ calls: 10 }, cost(8));
		expect(await ledger.reserve(cost(3))).toBeNull();
		expect(await ledger.reserve(cost(2))).not.toBeNull();
		expect(ledger.refusedBy).toBe("calls");
	});

	it("makes whoever does not fit wait for those before, and those behind wait for their turn", async () => {
		const ledger = createLedger({ calls: 4 }, cost(0));
		const first = await ledger.reserve(cost(3));
		const answered: string[] = [];
		const large = ledger.reserve(cost(3)).then((reservation) => {
			answered.push("large");
			return reservation;
		});
		const small = ledger.reserve(cost(1)).then((reservation) => {
			answered.push("small");
			return reservation;
		});
		await new Promise(setImmediate);
		expect(answered).toEqual([]);
		first?.settle(cost(1));
		(await large)?.settle(cost(2));
		expect(await small).not.toBeNull();
		expect(answered).toEqual(["large", "small"]);
	});

	it("settles a reservation once, however often it is told to", async () => {
		const ledger = createLedger({ calls: 5 }, cost(0));
		const reservation = await ledger.reserve(cost(3));
		reservation?.settle(cost(2));
		reservation?.settle(cost(2));
		expect(ledger.spent.calls).toBe(2);
		expect(await ledger.reserve(cost(3))).not.toBeNull();
	});

	it("names the first limit that refused, and holds an unknown price against no limit", async () => {
		const ledger = createLedger({ calls: 5, usd: 1 }, cost(0));
		expect(await ledger.reserve(cost(1, { usd: 2 }))).toBeNull();
		expect(await ledger.reserve(cost(9))).toBeNull();
		expect(ledger.refusedBy).toBe("usd");
		expect(await ledger.reserve(cost(1, { usd: null }))).not.toBeNull();
	});
});

describe("a limit on the calls of a whole run", () => {
	const anyRun = fc.record({
		calls: fc.integer({ min: 1, max: 200 }),
		slips: fc.constantFrom(0, 0.3, 1),
		concurrency: fc.constantFrom(1, 4, 16),
		checks: fc.constantFrom("pointers", "rubrics"),
		shuffle: fc.option(fc.nat(99), { nil: undefined }),
	} as const);

	it("is never passed by one call, and the run ends with a status of its own", async () => {
		await fc.assert(
			fc.asyncProperty(anyRun, async ({ calls, slips, concurrency, checks, shuffle }) => {
				const world = shuffle === undefined ? { slips } : { slips, shuffle };
				const family = { ...SMALL.family, checks };
				const run = await runParcels({ ...SMALL, family, world, concurrency, spec: { budget: { calls } } });
				expect(run.client.arrived).toBeLessThanOrEqual(calls);
				expect(["confirmed", "kept", "undecided", "stopped"]).toContain(endOf(run.events).status);
			}),
			{ numRuns: 12 },
		);
	});

	it("is kept at every value around what the parts of a run cost", async () => {
		for (let calls = 1; calls <= 24; calls++) {
			const run = await runParcels({ ...SMALL, spec: { budget: { calls } } });
			expect(run.client.arrived).toBeLessThanOrEqual(calls);
			expect(run.state.closed).not.toBeNull();
		}
	});
});

describe("a limit on trials, tokens or dollars of a whole run", () => {
	it("is not passed either, and the run ends by itself", async () => {
		const price = { inputPerMTok: 1, outputPerMTok: 4 };
		const models = {
			task: { name: "t", maxOutputTokens: 60, price },
			reflection: { name: "r", maxOutputTokens: 400, price },
		};
		const free = await runParcels({ ...SMALL, spec: { models, budget: {} } });
		const { trials, tokens, usd } = free.state.spend;
		for (const share of [0.1, 0.4, 0.6, 0.8, 0.95]) {
			const limits = [
				{ trials: Math.ceil(trials * share) },
				{ tokens: Math.ceil(tokens * share) },
				{ usd: (usd ?? 0) * share },
			];
			for (const budget of limits) {
				const run = await runParcels({ ...SMALL, spec: { models, budget } });
				const [unit, limit] = Object.entries(budget)[0] as ["trials" | "tokens" | "usd", number];
				expect(run.state.spend[unit], `${unit} at ${share}`).toBeLessThanOrEqual(limit);
				expect(run.state.closed).not.toBeNull();
			}
		}
		expect(usd).not.toBeNull();
	});
});
