import { describe, expect, it } from "vitest";
import { OBJECTIVES } from "../../src/domain/objective.ts";
import type { ReportDocument } from "../../src/domain/report-schema.ts";
import { reportHtml } from "../../src/report/html.ts";
import { reportJson } from "../../src/report/json.ts";
import { commitBody, reportMarkdown } from "../../src/report/markdown.ts";
import { formatChange, formatPercent, formatValue, OBJECTIVE_NAMES } from "../../src/report/numbers.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { closed, type SampleOptions } from "../support/sample-run.ts";
import { sampleView } from "../support/sample-view.ts";

const RUNS: Record<string, SampleOptions> = {
	promoted: {},
	"promoted with lost trials": { failEvery: 7 },
	undecided: { quality: { b: 0.5 }, validation: "undecided", ending: [closed("undecided", "converged", "not proved")] },
	kept: { quality: { b: 0.4 }, validation: "not-better", ending: [closed("kept", "converged", "no better")] },
};

/** Lines of text of the page: a table row is one line. */
function textOf(page: string): string[] {
	return page
		.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, "")
		.replace(/\s+/g, " ")
		.replace(/<\/(?:tr|p|h\d|caption|summary|li|figcaption|dd)>/g, "\n")
		.replace(/<[^>]*>/g, " ")
		.replaceAll("&lt;", "<")
		.split("\n")
		.map((line) => line.replace(/\s+/g, " ").trim());
}

/** The figures of a line: numbers with sign, comma and point, whatever stands around them. */
function figures(line: string): string[] {
	return line.match(/[+−]?\d[\d,]*(?:\.\d+)?/g) ?? [];
}

/** The rows of the objectives by split, in the order of the tables: validation, sealed. */
function rowsOf(lines: readonly string[]): string[][] {
	const names = OBJECTIVES.map((objective) => OBJECTIVE_NAMES[objective]);
	return lines
		.map((line) => line.replace(/\|/g, " ").replace(/\s+/g, " ").trim())
		.filter((line) => names.some((name) => line.startsWith(`${name} `)) && / to /.test(line))
		.map(figures);
}

const says = (row: readonly string[] | undefined, wanted: readonly string[]) =>
	wanted.filter((figure) => !row?.includes(figure));

describe.each(Object.entries(RUNS))("a run that was %s", (_, options) => {
	const view = sampleView(options);
	const document = JSON.parse(reportJson(view)) as ReportDocument;
	const renderings = {
		html: textOf(reportHtml(view)),
		markdown: reportMarkdown(view).split("\n"),
		commit: commitBody(view).split("\n"),
		terminal: terminalReport(view, { color: false }).split("\n"),
	};

	it.each(Object.entries(renderings))("has the figures of report.json in the %s, row by row", (name, lines) => {
		const splits = (["validation", "holdout"] as const).filter((split) => document.changes[split] !== null);
		const rows = rowsOf(lines);
		const expected = splits.flatMap((split) => document.changes[split] ?? []);
		expect(rows.length).toBeGreaterThanOrEqual(expected.length);
		for (const [at, change] of expected.entries()) {
			const { objective } = change;
			const value = (figure: number | null) => figures(formatValue(objective, figure));
			const moved = (figure: number | null) => figures(formatChange(objective, figure));
			const counts = name === "terminal" ? [] : [`${change.n}`, `${change.before.errors}`, `${change.after.errors}`];
			const wanted = [
				...value(change.before.mean),
				...value(change.after.mean),
				...moved(change.mean),
				...moved(change.low),
				...moved(change.high),
				...counts,
			];
			expect(says(rows[at], wanted), `${name}, ${objective}`).toEqual([]);
		}
	});

	it("says how much was seen again with equal figures", () => {
		for (const { objective, validation, holdout, difference, kept } of document.shrinkage) {
			const cells = [validation, holdout, difference].map((figure) => formatChange(objective, figure));
			if (kept !== null) cells.push(formatPercent(kept));
			for (const lines of [renderings.html, renderings.markdown]) {
				const found = lines.filter((line) => cells.every((cell) => line.includes(cell)));
				expect(found.length, `${objective} ${cells}`).toBeGreaterThan(0);
			}
		}
	});

	it("spends the same everywhere", () => {
		const { modelCalls, tokens, trials } = document.spend;
		for (const lines of Object.values(renderings)) {
			const text = lines.join("\n");
			expect(text).toContain(`${modelCalls.toLocaleString("en")} model calls`);
			expect(text.replace(/\n\s*/g, " ")).toContain(`${tokens.toLocaleString("en")} tokens`);
			expect(text).toContain(`${trials.toLocaleString("en")} trials`);
		}
	});

	it("answers the five questions in the same words", () => {
		const { answers } = document;
		const page = renderings.html.join("\n");
		const markdown = renderings.markdown.join("\n").replace(/\\/g, "");
		for (const answer of [answers.changed, answers.better, answers.sure, answers.cost]) {
			expect(page).toContain(answer);
			expect(markdown).toContain(answer);
		}
	});

	it("gives every case the same quality in the matrix, its details and report.json", () => {
		const after = document.matrix.variants.indexOf(document.challenger ?? "");
		for (const entry of document.cases) {
			const row = document.matrix.rows.find((one) => one.case === entry.id);
			expect(row?.quality[0] ?? null).toBe(entry.before?.quality ?? null);
			expect(row?.quality[after] ?? null).toBe(entry.after?.quality ?? null);
			const cells = figures(
				renderings.html.find((line) => line.startsWith(`${entry.id} ${splitName(entry.split)}`)) ?? "",
			);
			const shown = [entry.before, entry.after].flatMap((side) =>
				side === null || side.quality === null ? [] : [formatValue("quality", side.quality)],
			);
			expect(says(cells, shown)).toEqual([]);
		}
	});
});

function splitName(split: string): string {
	return split === "holdout" ? "sealed" : split;
}
