/**
 * Reads the body of an answer. Pure; knows the shapes that endpoints send and trusts none of them. Invariants: figures of
 * usage are whole and not negative or they are estimates marked as such; text is well-formed Unicode and holds no key that the
 * endpoint echoes; reasoning that came along is not part of the text.
 */
import type { Finish, Message, Usage } from "../domain/dialogue.ts";
import type { KeyText } from "./key-text.ts";

/** `refusal` is an error that came with status 200: some gateways send every answer with it. */
type Reading =
	| { kind: "reply"; text: string; finish: Finish; usage: Usage }
	| { kind: "malformed"; message: string }
	| { kind: "refusal"; status: number };

type Fields = Readonly<Record<string, unknown>>;

/** Reads one answer to `messages`, which are needed where usage must be estimated. */
export function readReply(body: string, messages: readonly Message[], key: KeyText): Reading {
	const parsed = parseJson(body);
	if (parsed === undefined) return { kind: "malformed", message: describeGarbage(body) };
	const root = fieldsOf(parsed);
	const choice = fieldsOf(Array.isArray(root.choices) ? root.choices[0] : undefined);
	const message = fieldsOf(choice.message);
	if (choice.message === undefined || choice.message === null) return readWithoutChoice(root);
	const refusal = typeof message.refusal === "string" && message.refusal !== "" ? message.refusal : null;
	const content = contentText(message.content);
	const reasoning = [message.reasoning_content, message.reasoning].find((text) => typeof text === "string") ?? "";
	const text = key.reply(wellFormed(refusal ?? withoutThoughts(content)));
	const finish = refusal === null ? finishOf(choice.finish_reason) : "refused";
	return {
		kind: "reply",
		text,
		finish,
		usage: readUsage(root.usage) ?? estimateUsage(messages, `${reasoning}${content}${refusal ?? ""}`),
	};
}

/** Four bytes of UTF-8 for a token, which is near enough for prose, code and (at three bytes a sign) Chinese alike. */
export function estimateUsage(messages: readonly Message[], completion: string): Usage {
	const prompt = messages.reduce((sum, { content }) => sum + tokensOf(content) + 4, 0);
	return { prompt, completion: tokensOf(completion), cached: 0, reasoning: 0, estimated: true };
}

function tokensOf(text: string): number {
	return Math.ceil(Buffer.byteLength(text) / 4);
}

function readWithoutChoice(root: Fields): Reading {
	if (root.error !== undefined && root.error !== null) {
		const { code, status } = fieldsOf(root.error);
		const number = [code, status].map(Number).find((n) => Number.isInteger(n) && n >= 400 && n <= 599);
		if (number !== undefined) return { kind: "refusal", status: number };
	}
	return { kind: "malformed", message: "the answer holds no choice with a message" };
}

function parseJson(body: string): unknown {
	try {
		return JSON.parse(body.startsWith("\ufeff") ? body.slice(1) : body);
	} catch {
		return undefined;
	}
}

function describeGarbage(body: string): string {
	const start = body.trimStart();
	if (start === "") return "the answer is empty";
	if (start.startsWith("<"))
		return "the answer is a web page and no JSON; does the base URL end as it should (often in /v1)?";
	if (start.startsWith("{")) return "the answer is JSON that breaks off or is damaged";
	return "the answer is not JSON";
}

/** Text of a string or of an array of parts; parts that are thoughts or pictures count for nothing. */
function contentText(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part) => (typeof part === "string" ? part : fieldsOf(part)))
		.map((part) =>
			typeof part === "string"
				? part
				: /^(output_)?text$|^refusal$/.test(String(part.type))
					? (part.text ?? part.refusal)
					: "",
		)
		.filter((text) => typeof text === "string")
		.join("");
}

/** Takes away a block of thoughts at the start. One that never ends was cut off before the answer began. */
function withoutThoughts(text: string): string {
	const start = text.trimStart();
	if (!start.startsWith("<think>")) return text;
	const end = start.indexOf("</think>");
	return end < 0 ? "" : start.slice(end + "</think>".length).trimStart();
}

/** Half of a surrogate pair cannot be stored as UTF-8: the text read back would differ from the text that was scored. */
function wellFormed(text: string): string {
	return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function finishOf(reason: unknown): Finish {
	switch (reason) {
		case "stop":
		case "eos":
		case "eos_token":
		case "end_turn":
		case "stop_sequence":
			return "stop";
		case "length":
		case "max_tokens":
		case "model_length":
			return "length";
		case "content_filter":
		case "refusal":
		case "safety":
			return "refused";
		default:
			return "other";
	}
}

/** Null when the endpoint told nothing usable; a prompt of no tokens is a server that does not count. */
function readUsage(value: unknown): Usage | null {
	const usage = fieldsOf(value);
	const prompt = countOf(usage.prompt_tokens);
	const visible = countOf(usage.completion_tokens);
	if (prompt === null || prompt === 0 || visible === null) return null;
	const cached =
		countOf(fieldsOf(usage.prompt_tokens_details).cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens) ?? 0;
	const reasoning = countOf(fieldsOf(usage.completion_tokens_details).reasoning_tokens) ?? 0;
	// Some providers count reasoning beside the completion and not within it; their total gives it away.
	const isBeside = reasoning > 0 && countOf(usage.total_tokens) === prompt + visible + reasoning;
	const completion = isBeside ? visible + reasoning : visible;
	return {
		prompt,
		completion,
		cached: Math.min(cached, prompt),
		reasoning: Math.min(reasoning, completion),
		estimated: false,
	};
}

function countOf(value: unknown): number | null {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function fieldsOf(value: unknown): Fields {
	return typeof value === "object" && value !== null ? (value as Fields) : {};
}
