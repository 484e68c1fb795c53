/**
 * The view of a run: one pure computation that every rendering uses, so that terminal, JSON, Markdown and HTML can never
 * disagree.
 *
 * It must not know a clock, a file or a syntax: what is not in the state comes in through the context. Invariant: equal
 * states, cases and contexts give equal views, whether the run has ended or not.
 */
import { type Case, casesOf } from "../domain/case.ts";
import { provable, provableWords } from "../domain/provable.ts";
import { openingOf, type RunState, variantOf } from "../domain/run-state.ts";
import { gatesOf, levelOf } from "../domain/sequential.ts";
import { resumeCommand } from "./resume-command.ts";
import type { RunView, ViewContext } from "./view.ts";
import { answersOf } from "./view-answers.ts";
import { capabilityChanges } from "./view-capabilities.ts";
import { casesView, topChanges } from "./view-cases.ts";
import { noiseView, shrinkageView } from "./view-certainty.ts";
import { type Measurements, measurementsOf } from "./view-changes.ts";
import { documentOf } from "./view-document.ts";
import {
	countedText,
	droppedView,
	editsView,
	gatesView,
	groupsView,
	refusalsView,
	unusableView,
} from "./view-history.ts";
import { matrixView } from "./view-matrix.ts";
import { caveatsOf, methodOf } from "./view-method.ts";
import { generationsView, progressView } from "./view-progress.ts";
import { spendView } from "./view-spend.ts";
import { type VariantsView, variantsOf } from "./view-variants.ts";
import { verdictOf } from "./view-verdict.ts";

/**
 * Everything there is to show of a run.
 * @param cases all valid cases of the skill, the same set that the run was opened with
 * @throws Error when the run has not been opened: there is nothing to show
 */
export function viewRun(state: RunState, cases: readonly Case[], context: ViewContext): RunView {
	const opening = openingOf(state);
	const measurements = measurementsOf(state, cases);
	const variants = variantsOf(state, cases, measurements, context);
	const { incumbent, winner, challenger, front, labelOf } = variants;
	const compared = challenger === null ? null : variantOf(state, challenger.id);
	const counted = countedText(state, cases, measurements, challenger?.id ?? null);
	const groups = groupsView(state, cases, measurements, counted, context.groupsOf);
	const gates = gatesView(state, labelOf);
	const changes = changesOf(measurements, incumbent.id, challenger?.id ?? null);
	const tried = casesView(cases, incumbent.id, challenger?.id ?? null, measurements);
	const caseCounts = countsOf(cases);
	const counts = variantCounts(state, variants);
	const spend = spendView(state, context);
	const document = documentOf(state, compared?.harness ?? null);
	const trialsOf = (id: string | null) => (id === null ? [] : measurements.trials(id, "validation"));
	const draws = state.search?.finished?.draws ?? 1;
	const level = levelOf(1, gatesOf(opening.settings.holdout, caseCounts.holdout));
	const [before, after] = [trialsOf(incumbent.id), trialsOf(challenger?.id ?? null)];
	const noise = noiseView(before, after, casesOf(cases, "validation"), level);
	const suspects = [...new Set(state.proposals.flatMap((proposal) => proposal.suspects ?? []))].sort();
	const view = {
		run: opening.run,
		skill: opening.settings.skill,
		startedAt: opening.startedAt,
		offline: opening.offline,
		models: modelNames(opening.settings.models),
		settings: settingsView(opening.settings),
		base: { commit: opening.base.commit, path: opening.base.path, ref: opening.base.ref },
		caseCounts,
		verdict: verdictOf({ state, cases, measurements, variants, resumeFlags: context.resumeFlags ?? [] }),
		incumbent,
		winner,
		challenger,
		challengerName: variants.challengerName,
		changes,
		shrinkage: shrinkageView(changes),
		noise,
		front,
		variants: variants.variants,
		counts,
		unusable: unusableView(state),
		edits: editsView(state, compared, groups),
		dropped: droppedView(state, compared, groups),
		refusals: refusalsView(state),
		groups,
		countedText: counted === null ? null : labelOf(counted),
		gates,
		spend,
		progress: progressView(context.history),
		generations: generationsView(state, cases, variants.variants),
		matrix: matrixView(variants.variants, challenger?.id ?? null, measurements),
		cases: tried,
		wins: topChanges(tried, "wins"),
		losses: topChanges(tried, "losses"),
		document,
		capabilities: compared === null ? [] : capabilityChanges(opening.incumbent.harness, compared.harness),
		kernelSha256: opening.pin.kernelSha256,
		promotion: promotionView(state),
		promotionRefused: state.promotionRefused,
		revert: state.promotion === null ? null : `git revert ${state.promotion.commit}`,
		repositoryPath: state.promotion === null ? null : (context.repositoryPath ?? null),
		resume: isOver(state) ? null : resumeCommand(opening, context.resumeFlags),
		method: [
			...methodOf(opening, caseCounts, opening.trainSample.length, counts.admitted),
			provableWords(provable(cases, opening.settings, opening.noise, draws), opening.settings.skill),
		],
		caveats: caveatsOf({
			...{ noise, suspects, offline: opening.offline, changes, gates, usd: spend.usd },
			isShortened: compared?.operator === "trim" || compared?.operator === "reformulate",
		}),
		reportPath: context.reportPath,
	};
	return { ...view, answers: answersOf(view) };
}

/** A run that a person ended is closed and can be resumed all the same. */
function isOver({ closed }: RunState): boolean {
	return closed !== null && !(closed.status === "stopped" && (closed.stoppedBy ?? "cancelled") === "cancelled");
}

function changesOf(measurements: Measurements, before: string, after: string | null): RunView["changes"] {
	const of = (split: "train" | "validation" | "holdout") =>
		after === null ? null : measurements.changes(before, after, split);
	return { train: of("train"), validation: of("validation"), holdout: of("holdout") };
}

function countsOf(cases: readonly Case[]): RunView["caseCounts"] {
	const count = (split: "train" | "validation" | "holdout") => casesOf(cases, split).length;
	return { train: count("train"), validation: count("validation"), holdout: count("holdout") };
}

/** `refused` counts proposals of which something was refused or that could not be used at all; it never passes `proposed`. */
function variantCounts(state: RunState, { variants }: VariantsView): RunView["counts"] {
	const refused = new Set([
		...state.proposals.filter((proposal) => proposal.status === "dropped").map((proposal) => proposal.id),
		...state.refusals.map((refusal) => refusal.proposal),
	]);
	const others = variants.filter((variant) => variant.state !== "incumbent");
	return {
		proposed: state.proposals.length,
		refused: state.proposals.filter((proposal) => refused.has(proposal.id)).length,
		admitted: others.length,
		validated: others.filter((variant) => variant.scorecards.validation !== null).length,
	};
}

function modelNames(models: Readonly<Record<"task" | "reflection" | "judge", { name: string }>>): RunView["models"] {
	return { task: models.task.name, reflection: models.reflection.name, judge: models.judge.name };
}

function settingsView(settings: ReturnType<typeof openingOf>["settings"]): RunView["settings"] {
	const { policy, seed, repeats, holdout, kernel, promote, margin } = settings;
	return { policy, seed, repeats, holdout, kernel, promote, qualityMargin: margin.quality };
}

function promotionView(state: RunState): RunView["promotion"] {
	if (state.promotion === null) return null;
	const { commit, ref, tag, version, kernelSha256 } = state.promotion;
	return { commit, ref, tag, version, kernelSha256 };
}
