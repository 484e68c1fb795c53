import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	addCost,
	type Cost,
	exceeded,
	expectedTokens,
	NO_COST,
	spentCost,
	worstCost,
} from "../../src/domain/budget.ts";
import { INITIAL } from "../../src/domain/run-state.ts";

const PRICE = { inputPerMTok: 1, outputPerMTok: 10 };
const task = (content: string, maxRetries: number, model = {}) => ({
	messages: [{ role: "user" as const, content }],
	model: { name: "m", maxOutputTokens: 100, ...model },
	maxRetries,
});
const anyCost: fc.Arbitrary<Cost> = fc.record({
	calls: fc.nat(99),
	trials: fc.nat(99),
	tokens: fc.nat(99),
	usd: fc.option(fc.nat(99)),
});

describe("a cost", () => {
	it("adds up unit by unit, in any order, and an unknown price makes the sum unknown", () => {
		fc.assert(
			fc.property(anyCost, anyCost, anyCost, (a, b, c) => {
				expect(addCost(a, b)).toEqual(addCost(b, a));
				expect(addCost(addCost(a, b), c)).toEqual(addCost(a, addCost(b, c)));
				expect(addCost(a, NO_COST)).toEqual(a);
			}),
		);
		expect(addCost({ ...NO_COST, usd: null }, { ...NO_COST, usd: 1 }).usd).toBeNull();
	});

	it("is what a run has spent on calls of every kind", () => {
		const spend = {
			...INITIAL.spend,
			trials: 2,
			taskCalls: 3,
			judgeCalls: 4,
			reflectionCalls: 5,
			tokens: 6,
			usd: null,
		};
		expect(spentCost(spend)).toEqual({ calls: 12, trials: 2, tokens: 6, usd: null });
	});
});

describe("a limit", () => {
	const amount: Cost = { calls: 10, trials: 5, tokens: 1000, usd: 2 };

	it("may be reached and not passed", () => {
		expect(exceeded({ calls: 10, trials: 5, tokens: 1000, usd: 2 }, amount)).toBeNull();
		expect(exceeded({ calls: 9 }, amount)).toBe("calls");
		expect(exceeded({ trials: 4 }, amount)).toBe("trials");
		expect(exceeded({ tokens: 999 }, amount)).toBe("tokens");
		expect(exceeded({ usd: 1.99 }, amount)).toBe("usd");
	});

	it("that is not set limits nothing, and an unknown price fits into any", () => {
		expect(exceeded({}, amount)).toBeNull();
		expect(exceeded({ minutes: 1 }, amount)).toBeNull();
		expect(exceeded({ usd: 0.01 }, { ...amount, usd: null })).toBeNull();
	});
});

describe("the worst cost of a task", () => {
	it("is one call of prompt and full answer without re-asks", () => {
		expect(worstCost(task("x".repeat(40), 0), 1)).toEqual({ calls: 1, trials: 1, tokens: 20 + 100, usd: null });
	});

	it("repeats every answer in each later prompt", () => {
		// 3 prompts of 20, answers of 100 repeated in 0, 1 and 2 prompts, and 3 answers.
		expect(worstCost(task("x".repeat(40), 2), 0)).toMatchObject({ calls: 3, trials: 0, tokens: 60 + 300 + 300 });
	});

	it("counts bytes, since a letter of many scripts is a token or more", () => {
		expect(worstCost(task("図".repeat(40), 0), 0).tokens).toBe(60 + 100);
	});

	it("has a price where the model has one, and assumes long answers where nothing limits them", () => {
		expect(worstCost(task("x".repeat(40), 0, { price: PRICE }), 0).usd).toBeCloseTo((20 * 1 + 100 * 10) / 1e6, 12);
		expect(worstCost(task("", 0, { maxOutputTokens: undefined }), 0).tokens).toBe(4096);
	});

	it("is never below what a dialogue of such answers costs", () => {
		fc.assert(
			fc.property(
				fc.nat(400),
				fc.integer({ min: 0, max: 3 }),
				fc.array(fc.nat(100), { minLength: 1, maxLength: 4 }),
				(length, retries, answers) => {
					let prompt = Math.ceil(length / 2);
					let tokens = 0;
					for (const answer of answers.slice(0, retries + 1)) {
						tokens += prompt + answer;
						prompt += answer;
					}
					expect(worstCost(task("x".repeat(length), retries), 1).tokens).toBeGreaterThanOrEqual(tokens);
				},
			),
		);
	});
});

describe("the expected tokens of a call", () => {
	it("are a quarter of the characters, and a tenth of the longest answer, at least 100", () => {
		expect(expectedTokens(401, { name: "m" })).toEqual({ prompt: 101, completion: 100 });
		expect(expectedTokens(0, { name: "m", maxOutputTokens: 5000 })).toEqual({ prompt: 0, completion: 500 });
	});
});
