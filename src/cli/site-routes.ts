/**
 * What the site answers: pages of the runs in a results folder, their reports, the progress of one that is under way, and the
 * notes of reviewers. Knows files and pages; knows nothing of HTTP beyond what an answer is.
 *
 * Invariant: a run is found among those that are there by its whole id, so no address leads to any other file.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readNotes, removeNote, saveNote } from "../adapters/note-files.ts";
import { countPaidReplies } from "../adapters/paid-replies.ts";
import { listRuns, type RunPlace } from "../adapters/run-folder.ts";
import {
	equalTokens,
	type SiteReply,
	type SiteRequest,
	type SiteRoute,
	type SiteStream,
	TOKEN_COOKIE,
} from "../adapters/site-server.ts";
import { noteSchema } from "../domain/note.ts";
import { reportFile, SIDECAR_FILE } from "../domain/report.ts";
import { readSummary } from "../domain/report-schema.ts";
import { DamageError } from "../errors.ts";
import { SITE_POLICY } from "../report/site-frame.ts";
import { type ListedRun, overviewPage, problemPage, skillPage, tokenPage } from "../report/site-pages.ts";
import { liveView, runPage } from "../report/site-run-page.ts";
import type { Resolved } from "./config.ts";
import type { Io } from "./io.ts";
import { readRun } from "./stored-run.ts";

/** How often a log is looked at for its page, in milliseconds. */
const LOOK_EVERY = 700;
/** The page's own policy stands in it; this only says who may show it in a frame. */
const REPORT_POLICY = "frame-ancestors 'none'; base-uri 'none'";

export interface SiteContext {
	config: Pick<Resolved, "resultsFolder">;
	io: Io;
	hasQueue: boolean;
	token: string | null;
}

const page = (body: string, status = 200): SiteReply => ({ status, type: "html", body, policy: SITE_POLICY });
const to = (path: string): SiteReply => ({ type: "redirect", body: path });
const missing = (what: string): SiteReply => page(problemPage(404, `There is no ${what}.`), 404);

export function siteRoutes({ config, hasQueue, token }: SiteContext): SiteRoute[] {
	const { resultsFolder } = config;
	const cache = new Map<string, { stamp: string; listed: ListedRun }>();
	const listed = (place: RunPlace): ListedRun => {
		const stamp = stampOf(place);
		const known = cache.get(place.run);
		if (known?.stamp === stamp) return known.listed;
		const fresh = listRun(place);
		cache.set(place.run, { stamp, listed: fresh });
		return fresh;
	};
	const find = ({ params }: SiteRequest) => listRuns(resultsFolder).find(({ run }) => run === params.run);
	const withRun = (answer: (place: RunPlace, request: SiteRequest) => SiteReply) => (request: SiteRequest) => {
		const place = find(request);
		return place === undefined ? missing(`run ${request.params.run ?? ""}`) : answer(place, request);
	};
	const file = (name: string, type: SiteReply["type"], policy?: string) =>
		withRun(({ folder }) => {
			const path = join(folder, name);
			if (!existsSync(path)) return missing(name);
			return { type, body: readFileSync(path, "utf8"), ...(policy !== undefined && { policy }) };
		});
	return [
		{ method: "GET", path: "/", answer: () => page(overviewPage(listRuns(resultsFolder).map(listed), hasQueue)) },
		{ method: "GET", path: "/runs", answer: () => to("/#runs") },
		{ method: "GET", path: "/skills", answer: () => to("/#skills") },
		{
			...{ method: "GET", path: "/skills/:skill" },
			answer({ params: { skill = "" } }) {
				const runs = listRuns(resultsFolder).filter((place) => place.skill === skill);
				return runs.length === 0 ? missing(`skill ${skill}`) : page(skillPage(skill, runs.map(listed), hasQueue));
			},
		},
		{ method: "GET", path: "/runs/:run", answer: withRun((place) => page(pageOfRun(place, listed(place), hasQueue))) },
		{ method: "GET", path: "/runs/:run/report", answer: file(reportFile("html"), "html", REPORT_POLICY) },
		{ method: "GET", path: "/runs/:run/report.md", answer: file(reportFile("md"), "text") },
		{ method: "GET", path: "/runs/:run/report.json", answer: file(reportFile("json"), "json") },
		{ method: "GET", path: `/runs/:run/${SIDECAR_FILE}`, answer: file(SIDECAR_FILE, "lines") },
		{
			method: "GET",
			path: "/runs/:run/notes.json",
			answer: withRun((place) => ({ type: "json", body: `${JSON.stringify(readNotes(place), null, 2)}\n` })),
		},
		{ method: "GET", path: "/runs/:run/events", stream: (request) => follow(find(request), request.signal) },
		{ method: "POST", path: "/runs/:run/notes", answer: withRun(addNote) },
		{
			...{ method: "POST", path: "/runs/:run/notes/:note/remove" },
			answer: withRun((place, { params }) => {
				removeNote(place, params.note ?? "");
				return to(`/runs/${place.run}#notes`);
			}),
		},
		{ method: "GET", path: "/healthz", open: true, answer: () => ({ type: "text", body: "ok\n" }) },
		{ method: "POST", path: "/token", open: true, answer: ({ form }) => enter(form.token ?? "", token) },
	];
}

/** Changes whenever a log or report is written. */
function stampOf({ folder }: RunPlace): string {
	return ["events.jsonl", reportFile("json")]
		.map((name) => {
			const found = statSync(join(folder, name), { throwIfNoEntry: false });
			return found === undefined ? "-" : `${found.mtimeMs} ${found.size}`;
		})
		.join(" ");
}

/** The report is a cache of the log, and quick to read; only a run without a readable one has its log looked at. */
function listRun(place: RunPlace): ListedRun {
	const { run, skill } = place;
	const report = summaryOf(place);
	if (report !== null && !report.verdict.open) return { run, skill, report, state: "ended" };
	try {
		const { state } = readRun(place);
		return { run, skill, report, state: state.closed === null ? "open" : "ended" };
	} catch (error) {
		if (error instanceof DamageError) return { run, skill, report: null, state: "damaged" };
		throw error;
	}
}

function summaryOf({ folder }: RunPlace): ListedRun["report"] {
	const path = join(folder, reportFile("json"));
	if (!existsSync(path)) return null;
	try {
		return readSummary(JSON.parse(readFileSync(path, "utf8")));
	} catch (error) {
		if (error instanceof SyntaxError) return null;
		throw error;
	}
}

function pageOfRun(place: RunPlace, listed: ListedRun, hasQueue: boolean): string {
	const live = listed.state === "open" ? lookAt(place).view : null;
	const hasReport = existsSync(join(place.folder, reportFile("html")));
	try {
		return runPage({ listed, live, hasReport, hasQueue, notes: readNotes(place).notes, notesProblem: null });
	} catch (error) {
		if (!(error instanceof DamageError)) throw error;
		return runPage({ listed, live, hasReport, hasQueue, notes: [], notesProblem: error.message });
	}
}

function lookAt(place: RunPlace) {
	const { state, events } = readRun(place);
	const paid = state.closed === null ? countPaidReplies(place.folder).calls : 0;
	return { view: liveView(state, events.at(-1)?.type, paid), closed: state.closed !== null };
}

/** How far a run is, whenever its files have grown, until it has ended or nobody listens. */
async function* follow(place: RunPlace | undefined, signal: AbortSignal): SiteStream {
	if (place === undefined) return;
	let stamp = "";
	while (!signal.aborted) {
		const now = ["events.jsonl", "outcomes.jsonl"]
			.map((name) => statSync(join(place.folder, name), { throwIfNoEntry: false })?.size ?? 0)
			.join(" ");
		if (now !== stamp) {
			stamp = now;
			const { view, closed } = lookAt(place);
			yield { event: "state", data: view };
			// The report is written right after the run is closed: the page that is loaded next shows it.
			if (closed && existsSync(join(place.folder, reportFile("html")))) {
				yield { event: "ended", data: {} };
				return;
			}
			if (closed) stamp = "";
		}
		await pause(LOOK_EVERY, undefined, { signal }).catch(() => undefined);
	}
}

function addNote(place: RunPlace, { form }: SiteRequest): SiteReply {
	const about = (form.case ?? "").trim();
	const note = noteSchema.safeParse({
		id: randomUUID(),
		at: new Date().toISOString(),
		author: (form.author ?? "").trim(),
		text: (form.text ?? "").trim(),
		case: about === "" ? null : about,
		guidance: form.guidance === "yes",
	});
	if (!note.success) return page(problemPage(400, "A note needs a text of at most 2,000 characters."), 400);
	saveNote(place, note.data);
	return to(`/runs/${place.run}#notes`);
}

function enter(given: string, token: string | null): SiteReply {
	if (token === null) return to("/");
	if (!equalTokens(given, token)) return page(tokenPage(true), 401);
	const cookie = `${TOKEN_COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/`;
	return { ...to("/"), cookie };
}
