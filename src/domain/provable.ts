/**
 * How small a gain the cases of a skill can prove, in figures and in one plain sentence, which stands in every forecast and
 * every report.
 *
 * It must not know a run. Invariant: the sentence says whether the noise behind it was measured or is what is typical.
 */
import type { Case } from "./case.ts";
import type { Settings } from "./job-spec.ts";
import type { MeasuredNoise } from "./noise.ts";
import { type Gate, provableAt, spreadAt } from "./power.ts";
import { gatesOf, levelOf, MOST_CASES, planLooks } from "./sequential.ts";
import { requiredCases } from "./stats.ts";

/** A gain counts as provable when it is proved four times in five, by all gates together. */
export const POWER = 0.8;
/**
 * Standard deviation of the difference between two single draws that stands in where nothing was measured: on the harder side
 * of what checked answers of sampling models show, so that a forecast does not promise too much.
 */
export const TYPICAL_NOISE = 0.2;

export interface Provable {
	/** Smallest mean gain in quality, 0 to 1, that is proved four times in five; null when none is. */
	gain: number | null;
	/** Cases that each gate needs to prove half of it, in place of those it has; null when there is no gain to halve. */
	casesForHalf: number | null;
	validationCases: number;
	/** Null where the job spec asks for no confirmation. */
	holdoutCases: number | null;
	measured: boolean;
	/** Draws of each case and side that a proof goes up to where single ones leave it open. */
	draws: number;
}

/** What a gate's cases are worth: groups count as one, and unequal weights as a wider spread (Kish 1965). */
function gateOf(cases: readonly Case[], noise: number, repeats: number, level: number): Gate {
	if (cases.length === 0) return { cases: 0, units: 0, spread: { noise, check: 1 }, level };
	const weights = new Map<string, number>();
	for (const { id, group, weight } of cases) {
		const unit = group === undefined ? `case ${id}` : `group ${group}`;
		weights.set(unit, (weights.get(unit) ?? 0) + weight);
	}
	const units = weights.size;
	const total = cases.reduce((sum, { weight }) => sum + weight, 0);
	const unequal = (units * squares([...weights.values()])) / total ** 2;
	// Draws are independent within a group too; what a gain mends may go together, so a group counts as one there.
	const draws = (units * squares(cases.map(({ weight }) => weight))) / total ** 2;
	const check = cases.reduce((sum, entry) => sum + entry.weight * checkShare(entry), 0) / total;
	return {
		cases: cases.length,
		units,
		spread: { noise: noise * Math.sqrt(draws / repeats), check: Math.min(1, check * unequal) },
		level,
	};
}

const squares = (values: readonly number[]) => values.reduce((sum, value) => sum + value ** 2, 0);

/** Sum of the squared shares that the checks of a case have in its quality. */
function checkShare({ checks }: Pick<Case, "checks">): number {
	const weights = checks.filter((check) => !check.contract && check.weight > 0).map(({ weight }) => weight);
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	return weights.reduce((sum, weight) => sum + (weight / total) ** 2, 0);
}

/** The same gate with another number of cases of the same kind. */
function resized(gate: Gate, cases: number): Gate {
	return { ...gate, cases, units: gate.cases === 0 ? cases : (gate.units * cases) / gate.cases };
}

/**
 * What the validation and sealed cases of a run can prove, by measured noise where there is any.
 * @param draws of each case and side that the proofs can be paid with, for each of the job spec's
 */
export function provable(
	cases: readonly Case[],
	settings: Pick<Settings, "holdout" | "repeats">,
	noise: MeasuredNoise = {},
	draws = 1,
): Provable {
	const split = (name: Case["split"]) => cases.filter((entry) => entry.split === name);
	const [validation, sealed] = [split("validation"), settings.holdout === "none" ? [] : split("holdout")];
	const known = noise.validation ?? noise.holdout;
	const level = levelOf(1, gatesOf(settings.holdout, sealed.length));
	const gates = [gateOf(validation, known ?? TYPICAL_NOISE, settings.repeats, level)].map((gate) => ({
		...gate,
		draws,
	}));
	if (sealed.length > 0)
		gates.push({ ...gateOf(sealed, noise.holdout ?? known ?? TYPICAL_NOISE, settings.repeats, level), draws });
	const gain = provableAt(gates, POWER);
	return {
		gain,
		casesForHalf: gain === null ? null : casesFor(gates, gain / 2),
		validationCases: validation.length,
		holdoutCases: settings.holdout === "none" ? null : sealed.length,
		measured: known !== undefined,
		draws,
	};
}

/** Cases for each gate that prove this gain; beyond what a gate looks at, as many as a lone look would need. */
function casesFor(gates: readonly Gate[], gain: number): number {
	const enough = (cases: number) => {
		const found = provableAt(
			gates.map((gate) => resized(gate, cases)),
			POWER,
		);
		return found !== null && found <= gain;
	};
	if (enough(MOST_CASES)) {
		let [low, high] = [0, MOST_CASES];
		while (high - low > 1) {
			const middle = Math.floor((low + high) / 2);
			if (enough(middle)) high = middle;
			else low = middle;
		}
		return high;
	}
	const needed = gates.map((gate) => {
		const { alpha = 0 } = planLooks(MOST_CASES, gate.level, gate.draws).at(-1) ?? {};
		const units = requiredCases(gain, spreadAt(gate.spread, gain, gate.draws), alpha, POWER ** (1 / gates.length));
		return Math.ceil((units * Math.max(1, gate.cases)) / Math.max(1, gate.units));
	});
	return Math.max(MOST_CASES + 1, ...needed);
}

/** The one sentence. `skill` names it in the command that measures. */
export function provableWords(found: Provable, skill: string): string {
	const { gain, casesForHalf, validationCases, holdoutCases, measured, draws } = found;
	const sealed = holdoutCases === null || holdoutCases === 0 ? null : holdoutCases;
	const both = sealed === null ? "" : ` and ${sealed} sealed`;
	const these = `${validationCases} validation${both} ${validationCases === 1 && sealed === null ? "case" : "cases"}`;
	const basis = measured
		? "by the noise measured with this text and these models"
		: `by typical noise, not measured (gepa cases noise ${skill} measures it)`;
	if (gain === null || casesForHalf === null) {
		return `${these} cannot prove a gain in quality, however large (${basis}): each split needs at least ${fewest(sealed === null ? 1 : 2)} cases that count on their own.`;
	}
	const lacks = [
		[Math.max(0, casesForHalf - validationCases), "validation"],
		[sealed === null ? 0 : Math.max(0, casesForHalf - sealed), "sealed"],
	] as const;
	const more = lacks.flatMap(([count, kind]) => (count > 0 ? [`${count} more ${kind}`] : []));
	const drawn = draws > 1 ? ` (drawn up to ${draws} times each)` : "";
	const half = figure(gain / 2);
	const would =
		casesForHalf > MOST_CASES
			? `${half} would take about ${casesForHalf} in each split, more than the ${MOST_CASES} that a proof looks at`
			: `${half} would take about ${more.join(" and ")} cases`;
	return `${these} can prove a gain in quality of ${figure(gain)} or more four times in five${drawn}, ${basis}; ${would}.`;
}

const figure = (gain: number) => (gain < 0.095 ? gain.toFixed(3) : gain.toFixed(2));

function fewest(gates: number): number {
	for (let cases = 2; ; cases++) if (2 ** -cases <= levelOf(1, gates)) return cases;
}
