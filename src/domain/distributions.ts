/**
 * The normal and Student's t distributions, as far as intervals and tests need them. Checked against R.
 *
 * It must not know what is measured. Invariant: cumulative probabilities are good to 1e-9 for up to a million degrees
 * of freedom, and lie in [0, 1].
 */

/** P(Z <= z) of the standard normal distribution. */
export function normalCdf(z: number): number {
	const upper = 0.5 * regularizedGammaUpper(0.5, (z * z) / 2);
	return z > 0 ? 1 - upper : upper;
}

/** The z below which a share `p` in (0, 1) lies. */
export function normalQuantile(p: number): number {
	if (p > 0.5) return -normalQuantile(1 - p);
	return bisect((z) => normalCdf(z) - p, -40, 0);
}

/** P(T <= t) of Student's t distribution with `df` > 0 degrees of freedom. */
export function studentCdf(t: number, df: number): number {
	if (!Number.isFinite(t)) return t > 0 ? 1 : 0;
	const tail = 0.5 * regularizedBeta(df / (df + t * t), df / 2, 0.5);
	return t > 0 ? 1 - tail : tail;
}

/** The t below which a share `p` in (0, 1) lies. */
export function studentQuantile(p: number, df: number): number {
	if (p < 0.5) return -studentQuantile(1 - p, df);
	let high = 1;
	while (studentCdf(high, df) < p) high *= 2;
	return bisect((t) => studentCdf(t, df) - p, 0, high);
}

/**
 * Power of the one-sided, one-sample t test: P(T > t) where T is non-central t with `df` degrees of freedom and
 * `shift` is the true effect in standard errors. Simpson's rule over the density of sample sd / true sd.
 */
export function shiftedTail(t: number, df: number, shift: number): number {
	const logScale = (df / 2) * Math.log(df / 2) - logGamma(df / 2) + Math.log(2);
	const density = (s: number) => {
		if (s === 0) return df === 1 ? Math.exp(logScale) : 0;
		return Math.exp(logScale + (df - 1) * Math.log(s) - (df * s * s) / 2);
	};
	const width = Math.min(12, 9 / Math.sqrt(2 * df));
	const [from, to] = [Math.max(0, 1 - width), 1 + width];
	const step = (to - from) / 400;
	let sum = 0;
	for (let index = 0; index <= 400; index++) {
		const s = from + index * step;
		const weight = index === 0 || index === 400 ? 1 : index % 2 === 1 ? 4 : 2;
		sum += weight * density(s) * normalCdf(shift - t * s);
	}
	return Math.min(1, Math.max(0, (sum * step) / 3));
}

/** The zero of an increasing function, to the last bit that doubles can tell. */
export function bisect(increasing: (x: number) => number, low: number, high: number): number {
	let [below, above] = [low, high];
	for (let round = 0; round < 200; round++) {
		const middle = (below + above) / 2;
		if (middle <= below || middle >= above) break;
		if (increasing(middle) < 0) below = middle;
		else above = middle;
	}
	return (below + above) / 2;
}

/** ln Γ(x) for x > 0: Lanczos (1964) with g = 7 and nine terms, good to about 15 digits. */
function logGamma(x: number): number {
	const terms = [
		0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
		12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
	];
	if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
	const base = x - 1 + 7.5;
	const series = terms.reduce((sum, term, index) => (index === 0 ? term : sum + term / (x - 1 + index)), 0);
	return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series);
}

/** Q(a, x), https://dlmf.nist.gov/8.2: the series of 8.7.1 for small x, the continued fraction of 8.9.2 above. */
function regularizedGammaUpper(a: number, x: number): number {
	if (x <= 0) return 1;
	if (!Number.isFinite(x)) return 0;
	const front = Math.exp(a * Math.log(x) - x - logGamma(a));
	if (x < a + 1) {
		let [term, sum] = [1 / a, 1 / a];
		for (let k = 1; k < 500 && term > sum * 1e-17; k++) {
			term *= x / (a + k);
			sum += term;
		}
		return 1 - front * sum;
	}
	const fraction = continuedFraction(x + 1 - a, (k) => [-k * (k - a), x + 2 * k + 1 - a]);
	return front / fraction;
}

/** I_x(a, b) by the continued fraction of https://dlmf.nist.gov/8.17.22, on the side where it converges fast. */
function regularizedBeta(x: number, a: number, b: number): number {
	if (x <= 0) return 0;
	if (x >= 1) return 1;
	if (x > (a + 1) / (a + b + 2)) return 1 - regularizedBeta(1 - x, b, a);
	const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
	const fraction = continuedFraction(1, (k) => {
		const m = Math.floor(k / 2);
		const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
		const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
		return [k % 2 === 0 ? even : odd, 1];
	});
	return front / fraction;
}

/** first + a1 / (b1 + a2 / (b2 + …)) by the method of Lentz as Thompson and Barnett (1986) give it. */
function continuedFraction(first: number, term: (k: number) => [a: number, b: number]): number {
	const tiny = 1e-300;
	let [value, c, d] = [first || tiny, first || tiny, 0];
	for (let k = 1; k < 1000; k++) {
		const [a, b] = term(k);
		d = 1 / (b + a * d || tiny);
		c = b + a / c || tiny;
		value *= c * d;
		if (Math.abs(c * d - 1) < 1e-16) break;
	}
	return value;
}
