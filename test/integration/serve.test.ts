import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Queue } from "bullmq";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedis } from "../../src/adapters/redis-connection.ts";
import { cli, startCli, until } from "../support/cli.ts";
import { type DemoRun, demoRun } from "../support/demo-run.ts";
import { hasRedis, startRedis } from "../support/redis-server.ts";

const TOKEN = "a-token-that-is-long-enough";

interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	body: string;
}

/** A request with exactly these headers: fetch would not send another Host. */
function ask(
	url: string,
	options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const length = options.body === undefined ? {} : { "content-length": `${Buffer.byteLength(options.body)}` };
		const headers = { ...length, ...options.headers };
		const sent = request(url, { method: options.method ?? "GET", headers }, (reply) => {
			let body = "";
			reply.setEncoding("utf8").on("data", (text: string) => {
				body += text;
			});
			reply.on("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body }));
		});
		sent.on("error", reject);
		sent.end(options.body);
	});
}

const FORM = "application/x-www-form-urlencoded";

describe("gepa serve", () => {
	let demo: DemoRun;
	let copy: ReturnType<DemoRun["copy"]> | undefined;
	/** A place of its own for what tests change. */
	let results = "";
	beforeAll(async () => {
		demo = await demoRun();
		copy = demo.copy();
		results = copy.results;
	}, 180_000);
	afterAll(() => {
		copy?.remove();
		demo?.remove();
	});

	/** A server for one test. @returns its address without the slash at the end */
	async function serve(flags: string[] = [], env: Record<string, string> = {}): Promise<string> {
		const server = startCli(["serve", "--port", "0", "--results", results, ...flags], { cwd: demo.cwd, env });
		await server.says("Stop with Ctrl-C");
		await until("its address", () => /http:\S+/.test(server.stdout));
		return (/http:\/\/\S+/.exec(server.stdout)?.[0] ?? "").replace(/\/$/, "");
	}

	it("shows skills, runs, their reports and nothing else", async () => {
		const url = await serve();
		const paths = [
			"/",
			"/skills/dataviz",
			`/runs/${demo.run}`,
			`/runs/${demo.run}/report`,
			`/runs/${demo.run}/report.json`,
		];
		for (const path of paths) expect((await ask(url + path)).status, path).toBe(200);
		expect((await ask(`${url}/runs/${demo.run}/report`)).body).toBe(
			readFileSync(join(demo.folder, "report.html"), "utf8"),
		);
		const nowhere = [
			...["/skills/none", "/runs/none", "/runs/../report", `/runs/${demo.run}/events.jsonl`, "/queue", "/constructor"],
			...[`/runs/..%2f..%2fetc%2fpasswd/report`, `/runs/${demo.run}%00/report`, `/runs/%2e%2e/report`, "/runs//report"],
		];
		for (const path of nowhere) expect((await ask(url + path)).status, path).toBe(404);
	});

	it("answers to its own names alone, shares nothing with other origins, and says so on every answer", async () => {
		const url = await serve();
		for (const host of ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"])
			expect((await ask(`${url}/`, { headers: { host } })).status, host).toBeGreaterThanOrEqual(400);
		const { port } = new URL(url);
		for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
			expect((await ask(`${url}/`, { headers: { host } })).status, host).toBe(200);
		for (const path of ["/", "/none", `/runs/${demo.run}/report`, `/runs/${demo.run}/report.json`]) {
			const { headers } = await ask(url + path, { headers: { origin: "http://evil.example" } });
			expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
			expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
			expect(headers["x-content-type-options"]).toBe("nosniff");
			expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
		}
		const preflight = await ask(`${url}/runs/${demo.run}/notes`, {
			method: "OPTIONS",
			headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
		});
		expect(preflight.status).toBeGreaterThanOrEqual(400);
	});

	it("asks for the token on everything but the page that takes it", async () => {
		const url = await serve([], { GEPA_SERVE_TOKEN: TOKEN });
		for (const path of ["/", `/runs/${demo.run}/report`, `/runs/${demo.run}/events`, "/token"]) {
			const { status, body } = await ask(url + path);
			expect(status, path).toBe(401);
			expect(body).not.toContain("Promoted");
		}
		expect((await ask(`${url}/healthz`)).body).toBe("ok\n");
		expect((await ask(`${url}/`, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
		expect((await ask(`${url}/`, { headers: { authorization: `Bearer ${TOKEN}x` } })).status).toBe(401);
		const send = (token: string) =>
			ask(`${url}/token`, { method: "POST", body: `token=${token}`, headers: { "content-type": FORM, origin: url } });
		expect((await send("wrong")).status).toBe(401);
		const entered = await send(TOKEN);
		expect(entered.status).toBe(303);
		const cookie = String(entered.headers["set-cookie"]);
		expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
		expect((await ask(`${url}/`, { headers: { cookie: cookie.split(";")[0] ?? "" } })).status).toBe(200);
	});

	it("does not let others in without a token", async () => {
		const args = ["serve", "--port", "0", "--results", results, "--host", "0.0.0.0"];
		const open = await cli(args, { cwd: demo.cwd });
		expect(open.code).toBe(2);
		expect(open.stderr).toContain("GEPA_SERVE_TOKEN");
		expect((await cli(args, { cwd: demo.cwd, env: { GEPA_SERVE_TOKEN: "short" } })).code).toBe(2);
	});

	it("keeps notes of reviewers, whatever they hold, and takes them from its own pages alone", async () => {
		const url = await serve();
		const page = `${url}/runs/${demo.run}`;
		const note = "<img src=x onerror=alert(1)> prefer \u202Edonuts \u001B[2J";
		const send = (
			headers: Record<string, string>,
			body = `text=${encodeURIComponent(note)}&author=Ada&case=dv-0074&guidance=yes`,
		) => ask(`${page}/notes`, { method: "POST", body, headers: { "content-type": FORM, ...headers } });
		expect((await send({})).status).toBe(403);
		expect((await send({ origin: "http://evil.example" })).status).toBe(403);
		expect((await send({ origin: url, "sec-fetch-site": "cross-site" })).status).toBe(403);
		expect((await send({ origin: url }, "text=")).status).toBe(400);
		expect((await send({ origin: url }, `text=${"x".repeat(2_001)}`)).status).toBe(400);
		expect((await send({ origin: url })).status).toBe(303);
		const { body } = await ask(page);
		expect(body).toContain("&lt;img src=x onerror=alert(1)&gt; prefer \\u{202E}donuts");
		const file = join(results, "dataviz", demo.run, "notes.json");
		const kept = JSON.parse(readFileSync(file, "utf8"));
		expect(kept).toMatchObject({ schemaVersion: 1, run: demo.run, skill: "dataviz" });
		expect(kept.notes).toHaveLength(1);
		expect(kept.notes[0]).toMatchObject({ author: "Ada", case: "dv-0074", guidance: true, text: note });
		const gone = await ask(`${page}/notes/${kept.notes[0].id}/remove`, { method: "POST", headers: { origin: url } });
		expect(gone.status).toBe(303);
		expect(JSON.parse(readFileSync(file, "utf8")).notes).toEqual([]);
		writeFileSync(file, "{");
		expect((await ask(page)).body).toContain("holds no notes");
		rmSync(file);
	});

	it("follows a run that is under way by server-sent events, to its end", async () => {
		const run = "20260101-000000-abcd";
		const [from, to] = [join(results, "dataviz", demo.run), join(results, "dataviz", run)];
		mkdirSync(to);
		const lines = readFileSync(join(from, "events.jsonl"), "utf8").trimEnd().split("\n");
		writeFileSync(join(to, "events.jsonl"), `${lines.slice(0, 4).join("\n")}\n`);
		const url = await serve();
		expect((await ask(`${url}/`)).body).toContain("Under way");
		expect((await ask(`${url}/runs/${run}`)).body).toContain(`data-events="/runs/${run}/events"`);
		let heard = "";
		const ended = new Promise<void>((resolve, reject) => {
			request(`${url}/runs/${run}/events`, (reply) => {
				expect(reply.headers["content-type"]).toContain("text/event-stream");
				reply.setEncoding("utf8").on("data", (text: string) => {
					heard += text;
				});
				reply.on("end", resolve);
			})
				.on("error", reject)
				.end();
		});
		await until("its first state", () => heard.includes("event: state"));
		const states = () => heard.split("event: state").length - 1;
		const first = states();
		appendFileSync(join(to, "events.jsonl"), `${lines.slice(4, 8).join("\n")}\n`);
		await until("the next state", () => states() > first);
		copyFileSync(join(from, "report.html"), join(to, "report.html"));
		appendFileSync(join(to, "events.jsonl"), `${lines.slice(8).join("\n")}\n`);
		await ended;
		expect(heard).toContain("event: ended");
		const calls = [...heard.matchAll(/"calls":"([\d,]+) of 1,200"/g)].map((match) =>
			Number(match[1]?.replace(",", "")),
		);
		expect(calls).toEqual([...calls].sort((a, b) => a - b));
		expect(calls.at(-1)).toBeGreaterThan(calls[0] ?? 0);
		rmSync(to, { recursive: true });
	});

	it("tells the next run what reviewers wrote, and that run says so", async () => {
		const wish = "Prefer a plain bar chart when there are few categories.";
		const note = {
			id: "0f6b2d1e-0000-4000-8000-000000000001",
			at: "2026-01-01T00:00:00.000Z",
			author: "",
			text: wish,
			case: null,
		};
		const notes = [
			{ ...note, guidance: true },
			{ ...note, id: "0f6b2d1e-0000-4000-8000-000000000002", text: "not for the model", guidance: false },
		];
		writeFileSync(
			join(demo.folder, "notes.json"),
			JSON.stringify({ schemaVersion: 1, run: demo.run, skill: "dataviz", notes }),
		);
		const next = await demo.again("--max-calls", "400");
		const opened = JSON.parse(readFileSync(join(next.folder, "events.jsonl"), "utf8").split("\n")[0] ?? "").event;
		expect(opened.guidance).toEqual([wish]);
		expect(existsSync(join(next.folder, "report.html"))).toBe(true);
		expect(readFileSync(join(next.folder, "report.md"), "utf8")).toContain("told 1 note of reviewers");
	});

	it.skipIf(!hasRedis())("shows the queue and lets nothing change it", async () => {
		const redis = await startRedis();
		const connection = await openRedis({ url: redis.url });
		const queue = new Queue("gepa-tasks", { connection: connection.client, prefix: "gepa" });
		try {
			await queue.add("task", { some: "payload" }, { jobId: "t-1" });
			const url = await serve(["--queue", redis.url]);
			expect((await ask(`${url}/queue`)).status).toBe(200);
			const shown = await ask(`${url}/queue/api/queues?activeQueue=gepa-tasks&status=waiting`);
			expect(shown.body).toContain("gepa-tasks");
			expect(shown.body).toContain('"readOnlyMode":true');
			const acts = [
				"pause",
				"resume",
				"clean/wait",
				"empty",
				"obliterate",
				"promote",
				"retry/waiting",
				"add",
				"t-1/promote",
				"t-1/retry",
				"t-1/clean",
			];
			const spellings = (path: string) => [
				`/queue/api/queues/${path}`,
				`//queue/api/queues/${path}`,
				`/%71ueue/api/queues/${path}`,
				`/QUEUE/api/queues/${path}`,
			];
			for (const act of ["pause", "resume", ...acts.map((one) => `gepa-tasks/${one}`)]) {
				for (const path of spellings(act)) {
					for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
						const { status } = await ask(url + path, {
							method,
							headers: { origin: url, "content-type": "application/json" },
							body: "{}",
						});
						expect(status, `${method} ${path}`).toBe(405);
					}
				}
			}
			expect(await queue.isPaused()).toBe(false);
			expect(await queue.getJobCounts("waiting")).toEqual({ waiting: 1 });
		} finally {
			await queue.close();
			await connection.close();
			await redis.stop();
		}
	});

	it("ends at once when it is told to, also while somebody listens", async () => {
		const server = startCli(["serve", "--port", "0", "--results", results], { cwd: demo.cwd });
		await server.says("Stop with Ctrl-C");
		const url = /http:\/\/\S+/.exec(server.stdout)?.[0] ?? "";
		const listening = request(`${url}runs/${demo.run}/events`).on("error", () => undefined);
		listening.end();
		await new Promise((resolve) => listening.on("response", resolve));
		server.kill("SIGTERM");
		expect((await server.ended).code).toBe(0);
	});
});
