/**
 * Words a request in the body of Chat Completions, within what is known of the endpoint. Pure; knows no transport.
 * Invariant: whatever the endpoint cannot do, the messages keep their order and all their text.
 */
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { Message } from "../domain/dialogue.ts";
import type { ModelRequest } from "../ports/model-client.ts";
import type { Quirks, Sent } from "./endpoint-quirks.ts";

type Format = NonNullable<ModelRequest["format"]>;

/** The body to send. */
export function writeBody(request: ModelRequest, quirks: Quirks): ChatCompletionCreateParamsNonStreaming {
	const { model, format } = request;
	const sent = partsOf(request, quirks);
	const asked = format === undefined ? request.messages : askForFormat(request.messages, format, quirks.format);
	return {
		model: model.name,
		messages: quirks.system === "merged" ? mergeSystem(asked) : nameSystem(asked, quirks.system),
		...(sent.temperature && model.temperature !== undefined && { temperature: model.temperature }),
		...(sent.limit && model.maxOutputTokens !== undefined && { [quirks.limit]: model.maxOutputTokens }),
		...(sent.reasoningEffort && model.reasoningEffort !== undefined && { reasoning_effort: model.reasoningEffort }),
		...(sent.format && format !== undefined && { response_format: formatParameter(format, quirks.format) }),
	};
}

/** Which refusable parts a request has under the given quirks. */
export function partsOf({ model, messages, format }: ModelRequest, quirks: Quirks): Sent {
	return {
		quirks,
		temperature: quirks.temperature && model.temperature !== undefined,
		reasoningEffort: quirks.reasoningEffort && model.reasoningEffort !== undefined,
		limit: model.maxOutputTokens !== undefined,
		format: format !== undefined && quirks.format !== "fence",
		system: quirks.system !== "merged" && messages.some((message) => message.role === "system"),
	};
}

function formatParameter(
	{ name, schema }: Format,
	level: Quirks["format"],
): NonNullable<ChatCompletionCreateParamsNonStreaming["response_format"]> {
	if (level === "object") return { type: "json_object" };
	const strict = level === "strict" && isClosed(schema);
	const allowedName = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "reply";
	return { type: "json_schema", json_schema: { name: allowedName, schema: { ...schema }, ...(strict && { strict }) } };
}

/** Strict mode takes only schemas whose objects list every property as required and allow no other. */
function isClosed(schema: unknown): boolean {
	if (Array.isArray(schema)) return schema.every(isClosed);
	if (typeof schema !== "object" || schema === null) return true;
	const node = schema as { properties?: unknown; required?: unknown; additionalProperties?: unknown };
	if (typeof node.properties === "object" && node.properties !== null) {
		const required: unknown[] = Array.isArray(node.required) ? node.required : [];
		if (node.additionalProperties !== false) return false;
		if (!Object.keys(node.properties).every((name) => required.includes(name))) return false;
	}
	return Object.values(schema).every(isClosed);
}

/** Endpoints that take no schema are told it in words. (JSON mode also insists that the messages speak of JSON.) */
function askForFormat(messages: readonly Message[], { schema }: Format, level: Quirks["format"]): readonly Message[] {
	if (level === "strict" || level === "schema") return messages;
	const where = level === "object" ? "one JSON object" : "one JSON value in a ```json fence";
	const sentence = `Answer with ${where} and nothing else. It must satisfy this JSON schema: ${JSON.stringify(schema)}`;
	const last = messages.at(-1);
	if (last?.role !== "user") return [...messages, { role: "user", content: sentence }];
	return [...messages.slice(0, -1), { role: "user", content: `${last.content}\n\n${sentence}` }];
}

function nameSystem(messages: readonly Message[], name: "system" | "developer"): Named[] {
	return messages.map(({ role, content }) => ({ role: role === "system" ? name : role, content }));
}

type Named = { role: "system" | "developer" | "user" | "assistant"; content: string };

/** All system text in front of the first user message. */
function mergeSystem(messages: readonly Message[]): Named[] {
	const system = messages.filter((message) => message.role === "system").map((message) => message.content);
	const others = messages.filter((message) => message.role !== "system");
	const [first, ...rest] = others;
	if (system.length === 0) return others;
	if (first?.role !== "user") return [{ role: "user", content: system.join("\n\n") }, ...others];
	return [{ role: "user", content: [...system, first.content].join("\n\n") }, ...rest];
}
