/** `gepa report [SKILL|RUN]`: makes the report of a run anew from its log and store, and says where it is or prints it. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
	EXPORT_FORMATS,
	type ExportFormat,
	REPORT_FORMATS,
	type ReportFormat,
	reportFile,
} from "../../domain/report.ts";
import { UsageError } from "../../errors.ts";
import { reportJunit } from "../../report/export-junit.ts";
import { reportCsv, reportJsonl } from "../../report/export-table.ts";
import { reportJson } from "../../report/json.ts";
import { reportMarkdown } from "../../report/markdown.ts";
import type { RunView } from "../../report/view.ts";
import { shownPath } from "../exit.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { printDocument, wrapped } from "../output.ts";
import { locateRun, readRun, viewStoredRun } from "../stored-run.ts";
import { compareStoredRuns } from "./report-compare.ts";

type Format = ReportFormat | ExportFormat;
const FORMATS: readonly Format[] = [...REPORT_FORMATS, ...EXPORT_FORMATS];

/** Opens a file with the desktop's program for it; the file's path is an argument of its own, never part of a command line. */
function openFile(path: string): void {
	const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
	spawn(program, [path], { detached: true, stdio: "ignore" })
		.on("error", () => process.stderr.write(`Nothing here can open it by itself: ${path}\n`))
		.unref();
}

function contentOf(format: Exclude<Format, "json">, view: RunView, page: string): string {
	switch (format) {
		case "html":
			return readFileSync(page, "utf8");
		case "md":
			return reportMarkdown(view);
		case "csv":
			return reportCsv(view);
		case "jsonl":
			return reportJsonl(view);
		case "junit":
			return reportJunit(view);
	}
}

/** With `--json` a rendering that is no JSON goes out as the content of one document. */
function print(format: Format, view: RunView, page: string, io: Io): void {
	if (format === "json") {
		io.out(reportJson(view));
		return;
	}
	const content = contentOf(format, view, page);
	if (io.json) printDocument(io, { run: view.run, skill: view.skill, format, content });
	else io.out(content);
}

export async function reportCommand(name: string | undefined, flags: Flags, io: Io): Promise<void> {
	const format = FORMATS.find((known) => known === flags.format);
	if (flags.format !== undefined && format === undefined) {
		throw new UsageError({ message: `--format is one of ${FORMATS.join(", ")}, not ${JSON.stringify(flags.format)}` });
	}
	const config = await loadConfig(null, flags, io);
	if (flags.compare !== undefined) {
		const page = await compareStoredRuns(name, flags.compare, format, config, io);
		if (flags.open) openFile(page);
		return;
	}
	const run = readRun(locateRun(config.resultsFolder, name));
	const { view, changed } = await viewStoredRun(run, config, io.cwd, true);
	const files = Object.fromEntries(
		REPORT_FORMATS.map((kind) => [kind, join(run.place.folder, reportFile(kind))]),
	) as Record<ReportFormat, string>;
	if (changed)
		io.err(
			wrapped("The cases have changed since this run: figures by case are those of the cases that are still there."),
		);
	if (flags.open) openFile(files.html);
	if (format !== undefined) return print(format, view, files.html, io);
	if (io.json) return printDocument(io, { run: view.run, skill: view.skill, files });
	io.out(
		[
			`${view.skill} ${view.run}: ${view.verdict.headline}`,
			...REPORT_FORMATS.map((kind) => `  ${shownPath(io.cwd, files[kind])}`),
		].join("\n"),
	);
}
