/** `gepa runs list|show`: what was run, and what came of it. Reads logs; changes nothing. */
import { countPaidReplies } from "../../adapters/paid-replies.ts";
import { findRun, listRuns } from "../../adapters/run-folder.ts";
import { openingOf } from "../../domain/run-state.ts";
import { modelCalls } from "../../domain/spend.ts";
import { DamageError } from "../../errors.ts";
import { reportJson } from "../../report/json.ts";
import { resumeCommand } from "../../report/resume-command.ts";
import { terminalReport } from "../../report/terminal.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { printDocument, table, wrapped } from "../output.ts";
import { locateRun, readRun, resumeFlags, viewStoredRun } from "../stored-run.ts";

interface Row {
	run: string;
	skill: string;
	status: string;
	stoppedBy: string | null;
	calls: number | null;
	startedAt: string | null;
	/** How it stands in the queue, where it is known there. */
	standing?: string;
	/** Command that goes on with an open run. */
	resume?: string;
	problem?: string;
}

async function rowOf(place: ReturnType<typeof listRuns>[number], flags: readonly string[]): Promise<Row> {
	try {
		const { state } = readRun(place);
		if (!state.opened)
			return { run: place.run, skill: place.skill, status: "empty", stoppedBy: null, calls: null, startedAt: null };
		const opened = openingOf(state);
		const isOpen = state.closed === null;
		const paid = isOpen ? countPaidReplies(place.folder).calls : 0;
		return {
			run: place.run,
			skill: place.skill,
			status: state.closed?.status ?? "open",
			stoppedBy: state.closed?.stoppedBy ?? null,
			calls: Math.max(modelCalls(state.spend), paid),
			startedAt: opened.startedAt,
			...(isOpen && { resume: resumeCommand(opened, flags) }),
		};
	} catch (error) {
		if (!(error instanceof DamageError)) throw error;
		return {
			run: place.run,
			skill: place.skill,
			status: "damaged",
			stoppedBy: null,
			calls: null,
			startedAt: null,
			problem: error.message,
		};
	}
}

/** Runs that the queue knows, as rows. @throws LaterError when Redis is away */
async function queuedRuns(url: string, skill: string | undefined, resultsFolder: string): Promise<Row[]> {
	const { openQueueParts } = await import("../queue-parts.ts");
	const parts = await openQueueParts(url);
	try {
		const runs = (await parts.desk.list()).filter((run) => skill === undefined || run.skill === skill);
		const { forgottenRuns } = await import("../forgotten-runs.ts");
		const lost = (await forgottenRuns(parts.desk, resultsFolder)).map(({ opening, requestedAt }): Row => {
			const { run, settings } = opening;
			const problem = `Redis has forgotten it. Put it in again with: gepa runs resume ${run}`;
			const rest = { stoppedBy: null, calls: null, startedAt: requestedAt, problem };
			return { run, skill: settings.skill, status: "forgotten", ...rest };
		});
		const known = runs.map(({ run, skill: of, standing, ending, progress, at }) => ({
			run,
			skill: of,
			status: ending?.status ?? standing,
			stoppedBy: standing === "halted" ? (ending?.message ?? null) : null,
			calls: progress ? ((JSON.parse(progress) as { paid?: number }).paid ?? null) : null,
			startedAt: at,
			standing,
		}));
		return [...lost.filter((row) => skill === undefined || row.skill === skill), ...known];
	} finally {
		await parts.close();
	}
}

/** One row for each run: what the queue says of one that is not over here is newer than its folder. */
function withQueued(own: readonly Row[], queued: readonly Row[]): Row[] {
	const rows = new Map(queued.map((row) => [row.run, row]));
	for (const row of own) {
		const other = rows.get(row.run);
		if (other === undefined || other.standing === "ended") rows.set(row.run, row);
	}
	return [...rows.values()].sort((a, b) => (a.run < b.run ? -1 : 1));
}

/** Lists the runs of a skill, or of all, oldest first. */
export async function runsListCommand(skill: string | undefined, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	const places = listRuns(config.resultsFolder, skill);
	const own = await Promise.all(places.map((place) => rowOf(place, resumeFlags(config))));
	const rows =
		config.queueUrl === null ? own : withQueued(own, await queuedRuns(config.queueUrl, skill, config.resultsFolder));
	if (io.json) return printDocument(io, { runs: rows });
	if (rows.length === 0) return io.out("No runs yet. Make one with: npx gepa run dataviz");
	io.out(
		table([
			["RUN", "SKILL", "STATUS", "STOPPED BY", "CALLS"],
			...rows.map((row) => [
				row.run,
				row.skill,
				row.status,
				row.stoppedBy ?? "",
				row.calls === null ? "" : `${row.calls}${row.status === "open" ? " so far" : ""}`,
			]),
		]),
	);
	for (const row of rows) if (row.problem) io.err(`${row.run}: ${row.problem}`);
	const open = rows.filter((row) => row.resume !== undefined).at(-1);
	if (open !== undefined)
		io.err(
			`An open run is under way or was interrupted. Go on with the latest: npx ${open.resume}\nThe others: gepa runs show <run> says how.`,
		);
}

/** Shows one run: by id, by the beginning of one, or the latest of a skill. */
export async function runsShowCommand(name: string | undefined, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	if (name !== undefined && config.queueUrl !== null && findRun(config.resultsFolder, name) === undefined) {
		const { showQueued } = await import("./runs-queue.ts");
		return showQueued(name, config, io);
	}
	const run = readRun(locateRun(config.resultsFolder, name));
	const { view, changed } = await viewStoredRun(run, config, io.cwd, false);
	if (io.json) return io.out(reportJson(view));
	io.out(terminalReport(view, { color: io.color }));
	if (changed)
		io.err(
			wrapped("The cases have changed since this run: figures by case are those of the cases that are still there."),
		);
}
