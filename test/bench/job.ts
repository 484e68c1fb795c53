/**
 * What is measured: a job says everything that its result hangs on, so that its text is its name in the file of results, and a row is
 * a job with what came of it. Rows are plain data: they travel between processes and lie in the file as they are.
 */
import type { Policy } from "../../src/domain/job-spec.ts";
import type { OperatorFigures } from "./operators.ts";

/** Modes that conduct runs; each has a file in modes/. */
export const RUN_MODES = ["score", "weak", "noisy", "useless", "power", "policies", "examples"] as const;
export type RunMode = (typeof RUN_MODES)[number];

/** A whole run on the stand. */
export interface RunJob {
	job: "run";
	mode: RunMode;
	family: string;
	budget: number;
	seed: number;
	/** Draws per test case for the score. */
	draws: number;
	/**
	 * The text to start from: the seed text, a text with half the rules, the full text with filler and with every third rule said
	 * twice, or the full text without so many of its rules.
	 */
	start: "seed" | "half" | "bloated" | number;
	/** Policy of the job spec; absent for its default. */
	policy?: Policy;
	/** How many cases of the test split the run gets as sealed cases. They are scored with fresh draws all the same. */
	sealed: number;
	/** Whether each working text is scored on the test split, for what operators truly earn. */
	deep: boolean;
	/** Options of the stand. */
	stand: Readonly<Record<string, number>>;
	/** `search` of the job spec. */
	search: Readonly<Record<string, number | boolean | string>>;
}

export interface RunResult {
	/** Mean score of the handed-out text on the test split. */
	score: number;
	/** Whether something else than v0 was proved. */
	won: boolean;
	/** Whether it passed the proof on validation, where there is a second one. */
	validated: boolean;
	/** How much better the winner is than v0 on the test split, by many draws; null without a winner. */
	gain: { mean: number; error: number } | null;
	/** Quality of the winner on validation as the report shows it; null without a winner. */
	interval: { mean: number; low: number; high: number; cases: number } | null;
	/** Paid calls of every kind as the endpoint counts them. */
	paid: number;
	/** Length of the handed-out text over that of the seed text. */
	length: number;
	seconds: number;
	status: string;
	stoppedBy: string | null;
	/** Mean tokens of a trial with v0 and with the text that is handed out. */
	tokens: { v0: number; text: number };
	/** What each operator earned. */
	operators: OperatorFigures[];
	/** Rules that the handed-out text does not state, and lines of it that state none; null where the stand has no answer key. */
	missing: number | null;
	empty: number | null;
}

/** What the seed text and the full text are worth. */
export interface ReferenceJob {
	job: "reference";
	family: string;
	draws: number;
}
export interface ReferenceResult {
	seedScore: number;
	fullScore: number;
	/** Length of the full text over that of the seed text. */
	fullLength: number;
}

/** Time and slots of a run, with nothing else going on. */
export interface SpeedJob {
	job: "speed";
	family: string;
	budget: number;
	seed: number;
	/** Milliseconds that the endpoint waits with each answer. */
	latency: number;
	search: Readonly<Record<string, number | boolean | string>>;
}
export interface SpeedResult {
	paid: number;
	seconds: number;
	/** Seconds that calls were under way at the endpoint, added up. */
	service: number;
	/** Milliseconds of processor time of this process. */
	cpu: number;
	/** Per call of a bare client, 16 at a time: milliseconds, and those of processor time; null where there is latency. */
	floor: { wall: number; cpu: number } | null;
}

/** The same run twice with other delays and another number of slots. */
export interface OrderJob {
	job: "order";
	family: string;
	budget: number;
	seed: number;
	search: Readonly<Record<string, number | boolean | string>>;
}
export interface OrderResult {
	same: boolean;
	events: number;
}

/** A run of the shipped skill on the model that works without an endpoint. */
export interface OfflineJob {
	job: "offline";
	seed: number;
	policy: Policy;
	search: Readonly<Record<string, number | boolean | string>>;
}
export interface OfflineResult {
	won: boolean;
	/** Mean quality of the text to be proved on all cases of validation and holdout that it has trials on, and mean tokens of its trials. */
	quality: { v0: number; text: number };
	tokens: { v0: number; text: number };
	/** Examples in it. */
	examples: number;
	paid: number;
}

export type Job = RunJob | ReferenceJob | SpeedJob | OrderJob | OfflineJob;
export type RunRow = RunJob & RunResult;
export type ReferenceRow = ReferenceJob & ReferenceResult;
export type SpeedRow = SpeedJob & SpeedResult;
export type OrderRow = OrderJob & OrderResult;
export type OfflineRow = OfflineJob & OfflineResult;
export type Row = RunRow | ReferenceRow | SpeedRow | OrderRow | OfflineRow;

/** The name of a job: equal for equal jobs. */
export function keyOf(job: Job): string {
	return JSON.stringify(job, Object.keys(job).sort().concat(optionNames(job)));
}

function optionNames(job: Job): string[] {
	return [...Object.keys("stand" in job ? job.stand : {}), ...Object.keys("search" in job ? job.search : {})].sort();
}

export const isRun = (row: Row): row is RunRow => row.job === "run";

/** Rows of runs in these modes. */
export function runsOf(rows: readonly Row[], ...modes: RunMode[]): RunRow[] {
	return rows.filter(isRun).filter((row) => modes.includes(row.mode));
}
