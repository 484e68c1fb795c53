/**
 * The shape of the view of a run: everything that any rendering shows, as plain numbers and plain text. There is one
 * computation (run-view.ts) and four renderings; none of them computes a figure of its own.
 *
 * It must not know a syntax: text in here is as models, cases and skills wrote it, hostile until a rendering escapes it.
 * What hangs on clock or folder is in the fields run, startedAt, seconds, harvested, file, reportPath, repositoryPath, resume
 * and in names of commits alone; latency figures are measured and differ from run to run (json.ts lists all of it).
 */
import type { Split } from "../domain/case.ts";
import type { Usage } from "../domain/dialogue.ts";
import type { Operator, Status, Stopper } from "../domain/events.ts";
import type { Limits } from "../domain/job-spec.ts";
import type { Estimate, Objective, Scorecard } from "../domain/objective.ts";
import type { Failure } from "../domain/trial.ts";
import type { AnswersView } from "./view-answers.ts";
import type { CapabilityView } from "./view-capabilities.ts";
import type { NoiseView, ShrinkageView } from "./view-certainty.ts";
import type { GroupsOf } from "./view-history.ts";
import type { MatrixView } from "./view-matrix.ts";
import type { GenerationView, ProgressPoint, RunHistory } from "./view-progress.ts";

export interface VerdictView {
	/** What a run that is still open would be called if it ended now is not known: it reads `stopped` with `open`. */
	status: Status;
	stoppedBy: Stopper | null;
	open: boolean;
	/** A few words. */
	headline: string;
	/** Why, with figures, in one or two sentences. */
	reason: string;
	/** What would change the verdict, or how to undo it. */
	change: string;
}

export type ChallengerName = "winner" | "best text" | "tested text";

/** What became of a variant. */
export type VariantState = "incumbent" | "winner" | "best" | "retired";

export interface VariantView {
	id: string;
	/** `v0`, else the first eight digits of the id. */
	label: string;
	parents: readonly string[];
	operator: Operator;
	generation: number;
	/** UTF-8 bytes of the harness. */
	bytes: number;
	/** Edits between v0 and this text. */
	edits: number;
	/** The complete SKILL.md that it would become; null when it was not written. */
	file: string | null;
	/** Null where it has no trial. */
	scorecards: Readonly<Record<Split, Scorecard | null>>;
	/** Change of each objective from v0 on validation cases, as `changes` has it; null for v0 and what was not validated. */
	change: Readonly<Record<Objective, number | null>> | null;
	onFront: boolean;
	state: VariantState;
	/** Why it was retired; empty for the others. */
	reason: string;
}

/** A change `after - before` in the unit of the objective; negative is better where less is better. */
export interface ChangeView {
	objective: Objective;
	before: Estimate;
	after: Estimate;
	/** Over the cases that both sides know: difference of the means (latency: of the medians), with a 95 % interval. */
	mean: number | null;
	low: number | null;
	high: number | null;
	/** Cases in the pairs, and cases that lack a side. */
	n: number;
	missing: number;
	/** Two-sided; but for quality corrected for the number of objectives beside it (Holm). */
	p: number;
	/** Whether it is proved not to be worse by the job spec's margin; null when nothing is known. */
	held: boolean | null;
	/** Better or worse where the corrected p is at most .05; the same where no case differs; else unclear, or nothing is known. */
	says: "better" | "worse" | "same" | "unclear" | "unknown";
}

export interface EditView {
	id: string;
	op: string;
	section: string;
	find: string | null;
	text: string | null;
	group: string;
	generation: number;
	/** Why it was taken out; null for one that is in the text. */
	dropped: string | null;
	/** Failing checks of its group, under v0 and after the search; null where not known. */
	earned: GroupView | null;
}

export interface GroupCount {
	failing: number;
	total: number;
}

/** A group of checks that want the same, and how it fared. */
export interface GroupView {
	id: string;
	label: string;
	/** What the note of its checks says, where they have one and the group is about it: tells groups of one label apart. */
	note: string | null;
	/** Rounds of reflection spent on it. */
	worked: number;
	before: GroupCount;
	/** Under the compared text, or the nearest before it that was measured on all train cases; null where there is none. */
	after: GroupCount | null;
}

export interface RefusalView {
	code: string;
	count: number;
	/** The first few different messages. */
	messages: readonly string[];
	/** Text of the first refusal that holds any. */
	text: string | null;
}

export interface GateView {
	gate: "validation" | "holdout";
	variant: string;
	label: string;
	attempt: number;
	objective: "quality" | "tokens";
	pairs: number;
	answer: string;
	p: number | null;
	alpha: number;
	mean: number | null;
	low: number | null;
	high: number | null;
	reason: string;
}

export interface LimitView {
	limit: keyof Limits;
	used: number | null;
	of: number;
}

export interface SpendView {
	trials: number;
	/** Paid calls of every kind; of an open run with those that no event of the log speaks of yet. */
	modelCalls: number;
	taskCalls: number;
	judgeCalls: number;
	reflectionCalls: number;
	tokens: number;
	/** Zero for the built-in rules; null when no price is known, or when an open run's calls are not all told apart yet. */
	usd: number | null;
	/** The cost in words. */
	cost: string;
	seconds: number;
	/** Calls that were already paid for and cost nothing again. */
	harvested: number;
	limits: readonly LimitView[];
}

export interface CaseSide {
	/** Mean over repeats; null when nothing is known. */
	quality: number | null;
	latencyMs: number | null;
	tokens: number | null;
	retries: number | null;
	trials: number;
	/** Reason of each failed trial. */
	failures: readonly Failure[];
	/** Keys of the rollouts, under which outputs are found. */
	rollouts: readonly string[];
	/** Mean score of each check of the case in order; null for contracts and where nothing is known. */
	scores: readonly (number | null)[];
}

export interface CaseView {
	id: string;
	split: Split;
	group: string | null;
	weight: number;
	input: string;
	checks: readonly { label: string; note: string | null; contract: boolean }[];
	before: CaseSide | null;
	after: CaseSide | null;
	/** Change in quality, `after - before`; null where a side is not known. */
	change: number | null;
}

/** A stretch of the document: protected text, or a section of the harness before and after. */
export type DocumentPart =
	| { kind: "frontmatter"; text: string }
	| { kind: "kernel"; id: string; sha256: string; text: string }
	/** `title` is the heading; null for text before the first one. */
	| { kind: "section"; id: string; title: string | null; before: string; after: string };

type PromotionView = Readonly<Record<"commit" | "ref" | "tag" | "kernelSha256", string>> & { version: number };

export interface RunView {
	run: string;
	skill: string;
	startedAt: string;
	/** The built-in rules answered, not a language model. */
	offline: boolean;
	models: { task: string; reflection: string; judge: string };
	settings: {
		policy: string;
		seed: number;
		repeats: number;
		holdout: string;
		kernel: string;
		promote: string;
		qualityMargin: number;
	};
	base: { commit: string; path: string; ref: string | null };
	caseCounts: Readonly<Record<Split, number>>;
	verdict: VerdictView;
	answers: AnswersView;
	incumbent: VariantView;
	/** The variant that passed the gates; null when there is none. */
	winner: VariantView | null;
	/** What v0 is compared with: the winner, else the best text found; null when there is no other text. */
	challenger: VariantView | null;
	/** What to call it: the best text is on the front, one that was only tested is not. */
	challengerName: ChallengerName;
	/** v0 against the challenger by split; null where one of them has no trial. */
	changes: Readonly<Record<Split, readonly ChangeView[] | null>>;
	/** What of each change on validation was seen again on sealed cases. */
	shrinkage: readonly ShrinkageView[];
	noise: NoiseView | null;
	/** Best quality first; always holds the best text found. */
	front: readonly VariantView[];
	variants: readonly VariantView[];
	counts: { proposed: number; refused: number; admitted: number; validated: number };
	/** Answers of the reflection model that were of no use, by reason. */
	unusable: readonly { reason: string; count: number }[];
	edits: readonly EditView[];
	dropped: readonly EditView[];
	refusals: readonly RefusalView[];
	groups: readonly GroupView[];
	/** Label of the text that counts after the search are of; null when none but v0 was measured whole. */
	countedText: string | null;
	gates: readonly GateView[];
	spend: SpendView;
	/** Spend over time; empty without a log. */
	progress: readonly ProgressPoint[];
	generations: readonly GenerationView[];
	matrix: MatrixView;
	cases: readonly CaseView[];
	wins: readonly CaseView[];
	losses: readonly CaseView[];
	document: readonly DocumentPart[];
	/** What the compared text could do and v0 could not, and the other way round. */
	capabilities: readonly CapabilityView[];
	kernelSha256: string;
	promotion: PromotionView | null;
	promotionRefused: { reason: string; message: string } | null;
	/** Command that undoes the promotion, given in the skills repository; null when nothing was committed. */
	revert: string | null;
	/** Absolute path of the skills repository that holds the promotion; null when nothing was committed or it is not known. */
	repositoryPath: string | null;
	/** Command that goes on with a run that has not come to its end; null for all others. */
	resume: string | null;
	method: readonly string[];
	caveats: readonly string[];
	/** Null when the page has not been written. */
	reportPath: string | null;
}

/** What a view needs and the run's log does not hold. */
export interface ViewContext {
	/** Path of the complete SKILL.md of each variant that was written. */
	files: Readonly<Record<string, string>>;
	reportPath: string | null;
	/** Absolute path of the skills repository that the run promotes into, where it is known. */
	repositoryPath?: string | null;
	/** Flags of the command that goes on with the run, as far as its log does not hold them. */
	resumeFlags?: readonly string[];
	/** What an open run has paid for, as its store tells it. */
	paid?: { calls: number; usage: Usage };
	/** Wall time of the run. */
	seconds: number;
	harvested: number;
	/** The log with its times, for spend over time. */
	history?: RunHistory;
	/** The grouping of checks that the search goes by; without it groups have no figures of the compared text. */
	groupsOf?: GroupsOf;
}
