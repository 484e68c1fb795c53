/** `gepa report [SKILL|RUN]`: makes the report of a run anew from its log and store, and says where it is or prints it. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPORT_FORMATS, type ReportFormat, reportFile } from "../../domain/report.ts";
import { UsageError } from "../../errors.ts";
import { reportJson } from "../../report/json.ts";
import { reportMarkdown } from "../../report/markdown.ts";
import type { RunView } from "../../report/view.ts";
import { shownPath } from "../exit.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { printDocument } from "../output.ts";
import { locateRun, readRun, viewStoredRun } from "../stored-run.ts";

/** Opens a file with the desktop's program for it; the file's path is an argument of its own, never part of a command line. */
function openFile(path: string): void {
	const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
	spawn(program, [path], { detached: true, stdio: "ignore" })
		.on("error", () => process.stderr.write(`Nothing here can open it by itself: ${path}\n`))
		.unref();
}

/** With `--json` a rendering that is no JSON goes out as the content of one document. */
function print(format: ReportFormat, view: RunView, page: string, io: Io): void {
	const content = () => (format === "md" ? reportMarkdown(view) : readFileSync(page, "utf8"));
	if (format === "json") io.out(reportJson(view));
	else if (io.json) printDocument(io, { run: view.run, skill: view.skill, format, content: content() });
	else io.out(content());
}

export async function reportCommand(name: string | undefined, flags: Flags, io: Io): Promise<void> {
	const format = flags.format;
	if (format !== undefined && !REPORT_FORMATS.some((known) => known === format)) {
		throw new UsageError({ message: `--format is one of ${REPORT_FORMATS.join(", ")}, not ${JSON.stringify(format)}` });
	}
	const config = await loadConfig(null, flags, io);
	const run = readRun(locateRun(config.resultsFolder, name));
	const { view, changed } = await viewStoredRun(run, config, io.cwd, true);
	const files = Object.fromEntries(
		REPORT_FORMATS.map((kind) => [kind, join(run.place.folder, reportFile(kind))]),
	) as Record<ReportFormat, string>;
	if (changed)
		io.err("The cases have changed since this run: figures by case are those of the cases that are still there.");
	if (flags.open) openFile(files.html);
	if (format !== undefined) return print(format as ReportFormat, view, files.html, io);
	if (io.json) return printDocument(io, { run: view.run, skill: view.skill, files });
	io.out(
		[
			`${view.skill} ${view.run}: ${view.verdict.headline}`,
			...REPORT_FORMATS.map((kind) => `  ${shownPath(io.cwd, files[kind])}`),
		].join("\n"),
	);
}
