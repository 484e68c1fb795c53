/**
 * Performs a reflecting step: renders each question from stored train rollouts, asks all of them at once, and reads the
 * answers as proposals. An answer that is cut off, refused or unreadable is dropped with its reason, never adopted.
 */
import { type Cost, NO_COST } from "../domain/budget.ts";
import type { Case } from "../domain/case.ts";
import { digest } from "../domain/digest.ts";
import type { Proposal } from "../domain/events.ts";
import type { Settings } from "../domain/job-spec.ts";
import { openingOf, type RunState, searchOf, variantOf } from "../domain/run-state.ts";
import { type Edit, editSchema, MAX_EDIT_CHARS, MAX_EDITS, sectionsOf } from "../domain/section.ts";
import { createTask, type Dialogue, type Task } from "../domain/trial.ts";
import {
	type CheckNote,
	REFLECT_CONTRACT,
	type ReflectRequest,
	reflectFormat,
	reflectReplySchema,
	renderReflect,
} from "../prompts/reflect.ts";
import { caseOf, type RunContext } from "./context.ts";
import { spendOf } from "./dialogue-cost.ts";
import { documentOf } from "./document.ts";
import type { Environment } from "./environment.ts";
import { looseJson } from "./loose-json.ts";
import { assertGoing, assertNoFlood } from "./loss.ts";
import { inputOf } from "./protocol.ts";
import { unusable } from "./reply-use.ts";
import { costLeft, reserveFor } from "./reserve.ts";
import { scoreTrial } from "./score.ts";
import { wantedOf } from "./search/groups.ts";
import { firstTrial } from "./search/view.ts";
import type { ReflectionRequest, ReflectStep } from "./steps.ts";
import { createTogether } from "./together.ts";

/** What was answered in a trial: the scored output, or for a contract group the first reply, which broke it. */
async function outputOf(
	state: RunState,
	env: Environment,
	example: { caseId: string; variant: string },
	first: boolean,
): Promise<{ dialogue: Dialogue | undefined; text: string }> {
	const trial = firstTrial(state, example.variant, example.caseId);
	const dialogue = trial === undefined ? undefined : await env.recall(trial.rollout);
	const reply = first ? dialogue?.replies[0] : dialogue?.replies.at(-1);
	return { dialogue, text: reply?.text ?? "" };
}

/** The failing check in words, with what was found instead. */
function noteOf(entry: Case, index: number, dialogue: Dialogue | undefined, env: Environment): CheckNote[] {
	if (index < 0) {
		const contracts = entry.checks.filter((check) => check.contract);
		return contracts.map((check) => ({
			wanted: wantedOf(check),
			found: `the first reply had to be asked for again`,
			...(check.note === undefined ? {} : { note: check.note }),
		}));
	}
	const check = entry.checks[index];
	if (!check) return [];
	const result =
		dialogue === undefined ? undefined : scoreTrial({ case: entry, dialogue, tools: env.tools }).results[index];
	const evidence = result?.status === "scored" ? result.evidence : undefined;
	return [
		{
			wanted: wantedOf(check),
			...(evidence === undefined ? {} : { found: evidence }),
			...(check.note === undefined ? {} : { note: check.note }),
		},
	];
}

async function renderRequest(
	request: ReflectionRequest,
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<ReflectRequest> {
	const variant = variantOf(state, request.variant);
	const failing = await Promise.all(
		request.failing.map(async (example) => {
			const entry = caseOf(context, example.caseId);
			const { dialogue, text } = await outputOf(state, env, example, example.check < 0);
			return {
				caseId: example.caseId,
				input: inputOf(entry),
				output: text,
				failed: noteOf(entry, example.check, dialogue, env),
			};
		}),
	);
	const passing = request.passing;
	const contrast = passing && (await outputOf(state, env, passing, false)).text;
	const guidance = openingOf(state).guidance;
	const asked = {
		skill: { name: context.settings.skill, description: context.skill.frontmatter?.description ?? "" },
		document: documentOf(context.skill, variant.harness),
		focus: `In ${request.group.failing} of ${request.group.total} recorded answers this check fails: ${request.group.label}. The answers below are examples.`,
		failing,
		...(passing && contrast
			? { passing: { caseId: passing.caseId, input: inputOf(caseOf(context, passing.caseId)), output: contrast } }
			: {}),
		rejected: request.rejected,
		keep: request.keep,
		...(guidance !== undefined && { guidance }),
		limits: { edits: MAX_EDITS, characters: MAX_EDIT_CHARS },
	};
	// Made of the question, quoted text included, and of how often its group was asked about: no text can hold it, equal questions
	// of two runs are one task, and a question that comes back in one run is asked anew.
	const tries = searchOf(state).worked[request.group.id] ?? 0;
	return { ...asked, nonce: digest({ ...asked, tries }).slice(0, 12) };
}

function reflectionTask(
	settings: Settings,
	rendered: ReflectRequest,
	sections: readonly string[],
	repeat: number,
): Task {
	return createTask({
		kind: "reflection",
		role: "reflection",
		model: settings.models.reflection,
		messages: renderReflect(rendered),
		format: reflectFormat(sections),
		contracts: [{ type: "json-schema", schema: { ...REFLECT_CONTRACT }, weight: 1, not: false, contract: true }],
		maxRetries: 1,
		repeat,
	});
}

/** Edits of a reply that are edits at all; those that are too long or name nothing fall out here. */
function readEdits(value: unknown, most: number): { edits: Edit[]; diagnosis: string; cause: string | null } | null {
	const parsed = reflectReplySchema.safeParse(value);
	if (!parsed.success) return null;
	const edits = parsed.data.edits.flatMap((raw) => {
		const edit = editSchema.safeParse({
			op: raw.op,
			section: raw.section,
			...(raw.find ? { find: raw.find } : {}),
			...(raw.text ? { text: raw.text } : {}),
		});
		return edit.success ? [edit.data] : [];
	});
	return { edits: edits.slice(0, most), diagnosis: parsed.data.diagnosis ?? "", cause: parsed.data.cause ?? null };
}

/** Causes that no edit can mend; edits that come with them are not taken. */
const INCURABLE = new Set(["execution-lapse", "bad-case", "noise"]);

/** The proposal that a dialogue amounts to. */
export function readProposal(
	request: { id: string; group: string; failing?: readonly string[] },
	dialogue: Dialogue,
	cost: { calls: number; tokens: number; usd: number | null },
	most = MAX_EDITS,
): Proposal {
	const base = {
		id: request.id,
		reflection: dialogue.key,
		group: request.group,
		calls: cost.calls,
		tokens: cost.tokens,
		usd: cost.usd,
	};
	const drop = (reason: string, diagnosis = "", cause: string | null = null): Proposal => ({
		...base,
		status: "dropped",
		reason,
		diagnosis,
		cause,
		...(cause === "bad-case" && { suspects: [...new Set(request.failing)] }),
		edits: [],
	});
	if (dialogue.loss) return drop(`unavailable: ${dialogue.loss.reason}`);
	const reply = dialogue.replies.at(-1);
	if (!reply) return drop("no reply");
	const cut = unusable(reply);
	if (cut) return drop(cut.kind);
	const read = readEdits(looseJson(reply.text), most);
	if (!read) return drop("malformed: no list of edits");
	const diagnosis = read.diagnosis.slice(0, 2_000);
	const cause = read.cause?.slice(0, 40) ?? null;
	if (cause !== null && INCURABLE.has(cause)) return drop(`no edit helps: ${cause}`, diagnosis, cause);
	if (read.edits.length === 0) return drop("no edits", diagnosis, cause);
	return { ...base, status: "usable", diagnosis, cause, edits: read.edits };
}

/** The task that asks one question. */
export async function questionOf(
	request: ReflectionRequest,
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<Task> {
	const rendered = await renderRequest(request, state, context, env);
	const sections = sectionsOf(variantOf(state, request.variant).harness).map((section) => section.id);
	return reflectionTask(context.settings, rendered, sections, 0);
}

/** A question that was begun and that the limits leave no room to finish. */
function unfinishedQuestion(request: ReflectionRequest, task: Task, paid: Cost) {
	const loss = { reason: "budget", message: "the limits leave no room for the rest" } as const;
	const dialogue: Dialogue = { key: task.key, replies: [], complete: false, met: false, lostCalls: 0, loss };
	return { proposal: readProposal({ id: request.id, group: request.group.id }, dialogue, paid), dialogue };
}

/**
 * The proposals of a step, in the order of its requests. A question for which the limits leave no room is left out.
 * @throws what assertGoing and assertNoFlood throw.
 */
export async function askProposals(
	step: ReflectStep,
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<Proposal[]> {
	let done = 0;
	const report = () =>
		env.observe?.({ phase: "reflect", generation: step.generation, done, total: step.requests.length }, state);
	report();
	const together = createTogether<{ proposal: Proposal; dialogue: Dialogue }>(env.signal);
	for (const request of step.requests) {
		const task = await questionOf(request, state, context, env);
		const { reservation, paid } = await reserveFor(env, [task.key], await costLeft(env, task, 0));
		if (together.failed) break;
		if (reservation === null) {
			// What an earlier conducting paid for it has to stand somewhere.
			if (paid.calls > 0) together.add(Promise.resolve(unfinishedQuestion(request, task, paid)));
			continue;
		}
		const one = env.pool.run(task, { signal: together.signal }).then((dialogue) => {
			const cost = spendOf(dialogue, task);
			reservation.settle(cost);
			assertGoing(dialogue);
			done += 1;
			report();
			const { id, group } = request;
			const failing = request.failing.map(({ caseId }) => caseId);
			return { proposal: readProposal({ id, group: group.id, failing }, dialogue, cost), dialogue };
		});
		together.add(one, () => reservation.settle(NO_COST));
	}
	const results = await together.results();
	assertNoFlood(results.map((result) => result.dialogue));
	return results.map((result) => result.proposal);
}
