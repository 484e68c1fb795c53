/**
 * How a text and a case become the task that buys a rollout: the assembly of messages, which is a part of the protocol.
 */
import type { Case } from "../domain/case.ts";
import type { Message } from "../domain/dialogue.ts";
import type { Settings } from "../domain/job-spec.ts";
import { bodyOf, parseSkill, rebuildSkill, type Skill } from "../domain/skill.ts";
import { createTask, type Task } from "../domain/trial.ts";

/** What a model under test receives of a text: kernel and harness in document order, without frontmatter. */
export function bodyWith(skill: Skill, harness: readonly string[]): string {
	return bodyOf(parseSkill(rebuildSkill(skill, harness)));
}

/** One system message with the body, then the case as its user said it; arguments follow the input, as hosts append them. */
export function assemble(body: string, entry: Case): Message[] {
	const said: Message[] = entry.messages ? [...entry.messages] : [{ role: "user", content: entry.input ?? "" }];
	if (entry.args !== undefined && entry.args !== entry.input) {
		const last = said.at(-1);
		if (last) said[said.length - 1] = { ...last, content: `${last.content}\n\nARGUMENTS: ${entry.args}` };
	}
	return [{ role: "system", content: body }, ...said];
}

/** The task that buys one rollout. */
export function rolloutTask(settings: Settings, body: string, entry: Case, repeat: number): Task {
	return createTask({
		kind: "rollout",
		role: "task",
		model: settings.models.task,
		messages: assemble(body, entry),
		contracts: entry.checks.filter((check) => check.contract).map((check) => ({ ...check })),
		maxRetries: settings.maxRetries,
		repeat,
	});
}

/** What a person said in a case, for prompts and reports. */
export function inputOf(entry: Case): string {
	return (
		entry.input ??
		entry.messages
			?.map((message) => (entry.messages?.length === 1 ? message.content : `${message.role}: ${message.content}`))
			.join("\n\n") ??
		""
	);
}
