/**
 * Performs a measuring step: buys the rollouts of its trials, asks the judge where a case has rubric checks, and scores. The
 * trials come back in the order of the step, whatever the order of the answers.
 */

import { addCost, type Cost, NO_COST, worstCost } from "../domain/budget.ts";
import type { Case } from "../domain/case.ts";
import { sha256 } from "../domain/digest.ts";
import type { Settings } from "../domain/job-spec.ts";
import { type RunState, variantOf } from "../domain/run-state.ts";
import { createTask, type Dialogue, type Rollout, type Task, type Trial, type TrialSpend } from "../domain/trial.ts";
import { JUDGE_CONTRACT, JUDGE_FORMAT, readVerdicts, renderJudge } from "../prompts/judge.ts";
import { caseOf, type RunContext } from "./context.ts";
import { spendOf } from "./dialogue-cost.ts";
import type { Environment } from "./environment.ts";
import { looseJson } from "./loose-json.ts";
import { assertGoing, assertNoFlood } from "./loss.ts";
import { bodyWith, inputOf, rolloutTask } from "./protocol.ts";
import { costLeft, reserveFor } from "./reserve.ts";
import { rubricsOf, scoreTrial } from "./score.ts";
import type { MeasureStep, TrialRequest } from "./steps.ts";
import { createTogether } from "./together.ts";

/** The task that buys one judgement: all criteria of one output in one call. Keyed by the rollout that it judges, too. */
export function judgementTask(settings: Settings, entry: Case, output: string, rollout: string): Task {
	const criteria = rubricsOf(entry.checks).map((check) => check.criterion);
	const nonce = sha256(`judge:${rollout}:${entry.id}`).slice(0, 12);
	return createTask({
		kind: "judgement",
		role: "judge",
		model: settings.models.judge,
		messages: renderJudge({ input: inputOf(entry), output, criteria, nonce }),
		format: JUDGE_FORMAT,
		contracts: [{ type: "json-schema", schema: { ...JUDGE_CONTRACT }, weight: 1, not: false, contract: true }],
		maxRetries: 0,
		repeat: 0,
	});
}

interface Measured {
	trial: Trial;
	dialogues: Dialogue[];
}

/** The trial as missing data, when the ledger had no money for it, or for the rest of it. */
function unaffordable(request: TrialRequest, task: Task, { calls, tokens, usd }: Cost): Measured {
	const outcome = { status: "failed", reason: "budget", quality: null, tokens: null, retries: null } as const;
	return {
		trial: { ...request, rollout: task.key, outcome, spend: { taskCalls: calls, judgeCalls: 0, tokens, usd } },
		dialogues: [],
	};
}

type Hands = Pick<Environment, "pool" | "tools" | "signal">;

async function judge(context: RunContext, env: Hands, entry: Case, rollout: Rollout, output: string) {
	const task = judgementTask(context.settings, entry, output, rollout.key);
	const dialogue = await env.pool.run(task, { signal: env.signal });
	assertGoing(dialogue);
	const verdicts = readVerdicts(looseJson(dialogue.replies.at(-1)?.text ?? ""), rubricsOf(entry.checks).length);
	return { dialogue, verdicts, cost: spendOf(dialogue, task) };
}

async function measureOne(
	context: RunContext,
	env: Hands,
	request: TrialRequest,
	task: Task,
): Promise<{ measured: Measured; cost: Cost }> {
	const entry = caseOf(context, request.caseId);
	const dialogue = await env.pool.run(task, { signal: env.signal });
	assertGoing(dialogue);
	const own = spendOf(dialogue, task);
	const plain = scoreTrial({ case: entry, dialogue, tools: env.tools });
	const rubrics = rubricsOf(entry.checks).length > 0 && dialogue.met && plain.output !== null;
	const judged = rubrics && plain.output !== null ? await judge(context, env, entry, dialogue, plain.output) : null;
	const scored = judged
		? scoreTrial({ case: entry, dialogue, judgement: { verdicts: judged.verdicts }, tools: env.tools })
		: plain;
	const cost = addCost(own, judged?.cost ?? NO_COST);
	const spend: TrialSpend = {
		taskCalls: own.calls,
		judgeCalls: judged?.cost.calls ?? 0,
		tokens: cost.tokens,
		usd: cost.usd,
	};
	return {
		measured: {
			trial: { ...request, rollout: task.key, outcome: scored.outcome, spend },
			dialogues: judged ? [dialogue, judged.dialogue] : [dialogue],
		},
		cost: { ...cost, trials: 1 },
	};
}

/** The task of the judge on a stored rollout; null where there is nothing to judge or nothing stored. */
async function storedJudgement(settings: Settings, env: Recalling, entry: Case, task: Task): Promise<Task | null> {
	if (rubricsOf(entry.checks).length === 0) return null;
	const known = await env.recall(task.key);
	if (known === undefined) return null;
	const { output } = scoreTrial({ case: entry, dialogue: known, tools: env.tools });
	return known.met && output !== null ? judgementTask(settings, entry, output, known.key) : null;
}

type Recalling = Pick<Environment, "recall" | "tools">;

/**
 * What a trial of this case costs at the most: the rollout with all re-asks and the judge's call, each as what it did cost where
 * it is stored. With the keys of both.
 */
async function costOfTrial(settings: Settings, env: Recalling, entry: Case, task: Task) {
	const rollout = await costLeft(env, task, 1);
	const judging = await storedJudgement(settings, env, entry, task);
	if (judging !== null)
		return { keys: [task.key, judging.key], cost: addCost(rollout, await costLeft(env, judging, 0)) };
	const open = rubricsOf(entry.checks).length > 0 && (await env.recall(task.key)) === undefined;
	const judge = open ? worstCost({ ...task, model: settings.models.judge, maxRetries: 0 }, 0) : NO_COST;
	return { keys: [task.key], cost: addCost(rollout, judge) };
}

/** Every task of a step, as far as it can be told before the answers are there. */
export async function tasksOfTrials(
	step: MeasureStep,
	state: RunState,
	context: RunContext,
	env: Recalling,
): Promise<Task[]> {
	const tasks: Task[] = [];
	for (const request of step.trials) {
		const entry = caseOf(context, request.caseId);
		const body = bodyWith(context.skill, variantOf(state, request.variant).harness);
		const task = rolloutTask(context.settings, body, entry, request.repeat);
		const judging = await storedJudgement(context.settings, env, entry, task);
		tasks.push(task, ...(judging === null ? [] : [judging]));
	}
	return tasks;
}

/**
 * The trials of a step in its order; `onSent` is called once the last of them has been given its money, and not when one has
 * failed before. Trials for which the limits leave no room come back as failed with reason `budget`.
 * @throws what assertGoing and assertNoFlood throw: nothing of the step is decided on then, and what was paid for is stored.
 */
export async function measureTrials(
	step: MeasureStep,
	state: RunState,
	context: RunContext,
	env: Environment,
	onSent: () => void = () => undefined,
): Promise<Trial[]> {
	const bodies = new Map<string, string>();
	const bodyOf = (variant: string) => {
		const body = bodies.get(variant) ?? bodyWith(context.skill, variantOf(state, variant).harness);
		bodies.set(variant, body);
		return body;
	};
	let done = 0;
	const report = () =>
		env.observe?.({ phase: step.purpose, generation: step.generation, done, total: step.trials.length }, state);
	const together = createTogether<Measured>(env.signal);
	const hands = { pool: env.pool, tools: env.tools, signal: together.signal };
	report();
	for (const request of step.trials) {
		const entry = caseOf(context, request.caseId);
		const task = rolloutTask(context.settings, bodyOf(request.variant), entry, request.repeat);
		const { keys, cost: most } = await costOfTrial(context.settings, env, entry, task);
		const { reservation, paid } = await reserveFor(env, keys, most);
		if (together.failed) break;
		if (reservation === null) {
			together.add(Promise.resolve(unaffordable(request, task, paid)));
			continue;
		}
		const one = measureOne(context, hands, request, task).then(({ measured, cost }) => {
			reservation.settle(cost);
			done += 1;
			report();
			return measured;
		});
		together.add(one, () => reservation.settle(NO_COST));
	}
	if (!together.failed) onSent();
	const measured = await together.results();
	assertNoFlood(
		measured.flatMap((one) => one.dialogues),
		step.purpose === "incumbent",
	);
	return measured.map((one) => one.trial);
}
