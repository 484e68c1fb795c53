/**
 * v0 against another text, objective by objective: scorecards of both sides and the paired differences between them.
 *
 * It must not know which text won. Invariant: a change is `after - before` in the unit of its objective, and pairs only
 * cases that both sides know; what is missing is counted.
 */
import { type Case, casesOf, SPLITS, type Split } from "../domain/case.ts";
import { type JudgedChange, judgedChanges, type Margins, sizesAgainst } from "../domain/change.ts";
import type { Settings } from "../domain/job-spec.ts";
import { DIRECTIONS, OBJECTIVES, type Objective, type Scorecard, scorecard } from "../domain/objective.ts";
import { openingOf, type RunState } from "../domain/run-state.ts";
import { createStream } from "../domain/sampling.ts";
import type { Trial } from "../domain/trial.ts";
import type { ChangeView } from "./view.ts";

/** The trials of each variant by split, with the scorecards over them, computed once. */
export interface Measurements {
	/** In the order of the log; empty where there is none. */
	trials(variant: string, split: Split): readonly Trial[];
	scorecard(variant: string, split: Split): Scorecard | null;
	changes(before: string, after: string, split: Split): readonly ChangeView[] | null;
	/** The size of every change from v0 on validation cases, the same that `changes` has; null where one of them has no trial. */
	sizes(after: string): Readonly<Record<Objective, number | null>> | null;
}

/** Reads a state; trials of cases that are not among `cases` belong to no split and are left out. */
export function measurementsOf(state: RunState, cases: readonly Case[]): Measurements {
	const { incumbent, settings } = openingOf(state);
	const { seed, margin } = settings;
	const splitOf = new Map(cases.map((entry) => [entry.id, entry.split]));
	const inSplit = Object.fromEntries(SPLITS.map((split) => [split, casesOf(cases, split)])) as Record<Split, Case[]>;
	const sorted = new Map<string, Readonly<Record<Split, readonly Trial[]>>>();
	const cards = new Map<string, Scorecard>();
	const known = new Map<string, readonly ChangeView[]>();

	const trials = (variant: string, split: Split) => {
		const own = sorted.get(variant) ?? bySplit(state.trials[variant] ?? [], splitOf);
		sorted.set(variant, own);
		return own[split];
	};

	const card = (variant: string, split: Split): Scorecard | null => {
		const own = trials(variant, split);
		if (own.length === 0) return null;
		const key = `report ${split} ${variant}`;
		const made = cards.get(key) ?? scorecard(own, inSplit[split], createStream(seed, key));
		cards.set(key, made);
		return made;
	};

	const changes = (before: string, after: string, split: Split) => {
		const [first, second] = [card(before, split), card(after, split)];
		if (first === null || second === null) return null;
		const key = `report ${split} ${before} ${after}`;
		const made = known.get(key);
		if (made !== undefined) return made;
		const margins = marginsOf(first, margin);
		const stream = createStream(seed, key);
		const found = judgedChanges(trials(after, split), trials(before, split), inSplit[split], margins, stream);
		const shown = found.map((change) => ({
			objective: change.objective,
			before: first[change.objective],
			after: second[change.objective],
			...shownChange(change),
		}));
		known.set(key, shown);
		return shown;
	};

	let sizesOf: ReturnType<typeof sizesAgainst> | undefined;
	const sizes = (after: string) => {
		const [v0, own] = [trials(incumbent.id, "validation"), trials(after, "validation")];
		if (after === incumbent.id || v0.length === 0 || own.length === 0) return null;
		sizesOf ??= sizesAgainst(v0, inSplit.validation);
		const found = sizesOf(own);
		return Object.fromEntries(
			OBJECTIVES.map((objective) => [
				objective,
				DIRECTIONS[objective] === "up" ? found[objective] : negated(found[objective]),
			]),
		) as Record<Objective, number | null>;
	};
	return { trials, scorecard: card, changes, sizes };
}

function bySplit(trials: readonly Trial[], splitOf: ReadonlyMap<string, Split>): Record<Split, readonly Trial[]> {
	const found: Record<Split, Trial[]> = { train: [], validation: [], holdout: [] };
	for (const trial of trials) {
		const split = splitOf.get(trial.caseId);
		if (split !== undefined) found[split].push(trial);
	}
	return found;
}

type Change = Omit<ChangeView, "objective" | "before" | "after">;

/** What may be lost of each objective, from what v0 costs. */
function marginsOf(before: Scorecard, { quality, costs }: Settings["margin"]): Margins {
	const [latencyMs, tokens] = [before.latencyMs.mean, before.tokens.mean].map((mean) => costs * (mean ?? 0));
	return { quality, latencyMs: latencyMs ?? 0, tokens: tokens ?? 0, retries: costs };
}

function shownChange({ objective, size, n, missing, says, adjusted, held, ...reach }: JudgedChange): Change {
	const [low, high] = objective === "quality" ? [within(reach.low), within(reach.high)] : [reach.low, reach.high];
	const known = { n, missing, says, p: adjusted, held };
	// A paired test counts better as positive; people read a change in tokens or time with its own sign.
	if (DIRECTIONS[objective] === "up") return { mean: size, low, high, ...known };
	return { mean: negated(size), low: negated(high), high: negated(low), ...known };
}

/** A change in quality is never beyond 1, whatever Student's t says of few cases. */
function within(value: number | null): number | null {
	return value === null ? null : Math.min(1, Math.max(-1, value));
}

function negated(value: number | null): number | null {
	return value === null ? null : value === 0 ? 0 : -value;
}
