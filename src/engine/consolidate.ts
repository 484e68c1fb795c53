/**
 * Performs a consolidating step: one question that merges the proposals of a generation, ranks their edits, or
 * asks for a section in fewer words. An answer that
 * is of no use changes nothing: the proposals stay as they are.
 */
import { digest } from "../domain/digest.ts";
import type { EventOf, Proposal } from "../domain/events.ts";
import { type RunState, searchOf } from "../domain/run-state.ts";
import { MAX_EDIT_CHARS, MAX_EDITS, sectionsOf } from "../domain/section.ts";
import { createTask, type Dialogue, type Task } from "../domain/trial.ts";
import { renderMerge } from "../prompts/merge.ts";
import { RANK_CONTRACT, RANK_FORMAT, readRanking, renderRank } from "../prompts/rank.ts";
import { REFLECT_CONTRACT, reflectFormat } from "../prompts/reflect.ts";
import { renderReformulate } from "../prompts/reformulate.ts";
import { caseOf, type RunContext } from "./context.ts";
import { spendOf } from "./dialogue-cost.ts";
import { documentOf } from "./document.ts";
import type { Environment } from "./environment.ts";
import { looseJson } from "./loose-json.ts";
import { assertGoing } from "./loss.ts";
import { readProposal } from "./propose.ts";
import { unusable } from "./reply-use.ts";
import { costLeft, reserveFor } from "./reserve.ts";
import { editsToConsolidate, keptOfRanking } from "./search/consolidation.ts";
import type { ConsolidateStep } from "./steps.ts";

type Consolidated = EventOf<"proposals-consolidated">;

/** Notes of failing checks that the ranking is shown, at the most. */
const MOST_FAILURES = 24;

export function taskOf(step: ConsolidateStep, state: RunState, context: RunContext): Task {
	const { working } = searchOf(state);
	const sections = sectionsOf(working.harness);
	const edits = editsToConsolidate(state, context);
	const nonce = digest([step.operator, step.generation, working.id, edits]).slice(0, 12);
	const { skill, models } = context.settings;
	const question =
		step.operator === "reformulate"
			? {
					messages: renderReformulate({
						skill,
						document: documentOf(context.skill, working.harness),
						section: step.section ?? "",
						limits: { edits: MAX_EDITS, characters: MAX_EDIT_CHARS },
						nonce,
					}),
					format: reflectFormat([step.section ?? ""]),
					contract: REFLECT_CONTRACT,
				}
			: step.operator === "merge"
				? {
						messages: renderMerge({ skill, sections, edits, nonce }),
						format: reflectFormat(sections.map((section) => section.id)),
						contract: REFLECT_CONTRACT,
					}
				: {
						messages: renderRank({
							skill,
							harness: working.harness.join("\n"),
							items: edits.map((edit) => `${edit.op}: ${edit.text ?? edit.find ?? edit.section}`),
							failures: failuresOf(step, context),
							nonce,
						}),
						format: RANK_FORMAT,
						contract: RANK_CONTRACT,
					};
	return createTask({
		kind: "reflection",
		role: "reflection",
		model: models.reflection,
		messages: question.messages,
		format: question.format,
		contracts: [{ type: "json-schema", schema: { ...question.contract }, weight: 1, not: false, contract: true }],
		// Not asked again: the proposals as they are serve nearly as well.
		maxRetries: 0,
		repeat: 0,
	});
}

function failuresOf(step: ConsolidateStep, context: RunContext): string[] {
	const notes = step.failing.flatMap(({ caseId, check }) => caseOf(context, caseId).checks[check]?.note ?? []);
	return [...new Set(notes)].slice(0, MOST_FAILURES);
}

/** The edits in ranked order, as many as are to be kept; null when the reply is no ranking. */
function ranked(step: ConsolidateStep, state: RunState, context: RunContext, dialogue: Dialogue): Proposal | null {
	const edits = editsToConsolidate(state, context);
	const reply = dialogue.replies.at(-1);
	if (dialogue.loss || reply === undefined || unusable(reply)) return null;
	const order = readRanking(looseJson(reply.text), edits.length);
	const first = searchOf(state).proposals.find((proposal) => proposal.status === "usable");
	if (order === null || first === undefined) return null;
	const best = keptOfRanking(order, edits, state, context);
	return { ...first, id: step.id, group: step.operator, edits: best, calls: 0, tokens: 0, usd: 0 };
}

/** @throws what assertGoing throws: then nothing is decided, and what was paid for is stored. */
export async function consolidate(
	step: ConsolidateStep,
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<Consolidated> {
	const { operator, generation } = step;
	const task = taskOf(step, state, context);
	const none = {
		type: "proposals-consolidated",
		generation,
		operator,
		...(step.section !== undefined && { section: step.section }),
		proposal: null,
		calls: 0,
		tokens: 0,
		usd: 0,
	} as const;
	const { reservation, paid } = await reserveFor(env, [task.key], await costLeft(env, task, 0));
	if (reservation === null) {
		const { calls, tokens, usd } = paid;
		return { ...none, calls, tokens, usd, reason: "the limits leave no room for it" };
	}
	const dialogue = await env.pool.run(task, { signal: env.signal }).catch((error: unknown) => {
		reservation.settle({ calls: 0, trials: 0, tokens: 0, usd: 0 });
		throw error;
	});
	const cost = spendOf(dialogue, task);
	reservation.settle(cost);
	assertGoing(dialogue);
	const { calls, tokens, usd } = cost;
	const most = operator === "merge" ? editsToConsolidate(state, context).length : MAX_EDITS;
	const free = { calls: 0, tokens: 0, usd: 0 };
	const read =
		operator === "rank"
			? ranked(step, state, context, dialogue)
			: readProposal({ id: step.id, group: operator }, dialogue, free, most);
	const usable = read?.status === "usable" ? read : null;
	const count = usable?.edits.length ?? 0;
	const done =
		operator === "reformulate"
			? `${count} edits say ${step.section} in other words`
			: `${count} edits of ${editsToConsolidate(state, context).length}`;
	const reason = usable ? done : `of no use: ${read?.reason ?? "no ranking"}`;
	return { ...none, proposal: usable, reason, calls, tokens, usd };
}
