/**
 * Dominance between variants, and the front: those that no other beats in everything.
 *
 * It must not know how the numbers were measured, nor which policy chooses among them. Invariants: a value that is
 * missing (null) is the worst; the order of the input changes nothing; equals are told apart by id alone.
 */
import { gain, OBJECTIVES, type Objective, type Scorecard } from "./objective.ts";

/** One variant in the space of objectives; null where nothing is known. */
export type Point = { id: string } & Readonly<Record<Objective, number | null>>;

/** By how much two values of an objective may differ and still count as equal, in its unit; 0 where not given. */
export type Tolerance = Readonly<Partial<Record<Objective, number>>>;

/** The point of a variant: the means of its scorecard (for latency the median). */
export function pointOf(id: string, scorecard: Scorecard): Point {
	return {
		id,
		quality: scorecard.quality.mean,
		latencyMs: scorecard.latencyMs.mean,
		tokens: scorecard.tokens.mean,
		retries: scorecard.retries.mean,
	};
}

/**
 * Whether `a` is better than `b` by more than the tolerance in at least one objective, and worse by more than the
 * tolerance in none. Without tolerance this is Pareto's strict order. With one it is not transitive: many small steps
 * add up, so chains and rings can occur; `front` copes with them.
 */
export function dominates(a: Point, b: Point, tolerance: Tolerance = {}): boolean {
	let better = false;
	for (const objective of OBJECTIVES) {
		const difference = gain(objective, worth(a, objective), worth(b, objective));
		const slack = tolerance[objective] ?? 0;
		if (difference < -slack) return false;
		if (difference > slack) better = true;
	}
	return better;
}

/**
 * The non-dominated points, best quality first (then lower latency, tokens, retries, then id).
 *
 * With a tolerance the front is thinned: from the best down, a point is dropped when a kept one dominates it within the
 * tolerance. So the front is never empty and the point of best quality always stays.
 */
export function front<P extends Point>(points: readonly P[], tolerance: Tolerance = {}): P[] {
	// A dominating point always comes first in this order, so comparing with those that are kept is enough.
	const ordered = [...points].sort(compare);
	return thin(thin(ordered, {}), tolerance);
}

/**
 * The balanced choice of a front: the point nearest to the ideal when each objective is scaled from its best (0) to its
 * worst (1) value among the points (Euclidean distance; missing is 1). Ties: better quality, …, lower id. Undefined when
 * there is no point.
 */
export function balanced<P extends Point>(points: readonly P[]): P | undefined {
	const scales = OBJECTIVES.map((objective) => {
		const known = points.flatMap((point) => point[objective] ?? []);
		return { objective, low: Math.min(...known), high: Math.max(...known) };
	});
	const distance = (point: P) =>
		scales.reduce((total, { objective, low, high }) => {
			const value = point[objective];
			if (value === null) return total + 1;
			if (high === low) return total;
			const share = (value - low) / (high - low);
			return total + (objective === "quality" ? 1 - share : share) ** 2;
		}, 0);
	let best: { point: P; distance: number } | undefined;
	for (const point of [...points].sort(compare)) {
		const own = distance(point);
		if (best === undefined || own < best.distance - 1e-12) best = { point, distance: own };
	}
	return best?.point;
}

function thin<P extends Point>(ordered: readonly P[], tolerance: Tolerance): P[] {
	const kept: P[] = [];
	for (const point of ordered) {
		if (!kept.some((other) => dominates(other, point, tolerance))) kept.push(point);
	}
	return kept;
}

/** Best first, objective by objective; a total order that respects strict dominance. */
function compare(a: Point, b: Point): number {
	for (const objective of OBJECTIVES) {
		const difference = gain(objective, worth(a, objective), worth(b, objective));
		if (difference !== 0) return difference > 0 ? -1 : 1;
	}
	return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function worth(point: Point, objective: Objective): number {
	return point[objective] ?? (objective === "quality" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
}
