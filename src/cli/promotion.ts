/** Lands the promotion of a proven variant: plan, compare-and-swap, event. Idempotent, so that a killed run can do it again. */
import type { RunEvent } from "../domain/events.ts";
import { openingOf, type RunState } from "../domain/run-state.ts";
import type { RunContext } from "../engine/context.ts";
import { planPromotion, promotionEvent } from "../engine/promote.ts";
import type { PromotionPlan, SkillsRepository } from "../ports/skills-repository.ts";
import { commitBody } from "../report/markdown.ts";
import type { RunView } from "../report/view.ts";

export interface PromotionEnvironment {
	repository: SkillsRepository;
	context: RunContext;
	view(state: RunState): RunView;
	/** Number of the lease, where the run is conducted under one. */
	fence?: number;
}

/** The version that a run's promotion has, or would have: one that landed before a kill keeps its own. */
async function versionOf(repository: SkillsRepository, skill: string, run: string): Promise<number> {
	const landed = (await repository.evolved(skill)).find((commit) => commit.run === run);
	const next = await repository.nextVersion(skill);
	const subject = landed?.trailers["Gepa-Version"];
	return subject === undefined ? next : Number(subject);
}

/** The plan as it stands, for `--dry-run` and for the promotion itself. */
export async function promotionPlan(
	variant: string,
	state: RunState,
	env: PromotionEnvironment,
): Promise<PromotionPlan | { impossible: string }> {
	const { run, settings } = openingOf(state);
	const view = env.view(state);
	const version = await versionOf(env.repository, settings.skill, run);
	return planPromotion(state, env.context, variant, { body: commitBody(view), report: view.reportPath ?? "", version });
}

export async function promoteVariant(variant: string, state: RunState, env: PromotionEnvironment): Promise<RunEvent> {
	const plan = await promotionPlan(variant, state, env);
	if ("impossible" in plan) return { type: "promotion-refused", reason: "not-possible", message: plan.impossible };
	return promotionEvent(state, plan, await env.repository.promote(plan, env.fence));
}
