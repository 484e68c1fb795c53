/**
 * The protocol: all that is held fixed so that variants can be compared. How a text and a case become messages, which model
 * answers under which settings, and the digest of it all.
 */
import type { Case } from "../domain/case.ts";
import type { Message } from "../domain/dialogue.ts";
import { digest } from "../domain/digest.ts";
import type { Settings } from "../domain/job-spec.ts";
import type { Pin } from "../domain/kernel.ts";
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

/** Digest of the protocol of a run; the price of a model is no part of it. */
export function protocolDigest(settings: Settings, pin: Pin): string {
	const { price: _task, ...task } = settings.models.task;
	const { price: _judge, ...judge } = settings.models.judge;
	return digest({
		protocol: 1,
		task,
		judge,
		maxRetries: settings.maxRetries,
		kernel: pin.kernelSha256,
		frontmatter: pin.frontmatterSha256,
	});
}
