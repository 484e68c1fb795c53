/**
 * Scales of charts: from values to places, with ticks at round numbers.
 *
 * It must not know markup. Invariant: every value that was given lies within its axis.
 */

/** A value with its interval, where there is one. */
export interface Spread {
	mean: number;
	low: number | null;
	high: number | null;
}

export interface Axis {
	/** Values at the ends. */
	start: number;
	end: number;
	ticks: number[];
	place: (value: number) => number;
}

/** Values from `from` to `to`, with room at both ends but never below zero nor above the ceiling. */
export function axis(spreads: readonly Spread[], from: number, to: number, ceiling: number): Axis {
	const values = spreads.flatMap(({ mean, low, high }) => [mean, low ?? mean, high ?? mean]);
	let [low, high] = [Math.min(...values), Math.max(...values)];
	if (high - low < 1e-9)
		[low, high] = [low - Math.max(Math.abs(low) * 0.1, 0.05), high + Math.max(Math.abs(high) * 0.1, 0.05)];
	const pad = (high - low) * 0.06;
	const start = Math.max(0, low - pad);
	const end = Math.min(Math.max(ceiling, high), high + pad);
	const step = niceStep((end - start) / 5);
	const ticks: number[] = [];
	for (let tick = Math.ceil(start / step - 1e-9) * step; tick <= end + step * 1e-9; tick += step)
		ticks.push(Number(tick.toPrecision(12)));
	return { start, end, ticks, place: (value) => from + ((value - start) / (end - start)) * (to - from) };
}

/** 1, 2 or 5 times a power of ten, at least the given one. */
function niceStep(rough: number): number {
	const power = 10 ** Math.floor(Math.log10(rough));
	const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough - 1e-12) ?? 10;
	return factor * power;
}

/** Ticks with their labels; where rounding makes two labels equal, the first one stands for both. */
export function labelled(ticks: readonly number[], textOf: (value: number) => string): [tick: number, text: string][] {
	const all = ticks.map((tick): [number, string] => [tick, textOf(tick)]);
	return all.filter(([, text], index) => all.findIndex(([, other]) => other === text) === index);
}

/** One decimal: a tenth of a pixel. */
export function round(value: number): number {
	return Math.round(value * 10) / 10;
}
