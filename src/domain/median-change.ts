/**
 * How far a median moves between two sides that were tried on the same cases: median after less median before, so that a reader who
 * subtracts one from the other gets the change. Cases are resampled in pairs, so that slow and quick cases cancel out.
 *
 * It must not know objectives. Invariant: low <= mean <= high, and a stream in the same state gives the same interval.
 */
import { BOOTSTRAP_FROM, BOOTSTRAP_TO, type Interval, LEVEL, middle, quantile, weightedMedian } from "./interval.ts";
import type { Stream } from "./sampling.ts";

/** One case before and after, its weight (above 0), and the unit that it belongs to. */
export interface Pair {
	before: number;
	after: number;
	weight: number;
	unit: string;
}

type Side = "before" | "after";

const RESAMPLES = 2000;
/** Each resample of many units costs more, and the ends of so many move less. */
const FEW_RESAMPLES = 500;

/** The change alone; null without a pair. */
export function medianMove(pairs: readonly Omit<Pair, "unit">[]): number | null {
	if (pairs.length === 0) return null;
	const of = (side: Side) => weightedMedian(pairs.map((pair) => ({ value: pair[side], weight: pair.weight })));
	return of("after") - of("before");
}

/**
 * The change with its 95 % interval, by the number of units:
 * - 1: none;
 * - 2 to 7: smallest to largest difference of a case, between which the change of a median always lies;
 * - above: percentile bootstrap of the pairs, 2,000 resamples; 500 for more than 200 units.
 */
export function medianChange(pairs: readonly Pair[], stream: Stream): Interval {
	const mean = medianMove(pairs);
	const places = new Map([...new Set(pairs.map(({ unit }) => unit))].map((unit, at) => [unit, at]));
	const units = places.size;
	if (mean === null || units === 1) return { mean, low: null, high: null };
	if (units < BOOTSTRAP_FROM) {
		const moved = pairs.map(({ before, after }) => after - before);
		return { mean, low: Math.min(...moved), high: Math.max(...moved) };
	}
	const [before, after] = [medianWhenDrawn(pairs, "before", places), medianWhenDrawn(pairs, "after", places)];
	const changes = new Float64Array(units > BOOTSTRAP_TO ? FEW_RESAMPLES : RESAMPLES);
	const drawn = new Float64Array(units);
	for (let resample = 0; resample < changes.length; resample++) {
		drawn.fill(0);
		for (let draw = 0; draw < units; draw++) drawn[stream.integer(units)]! += 1;
		changes[resample] = after(drawn) - before(drawn);
	}
	changes.sort();
	const [low, high] = [quantile(changes, (1 - LEVEL) / 2), quantile(changes, (1 + LEVEL) / 2)];
	return { mean, low: Math.min(mean, low), high: Math.max(mean, high) };
}

/** The median of one side when each unit has been drawn so many times. */
function medianWhenDrawn(pairs: readonly Pair[], side: Side, places: ReadonlyMap<string, number>) {
	const sorted = [...pairs].sort((a, b) => a[side] - b[side]);
	const values = Float64Array.from(sorted, (pair) => pair[side]);
	const own = Float64Array.from(sorted, ({ weight }) => weight);
	const unit = Uint32Array.from(sorted, (pair) => places.get(pair.unit) ?? 0);
	const weights = new Float64Array(values.length);
	return (drawn: Float64Array): number => {
		for (let at = 0; at < values.length; at++) weights[at] = own[at]! * drawn[unit[at]!]!;
		return middle(values, weights, 0.5);
	};
}
