/**
 * 95 % intervals for a mean and a median over cases. Cases vary far more than repeats of one case, and cases of one
 * group vary together, so what is resampled is the independent *unit*: the group, else the case, with all it holds.
 *
 * Repeats are averaged within their case and not resampled again: the spread between cases already carries their noise,
 * a second draw inside would count it twice (Davison and Hinkley 1997, section 3.8).
 *
 * It must not know objectives. Invariant: low <= mean <= high, and a stream in the same state gives the same interval.
 */
import { normalCdf, normalQuantile, studentQuantile } from "./distributions.ts";
import type { Stream } from "./sampling.ts";

/** One case: its value, its weight (above 0), and the unit that it belongs to. */
export interface Observation {
	value: number;
	weight: number;
	unit: string;
}

export interface Interval {
	mean: number | null;
	low: number | null;
	high: number | null;
}

/** Values that are possible at all. */
export interface Range {
	low: number;
	high?: number;
}

const RESAMPLES = 2000;
/** From this many units the bootstrap can tell an interval; below it the rules for small samples hold. */
export const BOOTSTRAP_FROM = 8;
/** Above this many units the normal approximation is as good and far faster. */
export const BOOTSTRAP_TO = 200;
export const LEVEL = 0.95;
const Z = 1.959963984540054;

/**
 * Mean by weight, with its interval, by the number of units:
 * - 1: the range where it is closed, else no interval;
 * - 2 to 7: Student's t with the standard error of a ratio (of totals to weights), cut to the range;
 * - 8 to 200: bootstrap of 2,000 resamples, corrected for bias and skewness (BCa, Efron 1987, "Better bootstrap confidence
 *   intervals"), as qualities near 1 are skewed, and widened for small samples as Hesterberg (2015, "What teachers should
 *   know about the bootstrap") has it: t sqrt(n / (n - 1)) stands where BCa has the normal quantile;
 * - above: normal, with the standard error of a ratio.
 *
 * Where the range is closed (quality), a sample is not trusted to have shown everything. When all units agree, a share q
 * at either end of the range would stay unseen with probability (1 - q)^n: the interval allows the q for which that is
 * .025, so 20 perfect cases give .83 to 1, as Clopper and Pearson (1934) do. Otherwise it is never narrower than what one
 * further unit at either end could make of the mean.
 */
export function meanInterval(observations: readonly Observation[], range: Range, stream: Stream): Interval {
	if (observations.length === 0) return { mean: null, low: null, high: null };
	const { totals, weights } = unitSums(observations);
	const units = totals.length;
	const mean = clip(sum(totals) / sum(weights), range);
	if (units === 1) {
		return range.high === undefined ? { mean, low: null, high: null } : { mean, low: range.low, high: range.high };
	}
	const error = ratioError(totals, weights);
	const byNormal = units < BOOTSTRAP_FROM || units > BOOTSTRAP_TO;
	const [low, high] = byNormal ? symmetric(mean, error, units) : bootstrapMean(totals, weights, stream);
	const found = { mean, low: Math.min(mean, clip(low, range)), high: Math.max(mean, clip(high, range)) };
	if (range.high === undefined) return found;
	const unseen = error < 1e-12 ? 1 - ((1 - LEVEL) / 2) ** (1 / units) : 1 / (units + 1);
	const mixed = (value: number) => mean + unseen * (value - mean);
	return { mean, low: Math.min(found.low, mixed(range.low)), high: Math.max(found.high, mixed(range.high)) };
}

/**
 * Median by weight, with its interval, by the number of units:
 * - 1: none;
 * - 2 to 7: smallest to largest value (covers the median of single cases in 50, 75, 88, 94, 97 and 98 %);
 * - 8 to 200: percentile bootstrap, 2,000 resamples;
 * - above: Woodruff (1952): the interval of the share below the median, read back as quantiles.
 */
export function medianInterval(observations: readonly Observation[], stream: Stream): Interval {
	if (observations.length === 0) return { mean: null, low: null, high: null };
	const sorted = [...observations].sort((a, b) => a.value - b.value);
	const mean = weightedMedian(sorted);
	const { totals, weights, index } = unitSums(sorted);
	const units = totals.length;
	if (units === 1) return { mean, low: null, high: null };
	if (units < BOOTSTRAP_FROM) return { mean, low: sorted[0]!.value, high: sorted.at(-1)!.value };
	const [low, high] =
		units > BOOTSTRAP_TO ? woodruff(sorted, mean) : bootstrapMedian(sorted, Uint32Array.from(index), weights, stream);
	return { mean, low: Math.min(mean, low), high: Math.max(mean, high) };
}

/** The middle by weight: between two values that share it, their mean. Of at least one value. */
export function weightedMedian(observations: readonly Pick<Observation, "value" | "weight">[]): number {
	const sorted = [...observations].sort((a, b) => a.value - b.value);
	return quantileByWeight(sorted, 0.5);
}

/** The p-quantile of sorted values, interpolated as R does by default (type 7). */
export function quantile(sorted: ArrayLike<number>, p: number): number {
	const place = (sorted.length - 1) * p;
	const below = Math.floor(place);
	const low = sorted[below] as number;
	const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
	return low + (place - below) * (high - low);
}

/** Standard error of sum(totals) / sum(weights) over independent units; with equal weights this is sd / sqrt(n). */
export function ratioError(totals: Float64Array, weights: Float64Array): number {
	const units = totals.length;
	const weight = sum(weights);
	const ratio = sum(totals) / weight;
	let squares = 0;
	for (let unit = 0; unit < units; unit++) squares += (totals[unit]! - ratio * weights[unit]!) ** 2;
	return Math.sqrt((units / (units - 1)) * squares) / weight;
}

/** Totals and weights by unit, in the order in which units appear; `index` is the unit of each observation. */
export function unitSums(observations: readonly Observation[]): {
	totals: Float64Array;
	weights: Float64Array;
	index: number[];
} {
	const places = new Map<string, number>();
	const index = observations.map(({ unit }) => {
		const place = places.get(unit) ?? places.size;
		places.set(unit, place);
		return place;
	});
	const totals = new Float64Array(places.size);
	const weights = new Float64Array(places.size);
	observations.forEach(({ value, weight }, at) => {
		totals[index[at]!]! += value * weight;
		weights[index[at]!]! += weight;
	});
	return { totals, weights, index };
}

/** mean ± t standard errors; with many units t is z. */
export function symmetric(mean: number, error: number, units: number): [low: number, high: number] {
	const reach = (units > BOOTSTRAP_TO ? Z : studentReach(units - 1)) * error;
	return [mean - reach, mean + reach];
}

/** Found by bisection, and asked for at every look: kept by degrees of freedom, of which there are few. */
const reaches = new Map<number, number>();

function studentReach(df: number): number {
	const reach = reaches.get(df) ?? studentQuantile((1 + LEVEL) / 2, df);
	reaches.set(df, reach);
	return reach;
}

function bootstrapMean(totals: Float64Array, weights: Float64Array, stream: Stream): [number, number] {
	const units = totals.length;
	const ratio = sum(totals) / sum(weights);
	const slack = 1e-12 * Math.max(1, Math.abs(ratio));
	const means = new Float64Array(RESAMPLES);
	let below = 0;
	for (let resample = 0; resample < RESAMPLES; resample++) {
		let total = 0;
		let weight = 0;
		for (let draw = 0; draw < units; draw++) {
			const unit = stream.integer(units);
			total += totals[unit]!;
			weight += weights[unit]!;
		}
		const mean = total / weight;
		means[resample] = mean;
		below += mean < ratio - slack ? 1 : mean <= ratio + slack ? 0.5 : 0;
	}
	means.sort();
	const reach = Math.sqrt(units / (units - 1)) * studentReach(units - 1);
	const bias = normalQuantile(Math.min(Math.max(below, 1), RESAMPLES - 1) / RESAMPLES);
	const skew = acceleration(totals, weights, ratio);
	return [quantile(means, cutAt(-reach, bias, skew)), quantile(means, cutAt(reach, bias, skew))];
}

/** Share of the resamples below an end that lies `reach` standard errors off, corrected for bias and skewness (BCa). */
function cutAt(reach: number, bias: number, skew: number): number {
	const shrink = 1 - skew * (bias + reach);
	if (shrink <= 0) return reach > 0 ? 1 : 0;
	return normalCdf(bias + (bias + reach) / shrink);
}

/** A sixth of the skewness of what each unit does to the ratio. */
function acceleration(totals: Float64Array, weights: Float64Array, ratio: number): number {
	let squares = 0;
	let cubes = 0;
	for (let unit = 0; unit < totals.length; unit++) {
		const influence = totals[unit]! - ratio * weights[unit]!;
		squares += influence ** 2;
		cubes += influence ** 3;
	}
	return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

function bootstrapMedian(
	sorted: readonly Observation[],
	index: Uint32Array,
	weights: Float64Array,
	stream: Stream,
): [number, number] {
	const units = weights.length;
	const values = Float64Array.from(sorted, ({ value }) => value);
	const own = Float64Array.from(sorted, ({ weight }) => weight);
	const medians = new Float64Array(RESAMPLES);
	const drawn = new Float64Array(units);
	const drawnWeights = new Float64Array(values.length);
	for (let resample = 0; resample < RESAMPLES; resample++) {
		drawn.fill(0);
		for (let draw = 0; draw < units; draw++) drawn[stream.integer(units)]! += 1;
		for (let at = 0; at < values.length; at++) drawnWeights[at] = own[at]! * drawn[index[at]!]!;
		medians[resample] = middle(values, drawnWeights, 0.5);
	}
	medians.sort();
	return [quantile(medians, (1 - LEVEL) / 2), quantile(medians, (1 + LEVEL) / 2)];
}

function woodruff(sorted: readonly Observation[], median: number): [number, number] {
	const below = sorted.map((entry) => ({ ...entry, value: entry.value < median ? 1 : entry.value > median ? 0 : 0.5 }));
	const { totals, weights } = unitSums(below);
	const reach = Z * ratioError(totals, weights);
	return [quantileByWeight(sorted, Math.max(0, 0.5 - reach)), quantileByWeight(sorted, Math.min(1, 0.5 + reach))];
}

function quantileByWeight(sorted: readonly Pick<Observation, "value" | "weight">[], share: number): number {
	const values = Float64Array.from(sorted, ({ value }) => value);
	return middle(
		values,
		Float64Array.from(sorted, ({ weight }) => weight),
		share,
	);
}

/** The value at which the running weight passes `share` of the whole; on the border, the mean of both sides. */
export function middle(values: Float64Array, weights: Float64Array, share: number): number {
	const whole = sum(weights);
	const target = whole * share;
	const slack = whole * 1e-12;
	let running = 0;
	let border: number | undefined;
	for (let at = 0; at < values.length; at++) {
		if (weights[at] === 0) continue;
		if (border !== undefined) return (border + values[at]!) / 2;
		running += weights[at]!;
		if (running > target + slack) return values[at]!;
		if (running >= target - slack) border = values[at]!;
	}
	return border ?? values.at(-1)!;
}

function clip(value: number, range: Range): number {
	return Math.min(Math.max(value, range.low), range.high ?? Number.POSITIVE_INFINITY);
}

export function sum(values: Float64Array): number {
	let total = 0;
	for (let index = 0; index < values.length; index++) total += values[index]!;
	return total;
}
