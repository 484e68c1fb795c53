/**
 * A small web server for people: routes in, pages out. Knows fastify and HTTP; knows no run.
 *
 * Invariants: a request whose Host is not one of ours is refused (a foreign name that points here would otherwise read along, as
 * DNS rebinding does); nothing is shared with other origins; what changes anything comes from a page of ours; beyond the loopback
 * every request carries the token.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import fastify, {
	type FastifyInstance,
	type FastifyPluginCallback,
	type FastifyReply,
	type FastifyRequest,
} from "fastify";
import { UnavailableError } from "../errors.ts";

export interface SiteRequest {
	params: Readonly<Record<string, string>>;
	query: Readonly<Record<string, string>>;
	form: Readonly<Record<string, string>>;
	/** Aborts when the reader goes away or the server closes. */
	signal: AbortSignal;
}

export interface SiteReply {
	status?: number;
	type: "html" | "json" | "text" | "lines" | "redirect";
	/** The content; for a redirect its target. */
	body: string;
	/** Content-Security-Policy of a page; the strictest one without it. */
	policy?: string;
	/** Sent as Set-Cookie. */
	cookie?: string;
}

/** Server-sent events: the name of each and its data, which becomes JSON. */
export type SiteStream = AsyncIterable<{ event: string; data: unknown }>;

export interface SiteRoute {
	method: "GET" | "POST";
	path: string;
	/** Allowed without the token: the page that asks for it. */
	open?: boolean;
	answer?(request: SiteRequest): Promise<SiteReply> | SiteReply;
	stream?(request: SiteRequest): SiteStream;
}

export interface SiteOptions {
	host: string;
	/** 0: a free one. */
	port: number;
	/** Names that a browser may call us by beside the loopback's own, without port. */
	names: readonly string[];
	/** Null: none is asked for. */
	token: string | null;
	routes: readonly SiteRoute[];
	/** A plugin below a path of its own, to which nothing but GET and HEAD gets through. */
	readOnly?: { path: string; plugin: FastifyPluginCallback; policy: string };
	/** Page for what is not there, not allowed, or went wrong. */
	problem(status: number, message: string): SiteReply;
}

export interface Site {
	url: string;
	close(): Promise<void>;
}

export const TOKEN_COOKIE = "gepa_token";
const STRICT = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
const MOST_BODY = 64 * 1024;
const TYPES: Readonly<Record<Exclude<SiteReply["type"], "redirect">, string>> = {
	html: "text/html; charset=utf-8",
	json: "application/json; charset=utf-8",
	text: "text/plain; charset=utf-8",
	lines: "application/x-ndjson; charset=utf-8",
};

/** @throws UnavailableError when the port cannot be had */
export async function startSite(options: SiteOptions): Promise<Site> {
	const app = fastify({ bodyLimit: MOST_BODY, forceCloseConnections: true });
	const ending = new AbortController();
	app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
		done(null, Object.fromEntries(new URLSearchParams(String(body)))),
	);
	app.addHook("onRequest", async (request, reply) => {
		guardHeaders(reply);
		const refusal = refusalOf(request, options);
		if (refusal !== null) return send(reply, options.problem(refusal.status, refusal.message));
	});
	for (const route of options.routes) addRoute(app, route, ending.signal);
	const { readOnly } = options;
	if (readOnly !== undefined) {
		await app.register(async (part) => {
			part.addHook("onRequest", async (_request, reply) => {
				reply.header("content-security-policy", readOnly.policy);
			});
			await part.register(readOnly.plugin, { prefix: readOnly.path });
		});
	}
	app.setNotFoundHandler((_request, reply) => send(reply, options.problem(404, "There is nothing here.")));
	app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
		const status = error.statusCode ?? 500;
		return send(
			reply,
			options.problem(status, status < 500 ? error.message : "Something went wrong; the log says more."),
		);
	});
	try {
		await app.listen({ host: options.host, port: options.port });
	} catch (cause) {
		await app.close();
		const message = `port ${options.port} of ${options.host} cannot be had`;
		throw new UnavailableError({ message, hint: "Name another one with --port; 0 takes a free one.", cause });
	}
	const address = app.server.address();
	const port = typeof address === "object" && address !== null ? address.port : options.port;
	const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
	return {
		url: `http://${shown}:${port}/`,
		async close() {
			ending.abort();
			await app.close();
		},
	};
}

function addRoute(app: FastifyInstance, route: SiteRoute, ending: AbortSignal): void {
	app.route({
		method: route.method,
		url: route.path,
		handler: async (request, reply) => {
			const gone = new AbortController();
			request.raw.on("close", () => request.raw.complete || gone.abort());
			reply.raw.on("close", () => gone.abort());
			const own: SiteRequest = {
				params: request.params as Record<string, string>,
				query: request.query as Record<string, string>,
				form: (request.body ?? {}) as Record<string, string>,
				signal: AbortSignal.any([gone.signal, ending]),
			};
			if (route.stream !== undefined) return streamTo(reply, route.stream(own));
			if (route.answer !== undefined) return send(reply, await route.answer(own));
			return reply.code(404).send();
		},
	});
}

async function streamTo(reply: FastifyReply, stream: SiteStream): Promise<FastifyReply> {
	reply.hijack();
	const headers = { ...reply.getHeaders(), "content-type": "text/event-stream; charset=utf-8" };
	reply.raw.writeHead(200, headers as Record<string, string>);
	for await (const { event, data } of stream) reply.raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
	reply.raw.end();
	return reply;
}

function send(reply: FastifyReply, { status = 200, type, body, policy = STRICT, cookie }: SiteReply): FastifyReply {
	if (cookie !== undefined) reply.header("set-cookie", cookie);
	if (type === "redirect") return reply.code(303).header("location", body).send();
	return reply.code(status).header("content-security-policy", policy).type(TYPES[type]).send(body);
}

function guardHeaders(reply: FastifyReply): void {
	reply.headers({
		"x-content-type-options": "nosniff",
		"x-frame-options": "DENY",
		// With no-referrer a browser would not say where a form of our own comes from.
		"referrer-policy": "same-origin",
		"cross-origin-resource-policy": "same-origin",
		"cross-origin-opener-policy": "same-origin",
		"cache-control": "no-store",
		"content-security-policy": STRICT,
	});
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Whether an address is reached from this machine alone. */
export function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

interface Refusal {
	status: number;
	message: string;
}

function refusalOf(request: FastifyRequest, options: SiteOptions): Refusal | null {
	const host = (request.headers.host ?? "").toLowerCase();
	const name = host.replace(/:\d+$/, "");
	const own = [...LOOPBACK, ...options.names.map((one) => one.toLowerCase())];
	if (!own.includes(name)) return { status: 421, message: "This address is not one of this server's names." };
	const { readOnly, token } = options;
	const isRead = request.method === "GET" || request.method === "HEAD";
	const path = request.url.split("?")[0] ?? "";
	if (readOnly !== undefined && isBelow(path, readOnly.path) && !isRead)
		return { status: 405, message: "The queue is shown here and never changed." };
	if (!isRead && !isSameOrigin(request, host))
		return { status: 403, message: "This did not come from a page of this site." };
	if (token === null) return null;
	const route = options.routes.find((entry) => entry.open && entry.path === path && entry.method === request.method);
	if (route !== undefined || holdsToken(request, token)) return null;
	return { status: 401, message: "A token is needed." };
}

/** Also for a path that is written in another way: whatever decodes to the read-only part counts as it. */
function isBelow(path: string, part: string): boolean {
	let plain = path;
	try {
		plain = decodeURIComponent(path);
	} catch {
		// Not decodable: compared as it stands.
	}
	const flat = plain.replace(/\/{2,}/g, "/").toLowerCase();
	return flat === part || flat.startsWith(`${part}/`);
}

function isSameOrigin(request: FastifyRequest, host: string): boolean {
	const { origin } = request.headers;
	const site = request.headers["sec-fetch-site"];
	if (site !== undefined && site !== "same-origin") return false;
	if (origin === undefined) return site === "same-origin";
	return URL.canParse(origin) && new URL(origin).host === host;
}

function holdsToken(request: FastifyRequest, token: string): boolean {
	const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
	const cookie = new RegExp(`(?:^|;\\s*)${TOKEN_COOKIE}=([^;]*)`).exec(request.headers.cookie ?? "")?.[1];
	return [bearer, cookie].some((given) => given !== undefined && equalTokens(given, token));
}

/** In a time that does not tell how much of it was right. */
export function equalTokens(given: string, token: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(token));
}
