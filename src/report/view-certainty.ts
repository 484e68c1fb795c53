/**
 * How far the figures carry: what of the gain was seen again on sealed cases, and how small a gain these cases could prove.
 *
 * It must not know a verdict. Invariant: what is not known is null, never zero.
 */
import type { Case } from "../domain/case.ts";
import { OBJECTIVES, type Objective } from "../domain/objective.ts";
import { planLooks } from "../domain/sequential.ts";
import { pairedDifferences, pairedTest, provableGain } from "../domain/stats.ts";
import type { Trial } from "../domain/trial.ts";
import type { ChangeView, RunView } from "./view.ts";

export interface ShrinkageView {
	objective: Objective;
	/** Mean paired differences on validation and on sealed cases. */
	validation: number;
	holdout: number;
	/** `holdout - validation`. */
	difference: number;
	/** Share of the change on validation that was seen again; null where that change is not told from 0. */
	kept: number | null;
}

/** The noise of the comparison on validation cases, in quality. */
export interface NoiseView {
	/** Standard deviation of the paired differences of one case or group. */
	sd: number;
	pairs: number;
	/** Smallest true gain that the last look proves four times in five with these cases; null when none. */
	provable: number | null;
}

const POWER = 0.8;

/** Objective by objective; empty where one of the splits has no figures. */
export function shrinkageView(changes: RunView["changes"]): ShrinkageView[] {
	return OBJECTIVES.flatMap((objective) => {
		const of = (list: readonly ChangeView[] | null) => list?.find((change) => change.objective === objective);
		const [validation, holdout] = [of(changes.validation), of(changes.holdout)];
		if (validation?.mean == null || holdout?.mean == null) return [];
		const told = validation.says === "better" || validation.says === "worse";
		return [
			{
				objective,
				validation: validation.mean,
				holdout: holdout.mean,
				difference: holdout.mean - validation.mean,
				kept: told ? holdout.mean / validation.mean : null,
			},
		];
	});
}

/**
 * @param cases the validation cases, for their weights and groups
 * @param level what the gate may spend on the first text
 */
export function noiseView(
	before: readonly Trial[],
	after: readonly Trial[],
	cases: readonly Case[],
	level: number,
): NoiseView | null {
	const { differences } = pairedDifferences(after, before, "quality", cases);
	const { sd, n } = pairedTest(differences);
	if (sd === null) return null;
	const last = planLooks(n, level).at(-1);
	const provable = last === undefined ? Number.POSITIVE_INFINITY : provableGain(last.cases, sd, last.alpha, POWER);
	return { sd, pairs: n, provable: Number.isFinite(provable) && provable <= 1 ? provable : null };
}
