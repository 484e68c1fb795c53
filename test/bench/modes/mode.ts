/** A mode of the benchmark: which jobs it wants, and how its rows are shown. */
import type { FamilyName } from "../../support/stand.ts";
import type { Job, Row, RunJob, RunMode } from "../job.ts";

/** What is asked for. */
export interface Plan {
	families: readonly FamilyName[];
	budgets: readonly number[];
	/** Runs of each cell. */
	seeds: number;
	/** Few runs and draws, for a look in two minutes. */
	quick: boolean;
	/** `search` of the job spec for every run. */
	search: Readonly<Record<string, number | boolean | string>>;
	/** Options of the stand for every run, beside those of the mode. */
	stand: Readonly<Record<string, number>>;
	/** Whether each working text is scored on the test split, for what operators truly earn. */
	deep: boolean;
	/** Sealed cases of runs in the modes that leave it open. */
	sealed: number;
}

export interface Mode {
	name: string;
	/** What the table below shows, in a few words. */
	title: string;
	/** How it was measured, where that is not plain. */
	note(plan: Plan): string;
	jobs(plan: Plan): Job[];
	/** A Markdown table, or a sentence that says why there is none. Rows of other modes are among them. */
	table(rows: readonly Row[], plan: Plan): string;
}

export const plainFamilies = (plan: Plan) => plan.families.filter(({ kind }) => kind === "plain");

/** A run as the plan wants it; a mode says what differs. */
export function runJob(
	plan: Plan,
	mode: RunMode,
	parts: Pick<RunJob, "family" | "budget" | "seed"> & Partial<RunJob>,
): RunJob {
	return {
		job: "run",
		mode,
		draws: plan.quick ? 2 : 5,
		start: "seed",
		sealed: plan.sealed,
		deep: plan.deep,
		search: plan.search,
		...parts,
		stand: { ...parts.stand, ...plan.stand },
	};
}

/** 1 to n. */
export const seedsUpTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
