/**
 * The progress of a run on stderr: one line that is redrawn on a terminal, plain lines with a heartbeat elsewhere. Says the
 * generation, the cases, the spend against the limit, and the best quality against the incumbent.
 */
import { openingOf, type RunState } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import type { Progress } from "../engine/environment.ts";

const PHASES: Readonly<Record<string, string>> = {
	incumbent: "measuring v0",
	probe: "probing",
	pass: "measuring on train",
	prune: "pruning",
	trim: "shortening",
	reflect: "reflecting",
	validation: "proving on validation",
	holdout: "confirming on sealed cases",
	finalist: "measuring the front",
	noise: "measuring v0 against itself",
};

/** A line off the terminal at most this often, in milliseconds, unless the phase changes. */
const HEARTBEAT_MS = 30_000;
const REDRAW_MS = 80;
const WIDTH = 80;
/** What is done before the search has begun or after it has ended belongs to no generation. */
const OUTSIDE = new Set(["incumbent", "validation", "holdout", "finalist", "noise"]);

export interface ProgressOptions {
	write: (text: string) => void;
	/** Redraws one line; otherwise every change of phase is a line. */
	animated: boolean;
	/** Milliseconds on any clock that only goes forward. */
	now: () => number;
	/** Calls paid for beyond what the log knows of: what is under way. */
	calls: () => number;
}

function meanOf(state: RunState, variant: string, split: ReadonlySet<string>): number | null {
	const qualities = (state.trials[variant] ?? [])
		.filter((trial) => split.has(trial.caseId))
		.flatMap((trial) => trial.outcome.quality ?? []);
	return qualities.length === 0 ? null : qualities.reduce((sum, quality) => sum + quality, 0) / qualities.length;
}

/** `quality .71 (v0 .45)` on the train sample: the search's estimate. */
function standing(state: RunState): string {
	const opened = openingOf(state);
	const sample = new Set(opened.trainSample);
	const v0 = meanOf(state, opened.incumbent.id, sample);
	if (v0 === null) return "";
	const best = Math.max(v0, ...(state.search?.passes ?? []).map((id) => meanOf(state, id, sample) ?? 0));
	return `quality ${best.toFixed(2)} (v0 ${v0.toFixed(2)})`;
}

/** What one progress line says. */
export function progressLine(progress: Progress, state: RunState, calls: number): string {
	const limit = openingOf(state).settings.limits.calls;
	const known = standing(state);
	const line = (within: string, usd: string, quality: string) =>
		[
			OUTSIDE.has(progress.phase) ? "" : `generation ${progress.generation}`,
			PHASES[progress.phase] ?? progress.phase,
			`${progress.done}/${progress.total}`,
			`${calls}${within} calls`,
			usd,
			quality,
		]
			.filter((part) => part !== "")
			.join(" · ");
	const { usd } = state.spend;
	const of = limit === undefined ? "" : ` of ${limit}`;
	const paid = usd !== null && usd > 0 ? `$${usd.toFixed(2)}` : "";
	// What is said elsewhere too goes first where a line would be broken.
	const lines = [
		line(of, paid, known),
		line("", paid, known),
		line("", "", known),
		line("", "", known.replace(/ \(.*/, "")),
	];
	return lines.find((one) => one.length <= WIDTH) ?? (lines[3] as string);
}

export interface ProgressView {
	show(progress: Progress, state: RunState): void;
	/** Clears what is drawn. */
	end(): void;
}

export function createProgress({ write, animated, now, calls }: ProgressOptions): ProgressView {
	let last = Number.NEGATIVE_INFINITY;
	let phase = "";
	let drawn = false;
	return {
		show(progress, state) {
			const changed = phase !== `${progress.phase} ${progress.generation}`;
			const due = now() - last >= (animated ? REDRAW_MS : HEARTBEAT_MS) || progress.done === progress.total;
			if (!animated && !changed && now() - last < HEARTBEAT_MS) return;
			if (!changed && !due) return;
			phase = `${progress.phase} ${progress.generation}`;
			last = now();
			const line = progressLine(progress, state, Math.max(calls(), modelCalls(state.spend))).slice(0, WIDTH);
			write(animated ? `\r\u001b[2K${line}` : `${line}\n`);
			drawn = animated;
		},
		end() {
			if (drawn) write("\r\u001b[2K");
			drawn = false;
		},
	};
}
