/**
 * The plan of a promotion, and what comes of it. Pure: the plan is a value that can be printed before anything is written, and
 * it holds bytes that were proved to keep the kernel.
 */

import type { RunEvent } from "../domain/events.ts";
import { comparePin } from "../domain/kernel.ts";
import { openingOf, type RunState, variantOf } from "../domain/run-state.ts";
import { parseSkill, proveKernel, rebuildSkill, type Skill } from "../domain/skill.ts";
import { GuardError } from "../errors.ts";
import type { PromotionPlan, PromotionResult } from "../ports/skills-repository.ts";
import type { RunContext } from "./context.ts";

/** The complete SKILL.md of a variant, proved to keep frontmatter and kernel byte for byte. @throws GuardError when it does not. */
export function provenBytes(state: RunState, skill: Skill, variant: string): Uint8Array {
	const bytes = rebuildSkill(skill, variantOf(state, variant).harness);
	const proof = proveKernel(skill, bytes);
	const differences = proof.ok ? comparePin(openingOf(state).pin, parseSkill(bytes)) : [proof.reason];
	if (differences.length > 0) {
		throw new GuardError({
			message: `variant ${variant} does not keep the kernel: ${differences.join("; ")}`,
			hint: "Nothing was written.",
		});
	}
	return bytes;
}

export interface PromotionText {
	/** Body of the commit message, between subject and trailers. */
	body: string;
	/** Path of the report, for the trailer. */
	report: string;
	version: number;
}

/** The plan for the winner under the job spec's mode, or why there can be none. */
export function planPromotion(
	state: RunState,
	context: RunContext,
	variant: string,
	text: PromotionText,
): PromotionPlan | { impossible: string } {
	const opened = openingOf(state);
	const { skill, promote } = context.settings;
	if (promote === "report") return { impossible: "nobody asked for a commit" };
	const ref = promote === "branch" ? `refs/heads/gepa/${skill}` : opened.base.ref;
	if (ref === null) return { impossible: "the repository has no branch checked out" };
	const simulated = opened.offline ? " (simulation)" : "";
	const trailers = [
		`Gepa-Run: ${opened.run}`,
		`Gepa-Variant: ${variant}`,
		`Gepa-Parent: ${opened.incumbent.id}`,
		`Gepa-Kernel-SHA256: ${opened.pin.kernelSha256}`,
		`Gepa-Version: ${text.version}`,
		`Gepa-Report: ${text.report}`,
	];
	return {
		run: opened.run,
		skill,
		ref,
		base: opened.base.commit,
		path: opened.base.path,
		expectedBlob: opened.base.blob,
		bytes: provenBytes(state, context.skill, variant),
		message: `${skill}: evolve harness to v${text.version}${simulated}\n\n${text.body.trim()}\n\n${trailers.join("\n")}\n`,
		tag: `gepa/${skill}/v${text.version}`,
	};
}

/** What the repository did, as the event of the log. */
export function promotionEvent(state: RunState, plan: PromotionPlan, result: PromotionResult): RunEvent {
	if (result.status === "refused") return { type: "promotion-refused", reason: result.reason, message: result.message };
	return {
		type: "promotion-done",
		commit: result.commit,
		ref: result.ref,
		tag: plan.tag,
		version: Number(plan.tag.split("/v").at(-1)),
		kernelSha256: openingOf(state).pin.kernelSha256,
	};
}
