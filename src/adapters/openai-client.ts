/**
 * A model behind an endpoint that speaks Chat Completions, through the `openai` package. Knows how to put one call and what
 * to learn from a refusal; never repeats a call that failed (that is the retrying client's) and counts no money.
 * Invariant: expected failure is a value; the promise rejects with the signal's reason when it aborts, and otherwise never.
 */
import OpenAI, { APIConnectionError, APIError } from "openai";
import type { Role } from "../domain/dialogue.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../ports/model-client.ts";
import { onAbort } from "./abort-watch.ts";
import { type Endpoint, readEndpoint } from "./endpoint-address.ts";
import { learn, NO_QUIRKS, type Quirks, type Sent } from "./endpoint-quirks.ts";
import { createExchange, type Exchange, ExchangeError, type ExchangeLimits } from "./http-exchange.ts";
import { createKeyText, type KeyText } from "./key-text.ts";
import {
	failOfBreakage,
	failOfReading,
	failOfStatus,
	isPromptRefused,
	isPromptTooLong,
	readRefusal,
} from "./openai-failure.ts";
import { estimateUsage, readReply } from "./openai-reply.ts";
import { partsOf, writeBody } from "./openai-request.ts";
import { readRetryAfter } from "./retry-timing.ts";

export interface OpenAiOptions {
	/** Such as `https://api.openai.com/v1`; a query in it (Azure's `api-version`) goes with every call. */
	baseUrl: string;
	/** Needed for public hosts only. */
	apiKey?: string | undefined;
	/** Deadline of one call with its whole answer, in milliseconds: for all roles or for each (120 000; reflection 600 000). */
	timeoutMs?: number | Readonly<Record<Role, number>>;
	/** Longest silence within an answer that has begun, in milliseconds (30 000). */
	idleMs?: number;
	/** To connect, in milliseconds (10 000). */
	connectMs?: number;
	/** Largest answer, in bytes (4 MiB). */
	maxBytes?: number;
	/** A call whose connection breaks after so many milliseconds without an answer is probably charged (5 000). */
	workMs?: number;
	/** Epoch milliseconds, for waits that are asked for as dates. */
	now?: () => number;
	/** Told once for each thing that is learnt about a model, such as `{ temperature: false }`. */
	onLearnt?: (model: string, lessons: Partial<Quirks>) => void;
}

const TIMEOUTS: Readonly<Record<Role, number>> = { task: 120_000, judge: 120_000, reflection: 600_000 };

/** Refusals that one call learns from, at the most; there are no more lessons than that. */
const MAX_LESSONS = 8;

/**
 * Makes a client for one endpoint. What a model refuses is learnt by its first call and remembered as long as the client
 * lives; the requests that taught it brought no answer and are not counted as attempts.
 * @throws UsageError, UnavailableError when the address or the key cannot be used (see `readEndpoint`).
 */
export function createOpenAiClient(options: OpenAiOptions): ModelClient {
	const {
		timeoutMs = TIMEOUTS,
		idleMs = 30_000,
		connectMs = 10_000,
		maxBytes = 4 * 1024 * 1024,
		workMs = 5_000,
		now = Date.now,
	} = options;
	const endpoint = readEndpoint(options.baseUrl, options.apiKey);
	const post = createPost(endpoint, { idleMs, connectMs, maxBytes, workMs });
	const key = createKeyText(endpoint.apiKey);
	// The official endpoint takes the newer name of the limit for all its models; the others know the older one.
	const unlearnt: Quirks = { ...NO_QUIRKS, limit: endpoint.isOpenAi ? "max_completion_tokens" : "max_tokens" };
	const learnt = new Map<string, Partial<Quirks>>();

	const remember = (model: string, lessons: Partial<Quirks>) => {
		const before = learnt.get(model) ?? {};
		const after = { ...before, ...lessons };
		learnt.set(model, after);
		if (JSON.stringify(before) !== JSON.stringify(after)) options.onLearnt?.(model, lessons);
	};

	return {
		async complete(request, { signal }) {
			signal.throwIfAborted();
			const deadline = typeof timeoutMs === "number" ? timeoutMs : timeoutMs[request.role];
			let lessons: Partial<Quirks> = {};
			for (let count = 0; ; count++) {
				const quirks = { ...unlearnt, ...learnt.get(request.model.name), ...lessons };
				const posted = await post(writeBody(request, quirks), deadline, signal);
				const sent = partsOf(request, quirks);
				// The one lesson that could go back and forth: the name of the limit changes once in a call.
				if (lessons.limit !== undefined) sent.limit = false;
				const lesson = isRefused(posted) ? lessonOf(posted, sent) : null;
				if (lesson !== null && count < MAX_LESSONS) {
					lessons = { ...lessons, ...lesson };
					continue;
				}
				const answer = answerOf(posted, request, { host: endpoint.host, key, deadline, now });
				// Only what led to an answer is known to be true.
				if (count > 0 && answer.status === "answered") remember(request.model.name, lessons);
				return answer;
			}
		},
	};
}

type Post = (
	body: ReturnType<typeof writeBody>,
	timeoutMs: number,
	signal: AbortSignal,
) => Promise<Exchange | ExchangeError>;

/**
 * One request through the package. It owns address, headers, encoding and deadline; its transport is ours, which reads the
 * answer to its end, so that the deadline covers the body. The package hands out the headers of each response, of good and
 * bad ones alike: they are how the exchange behind a response is found again.
 */
function createPost(endpoint: Endpoint, limits: ExchangeLimits): Post {
	const exchange = createExchange(limits);
	const exchanges = new WeakMap<Headers, Exchange>();
	const openai = new OpenAI({
		...packageSettings(endpoint),
		fetch: async (url, init) => {
			const exchanged = await exchange({
				url: String(url),
				method: init?.method ?? "POST",
				headers: ownHeaders(init?.headers instanceof Headers ? init.headers : new Headers(init?.headers)),
				body: String(init?.body ?? ""),
				signal: init?.signal ?? undefined,
			});
			const response = new Response(null, { status: exchanged.status });
			exchanges.set(response.headers, exchanged);
			return response;
		},
	});
	const found = (headers: Headers | undefined, otherwise: unknown): Exchange => {
		const exchanged = headers && exchanges.get(headers);
		if (exchanged === undefined) throw otherwise;
		return exchanged;
	};
	return async (body, timeoutMs, signal) => {
		// A signal of its own: the package never takes its listener off the one that it is given, and a run's signal lives long.
		const control = new AbortController();
		const forget = onAbort(signal, () => control.abort());
		try {
			const options = { signal: control.signal, timeout: Math.max(1, Math.round(timeoutMs)) };
			const response = await openai.chat.completions.create(body, options).asResponse();
			return found(
				response.headers,
				new Error("the openai package answered with a response that was not its transport's"),
			);
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof APIConnectionError && error.cause instanceof ExchangeError) return error.cause;
			if (error instanceof APIError) return found(error.headers, error);
			throw error;
		} finally {
			forget();
		}
	};
}

/** Nothing of the environment that belongs to OpenAI goes to another provider, and the package prints nothing. */
function packageSettings({ baseUrl, query, apiKey, isOpenAi, isAzure }: Endpoint) {
	return {
		apiKey,
		adminAPIKey: null,
		webhookSecret: null,
		...(!isOpenAi && { organization: null, project: null }),
		baseURL: baseUrl,
		defaultQuery: query,
		...(isAzure && { defaultHeaders: { "api-key": apiKey } }),
		maxRetries: 0,
		logLevel: "off" as const,
	};
}

/** Without those that tell each endpoint about this machine. */
function ownHeaders(headers: Headers): Record<string, string> {
	const own: Record<string, string> = {};
	for (const [name, value] of headers) if (!name.startsWith("x-stainless-")) own[name] = value;
	return own;
}

function isRefused(posted: Exchange | ExchangeError): posted is Exchange {
	return !(posted instanceof ExchangeError) && posted.status >= 400;
}

/** A complaint about what the prompt says or how long it is teaches nothing about the endpoint. */
function lessonOf({ status, text }: Exchange, sent: Sent): Partial<Quirks> | null {
	const refusal = readRefusal(status, text);
	return isPromptRefused(refusal) || isPromptTooLong(refusal) ? null : learn(refusal, sent);
}

interface Context {
	host: string;
	key: KeyText;
	deadline: number;
	now: () => number;
}

function answerOf(
	posted: Exchange | ExchangeError,
	request: ModelRequest,
	{ host, key, deadline, now }: Context,
): ModelAnswer {
	const where = `${request.model.name} at ${host}`;
	if (posted instanceof ExchangeError) return failOfBreakage(posted.breakage, posted.detail, where, deadline, key);
	const { headers, text: body, ms: latencyMs } = posted;
	let { status } = posted;
	if (status >= 200 && status < 300) {
		const reading = readReply(body, request.messages, key);
		if (reading.kind === "malformed") return failOfReading(reading.message, status, where, key);
		if (reading.kind === "reply") {
			const { text, finish, usage } = reading;
			return { status: "answered", reply: { text, finish, usage, latencyMs }, attempts: 1 };
		}
		status = reading.status;
	}
	const refusal = readRefusal(status, body);
	if (isPromptRefused(refusal)) {
		const usage = estimateUsage(request.messages, "");
		return { status: "answered", reply: { text: "", finish: "refused", usage, latencyMs }, attempts: 1 };
	}
	const first = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
	return failOfStatus(refusal, where, readRetryAfter({ get: first }, now()), key);
}
