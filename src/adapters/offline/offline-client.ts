/**
 * The model client without a model: one deterministic simulation for all three roles, for runs without an endpoint. It knows
 * no case and no skill, waits for nothing and costs nothing; its latencies are figures derived from the tokens. Whoever
 * shows its results has to say that they are simulated.
 */
import type { Reply } from "../../domain/dialogue.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../ports/model-client.ts";
import { draw } from "./draws.ts";
import { answerJudge } from "./judge-role.ts";
import { answerMerge, answerRanking, editsToMerge, rankingKey } from "./merge-role.ts";
import { answerReflection } from "./reflection-role.ts";
import { answerTask } from "./task-role.ts";

/** The name under which the simulation appears as a model. */
export const OFFLINE_MODEL = "offline-rules";

/**
 * @param options.seed draws another series of simulated latencies; answers do not depend on it
 * @returns a client whose answers are a function of the messages; it rejects only when the signal has aborted
 */
export function createOfflineClient(options: { seed?: number } = {}): ModelClient {
	const seed = options.seed ?? 0;
	return {
		async complete(request: ModelRequest, { signal }): Promise<ModelAnswer> {
			signal.throwIfAborted();
			if (request.model.name !== OFFLINE_MODEL) return refusal(request.model.name);
			return { status: "answered", reply: replyOf(request, answer(request), seed), attempts: 1 };
		},
	};
}

/** A simulation answers under its own name only: nobody may take it for the model that they asked for. */
function refusal(model: string): ModelAnswer {
	const message = `the built-in rules are not ${model.slice(0, 80)}: set OPENAI_API_KEY or OPENAI_BASE_URL where the calls are made`;
	return { status: "unavailable", reason: "config", message, attempts: 1, maybePaid: false };
}

function answer({ role, messages, format }: ModelRequest): string {
	if (role === "task") return answerTask(messages, format?.schema);
	if (role === "judge") return answerJudge(messages);
	const key = rankingKey(format?.schema);
	if (key !== undefined) return answerRanking(messages, key);
	const edits = editsToMerge(messages);
	return edits.length > 0 ? answerMerge(edits) : answerReflection(messages, sectionIdsOf(format?.schema));
}

/** Ids of the sections that a schema of edits allows. */
function sectionIdsOf(schema: Readonly<Record<string, unknown>> | undefined): string[] {
	const path = ["properties", "edits", "items", "properties", "section", "enum"];
	let value: unknown = schema;
	for (const name of path)
		value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
	return Array.isArray(value) ? value.filter((id): id is string => typeof id === "string") : [];
}

/** Tokens are estimated at four characters each, latency in milliseconds from the tokens and a draw. */
function replyOf({ messages, model }: ModelRequest, full: string, seed: number): Reply {
	const prompt = Math.ceil(messages.reduce((sum, message) => sum + message.content.length, 0) / 4);
	const limit = model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
	const cut = Math.ceil(full.length / 4) > limit;
	const text = cut ? full.slice(0, limit * 4) : full;
	const completion = Math.ceil(text.length / 4);
	const jitter = 120 * draw("latency", seed, ...messages.map((message) => message.content));
	return {
		text,
		finish: cut ? "length" : "stop",
		usage: { prompt, completion, cached: 0, reasoning: 0, estimated: true },
		latencyMs: Math.round(300 + 2 * completion + 0.05 * prompt + jitter),
	};
}
