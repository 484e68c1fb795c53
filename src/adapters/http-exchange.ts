/**
 * One HTTP request and its whole answer, under limits. Knows bytes and sockets, nothing of models. Invariants: redirects are
 * never followed (a key goes to one host only), certificates are always checked, and no answer can hold more memory than its
 * cap or stay silent longer than its idle deadline, wherever in the answer that happens.
 *
 * Built on node:http with kept-alive connections rather than on fetch: a third of its cost for each call, and it tells a
 * connection that was never made from one that broke.
 */
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { performance } from "node:perf_hooks";

export interface ExchangeLimits {
	/** Of the body, in bytes. */
	maxBytes: number;
	/** Longest silence within an answer, in milliseconds. Time before its first byte is the caller's deadline. */
	idleMs: number;
	/** To connect and to agree on encryption, in milliseconds. */
	connectMs: number;
	/** A connection that breaks this long after the request was sent broke while the model was at work, in milliseconds. */
	workMs: number;
}

interface OutgoingRequest {
	url: string;
	method: string;
	headers: Record<string, string>;
	body: string;
	signal: AbortSignal | undefined;
}

export interface Exchange {
	status: number;
	headers: http.IncomingHttpHeaders;
	text: string;
	/** From the request to the last byte of the answer, in milliseconds. */
	ms: number;
}

/**
 * `connect`: nothing was sent. `reset`: sent, but no answer began. `reset-late`: the same after a long wait. `cut`, `idle`,
 * `too-large`: an answer had begun.
 */
export type Breakage = "connect" | "reset" | "reset-late" | "cut" | "idle" | "too-large" | "aborted";

/** Why there is no whole answer. */
export class ExchangeError extends Error {
	readonly breakage: Breakage;
	/** An error code or a few words: no address and no header. Not in `message`, where clients guess kinds from words. */
	readonly detail: string;

	constructor(breakage: Breakage, detail: string) {
		super(breakage);
		this.name = "ExchangeError";
		this.breakage = breakage;
		this.detail = detail;
	}
}

/** Of an answer that only explains a failure, no more than this is kept. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Makes a function that exchanges over kept-alive connections. It rejects with an ExchangeError and nothing else. */
export function createExchange(limits: ExchangeLimits): (request: OutgoingRequest) => Promise<Exchange> {
	const agents = {
		"http:": new http.Agent({ keepAlive: true }),
		"https:": new https.Agent({ keepAlive: true, rejectUnauthorized: true }),
	};
	return ({ url, method, headers, body, signal }) =>
		new Promise((resolve, reject) => {
			const started = performance.now();
			const secure = url.startsWith("https:");
			const options = { method, headers, agent: secure ? agents["https:"] : agents["http:"] };
			const request = secure ? https.request(url, options) : http.request(url, options);
			let stage: "connect" | "reset" | "cut" = "connect";
			let sentAt = started;
			const fail = (breakage: Breakage, detail: string) => {
				reject(new ExchangeError(breakage, detail));
				request.destroy();
			};
			const abort = () => fail("aborted", "stopped");
			if (signal?.aborted) return abort();
			signal?.addEventListener("abort", abort, { once: true });
			watchConnecting(request, secure, limits.connectMs, {
				connected: () => {
					stage = "reset";
					sentAt = performance.now();
				},
				late: () => fail("connect", `no connection within ${limits.connectMs / 1000} s`),
			});
			request.on("error", (error) => {
				const isLate = stage === "reset" && performance.now() - sentAt >= limits.workMs;
				fail(isLate ? "reset-late" : stage, codeOf(error));
			});
			request.on("response", (response) => {
				stage = "cut";
				const finish = (text: string) => {
					resolve({
						status: response.statusCode ?? 0,
						headers: response.headers,
						text,
						ms: performance.now() - started,
					});
				};
				readBody(response, limits, finish, fail);
			});
			request.end(body);
		});
}

function watchConnecting(
	request: http.ClientRequest,
	secure: boolean,
	connectMs: number,
	on: { connected: () => void; late: () => void },
): void {
	request.once("socket", (socket) => {
		if (request.reusedSocket) return on.connected();
		const timer = setTimeout(on.late, connectMs);
		socket.once(secure ? "secureConnect" : "connect", () => {
			clearTimeout(timer);
			on.connected();
		});
		request.once("close", () => clearTimeout(timer));
	});
}

function readBody(
	response: IncomingMessage,
	{ maxBytes, idleMs }: ExchangeLimits,
	finish: (text: string) => void,
	fail: (breakage: Breakage, detail: string) => void,
): void {
	const isAnswer = Math.trunc((response.statusCode ?? 0) / 100) === 2;
	const cap = isAnswer ? maxBytes : Math.min(maxBytes, MAX_ERROR_BYTES);
	const chunks: Buffer[] = [];
	let size = 0;
	const idle = setTimeout(() => fail("idle", `the answer stopped for ${idleMs / 1000} s`), idleMs);
	const text = () => Buffer.concat(chunks).subarray(0, cap).toString("utf8");
	const tooLarge = () => fail("too-large", `the answer is larger than ${cap} bytes`);
	response.once("close", () => clearTimeout(idle));
	response.on("error", (error) => fail("cut", codeOf(error)));
	if (isAnswer && Number(response.headers["content-length"]) > cap) tooLarge();
	response.on("data", (chunk: Buffer) => {
		idle.refresh();
		chunks.push(chunk);
		size += chunk.length;
		if (size <= cap) return;
		if (isAnswer) tooLarge();
		else finish(text());
		response.destroy();
	});
	response.on("end", () => finish(text()));
}

/** `ECONNREFUSED` and the like; the message otherwise. Of several addresses that were tried, the first one's. */
function codeOf(error: Error & { code?: unknown; errors?: unknown }): string {
	if (typeof error.code === "string") return error.code;
	const first: unknown = Array.isArray(error.errors) ? error.errors[0] : undefined;
	return first instanceof Error ? codeOf(first) : error.message;
}
