/**
 * What to hand out. Of the texts that were measured on the whole train sample, the policy of the job spec picks the one that
 * is proved, and a few others that are worth showing on the front.
 */
import { openingOf, type RunState, searchOf, variantOf } from "../../domain/run-state.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { firstTrial, meanQuality, trialsOf, viewOf } from "./view.ts";

interface Standing {
	id: string;
	quality: number;
	tokens: number;
}

/** Sums of tenths are not exact. */
const EXACT = 1e-9;

const isTrimmed = (state: RunState, id: string) => ["trim", "reformulate"].includes(variantOf(state, id).operator);

/** A shortened text that was not kept: something failed that had passed, though its mean may be well. */
const isRefused = (state: RunState, id: string) => isTrimmed(state, id) && !searchOf(state).passes.includes(id);

/** Mean quality and tokens over the train sample of every text that was measured on all of it. */
function standings(state: RunState, context: RunContext): Standing[] {
	const sample = trainSampleOf(state, context);
	return Object.keys(state.variants)
		.filter((id) => !isRefused(state, id))
		.sort()
		.flatMap((id) => {
			const trials = trialsOf(state, id);
			if (!sample.every((entry) => trials.has(entry.id))) return [];
			const quality = meanQuality(sample, (caseId) => trials.get(caseId));
			const tokens = sample.flatMap((entry) => trials.get(entry.id)?.outcome.tokens ?? []);
			if (quality === null || tokens.length === 0) return [];
			return [{ id, quality, tokens: tokens.reduce((sum, count) => sum + count, 0) / tokens.length }];
		});
}

/** The working text with the quality that the search sees for it. */
function workingStanding(state: RunState, context: RunContext): Standing {
	const id = searchOf(state).working.id;
	const sample = trainSampleOf(state, context);
	const known = standings(state, context).find((standing) => standing.id === id);
	const tokens = sample.flatMap((entry) => firstTrial(state, id, entry.id)?.outcome.tokens ?? []);
	return (
		known ?? {
			id,
			quality: meanQuality(sample, viewOf(state)) ?? 0,
			tokens: tokens.reduce((sum, count) => sum + count, 0) / Math.max(1, tokens.length),
		}
	);
}

/** Non-dominated in quality and tokens, best quality first. */
function undominated(all: readonly Standing[]): Standing[] {
	return all
		.filter(
			(one) =>
				!all.some(
					(other) =>
						other !== one &&
						other.quality >= one.quality &&
						other.tokens <= one.tokens &&
						(other.quality > one.quality || other.tokens < one.tokens),
				),
		)
		.sort((a, b) => b.quality - a.quality || a.tokens - b.tokens || (a.id < b.id ? -1 : 1));
}

/** The text to prove, and others for the front. The incumbent's id means that nothing is to be proved. */
export function chooseFinalists(state: RunState, context: RunContext): { finalist: string; others: string[] } {
	const { policy, margin, search } = context.settings;
	const incumbent = openingOf(state).incumbent.id;
	const working = workingStanding(state, context);
	const all = standings(state, context);
	const v0 = all.find((standing) => standing.id === incumbent);
	const rest = undominated(all).filter((standing) => standing.id !== incumbent);
	const pick = (): string => {
		if (policy === "quality-first" || v0 === undefined)
			return v0 && working.quality < v0.quality ? incumbent : working.id;
		const best = policy === "cheapest" ? v0.quality : Math.max(...all.map((standing) => standing.quality));
		// Whether a shortened text may be kept has been decided, with the noise of its measurement.
		const isShortened = ({ id }: Standing) => id === working.id && isTrimmed(state, id);
		const fit = all.filter((standing) => standing.quality >= best - margin.quality - EXACT || isShortened(standing));
		const [least] = fit.sort((a, b) => a.tokens - b.tokens || b.quality - a.quality || (a.id < b.id ? -1 : 1));
		return least?.id ?? incumbent;
	};
	const finalist = pick();
	const others = rest
		.map((standing) => standing.id)
		.filter((id) => id !== finalist && variantOf(state, id).operator !== "seed");
	return { finalist, others: others.slice(0, search.finalists) };
}
