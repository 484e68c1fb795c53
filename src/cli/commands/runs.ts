/** `gepa runs list|show`: what was run, and what came of it. Reads logs; changes nothing. */
import { listRuns } from "../../adapters/run-folder.ts";
import { openingOf } from "../../domain/run-state.ts";
import { modelCalls } from "../../domain/spend.ts";
import { DamageError } from "../../errors.ts";
import { reportJson } from "../../report/json.ts";
import { terminalReport } from "../../report/terminal.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { printDocument, table } from "../output.ts";
import { locateRun, readRun, viewStoredRun } from "../stored-run.ts";

interface Row {
	run: string;
	skill: string;
	status: string;
	stoppedBy: string | null;
	calls: number | null;
	startedAt: string | null;
	problem?: string;
}

async function rowOf(place: ReturnType<typeof listRuns>[number]): Promise<Row> {
	try {
		const { state } = readRun(place);
		if (!state.opened)
			return { run: place.run, skill: place.skill, status: "empty", stoppedBy: null, calls: null, startedAt: null };
		const { startedAt } = openingOf(state);
		return {
			run: place.run,
			skill: place.skill,
			status: state.closed?.status ?? "open",
			stoppedBy: state.closed?.stoppedBy ?? null,
			calls: modelCalls(state.spend),
			startedAt,
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

/** Lists the runs of a skill, or of all, oldest first. */
export async function runsListCommand(skill: string | undefined, flags: Flags, io: Io): Promise<void> {
	const { resultsFolder } = await loadConfig(null, flags, io);
	const rows = await Promise.all(listRuns(resultsFolder, skill).map(rowOf));
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
				row.calls === null ? "" : String(row.calls),
			]),
		]),
	);
	for (const row of rows) if (row.problem) io.err(`${row.run}: ${row.problem}`);
	if (rows.some((row) => row.status === "open"))
		io.err("An open run was interrupted; go on with: npx gepa run <skill> --resume <run>");
}

/** Shows one run: by id, by the beginning of one, or the latest of a skill. */
export async function runsShowCommand(name: string | undefined, flags: Flags, io: Io): Promise<void> {
	const { resultsFolder, casesFolder } = await loadConfig(null, flags, io);
	const run = readRun(locateRun(resultsFolder, name));
	const { view, changed } = await viewStoredRun(run, casesFolder, io.cwd, false);
	if (io.json) return io.out(reportJson(view));
	io.out(terminalReport(view, { color: io.color }));
	if (changed)
		io.err("The cases have changed since this run: figures by case are those of the cases that are still there.");
}
