/**
 * How kinds of endpoints differ: what each refuses and in which words, and how its answers are shaped. The words are those
 * that the real ones are known to use.
 */

export interface ChatBody {
	model: string;
	messages: { role: string; content: string }[];
	temperature?: number;
	max_tokens?: number;
	max_completion_tokens?: number;
	reasoning_effort?: string;
	response_format?: { type: string; json_schema?: { name: string; schema: unknown; strict?: boolean } };
}

interface Completion {
	choices: { index: number; message: Record<string, unknown>; finish_reason: string }[];
	usage?: unknown;
	[field: string]: unknown;
}

export interface Profile {
	/** An error body, and a status other than 400. */
	refuse?: (body: ChatBody) => { body: unknown; status?: number } | null;
	shape?: (completion: Completion) => Completion;
}

/** OpenAI's form of an error. */
function complain(message: string, param: string | null, code: string | null) {
	return { body: { error: { message, type: "invalid_request_error", param, code } } };
}

function refuseLikeReasoningModel(body: ChatBody) {
	if (body.max_tokens !== undefined) {
		const message =
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
		return complain(message, "max_tokens", "unsupported_parameter");
	}
	if (body.temperature !== undefined) {
		const message =
			"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.";
		return complain(message, "temperature", "unsupported_value");
	}
	return null;
}

function withMessage(completion: Completion, message: Record<string, unknown>): Completion {
	const choices = completion.choices.map((choice) => ({ ...choice, message: { ...choice.message, ...message } }));
	return { ...completion, choices };
}

const text = (completion: Completion) => String(completion.choices[0]?.message.content);

function withoutUsage({ usage: _usage, ...rest }: Completion): Completion {
	return rest;
}

export const PROFILES = {
	openai: {},
	"reasoning-model": {
		refuse: refuseLikeReasoningModel,
		shape: (completion) => ({
			...completion,
			usage: {
				prompt_tokens: 100,
				completion_tokens: 50,
				total_tokens: 150,
				prompt_tokens_details: { cached_tokens: 64 },
				completion_tokens_details: { reasoning_tokens: 40 },
			},
		}),
	},
	"old-reasoning-model": {
		refuse: (body) => {
			const role = body.messages.find((message) => message.role === "system" || message.role === "developer")?.role;
			const message = `Unsupported value: 'messages[0].role' does not support '${role}' with this model.`;
			return role === undefined
				? refuseLikeReasoningModel(body)
				: complain(message, "messages[0].role", "unsupported_value");
		},
	},
	azure: {
		refuse: (body) => {
			if (body.response_format?.type !== "json_schema") return refuseLikeReasoningModel(body);
			const message =
				"response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later";
			return complain(message, null, "BadRequest");
		},
		shape: (completion) => ({
			...completion,
			prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
		}),
	},
	ollama: {
		refuse: (body) => {
			const message = `"${body.model}" does not support thinking`;
			return body.reasoning_effort === undefined ? null : complain(message, null, null);
		},
		shape: (completion) => withMessage(completion, { reasoning: "Let me see." }),
	},
	vllm: {
		refuse: (body) => {
			if (body.messages[0]?.role !== "system") return null;
			return {
				body: {
					object: "error",
					message: "System role not supported",
					type: "BadRequestError",
					param: null,
					code: 400,
				},
			};
		},
		shape: (completion) => withMessage(completion, { reasoning_content: "Let me see.", tool_calls: [] }),
	},
	"lm-studio": {
		refuse: (body) => {
			if (body.response_format === undefined || body.response_format.type === "text") return null;
			return { body: { error: "'response_format.type' must be 'json_schema' or 'text'" } };
		},
		shape: (completion) =>
			withMessage(completion, { content: `<think>\nLet me see.\n</think>\n\n${text(completion)}` }),
	},
	deepseek: {
		refuse: (body) =>
			body.response_format?.type === "json_schema"
				? complain("This response_format type is unavailable now", null, "invalid_request_error")
				: null,
		shape: (completion) => ({
			...completion,
			usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_cache_hit_tokens: 90 },
		}),
	},
	mistral: {
		refuse: (body) => {
			if (body.max_completion_tokens === undefined && body.reasoning_effort === undefined) return null;
			const name = body.max_completion_tokens === undefined ? "reasoning_effort" : "max_completion_tokens";
			const detail = [
				{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted", input: 1 },
			];
			return {
				status: 422,
				body: { object: "error", message: { detail }, type: "invalid_request_error", param: null },
			};
		},
		shape: (completion) =>
			withMessage(completion, {
				content: [
					{ type: "thinking", thinking: [{ type: "text", text: "Let me see." }] },
					{ type: "text", text: text(completion).slice(0, 2) },
					{ type: "text", text: text(completion).slice(2) },
				],
			}),
	},
	"strict-schemas": {
		refuse: (body) => {
			if (body.response_format?.json_schema?.strict !== true) return null;
			const message = "Invalid schema for response_format 'edits': In context=(), 'minLength' is not permitted.";
			return complain(message, "response_format", "invalid_json_schema");
		},
	},
	"no-usage": { shape: withoutUsage },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
