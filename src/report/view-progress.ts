/**
 * How the run went on: what was spent by when, and what each generation gained. Reads the log with its times; without a log
 * there is nothing to show.
 *
 * It must not know a clock. Invariant: spend never falls, and the last point is what the whole run has spent.
 */
import { type Case, casesOf } from "../domain/case.ts";
import type { RunEvent } from "../domain/events.ts";
import { pointOf } from "../domain/front.ts";
import { hypervolume } from "../domain/hypervolume.ts";
import { evolve, INITIAL, openingOf, type RunState } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import type { VariantView } from "./view.ts";

/** The log of a run, and when each of its events was written (ISO 8601). */
export interface RunHistory {
	events: readonly RunEvent[];
	times: readonly string[];
}

export interface ProgressPoint {
	/** Since the first event. A run that was interrupted has its pause in here. */
	seconds: number;
	generation: number;
	calls: number;
	tokens: number;
	usd: number | null;
	/** What the money went to. */
	what: string;
}

export interface GenerationView {
	generation: number;
	/** Share of the space of objectives that the texts so far dominate, 0 to 1; quality, tokens and retries on the train sample. */
	hypervolume: number;
	/** Best mean quality on the whole train sample so far. */
	quality: number;
	/** Texts measured on the whole train sample so far, v0 included. */
	texts: number;
}

/** Points of the log at which something had been spent, in order. */
export function progressView(history: RunHistory | undefined): ProgressPoint[] {
	const begin = Date.parse(history?.times[0] ?? "");
	if (history === undefined || Number.isNaN(begin)) return [];
	const points: ProgressPoint[] = [];
	let state: RunState = INITIAL;
	for (const [at, event] of history.events.entries()) {
		const before = modelCalls(state.spend);
		state = evolve(state, event);
		const calls = modelCalls(state.spend);
		if (calls === before) continue;
		points.push({
			seconds: (Date.parse(history.times[at] ?? "") - begin) / 1000,
			generation: state.search?.generation ?? 0,
			calls,
			tokens: state.spend.tokens,
			usd: openingOf(state).offline ? 0 : state.spend.usd,
			what: event.type === "trials-measured" ? event.purpose : event.type.replace(/-.*/, ""),
		});
	}
	return points;
}

/**
 * What each generation had reached, on texts that were measured on the whole train sample. Latency is left out: the search does
 * not look at it. The reference is quality 0 and a tenth more tokens and retries than the worst of the texts.
 */
export function generationsView(
	state: RunState,
	cases: readonly Case[],
	variants: readonly VariantView[],
): GenerationView[] {
	const sample = new Set(openingOf(state).trainSample);
	const size = casesOf(cases, "train").filter((entry) => sample.has(entry.id)).length;
	const whole = variants.flatMap((variant) => {
		const card = variant.scorecards.train;
		if (card === null || size === 0 || card.quality.n + card.quality.errors < size) return [];
		return [{ generation: variant.generation, quality: card.quality.mean ?? 0, point: pointOf(variant.id, card) }];
	});
	if (whole.length === 0) return [];
	const worst = (objective: "tokens" | "retries") =>
		Math.max(...whole.map(({ point }) => point[objective] ?? 0)) * 1.1 || null;
	const reference = { quality: 0, latencyMs: null, tokens: worst("tokens"), retries: worst("retries") };
	const generations = [...new Set(whole.map(({ generation }) => generation))].sort((a, b) => a - b);
	return generations.map((generation) => {
		const known = whole.filter((entry) => entry.generation <= generation);
		const points = known.map(({ point }) => point);
		return {
			generation,
			hypervolume: hypervolume(points, reference),
			quality: Math.max(...known.map(({ quality }) => quality)),
			texts: known.length,
		};
	});
}
