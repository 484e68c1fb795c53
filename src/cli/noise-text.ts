/** What an A/A measurement says, for people and as a document. Knows figures; must not know how they came about. */
import type { Split } from "../domain/case.ts";
import type { ObjectiveNoise } from "../domain/noise.ts";
import { OBJECTIVES, type Objective } from "../domain/objective.ts";
import type { Provable } from "../domain/provable.ts";
import { formatChange, formatChangeInterval, formatValue, OBJECTIVE_NAMES } from "../report/numbers.ts";
import type { Io } from "./io.ts";
import type { NoiseResult } from "./noise-session.ts";
import { paint, plural, table } from "./output.ts";

/** An A/A test that comes out below this is worth a second look. */
const SUSPECT = 0.01;

export interface ShownNoise extends NoiseResult {
	skill: string;
	plan: { split: Split; repeats: number };
	proves: Provable & { sentence: string };
}

export function noiseText(io: Pick<Io, "color">, shown: ShownNoise): string {
	const { noise, plan, skill, spent, harvested, unaffordable, proves, file } = shown;
	const { n, missing } = noise.quality;
	const bought = harvested > 0 ? ` (${harvested} of them stored before)` : "";
	const rows = OBJECTIVES.map((objective) => row(objective, noise[objective]));
	const lines = [
		`${paint(io, "bold", `${skill}: v0 against itself`)} on ${plural(n, `${plan.split} case`)}, ${plural(plan.repeats, "draw")} a side, ${spent.calls} calls${bought}`,
		"",
		table([["", "difference", "95 % interval", "p", "sd", "within cases", "between"], ...rows], "  "),
		"",
		"sd: paired differences over cases. Within: two single draws of one case. Between: what draws do not explain.",
		...remarks(noise, missing, unaffordable),
		"",
		proves.sentence,
		`Kept in ${file}: forecasts and reports of this text go by it.`,
	];
	return lines.join("\n");
}

function row(objective: Objective, figures: ObjectiveNoise): string[] {
	const { difference, low, high, p, sd, within, between } = figures;
	return [
		OBJECTIVE_NAMES[objective],
		formatChange(objective, difference),
		formatChangeInterval({ objective, low, high }),
		p < 0.001 ? "<0.001" : p.toFixed(3),
		formatValue(objective, sd),
		formatValue(objective, within),
		formatValue(objective, between),
	];
}

function remarks(noise: ShownNoise["noise"], missing: number, unaffordable: number): string[] {
	const suspect = OBJECTIVES.filter((objective) => noise[objective].p < SUSPECT).map((name) => OBJECTIVE_NAMES[name]);
	const none = noise.quality.within === 0;
	return [
		...(suspect.length > 0
			? [
					`The two sides are one text, yet ${suspect.join(" and ")} differ beyond chance: something drifts at the endpoint. Measure again later.`,
				]
			: ["The two sides are one text: what differs is chance."]),
		...(none
			? [
					"Every draw came out alike, so fresh draws add nothing: what is left is that a gain mends some cases and not others.",
				]
			: []),
		...(missing > 0 ? [`${plural(missing, "case")} lack a side and are not in the figures.`] : []),
		...(unaffordable > 0 ? [`A limit left no room for ${plural(unaffordable, "draw")}.`] : []),
	];
}

/** The document of `--json`. */
export function noiseDocument(shown: ShownNoise): Record<string, unknown> {
	const { skill, plan, noise, spent, harvested, unaffordable, proves, file } = shown;
	const { gain, casesForHalf, measured, sentence } = proves;
	return {
		skill,
		...plan,
		objectives: noise,
		provable: gain,
		casesForHalf,
		noiseMeasured: measured,
		proves: sentence,
		spend: { modelCalls: spent.calls, tokens: spent.tokens, usd: spent.usd, harvested },
		unaffordable,
		file,
	};
}
