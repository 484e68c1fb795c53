/**
 * What the search is meant to reach, beside what it does. A goal is said to be reached by the figure alone, whatever its error; the error
 * stands beside it. A goal for which nothing was measured is neither.
 */
import type { FamilyName } from "../support/stand.ts";
import { isRun, type Row, type RunRow, runsOf } from "./job.ts";
import { cell, mean, share } from "./markdown.ts";
import { covering, covers } from "./modes/coverage.ts";
import type { KernelRow } from "./modes/kernel.ts";
import { orderRows } from "./modes/order.ts";
import { trulyBetter } from "./modes/power.ts";
import { aboveFloor, busy, floorWall, msPerCall, SLOTS, speedRows, wallOverIdeal } from "./modes/speed.ts";
import { untrue } from "./modes/truth.ts";

export interface Goal {
	figure: string;
	goal: string;
	/** Ours, with its error where it has one. */
	ours: string;
	/** Null when it was not measured. */
	reached: boolean | null;
}

/** Milliseconds per paid call above the floor that are allowed: 1.5 where the floor is 1.16. */
const OWN_MS = 0.34;
const PLAIN = "plain";

/** Goals of score by budget, as the lowest value that reaches them. */
const SCORES: readonly { kind: string; label: string; mean: Record<number, number>; worst: Record<number, number> }[] =
	[
		{
			kind: PLAIN,
			label: "plain families",
			mean: { 150: 0.9, 300: 0.96, 600: 0.965 },
			worst: { 300: 0.85, 600: 0.9 },
		},
		{
			kind: "conflict",
			label: "rules with exceptions",
			mean: { 300: 0.9, 600: 0.93, 1200: 0.94 },
			worst: { 300: 0.75 },
		},
		{ kind: "rubric", label: "short texts", mean: { 300: 0.88, 600: 0.91, 1200: 0.92 }, worst: {} },
	];
const LENGTHS: Readonly<Record<string, number>> = { plain: 4.6, conflict: 8, rubric: 5 };
const WEAK: Readonly<Record<number, number>> = { 300: 0.94, 600: 0.96 };
const POWER: Readonly<Record<number, number>> = { 4: 0.95, 3: 0.85, 2: 0.55 };

export function goalsOf(rows: readonly Row[], families: readonly FamilyName[], kernel: KernelRow | null): Goal[] {
	const kindOf = new Map(families.map(({ name, kind }) => [name, kind]));
	const ofKind = (some: readonly RunRow[], kind: string) => some.filter((row) => kindOf.get(row.family) === kind);
	const scores = runsOf(rows, "score");
	return [
		...SCORES.flatMap(({ kind, label, mean: means, worst }) => {
			const at = (budget: number) => ofKind(scores, kind).filter((row) => row.budget === budget);
			return [
				...budgetsOf(means).map((budget) =>
					scoreGoal(`test score at ${budget} calls, ${label}`, at(budget), means[budget] ?? 1),
				),
				...budgetsOf(worst).map((budget) =>
					worstGoal(`worst run at ${budget}, ${label}`, at(budget), worst[budget] ?? 1),
				),
			];
		}),
		...budgetsOf(WEAK).map((budget) =>
			scoreGoal(
				`weak reflection at ${budget}, plain families`,
				ofKind(runsOf(rows, "weak"), PLAIN).filter((row) => row.budget === budget),
				WEAK[budget] ?? 1,
			),
		),
		...Object.entries(LENGTHS).map(([kind, most]) => lengthGoal(kind, ofKind(scores, kind), most)),
		callsGoal(ofKind(scores, PLAIN)),
		...speedGoals(rows),
		...truthGoals(rows, kindOf),
		coverageGoal(rows),
		orderGoal(rows),
		kernelGoal(kernel),
	];
}

const budgetsOf = (record: Readonly<Record<number, number>>) => Object.keys(record).map(Number);

/** A goal over values: not measured when there are none. */
function goal(
	figure: string,
	wanted: string,
	values: readonly unknown[],
	ours: () => string,
	reached: () => boolean,
): Goal {
	if (values.length === 0) return { figure, goal: wanted, ours: "–", reached: null };
	return { figure, goal: wanted, ours: ours(), reached: reached() };
}

function scoreGoal(figure: string, rows: readonly RunRow[], least: number): Goal {
	const scores = rows.map((row) => row.score);
	return goal(
		figure,
		`≥ ${least}`,
		rows,
		() => `${cell(scores)} (${mean(rows.map((row) => row.paid)).toFixed(0)} paid)`,
		() => mean(scores) >= least,
	);
}

function worstGoal(figure: string, rows: readonly RunRow[], least: number): Goal {
	const worst = Math.min(...rows.map((row) => row.score));
	return goal(
		figure,
		`≥ ${least}`,
		rows,
		() => `${worst.toFixed(3)} of ${rows.length}`,
		() => worst >= least,
	);
}

function lengthGoal(kind: string, rows: readonly RunRow[], most: number): Goal {
	const lengths = rows.filter((row) => row.won && row.budget >= 300).map((row) => row.length);
	return goal(
		`length of the winner over that of the seed text, from 300 calls on, ${kind}`,
		`≤ ${most}`,
		lengths,
		() => cell(lengths, 2),
		() => mean(lengths) <= most,
	);
}

function callsGoal(rows: readonly RunRow[]): Goal {
	const roomy = rows.filter((row) => row.budget >= 600);
	const calls = roomy.map((row) => row.paid);
	const alone = roomy.filter((row) => row.stoppedBy === "converged").length;
	return goal(
		"paid calls until it stops by itself, budget 600 and more, plain families",
		"≤ 220",
		roomy,
		() => `${cell(calls, 0)}; by itself ${share(alone, roomy.length)}`,
		() => mean(calls) <= 220,
	);
}

function speedGoals(rows: readonly Row[]): Goal[] {
	const slow = speedRows(rows).filter((row) => row.latency > 0 && row.budget === 300);
	const fast = speedRows(rows).filter((row) => row.latency === 0);
	const above = fast.map(aboveFloor);
	const floor = mean(fast.map(floorWall));
	return [
		goal(
			`wall time / (calls × 200 ms / ${SLOTS}), at 300`,
			"≤ 1.6",
			slow,
			() => cell(slow.map(wallOverIdeal), 2),
			() => mean(slow.map(wallOverIdeal)) <= 1.6,
		),
		goal(
			`of ${SLOTS} slots busy at 200 ms, at 300`,
			"≥ 12",
			slow,
			() => cell(slow.map(busy), 1),
			() => mean(slow.map(busy)) >= 12,
		),
		goal(
			"own cost per paid call at 0 ms, above the floor",
			`≤ ${OWN_MS} ms (1.5 where the floor is 1.16)`,
			fast,
			() => `${cell(above, 2)} ms; ${mean(fast.map(msPerCall)).toFixed(2)} with the floor of ${floor.toFixed(2)}`,
			() => mean(above) <= OWN_MS,
		),
	];
}

function truthGoals(rows: readonly Row[], kindOf: ReadonlyMap<string, string>): Goal[] {
	const runs = rows.filter(isRun);
	const over = runs.filter((row) => row.paid > row.budget);
	const winners = runs.filter((row) => row.won);
	const useless = runsOf(rows, "useless");
	const from = (start: "seed" | "half") => useless.filter((row) => row.start === start);
	const falseGoal = (label: string, some: readonly RunRow[]) => {
		const won = some.filter((row) => row.won).length;
		return goal(
			`false promotions with useless reflection, ${label}`,
			"≤ 1 of 100",
			some,
			() => `${won} of ${some.length}`,
			() => won <= some.length / 100,
		);
	};
	const plainPower = runsOf(rows, "power").filter((row) => kindOf.get(row.family) === PLAIN);
	return [
		goal(
			"runs over their limit on calls",
			"0",
			runs,
			() => `${over.length} of ${runs.length}`,
			() => over.length === 0,
		),
		falseGoal("from the seed text", from("seed")),
		falseGoal("from half the rules", from("half")),
		goal(
			"winners that the test split says are not better, all runs",
			"0",
			winners,
			() => `${untrue(rows).length} of ${winners.length}`,
			() => untrue(rows).length === 0,
		),
		...budgetsOf(POWER)
			.sort((a, b) => b - a)
			.map((lacking) => {
				const some = plainPower.filter((row) => row.start === lacking);
				const won = some.filter((row) => row.won);
				const least = POWER[lacking] ?? 1;
				return goal(
					`promoted when v0 lacks ${lacking} rules, plain families`,
					`≥ ${Math.round(least * 100)} %`,
					some,
					() => `${share(won.length, some.length)}; truly better ${won.filter(trulyBetter).length}`,
					() => won.length / some.length >= least,
				);
			}),
	];
}

function coverageGoal(rows: readonly Row[]): Goal {
	const own = covering(rows);
	const covered = own.filter(covers).length;
	return goal(
		"interval of the winner's quality covers its test score",
		"≥ 93 %",
		own,
		() => share(covered, own.length),
		() => covered / own.length >= 0.93,
	);
}

function orderGoal(rows: readonly Row[]): Goal {
	const own = orderRows(rows);
	const same = own.filter((row) => row.same).length;
	return goal(
		"same decisions in any order of arrival",
		"always",
		own,
		() => `${same} of ${own.length} pairs`,
		() => same === own.length,
	);
}

function kernelGoal(kernel: KernelRow | null): Goal {
	return goal(
		"kernel bytes changed by random edits",
		"0",
		kernel === null ? [] : [kernel],
		() => (kernel?.unchanged ? `0 in ${kernel.edits.toLocaleString("en")} edits` : "some: see above"),
		() => kernel?.unchanged === true,
	);
}
