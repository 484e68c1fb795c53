/**
 * Hypervolume: one number for a whole front, the share of the space between a reference and the ideal that it dominates.
 * It grows whenever the front gains anything, so it shows progress over generations.
 *
 * It must not know where the reference comes from (often the incumbent). Invariant: exact, and 0 to 1.
 */
import type { Point } from "./front.ts";
import { OBJECTIVES, type Objective } from "./objective.ts";

/** Gains over the reference, each 0 (no better) to 1 (ideal). */
type Gains = readonly number[];

/**
 * @param reference what a point must beat to add anything: a quality below 1 and costs above 0. The ideal is quality 1
 *   at no cost. An objective in which the reference is already ideal or unknown leaves no room and is left out.
 * @returns the dominated share of the box between reference and ideal, 0 to 1; 0 when no objective leaves room.
 */
export function hypervolume(points: readonly Point[], reference: Readonly<Record<Objective, number | null>>): number {
	const axes = OBJECTIVES.filter((objective) => {
		const value = reference[objective];
		return value !== null && (objective === "quality" ? value < 1 : value > 0);
	});
	if (axes.length === 0) return 0;
	const gains = points.map((point) => axes.map((axis) => gainOver(reference[axis] as number, point[axis], axis)));
	return volume(gains.filter((point) => point.every((value) => value > 0)));
}

function gainOver(reference: number, value: number | null, objective: Objective): number {
	if (value === null) return 0;
	const share = objective === "quality" ? (value - reference) / (1 - reference) : (reference - value) / reference;
	return Math.min(1, Math.max(0, share));
}

/**
 * While, Bradstreet and Barone (2012), "A fast way of calculating exact hypervolumes" (WFG): each point adds what those
 * after it do not cover. They all reach higher in the last objective, so what they share with it is one objective flatter.
 */
function volume(points: readonly Gains[]): number {
	const kept = nonDominated(points);
	if (kept.length === 0) return 0;
	const last = kept[0]!.length - 1;
	if (last === 0) return kept[0]![0]!;
	if (last === 1) return area(kept);
	return kept.reduce((total, point, at) => {
		const flat = point.slice(0, last);
		const alone = flat.reduce((product, value) => product * value, 1);
		const shadows = kept.slice(at + 1).map((other) => flat.map((value, axis) => Math.min(value, other[axis]!)));
		return total + point[last]! * (alone - volume(shadows));
	}, 0);
}

/** Two objectives: a staircase, read from the right. */
function area(front: readonly Gains[]): number {
	let [total, height] = [0, 0];
	for (const [x, y] of [...front].sort((a, b) => b[0]! - a[0]!) as [number, number][]) {
		total += x * Math.max(0, y - height);
		height = Math.max(height, y);
	}
	return total;
}

/** In rising order of the last objective; of equal points one is kept. */
function nonDominated(points: readonly Gains[]): Gains[] {
	const covers = (a: Gains, b: Gains) => a.every((value, axis) => value >= b[axis]!);
	const ordered = [...points].sort(byAxesFromLast);
	const kept: Gains[] = [];
	for (const point of ordered.reverse()) {
		if (!kept.some((other) => covers(other, point))) kept.push(point);
	}
	return kept.reverse();
}

function byAxesFromLast(a: Gains, b: Gains): number {
	for (let axis = a.length - 1; axis >= 0; axis--) {
		if (a[axis] !== b[axis]) return a[axis]! - b[axis]!;
	}
	return 0;
}
