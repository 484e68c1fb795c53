/**
 * Turns what went wrong with a call into an answer of the port. Pure; knows statuses, error bodies and broken exchanges.
 * Invariants: `config` is said only of what concerns every call; a message is for people, holds no key, no control character
 * and at most 500 characters; what was generated and lost, or probably was, counts as maybe paid.
 */
import type { ModelAnswer, Unavailable } from "../ports/model-client.ts";
import type { Complaint } from "./endpoint-quirks.ts";
import type { Breakage } from "./http-exchange.ts";
import type { KeyText } from "./key-text.ts";

type Failed = Extract<ModelAnswer, { status: "unavailable" }>;

/** What an answer with an error status says. */
interface Refusal extends Complaint {
	code: string | null;
	/** The endpoint's own words, where it has some for people. */
	words: string | null;
}

const MAX_MESSAGE = 500;
const MAX_COMPLAINT = 8_000;

/** Reads the error body of any of the known shapes: `{error: {…}}`, `{error: "…"}`, `{message: "…"}`, `{detail: …}`, plain text. */
export function readRefusal(status: number, body: string): Refusal {
	const text = body.slice(0, MAX_COMPLAINT);
	const root = fieldsOf(parseJson(body));
	const error = typeof root.error === "object" && root.error !== null ? fieldsOf(root.error) : root;
	const words = [root.error, fieldsOf(error.metadata).raw, error.message, error.detail, root.message].find(isText);
	const code = [error.code, error.type].find(isText);
	return {
		status,
		text,
		code: code ?? null,
		param: isText(error.param) ? error.param : null,
		words: words ?? plainWords(text),
	};
}

/** True when the endpoint refused to answer this prompt for what it says: an answer of sorts, and usually charged. */
export function isPromptRefused({ status, code, text }: Refusal): boolean {
	return (
		status === 400 &&
		(/^(content_filter|content_policy_violation|invalid_prompt)$/.test(code ?? "") || /ResponsibleAIPolicy/.test(text))
	);
}

/** `where` names the model and the host. */
export function failOfStatus(refusal: Refusal, where: string, retryAfterMs: number | undefined, key: KeyText): Failed {
	const reason = reasonOf(refusal);
	const explained = refusal.words ?? EXPLAINED[refusal.status] ?? "no explanation";
	const hint = reason === "config" ? (HINTS[refusal.status] ?? "") : "";
	return {
		status: "unavailable",
		reason,
		message: forPeople(`${where} answered ${refusal.status}: ${explained}`, key, hint),
		attempts: 1,
		maybePaid: GIVEN_UP_BY_GATEWAY.has(refusal.status),
		httpStatus: refusal.status,
		...(retryAfterMs !== undefined && { retryAfterMs }),
	};
}

/** The gateway stopped waiting for a model that goes on: it has been asked, and is charged for. */
const GIVEN_UP_BY_GATEWAY: ReadonlySet<number> = new Set([504, 524]);

/**
 * A connection that breaks soon, before an answer has begun, counts as not paid: servers close idle connections just as a
 * request goes out, and such calls must be repeated. After a long wait the model had been at work, and once an answer has
 * begun, its text had been generated.
 */
export function failOfBreakage(
	breakage: Breakage,
	detail: string,
	where: string,
	timeoutMs: number,
	key: KeyText,
): Failed {
	const [reason, said] = {
		connect: ["connection", `cannot be reached (${detail})`],
		reset: ["connection", `closed the connection before it answered (${detail})`],
		"reset-late": ["connection", `closed the connection while it worked on its answer (${detail})`],
		cut: ["malformed", `closed the connection within its answer (${detail})`],
		idle: ["timeout", `was given up: ${detail}`],
		aborted: ["timeout", `did not answer within ${timeoutMs / 1000} s`],
		"too-large": ["too-large", `was given up: ${detail}`],
	}[breakage] as [Unavailable, string];
	const maybePaid = breakage !== "connect" && breakage !== "reset";
	return { status: "unavailable", reason, message: forPeople(`${where} ${said}`, key), attempts: 1, maybePaid };
}

/** An answer with a good status that cannot be used. */
export function failOfReading(said: string, httpStatus: number, where: string, key: KeyText): Failed {
	const message = forPeople(`${where} sent what cannot be used: ${said}`, key);
	return { status: "unavailable", reason: "malformed", message, attempts: 1, maybePaid: true, httpStatus };
}

const OUT_OF_MONEY =
	/insufficient_quota|billing_hard_limit|billing_not_active|insufficient.balance|credit balance is too low/i;
const TOO_LONG =
	/context_length_exceeded|context.length|context.window|maximum context|prompt is too long|string_above_max_length/i;

/** One prompt that is too long says nothing about the other calls. */
export function isPromptTooLong({ status, code, text }: Refusal): boolean {
	return status === 413 || ((status === 400 || status === 422) && TOO_LONG.test(`${code} ${text}`));
}

function reasonOf(refusal: Refusal): Unavailable {
	const { status, code, text } = refusal;
	if (OUT_OF_MONEY.test(code ?? "") || ((status === 429 || status === 400) && OUT_OF_MONEY.test(text))) return "config";
	if (status === 429) return "rate-limit";
	if (status === 408 || status === 409 || status === 425 || status >= 500) return "server";
	if (isPromptTooLong(refusal)) return "too-large";
	return "config";
}

const EXPLAINED: Readonly<Record<number, string>> = {
	401: "the key was not accepted",
	403: "the key may not use this model",
	404: "there is no such model or address",
	408: "it waited too long for the request",
	413: "the request is too large",
	429: "too many requests",
	500: "an error within the endpoint",
	502: "its gateway got no usable answer",
	503: "it is overloaded or down",
	504: "its gateway waited too long",
	524: "its gateway waited too long",
	529: "it is overloaded",
};

const HINTS: Readonly<Record<number, string>> = {
	301: "Redirects are not followed, since they would carry the key elsewhere: use the final address as base URL.",
	302: "Redirects are not followed, since they would carry the key elsewhere: use the final address as base URL.",
	307: "Redirects are not followed, since they would carry the key elsewhere: use the final address as base URL.",
	308: "Redirects are not followed, since they would carry the key elsewhere: use the final address as base URL.",
	401: "Check OPENAI_API_KEY.",
	403: "Check what the key may use.",
	404: "Check the model's name, and that the base URL ends as it should (often in /v1).",
	429: "The account is out of credit: waiting does not help.",
};

/** Secrets go before the text is cut, so that no half of one is left. */
function forPeople(text: string, key: KeyText, hint = ""): string {
	const clean = key
		.message(text)
		.replace(/\b(bearer|basic)\s+[^\s"',;]{4,}/gi, "$1 [key]")
		.replace(/\b(sk|pk|rk|gsk|xai|hf|key)[-_][\w*.-]{6,}/gi, "[key]")
		.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]+/gu, " ")
		.replace(/\s+/g, " ")
		.trim();
	const room = MAX_MESSAGE - (hint === "" ? 0 : hint.length + 2);
	const cut = clean.length > room ? `${clean.slice(0, room - 1)}…` : clean;
	return hint === "" ? cut : `${cut.replace(/[.\s]+$/, "")}. ${hint}`;
}

/** The body as it is, for want of better, unless it is a page or says nothing. */
function plainWords(text: string): string | null {
	const trimmed = text.trim();
	return trimmed.startsWith("<") || !/[a-z]/i.test(trimmed) ? null : trimmed;
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value.trim() !== "";
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
