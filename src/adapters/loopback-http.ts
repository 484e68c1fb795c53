/** A few read-only pages for the machine that a process runs on: listens on 127.0.0.1 and nowhere else. Knows no content. */
import { createServer } from "node:http";
import { UnavailableError } from "../errors.ts";

export interface Page {
	status: number;
	type: string;
	body: string;
}

export interface LoopbackHttp {
	readonly port: number;
	close(): Promise<void>;
}

/**
 * @param port 0 for any that is free
 * @param pages by path; each is made when it is asked for
 * @throws UnavailableError when the port is taken
 */
export function serveLoopback(
	port: number,
	pages: Readonly<Record<string, () => Promise<Page> | Page>>,
): Promise<LoopbackHttp> {
	const server = createServer((request, response) => {
		void (async () => {
			const page = pages[(request.url ?? "").split("?", 1)[0] ?? ""];
			const isRead = request.method === "GET" || request.method === "HEAD";
			const { status, type, body } =
				page === undefined || !isRead
					? { status: isRead ? 404 : 405, type: "text/plain", body: isRead ? "not found\n" : "read only\n" }
					: await page();
			response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
			response.end(request.method === "HEAD" ? undefined : body);
		})().catch((error: unknown) => {
			response.writeHead(500, { "content-type": "text/plain" }).end(`${String(error).slice(0, 200)}\n`);
		});
	});
	return new Promise((resolve, reject) => {
		server.once("error", (cause) =>
			reject(
				new UnavailableError({
					message: `port ${port} of 127.0.0.1 cannot be used: ${cause.message}`,
					hint: "Name another one with --port.",
					cause,
				}),
			),
		);
		server.listen(port, "127.0.0.1", () => {
			const address = server.address();
			resolve({
				port: typeof address === "object" && address !== null ? address.port : port,
				close: () => {
					server.closeAllConnections();
					return new Promise((done) => server.close(() => done()));
				},
			});
		});
	});
}
