/**
 * How one text differs from another, objective by objective: size, interval, and what may be said of it.
 *
 * It must not know which text is hoped to win. Invariants: a positive change is better, whichever way the objective runs; quality,
 * which the proofs are about, is judged by itself, and the three others are right together; what lacks a side is counted, never
 * filled in.
 */
import { type Observation, weightedMedian } from "./interval.ts";
import { medianChange, medianMove, type Pair } from "./median-change.ts";
import {
	type CaseFigures,
	type CaseWeight,
	caseFigures,
	gain,
	OBJECTIVES,
	type Objective,
	unitOf,
} from "./objective.ts";
import type { Stream } from "./sampling.ts";
import { type Difference, holm, pairedDifferences, pairedTest, raise } from "./stats.ts";
import type { Trial } from "./trial.ts";

/** Chance that the verdict on quality is wrong when nothing has changed, and that any of the three others is. */
const ALPHA = 0.05;

/** Loss of an objective that is tolerated, in its unit; an objective without one is only described. */
export type Margins = Readonly<Partial<Record<Objective, number>>>;

export interface Change {
	objective: Objective;
	/**
	 * Mean of the paired differences by weight. For latency the difference of the medians of both sides over the same cases, because
	 * one slow reply must not decide.
	 */
	size: number | null;
	/** 95 % interval of `size`, of this objective alone. Null when nothing, or one case only, is known. */
	low: number | null;
	high: number | null;
	/** Standard deviation of the differences of one group or case; null below two. */
	sd: number | null;
	/** Cases in the pairs, and cases that lack a side. */
	n: number;
	missing: number;
	/** Two-sided, of this objective alone: how likely so large a change is when there is none. */
	p: number;
}

export interface JudgedChange extends Change {
	/** `p` adjusted for the number of objectives that are judged together (Holm 1979, latency apart); of quality `p` itself. */
	adjusted: number;
	/**
	 * `same`: no case differs. `unclear`: chance can explain it, or (but for quality, which the proofs are about) the interval
	 * reaches 0. `unknown`: there is no pair.
	 */
	says: "better" | "worse" | "same" | "unclear" | "unknown";
	/** Whether it is proved not to be worse by the margin or more (one-sided, .05); null where it has no margin. */
	held: boolean | null;
}

/**
 * The change of one objective from `before` to `after`. The p-value is that of the sign-flip test both ways; for latency on the
 * ranks of the differences, which is Wilcoxon's signed-rank test (1945) and goes with a median.
 */
export function changeOf(
	after: readonly Trial[],
	before: readonly Trial[],
	objective: Objective,
	cases: readonly CaseWeight[],
	stream: Stream,
): Change {
	const { differences, missing } = pairedDifferences(after, before, objective, cases);
	const test = pairedTest(differences);
	const known = { objective, sd: test.sd, n: test.n, missing };
	if (objective !== "latencyMs") {
		return { ...known, size: test.mean, low: test.low, high: test.high, p: twoSided(differences) };
	}
	const { mean: size, low, high } = medianChange(latencyPairs(after, before, cases), stream);
	return { ...known, size, low, high, p: twoSided(ranked(differences)) };
}

/** The size of every change against one text, as {@link changeOf} has it; quick enough for a hundred texts on ten thousand cases. */
export function sizesAgainst(before: readonly Trial[], cases: readonly CaseWeight[]) {
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	const base = caseFigures(before);
	return (after: readonly Trial[]): Record<Objective, number | null> => {
		const text = caseFigures(after);
		const sizeOf = (objective: Objective) => {
			const pairs = pairsOf(text, base, objective, known);
			if (objective === "latencyMs") return medianMove(pairs);
			let [total, whole] = [0, 0];
			for (const pair of pairs) {
				total += gain(objective, pair.before, pair.after) * pair.weight;
				whole += pair.weight;
			}
			return whole === 0 ? null : total / whole;
		};
		return Object.fromEntries(OBJECTIVES.map((objective) => [objective, sizeOf(objective)])) as Record<
			Objective,
			number | null
		>;
	};
}

/**
 * Each case's latency on both sides, reduced as a scorecard reduces it, so that the change is that between the scorecards. Of latency
 * less is better: the text's side comes first, and the change from there to the other side is positive where the text is quicker.
 */
function latencyPairs(text: readonly Trial[], other: readonly Trial[], cases: readonly CaseWeight[]): Pair[] {
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	return pairsOf(caseFigures(text), caseFigures(other), "latencyMs", known);
}

/** Cases that both sides know; both are in order of id. */
function pairsOf(
	first: CaseFigures,
	second: CaseFigures,
	objective: Objective,
	known: ReadonlyMap<string, CaseWeight>,
): Pair[] {
	const pairs: Pair[] = [];
	let other = 0;
	for (const [at, id] of first.ids.entries()) {
		while (other < second.ids.length && (second.ids[other] as string) < id) other += 1;
		if (second.ids[other] !== id) continue;
		const [before, after] = [first.figures[objective][at] as number, second.figures[objective][other] as number];
		if (Number.isNaN(before) || Number.isNaN(after)) continue;
		const entry = known.get(id);
		pairs.push({ before, after, weight: entry?.weight ?? 1, unit: unitOf(id, entry?.group) });
	}
	return pairs;
}

/** All four objectives, with verdicts that hold together. In the order of OBJECTIVES. */
export function judgedChanges(
	after: readonly Trial[],
	before: readonly Trial[],
	cases: readonly CaseWeight[],
	margins: Margins,
	stream: Stream,
): JudgedChange[] {
	const changes = OBJECTIVES.map((objective) => changeOf(after, before, objective, cases, stream));
	const adjusted = adjust(changes);
	return changes.map((change, at) => {
		const margin = margins[change.objective];
		const pairs = margin === undefined ? [] : pairedDifferences(after, before, change.objective, cases).differences;
		return {
			...change,
			adjusted: adjusted[at] ?? 1,
			says: sayOf(change, adjusted[at] ?? 1),
			held: margin === undefined || change.size === null ? null : isHeld(change.objective, pairs, margin),
		};
	});
}

function sayOf({ objective, size, low, high }: Change, adjusted: number): JudgedChange["says"] {
	if (size === null || low === null || high === null) return "unknown";
	if (low === 0 && high === 0) return "same";
	if (adjusted > ALPHA || size === 0) return "unclear";
	// A reader who sees an interval around 0 beside "worse" believes neither.
	if (objective !== "quality" && low <= 0 && high >= 0) return "unclear";
	return size > 0 ? "better" : "worse";
}

/**
 * Quality stands alone: it is what a run is for, and how much else is looked at must not weaken what is said of it. Holm's
 * adjustment over the other objectives that depend on answers alone. Latency has its share of the error to itself: no two runs
 * measure it alike, and it must not move what is said of the others.
 */
function adjust(changes: readonly Change[]): number[] {
	const isCounted = ({ objective }: Change) => objective !== "latencyMs" && objective !== "quality";
	const counted = changes.filter(isCounted);
	const together = counted.length + 1;
	const ofCounted = holm(counted.map(({ p }) => p));
	return changes.map((change) => {
		if (change.objective === "quality") return change.p;
		if (change.objective === "latencyMs") return Math.min(1, together * change.p);
		return Math.min(1, ((ofCounted[counted.indexOf(change)] ?? 1) * together) / counted.length);
	});
}

/** Non-inferiority: the same test of differences raised by the margin. */
function isHeld(objective: Objective, pairs: readonly Difference[], margin: number): boolean {
	const raised = raise(pairs, margin);
	return pairedTest(objective === "latencyMs" ? ranked(raised) : raised).p <= ALPHA;
}

function twoSided(differences: readonly Difference[]): number {
	const upper = pairedTest(differences).p;
	const lower = pairedTest(differences.map((entry) => ({ ...entry, difference: 0 - entry.difference }))).p;
	return Math.min(1, 2 * Math.min(upper, lower));
}

/** One difference for each group or case, its median, as its rank with its sign; equal sizes share the mean of their ranks. */
function ranked(differences: readonly Difference[]): Difference[] {
	const units = new Map<string, Observation[]>();
	for (const entry of differences) {
		const observation = observationOf(entry);
		units.set(observation.unit, [...(units.get(observation.unit) ?? []), observation]);
	}
	const medians = [...units].map(([unit, members]) => ({ unit, value: weightedMedian(members) }));
	const moved = medians.filter(({ value }) => value !== 0);
	const sizes = Float64Array.from(moved, ({ value }) => Math.abs(value)).sort();
	const ranks = new Map<number, number>();
	for (let from = 0; from < sizes.length; ) {
		let to = from + 1;
		while (to < sizes.length && sizes[to] === sizes[from]) to++;
		ranks.set(sizes[from]!, (from + 1 + to) / 2);
		from = to;
	}
	return moved.map(({ unit, value }) => ({
		caseId: unit,
		difference: Math.sign(value) * (ranks.get(Math.abs(value)) ?? 0),
	}));
}

function observationOf({ caseId, difference, weight, group }: Difference): Observation {
	return { value: difference, weight: weight ?? 1, unit: unitOf(caseId, group) };
}
