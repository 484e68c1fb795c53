/**
 * How often a gate calls a text better that is not, by simulation: 20,000 runs of each kind, against the level that the gate
 * states. The rates lie below it, so no allowance is made for the error of the simulation.
 */
import { describe, expect, it } from "vitest";
import { createStream, type Stream } from "../../src/domain/sampling.ts";
import { ALPHA, decideLook, levelOf, planLooks } from "../../src/domain/sequential.ts";
import type { Difference } from "../../src/domain/stats.ts";

const RUNS = 20_000;
/** What the first text of a run may spend where nothing confirms it: ALPHA / (1 · 2). */
const FIRST = levelOf(1, 1);

/** A case of a simulated split, and the difference that one comparison shows on it; null when a side is lost. */
interface SimulatedCase {
	id: string;
	weight?: number;
	group?: string;
}
type Draw = (entry: SimulatedCase, at: number) => number | null;

const split = (count: number, change: (at: number) => Partial<SimulatedCase> = () => ({})): SimulatedCase[] =>
	Array.from({ length: count }, (_, at) => ({ id: `c${100 + at}`, ...change(at) }));

/** The answer of a whole gate, look by look. */
function gate(cases: readonly SimulatedCase[], attempt: number, draw: Draw, gates = 1): string {
	const level = levelOf(attempt, gates);
	const looks = planLooks(cases.length, level);
	const differences: Difference[] = [];
	let missing = 0;
	let seen = 0;
	for (const look of looks) {
		for (; seen < look.cases; seen++) {
			const entry = cases[seen] as SimulatedCase;
			const difference = draw(entry, seen);
			if (difference === null) missing++;
			else differences.push({ caseId: entry.id, difference, weight: entry.weight, group: entry.group });
		}
		const { answer } = decideLook({
			differences,
			missing,
			lost: missing,
			alpha: look.alpha,
			isLast: look === looks.at(-1),
		});
		if (answer !== "continue") return answer;
	}
	return "undecided";
}

function rateOf(name: string, run: (stream: Stream) => boolean): number {
	const stream = createStream(1, `gate error ${name}`);
	let wrong = 0;
	for (let round = 0; round < RUNS; round++) if (run(stream)) wrong++;
	return wrong / RUNS;
}

/** Quality of one draw on a case of five checks that it passes with this chance. */
const score = (stream: Stream, ease: number) => {
	let passed = 0;
	for (let check = 0; check < 5; check++) if (stream.next() < ease) passed++;
	return passed / 5;
};

const equal: (stream: Stream) => Draw = (stream) => () => {
	const ease = 0.3 + 0.7 * stream.next();
	return score(stream, ease) - score(stream, ease);
};

describe("two equal texts", () => {
	it("pass the first gate no more often than .025, whatever the number of cases", () => {
		for (const count of [6, 9, 20, 40]) {
			const cases = split(count);
			const rate = rateOf(`equal ${count}`, (stream) => gate(cases, 1, equal(stream)) === "better");
			expect(rate, `${count} cases: ${rate}`).toBeLessThanOrEqual(FIRST);
		}
	});

	it("pass no more often than alpha / (k (k + 1)) as the k-th text", () => {
		const cases = split(40);
		for (const attempt of [2, 3, 5]) {
			const level = ALPHA / (attempt * (attempt + 1));
			const rate = rateOf(`attempt ${attempt}`, (stream) => gate(cases, attempt, equal(stream)) === "better");
			expect(rate, `text ${attempt}: ${rate}`).toBeLessThanOrEqual(level);
		}
	});

	it("pass no more often than .05 when a run tries up to six of them against one measurement of v0", () => {
		const cases = split(40);
		const rate = rateOf("six texts", (stream) => {
			const eases = cases.map(() => 0.3 + 0.7 * stream.next());
			const incumbent = eases.map((ease) => score(stream, ease));
			for (let attempt = 1; attempt <= 6; attempt++) {
				const answer = gate(cases, attempt, (_, at) => score(stream, eases[at] ?? 0) - (incumbent[at] ?? 0));
				if (answer === "better") return true;
			}
			return false;
		});
		expect(rate).toBeLessThanOrEqual(ALPHA);
	});

	it("pass no more often when pairs are missing, also when it is the bad answers that get lost", () => {
		const cases = split(40);
		const atRandom = rateOf("missing", (stream) => {
			const draw = equal(stream);
			return gate(cases, 1, (entry, at) => (stream.next() < 0.08 ? null : draw(entry, at))) === "better";
		});
		expect(atRandom).toBeLessThanOrEqual(FIRST);
		// A child whose worst answers (below .3) are never seen.
		const hidden = rateOf("hidden", (stream) => {
			const draw: Draw = () => {
				const ease = 0.5 + 0.5 * stream.next();
				const [before, after] = [score(stream, ease), score(stream, ease)];
				return after < 0.3 ? null : after - before;
			};
			return gate(cases, 1, draw) === "better";
		});
		expect(hidden).toBeLessThanOrEqual(FIRST);
	});

	it("pass no more often when cases weigh unequally", () => {
		const cases = split(40, (at) => ({ weight: at % 5 === 0 ? 8 : 1 }));
		expect(rateOf("weights", (stream) => gate(cases, 1, equal(stream)) === "better")).toBeLessThanOrEqual(FIRST);
	});

	it("pass no more often when cases of one session rise and fall together", () => {
		const cases = split(40, (at) => ({ group: `g${at % 13}` }));
		const rate = rateOf("groups", (stream) => {
			const moods = Array.from({ length: 13 }, () => Math.round(10 * (stream.next() - 0.5)) / 10);
			const draw: Draw = (_, at) => (moods[at % 13] ?? 0) + score(stream, 0.8) - score(stream, 0.8);
			return gate(cases, 1, draw) === "better";
		});
		expect(rate).toBeLessThanOrEqual(FIRST);
	});

	it("would pass far too often if sessions were taken for single cases", () => {
		const cases = split(40);
		const rate = rateOf("ungrouped", (stream) => {
			const moods = Array.from({ length: 13 }, () => Math.round(10 * (stream.next() - 0.5)) / 10);
			const draw: Draw = (_, at) => (moods[at % 13] ?? 0) + score(stream, 0.8) - score(stream, 0.8);
			return gate(cases, 1, draw) === "better";
		});
		expect(rate).toBeGreaterThan(2 * FIRST);
	});

	it("pass no more often when cases that leave it open are drawn again", () => {
		for (const count of [9, 20, 40]) {
			const looks = planLooks(count, FIRST, 3);
			const rate = rateOf(`again ${count}`, (stream) => {
				const eases = Array.from({ length: count }, () => 0.3 + 0.7 * stream.next());
				const draws = eases.map((ease) => [score(stream, ease) - score(stream, ease)]);
				for (const look of looks) {
					const differences = draws.slice(0, look.cases).map((own, at) => {
						while (own.length < look.draws) own.push(score(stream, eases[at] ?? 0) - score(stream, eases[at] ?? 0));
						return { caseId: `c${100 + at}`, difference: own.reduce((sum, value) => sum + value) / own.length };
					});
					const { answer } = decideLook({ differences, alpha: look.alpha, isLast: look === looks.at(-1) });
					if (answer !== "continue") return answer === "better";
				}
				return false;
			});
			expect(rate, `${count} cases: ${rate}`).toBeLessThanOrEqual(FIRST);
		}
	});

	it("pass each of two gates in a row no more often than .05, and both about never, however many are tried", () => {
		const [validation, sealed] = [split(40), split(20)];
		const passes = (stream: Stream, attempt: number) =>
			gate(validation, attempt, equal(stream), 2) === "better" && gate(sealed, attempt, equal(stream), 2) === "better";
		for (const cases of [validation, sealed]) {
			const rate = rateOf(`one of two ${cases.length}`, (stream) => gate(cases, 1, equal(stream), 2) === "better");
			expect(rate).toBeLessThanOrEqual(ALPHA);
		}
		expect(rateOf("both", (stream) => passes(stream, 1))).toBeLessThanOrEqual(0.0025);
		const several = rateOf("both, four texts", (stream) => [1, 2, 3, 4].some((attempt) => passes(stream, attempt)));
		expect(several).toBeLessThanOrEqual(0.003);
	});
});

describe("a text that is truly worse", () => {
	it("never gains by chance what an equal one does not", () => {
		const cases = split(40);
		const rate = rateOf("worse", (stream) => {
			return gate(cases, 1, () => score(stream, 0.8) - score(stream, 0.84)) === "better";
		});
		expect(rate).toBeLessThanOrEqual(0.003);
	});
});
