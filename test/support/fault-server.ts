/**
 * A real model server on 127.0.0.1 that answers like a named kind of endpoint and fails as a script says. It counts what
 * arrives and what it answers, so that money is measured from outside of the code under test.
 *
 * Faults are taken one for each request, in order; when there are none left, requests are answered.
 */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ChatBody, PROFILES, type Profile, type ProfileName } from "./endpoint-profiles.ts";

export type Fault =
	/** An error status with headers and a body (JSON unless it is a string). */
	| { kind: "status"; status: number; headers?: Record<string, string>; body?: unknown }
	/** Any bytes with status 200. */
	| { kind: "raw"; body: string | Buffer; contentType?: string }
	/** A completion with other fields: `message`, `finish_reason`, `usage` (undefined leaves it out), `choices`. */
	| { kind: "reply"; message?: unknown; finish_reason?: unknown; usage?: unknown; choices?: unknown }
	/** The connection is reset before an answer begins. */
	| { kind: "reset" }
	/** Nothing is ever answered. */
	| { kind: "hang" }
	/** Headers and half of the body; then the connection breaks, or nothing more comes. */
	| { kind: "half"; ending: "break" | "silence" }
	/** One byte of body at a time, for ever or so many before a completion. */
	| { kind: "drip"; everyMs: number; count?: number }
	/** A body of so many bytes (endless: Infinity), as fast as the client reads. */
	| { kind: "flood"; bytes: number; declared?: boolean };

interface ReceivedRequest {
	url: string;
	headers: http.IncomingHttpHeaders;
	body: ChatBody;
	/** Number of the connection on which it came, from 1. */
	connection: number;
}

export interface FaultServer {
	/** Base URL, with /v1. */
	readonly url: string;
	readonly port: number;
	/** All requests, in order of arrival. */
	readonly requests: readonly ReceivedRequest[];
	/** Completions that were sent: what a provider would charge for. */
	readonly answers: number;
	readonly connections: number;
	/** Requests whose connection the client closed before the answer was whole. */
	readonly abandoned: number;
	/** Adds faults for the next requests. */
	script(...faults: Fault[]): void;
	/** Resolves when so many requests have arrived in all. */
	arrived(count: number): Promise<void>;
	close(): Promise<void>;
}

export interface FaultServerOptions {
	profile?: ProfileName;
	faults?: readonly Fault[];
	/** Text of the answer to a request (`hello`). */
	answer?: (body: ChatBody) => string;
}

interface State {
	requests: ReceivedRequest[];
	faults: Fault[];
	answers: number;
	connections: number;
	abandoned: number;
	waiting: { count: number; tell: () => void }[];
}

export async function startFaultServer(options: FaultServerOptions = {}): Promise<FaultServer> {
	const profile: Profile = PROFILES[options.profile ?? "openai"];
	const state: State = {
		requests: [],
		faults: [...(options.faults ?? [])],
		answers: 0,
		connections: 0,
		abandoned: 0,
		waiting: [],
	};
	const numbers = new WeakMap<Socket, number>();
	const server = http.createServer(async (request, response) => {
		response.on("close", () => {
			if (!response.writableFinished) state.abandoned++;
		});
		const body = (await readJson(request)) as ChatBody;
		state.requests.push({
			url: request.url ?? "",
			headers: request.headers,
			body,
			connection: numbers.get(request.socket) ?? 0,
		});
		for (const { count, tell } of state.waiting) if (state.requests.length >= count) tell();
		const fault = state.faults.shift();
		if (fault === undefined || fault.kind === "reply") answer(response, body, profile, state, options, fault);
		else fail(request, response, fault);
	});
	server.on("connection", (socket) => numbers.set(socket, ++state.connections));
	await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		port,
		requests: state.requests,
		get answers() {
			return state.answers;
		},
		get connections() {
			return state.connections;
		},
		get abandoned() {
			return state.abandoned;
		},
		script: (...faults) => void state.faults.push(...faults),
		arrived: (count) =>
			new Promise((tell) => {
				if (state.requests.length >= count) tell();
				else state.waiting.push({ count, tell });
			}),
		close: () =>
			new Promise((done) => {
				server.close(() => done());
				server.closeAllConnections();
			}),
	};
}

function answer(
	response: ServerResponse,
	body: ChatBody,
	profile: Profile,
	state: State,
	options: FaultServerOptions,
	fault: Extract<Fault, { kind: "reply" }> | undefined,
): void {
	const refusal = profile.refuse?.(body) ?? null;
	if (refusal !== null) {
		send(response, refusal.status ?? 400, refusal.body);
		return;
	}
	const content = options.answer?.(body) ?? "hello";
	const plain = {
		id: "chatcmpl-1",
		object: "chat.completion",
		created: 1,
		model: body.model,
		choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
		usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } as unknown,
	};
	const completion: Record<string, unknown> = profile.shape?.(plain) ?? plain;
	if (fault !== undefined) {
		const { message = { role: "assistant", content }, finish_reason = "stop" } = fault;
		completion.choices = "choices" in fault ? fault.choices : [{ index: 0, message, finish_reason }];
		if ("usage" in fault) completion.usage = fault.usage;
	}
	state.answers++;
	send(response, 200, completion);
}

function fail(request: IncomingMessage, response: ServerResponse, fault: Exclude<Fault, { kind: "reply" }>): void {
	if (fault.kind === "status") {
		send(response, fault.status, fault.body ?? { error: { message: "scripted" } }, fault.headers);
	} else if (fault.kind === "raw") {
		response.writeHead(200, { "content-type": fault.contentType ?? "application/json" }).end(fault.body);
	} else if (fault.kind === "reset") {
		request.socket.resetAndDestroy();
	} else if (fault.kind === "half") {
		half(request, response, fault.ending);
	} else if (fault.kind === "drip") {
		drip(response, fault.everyMs, fault.count ?? Number.POSITIVE_INFINITY);
	} else if (fault.kind === "flood") {
		flood(response, fault.bytes, fault.declared ?? false);
	}
}

function half(request: IncomingMessage, response: ServerResponse, ending: "break" | "silence"): void {
	response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
	response.write('{"choices":[{"message":{"content":"half', () => {
		if (ending === "break") request.socket.destroy();
	});
}

function drip(response: ServerResponse, everyMs: number, count: number): void {
	response.writeHead(200, { "content-type": "application/json" });
	let left = count;
	const timer = setInterval(() => {
		if (left-- > 0) response.write(" ");
		else response.end('{"choices":[{"message":{"content":"slow"},"finish_reason":"stop"}]}');
	}, everyMs);
	response.on("close", () => clearInterval(timer));
}

function flood(response: ServerResponse, bytes: number, declared: boolean): void {
	const chunk = Buffer.alloc(64 * 1024, "x");
	let left = bytes;
	response.writeHead(200, { "content-type": "application/json", ...(declared && { "content-length": bytes }) });
	const pour = () => {
		while (left > 0 && !response.destroyed) {
			const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
			left -= part.length;
			if (!response.write(part)) {
				response.once("drain", pour);
				return;
			}
		}
		response.end();
	};
	pour();
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const type = typeof body === "string" ? "text/plain" : "application/json";
	response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text), ...headers }).end(text);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return JSON.parse(Buffer.concat(chunks).toString());
}
