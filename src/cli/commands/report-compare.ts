/** `gepa report [SKILL|RUN] --compare RUN`: two runs side by side, printed, and as a page in the folder of the later one. */
import { join } from "node:path";
import { listRuns, type RunPlace, writeWhole } from "../../adapters/run-folder.ts";
import { comparisonFile, type ExportFormat, type ReportFormat } from "../../domain/report.ts";
import { InputError, UsageError } from "../../errors.ts";
import { comparisonDocument, comparisonHtml, comparisonMarkdown, comparisonText } from "../../report/compare-text.ts";
import { compareRuns } from "../../report/view-compare.ts";
import type { Resolved } from "../config.ts";
import { shownPath } from "../exit.ts";
import type { Io } from "../io.ts";
import { printDocument } from "../output.ts";
import { locateRun, readRun, viewStoredRun } from "../stored-run.ts";

/** The word for the run of the same skill before this one. */
const PREVIOUS = "previous";

/** @returns path of the page */
export async function compareStoredRuns(
	name: string | undefined,
	other: string,
	format: ReportFormat | ExportFormat | undefined,
	config: Resolved,
	io: Io,
): Promise<string> {
	if (format === "csv" || format === "jsonl" || format === "junit")
		throw new UsageError({ message: `--compare prints html, md or json, not ${format}` });
	const place = locateRun(config.resultsFolder, name);
	const second = readRun(place);
	const first = readRun(
		other === PREVIOUS ? runBefore(config.resultsFolder, place) : locateRun(config.resultsFolder, other),
	);
	if (first.place.run === second.place.run)
		throw new UsageError({
			message: `--compare names the run itself: ${first.place.run}`,
			hint: "gepa runs list shows the others.",
		});
	const view = compareRuns(
		(await viewStoredRun(first, config, io.cwd, false)).view,
		(await viewStoredRun(second, config, io.cwd, false)).view,
	);
	const page = join(place.folder, comparisonFile(first.place.run));
	const content = comparisonHtml(view);
	writeWhole(page, content);
	if (format === "json" || (io.json && format === undefined)) printDocument(io, comparisonDocument(view));
	else if (format === undefined) io.out(`${comparisonText(view)}\n  ${shownPath(io.cwd, page)}`);
	else {
		const text = format === "html" ? content : comparisonMarkdown(view);
		if (io.json) printDocument(io, { format, content: text });
		else io.out(text);
	}
	return page;
}

/** @throws InputError when there is none */
function runBefore(results: string, place: RunPlace): RunPlace {
	const found = listRuns(results, place.skill)
		.filter(({ run }) => run < place.run)
		.at(-1);
	if (found) return found;
	throw new InputError({
		message: `there is no run of ${place.skill} before ${place.run}`,
		hint: "gepa runs list shows all.",
	});
}
