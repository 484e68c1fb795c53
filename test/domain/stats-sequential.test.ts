import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStream, type Stream } from "../../src/domain/sampling.ts";
import { ALPHA, decideLook, gatesOf, type LookAnswer, levelOf, planLooks } from "../../src/domain/sequential.ts";
import type { Difference } from "../../src/domain/stats.ts";

const differences = (values: readonly number[]): Difference[] =>
	values.map((difference, at) => ({ caseId: `c${String(at).padStart(3, "0")}`, difference }));
const FIRST = levelOf(1, 1);
const alike = (value: number, count: number) => differences(new Array(count).fill(value));

describe("looks", () => {
	it("are at 20 and 40 cases as far as there are cases, and first where a proof is possible at all", () => {
		const known: [number, number[]][] = [
			[100, [9, 20, 40]],
			[40, [9, 20, 40]],
			[36, [9, 20, 36]],
			[20, [9, 20]],
			[12, [9, 12]],
			[8, [8]],
			[6, [6]],
			[1, [1]],
			[0, []],
		];
		const sizes = (available: number) => planLooks(available, FIRST).map(({ cases }) => cases);
		for (const [available, looks] of known) expect(sizes(available)).toEqual(looks);
		for (let attempt = 1; attempt <= 5; attempt++) {
			for (const gates of [1, 2]) {
				const [first] = planLooks(40, levelOf(attempt, gates));
				expect(2 ** -(first?.cases ?? 0)).toBeLessThanOrEqual(first?.alpha ?? 0);
			}
		}
	});

	it("spend most at the last, and no more than alpha in all, whatever is tried", () => {
		const spent = (available: number, level: number) =>
			planLooks(available, level).map(({ alpha }) => Number(alpha.toFixed(9)));
		expect(spent(40, FIRST)).toEqual([0.002, 0.005, 0.018]);
		expect(spent(20, FIRST)).toEqual([0.002, 0.023]);
		expect(spent(6, levelOf(2, 1))).toEqual([Number((ALPHA / 6).toFixed(9))]);
	});

	it("spend the levels .004, .010, .036 after 8, 20 and 40 cases where sealed cases confirm", () => {
		const looks = planLooks(100, levelOf(1, gatesOf("required", 25)));
		expect(looks.map(({ cases }) => cases)).toEqual([8, 20, 40]);
		expect(looks.map(({ alpha }) => alpha)).toEqual([0.004, 0.01, expect.closeTo(0.036)]);
		expect(gatesOf("required", 0)).toBe(1);
		expect(gatesOf("none", 25)).toBe(1);
	});

	it("end with more draws of the same cases where those can be paid, and cases are enough for a look before", () => {
		const of = (available: number) => planLooks(available, ALPHA, 3).map(({ cases, draws }) => `${cases} x ${draws}`);
		expect(of(100)).toEqual(["8 x 1", "20 x 1", "40 x 1", "40 x 3"]);
		expect(of(20)).toEqual(["8 x 1", "20 x 1", "20 x 3"]);
		expect(of(8)).toEqual(["8 x 1", "8 x 3"]);
		expect(of(7)).toEqual(["7 x 1"]);
		const alphas = planLooks(40, ALPHA, 3).map(({ alpha }) => Number(alpha.toFixed(9)));
		expect(alphas).toEqual([0.004, 0.01, 0.012, 0.024]);
	});

	it("spend no more than alpha in all on one gate, and far less on two that must both be passed", () => {
		const both = Array.from({ length: 200 }, (_, at) => levelOf(at + 1, 2) ** 2);
		expect(both.reduce((sum, level) => sum + level)).toBeLessThan(0.003);
		for (const available of [6, 12, 20, 36, 40]) {
			for (const draws of [1, 3]) {
				let spent = 0;
				for (let attempt = 1; attempt <= 200; attempt++) {
					for (const { alpha } of planLooks(available, levelOf(attempt, 1), draws)) spent += alpha;
				}
				expect(spent).toBeLessThanOrEqual(ALPHA);
				expect(spent).toBeGreaterThan(ALPHA * 0.99);
			}
		}
	});

	it("are for texts that are counted from 1", () => {
		expect(() => levelOf(0, 1)).toThrow(RangeError);
		expect(() => levelOf(1.5, 2)).toThrow(RangeError);
	});
});

describe("the answer of a look", () => {
	const looks = planLooks(40, FIRST);
	const planned = (cases: number) => looks.find((look) => look.cases >= cases)?.alpha ?? 0;
	const at = (
		look: number,
		list: readonly Difference[],
		rest: { missing?: number; lost?: number; margin?: number } = {},
	) => decideLook({ differences: list, alpha: planned(look), isLast: look === 40, ...rest });

	it("gives up when behind", () => {
		expect(at(8, alike(-0.1, 8))).toMatchObject({ answer: "not-better", mean: expect.closeTo(-0.1) });
		expect(at(8, alike(0, 8))).toMatchObject({ answer: "not-better", mean: 0, p: 1 });
		expect(at(40, alike(-0.1, 40)).answer).toBe("not-better");
	});

	it("goes on when ahead without proof, and is undecided at the end", () => {
		const noise = [0.5, -0.45];
		const ahead = (count: number) => differences(Array.from({ length: count }, (_, index) => noise[index % 2]!));
		expect(at(8, ahead(8)).answer).toBe("continue");
		expect(at(20, ahead(20)).answer).toBe("continue");
		const last = at(40, ahead(40));
		expect(last.answer).toBe("undecided");
		expect(last.reason).toMatch(/^mean difference 0\.025 on 40 cases, p = 0\.\d+ > 0\.018: not proved$/);
	});

	it("is better as soon as it is proved", () => {
		const answer = at(20, alike(0.1, 20));
		expect(answer).toMatchObject({ answer: "better", p: 2 ** -20, alpha: 0.005 });
		expect(answer.reason).toBe("mean difference 0.1 on 20 cases, p = 9.54e-7 <= 0.005");
		expect(decideLook({ differences: alike(0.1, 6), alpha: FIRST, isLast: true }).answer).toBe("better");
	});

	it("is never better while more than a tenth of the pairs is missing", () => {
		expect(at(20, alike(0.1, 18), { missing: 2 }).answer).toBe("better");
		expect(at(20, alike(0.1, 17), { missing: 3 })).toMatchObject({
			answer: "continue",
			reason: "3 of 20 pairs are missing, more than 10 %: nothing can be proved",
		});
		expect(at(40, alike(0.1, 35), { missing: 5 }).answer).toBe("undecided");
		expect(at(40, [], { missing: 40 })).toMatchObject({ answer: "undecided", mean: null, p: 1 });
		expect(at(8, [], { missing: 8 }).answer).toBe("continue");
	});

	it("counts answers that the text alone lacks as the worst that was seen of it", () => {
		const mixed = differences([...new Array(15).fill(0.2), -0.3, -0.1, 0.1]);
		expect(at(20, mixed, { missing: 2 }).answer).toBe("better");
		const doubtful = at(20, mixed, { missing: 2, lost: 2 });
		expect(doubtful.answer).toBe("continue");
		expect(doubtful.reason).toContain("2 of its answers are missing: if they were its worst, nothing is proved");
		expect(at(20, alike(0.1, 18), { missing: 2, lost: 2 }).answer).toBe("better");
	});

	it("with a margin asks only for no loss beyond it", () => {
		expect(at(20, alike(-0.01, 20)).answer).toBe("not-better");
		expect(at(20, alike(-0.01, 20), { margin: 0.02 })).toMatchObject({ answer: "better", mean: expect.closeTo(-0.01) });
		expect(at(20, alike(-0.03, 20), { margin: 0.02 })).toMatchObject({
			answer: "not-better",
			reason: "mean difference -0.03 on 20 cases is not above -0.02",
		});
	});

	it("never gets worse for higher differences, a wider margin, or fewer texts tried before", () => {
		const rank: Record<LookAnswer["answer"], number> = { "not-better": 0, continue: 1, undecided: 1, better: 2 };
		const eighths = fc.array(
			fc.integer({ min: -8, max: 8 }).map((value) => value / 8),
			{ minLength: 6, maxLength: 20 },
		);
		fc.assert(
			fc.property(eighths, fc.nat(8), fc.nat(19), fc.integer({ min: 1, max: 4 }), (list, by, which, attempt) => {
				const answer = (values: readonly number[], margin: number, tried: number) =>
					rank[decideLook({ differences: differences(values), alpha: levelOf(tried, 1), isLast: true, margin }).answer];
				const before = answer(list, 0, attempt);
				const raised = list.map((value, index) => (index === which % list.length ? value + by / 8 : value));
				expect(answer(raised, 0, attempt)).toBeGreaterThanOrEqual(before);
				expect(answer(list, by / 8, attempt)).toBeGreaterThanOrEqual(before);
				expect(answer(list, 0, attempt + 1)).toBeLessThanOrEqual(before);
			}),
		);
	});
});

describe("the gate as a whole", () => {
	/** Share of `rounds` comparisons that end in "better" when each case's difference comes from `draw`. */
	function promoted(
		name: string,
		available: number,
		rounds: number,
		draw: (stream: Stream) => number,
		level = FIRST,
	): number {
		const stream = createStream(1, `gate ${name}`);
		const looks = planLooks(available, level);
		let better = 0;
		for (let round = 0; round < rounds; round++) {
			const list: Difference[] = [];
			for (const look of looks) {
				while (list.length < look.cases) list.push({ caseId: `c${10 + list.length}`, difference: draw(stream) });
				const { answer } = decideLook({ differences: list, alpha: look.alpha, isLast: look === looks.at(-1) });
				if (answer === "better") better++;
				if (answer !== "continue") break;
			}
		}
		return better / rounds;
	}

	// Without sealed cases the looks at the first text may spend ALPHA / 2 = .025 in all. The rates are those of 20,000 comparisons of two
	// equal texts; they lie well below, so no allowance is made for the error of the simulation.

	it("lets equal texts pass no more often than alpha: coarse scores, hard and easy cases", () => {
		const coarse = (stream: Stream) => {
			const ease = stream.next();
			const score = () => (stream.next() < ease ? 1 : stream.next() < 0.5 ? 0.5 : 0);
			return score() - score();
		};
		expect(promoted("coarse", 40, 20_000, coarse)).toBeLessThanOrEqual(FIRST);
		expect(promoted("coarse followed", 40, 20_000, coarse, ALPHA)).toBeLessThanOrEqual(ALPHA);
	});

	it("lets equal texts pass no more often than alpha: a rare failure", () => {
		const rare = (stream: Stream) => Number(stream.next() < 0.9) - Number(stream.next() < 0.9);
		expect(promoted("rare", 20, 20_000, rare)).toBeLessThanOrEqual(FIRST);
	});

	it("lets equal texts pass no more often than alpha: skewed scores", () => {
		const score = (stream: Stream) => Math.round(100 * (1 - stream.next() ** 6)) / 100;
		expect(promoted("skewed", 12, 20_000, (stream) => score(stream) - score(stream))).toBeLessThanOrEqual(FIRST);
	});

	it("lets a text that mostly does a little harm and rarely much good pass no more often than alpha", () => {
		const skewed = (stream: Stream) => Math.round(20 * (-Math.log(1 - stream.next()) - 1)) / 20;
		expect(promoted("right", 20, 2000, skewed)).toBeLessThanOrEqual(FIRST);
	});

	it("lets a clear gain pass nearly always", () => {
		const gain = (stream: Stream) => 0.25 + Math.round(20 * (stream.next() - 0.5)) / 20;
		expect(promoted("gain", 40, 300, gain)).toBeGreaterThan(0.97);
	});
});
