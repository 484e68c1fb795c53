/**
 * What a gate can prove: the chance with which a true gain of some size passes its looks, one case set after another.
 *
 * It must not know how cases are bought, nor which gates a run has. Invariant: the chance rises with the gain, and a gate
 * whose cases cannot reach its level at all has the chance 0.
 */
import { bisect, normalCdf, shiftedTail, studentQuantile } from "./distributions.ts";
import { planLooks } from "./sequential.ts";

/**
 * How paired differences spread about a gain. `noise` is their standard deviation where both sides are the same text;
 * `check` is how much of one case's quality one check decides, on average: the mean over cases of the sum of squared shares
 * (1 with one check a case, 1/5 with five alike).
 *
 * A true gain is no constant: it mends some checks of some cases. When each check is mended with the same chance, a mean
 * gain g spreads by g (1 - g) `check` beside the noise.
 */
export interface Spread {
	noise: number;
	check: number;
}

/** Standard deviation of paired differences with a true gain of this size, 0 to 1, each the mean of so many draws. */
export function spreadAt({ noise, check }: Spread, gain: number, draws = 1): number {
	return Math.sqrt(noise ** 2 / draws + Math.max(0, gain * (1 - gain)) * check);
}

export interface Gate {
	/** Cases of the split. */
	cases: number;
	/** Independent units among them: fewer where cases are grouped. */
	units: number;
	spread: Spread;
	/** What it may spend on the text. */
	level: number;
	/** Draws of each case and side that the last look may go up to; 1 when not given. */
	draws?: number;
}

/** Above this many standard deviations a gain is certain, and differences of doubles say nothing. */
const MOST_DRIFT = 50;

/** Points of Simpson's rule between giving up and proof; 30 intervals are good to about 1e-4. */
const INTERVALS = 30;

/**
 * Chance with which a true gain passes a gate: better at one of its looks, and never behind
 * before. The recursion over looks is that of Armitage, McPherson and Rowe (1969), for normal differences; each look's limit
 * is set so that a lone look has the power of Student's t test at the level that so few flips allow. Cases that are drawn again
 * tell as much as more cases would: the mean of all draws has with that of the first ones the covariance of its own variance,
 * so that looks are those of a process with independent increments (Scharfstein, Tsiatis and Robins 1997). Checked against
 * simulations of the gate itself.
 */
export function gatePower({ cases, units, spread, level, draws: most = 1 }: Gate, gain: number): number {
	const looks = planLooks(cases, level, most);
	const sd = spreadAt(spread, gain);
	if (looks.length === 0 || gain <= 0) return 0;
	const planned = looks.map(({ cases: look, alpha, draws }) => {
		// Distinct units among so many cases drawn at random, as if the units were of one size.
		const n = Math.max(1, Math.round(units * (1 - (1 - look / cases) ** (cases / units))));
		const again = sd === 0 ? 1 : (sd / spreadAt(spread, gain, draws)) ** 2;
		return { n, alpha, again };
	});
	// Of looks that know the same the last one may spend most.
	const plan = planned.filter(({ n, again }, at) => {
		const next = planned[at + 1];
		return next === undefined || n * again !== next.n * next.again;
	});
	if (sd === 0) return plan.some(({ n, alpha }) => 2 ** -n <= alpha) ? 1 : 0;
	const drift = Math.min(MOST_DRIFT, gain / sd);
	let power = 0;
	let before: Reached | null = null;
	for (const { n: units, alpha, again } of plan) {
		// What the look knows, in units of one draw.
		const n = units * again;
		const limit = limitOf(units, alpha, drift * Math.sqrt(again)) * Math.sqrt(n);
		const top = Number.isFinite(limit) ? limit : drift * n + 8 * Math.sqrt(n);
		if (before === null) {
			if (Number.isFinite(limit)) power += normalCdf((drift * n - limit) / Math.sqrt(n));
			before = { at: n, nodes: spreadNodes(drift, n, top, (y) => density(y - drift * n, n)) };
			continue;
		}
		const nodes: Node[] = before.nodes;
		const step: number = n - before.at;
		const over = (f: (x: number) => number): number => nodes.reduce((sum, node) => sum + node.mass * f(node.x), 0);
		if (Number.isFinite(limit)) power += over((x) => normalCdf((x + drift * step - limit) / Math.sqrt(step)));
		before = { at: n, nodes: spreadNodes(drift, n, top, (y) => over((x) => density(y - x - drift * step, step))) };
	}
	return Math.min(1, power);
}

interface Node {
	x: number;
	mass: number;
}

/** Where a gate stands after a look without an answer: units so far, and how their total is spread. */
interface Reached {
	at: number;
	nodes: Node[];
}

/** Simpson's rule from 0 to `top`, as far as there is any density: what goes on to the next look. */
function spreadNodes(drift: number, n: number, top: number, densityAt: (x: number) => number): Node[] {
	const reach = 8 * Math.sqrt(n);
	const [from, to] = [Math.max(0, drift * n - reach), Math.min(top, drift * n + reach)];
	const width = Math.max(0, to - from) / INTERVALS;
	return Array.from({ length: INTERVALS + 1 }, (_, at) => {
		const weight = at === 0 || at === INTERVALS ? 1 : at % 2 === 1 ? 4 : 2;
		const x = from + at * width;
		return { x, mass: ((weight * width) / 3) * densityAt(x) };
	});
}

function density(x: number, variance: number): number {
	return Math.exp((-x * x) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
}

/** In standard errors: what a mean must reach. Infinity where a sign-flip test of n units has no p as low as alpha. */
function limitOf(n: number, alpha: number, drift: number): number {
	const rank = Math.floor(alpha * 2 ** n * (1 + 1e-9));
	if (n < 2 || rank < 1) return Number.POSITIVE_INFINITY;
	const shift = drift * Math.sqrt(n);
	const power = lonePower(n, rank, drift);
	if (power >= 1 - 1e-12) return shift - 7;
	if (power <= 1e-12) return shift + 7;
	return bisect((z) => power - normalCdf(shift - z), shift - 8, shift + 8);
}

/**
 * Power of one look of n units that passes for the `rank` most extreme of all 2^n flips. For one alone every difference must
 * be above 0; for more it is nearly that of the t test at rank / 2^n.
 */
function lonePower(n: number, rank: number, drift: number): number {
	if (rank === 1) return normalCdf(drift) ** n;
	return shiftedTail(studentQuantile(1 - rank / 2 ** n, n - 1), n - 1, drift * Math.sqrt(n));
}

/** Bisection to this width: a gain is told to two digits. */
const PRECISION = 5e-4;

/**
 * The smallest true gain in quality (0 to 1) that passes all gates with the given power; null when even a gain of nearly 1
 * does not.
 */
export function provableAt(gates: readonly Gate[], power: number): number | null {
	const enough = (gain: number) => gates.reduce((all, gate) => all * gatePower(gate, gain), 1) >= power;
	let [low, high] = [0, 1 - PRECISION];
	if (gates.length === 0 || !enough(high)) return null;
	while (high - low > PRECISION) {
		const middle = (low + high) / 2;
		if (enough(middle)) high = middle;
		else low = middle;
	}
	return high;
}
