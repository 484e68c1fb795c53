/**
 * `gepa serve`: a small site on all runs and skills. Reads logs and reports; writes notes of reviewers and nothing else. Runs until
 * it is stopped.
 */

import { once } from "node:events";
import { RUN_QUEUE } from "../../adapters/bullmq-runs.ts";
import { TASK_QUEUE } from "../../adapters/queue-payload.ts";
import { openRedis } from "../../adapters/redis-connection.ts";
import { isLoopback, type Site, startSite } from "../../adapters/site-server.ts";
import { UsageError } from "../../errors.ts";
import { SITE_POLICY } from "../../report/site-frame.ts";
import { problemPage, tokenPage } from "../../report/site-pages.ts";
import type { Resolved } from "../config.ts";
import { type Flags, readInteger } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { printDocument } from "../output.ts";
import { siteRoutes } from "../site-routes.ts";

const PORT = 8473;
const QUEUE_PATH = "/queue";
/** bull-board brings its own scripts and styles; the page may load and ask its own origin alone. */
const QUEUE_POLICY =
	"default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

export async function serveCommand(flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	const host = flags.host ?? "127.0.0.1";
	const names = [...(isLoopback(host) || isAny(host) ? [] : [bracketed(host)]), ...(flags.name ?? [])];
	const token = tokenFor(host, io);
	const board = await openBoard(config);
	let site: Site | undefined;
	try {
		site = await startSite({
			...{ host, names, token },
			port: readInteger("--port", flags.port, 0, 65_535) ?? PORT,
			routes: siteRoutes({ config, io, hasQueue: board !== null, token }),
			...(board !== null && { readOnly: { path: QUEUE_PATH, plugin: board.plugin, policy: QUEUE_POLICY } }),
			problem: (status, message) => ({
				...{ status, type: "html" as const, policy: SITE_POLICY },
				body: status === 401 ? tokenPage(false) : problemPage(status, message),
			}),
		});
		if (io.json) printDocument(io, { url: site.url });
		else io.out(`Serving ${config.resultsFolder} on ${site.url}`);
		io.err(
			token === null
				? "Only this machine can reach it. Stop with Ctrl-C."
				: "Whoever comes needs the token of GEPA_SERVE_TOKEN. Stop with Ctrl-C.",
		);
		if (!io.signal.aborted) await once(io.signal, "abort");
	} finally {
		await site?.close();
		await board?.close();
	}
}

const isAny = (host: string) => host === "0.0.0.0" || host === "::";
const bracketed = (host: string) => (host.includes(":") ? `[${host}]` : host);

/** @throws UsageError when others could reach the site and there is no token to ask them for */
function tokenFor(host: string, io: Io): string | null {
	const token = io.env.GEPA_SERVE_TOKEN ?? "";
	if (token === "" && isLoopback(host)) return null;
	if (token.length >= 16) return token;
	throw new UsageError({
		message:
			token === ""
				? `a token is needed when others can reach ${host}`
				: "the token of GEPA_SERVE_TOKEN is shorter than 16 characters",
		hint: "Set GEPA_SERVE_TOKEN to a long random text, for example the output of: openssl rand -hex 24",
	});
}

/** What is needed to look at the queue; null without one. Loaded only then. */
async function openBoard({ queueUrl }: Resolved) {
	if (queueUrl === null) return null;
	const redis = await openRedis({ url: queueUrl, otherwise: "leave --queue and GEPA_QUEUE_URL away" });
	const [{ viewQueues }, { showQueues }, { createBoardPlugin }] = await Promise.all([
		import("../../adapters/queue-view.ts"),
		import("../../adapters/queue-board.ts"),
		import("../../adapters/queue-board-plugin.ts"),
	]);
	const view = viewQueues(redis.client, [TASK_QUEUE, RUN_QUEUE]);
	const server = createBoardPlugin(QUEUE_PATH);
	showQueues(view.queues, server);
	return {
		plugin: server.registerPlugin(),
		async close() {
			await view.close();
			await redis.close();
		},
	};
}
