import { describe, expect, it } from "vitest";
import { scorecardSchema } from "../../src/domain/objective.ts";
import { reportHtml } from "../../src/report/html.ts";
import { reportJson, runResult } from "../../src/report/json.ts";
import { commitBody, reportMarkdown } from "../../src/report/markdown.ts";
import { formatChange, formatChangeInterval, formatCount, formatValue } from "../../src/report/numbers.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { closed } from "../support/sample-run.ts";
import { sampleView } from "../support/sample-view.ts";

const view = sampleView();
const STOPPED = { searchOnly: true, ending: [closed("stopped" as const, "calls" as const, "no room for the proof")] };

describe("all renderings of one view", () => {
	const renderings = {
		terminal: terminalReport(view, { color: false }),
		markdown: reportMarkdown(view),
		commit: commitBody(view),
		html: reportHtml(view),
	};

	it.each(Object.entries(renderings))("the %s shows the figures of the view", (_, text) => {
		for (const change of [...(view.changes.validation ?? []), ...(view.changes.holdout ?? [])]) {
			expect(text).toContain(formatValue(change.objective, change.before.mean));
			expect(text).toContain(formatValue(change.objective, change.after.mean));
			expect(text).toContain(formatChange(change.objective, change.mean));
			expect(text).toContain(formatChangeInterval(change));
		}
		expect(text).toContain(`${formatCount(view.spend.tokens)} tokens`);
		expect(text).toContain(`${view.spend.modelCalls} model calls`);
	});

	it("the JSON holds the same figures unrounded", () => {
		const document = JSON.parse(reportJson(view));
		expect(document.schemaVersion).toBe(1);
		expect(document.changes).toEqual(JSON.parse(JSON.stringify(view.changes)));
		expect(document.winner).toBe(view.winner?.id);
	});

	it("are the same bytes each time", () => {
		const again = sampleView();
		expect(reportJson(again)).toBe(reportJson(view));
		expect(reportHtml(again)).toBe(renderings.html);
		expect(reportMarkdown(again)).toBe(renderings.markdown);
	});

	it("say that a simulation is one, everywhere", () => {
		const simulated = sampleView({ offline: true });
		for (const text of [
			terminalReport(simulated, { color: false }),
			reportMarkdown(simulated),
			commitBody(simulated),
			reportHtml(simulated),
		]) {
			expect(text).toMatch(/simulation/i);
		}
		expect(runResult(simulated).simulation).toBe(true);
	});

	it("cope with every way in which a run can end", () => {
		const endings = [
			STOPPED,
			{ ending: [] },
			{
				validation: null,
				searchOnly: true,
				usd: null,
				ending: [closed("kept" as const, "no-signal" as const, "v0 passes every check")],
			},
			{
				failEvery: 1,
				ending: [closed("undecided" as const, "converged" as const, "none of 20 cases has a pair to compare")],
			},
			{
				counts: { train: 1, validation: 1, holdout: 0 },
				ending: [closed("undecided" as const, "converged" as const, "too few")],
			},
		];
		for (const options of endings) {
			const other = sampleView(options);
			const text = [
				terminalReport(other, { color: true }),
				reportMarkdown(other),
				reportHtml(other).replace(/<script>[\s\S]*?<\/script>/, ""),
				reportJson(other),
			].join("\n");
			expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/);
		}
	});
});

describe("the result that `gepa run --json` prints", () => {
	it("has exactly the documented shape", () => {
		const result = runResult(view);
		expect(result).toMatchObject({
			schemaVersion: 1,
			skill: "dataviz",
			status: "promoted",
			stoppedBy: "converged",
			variants: { proposed: 3, refused: 2, admitted: 3, validated: 3 },
			promotion: { commit: "9a".repeat(20), branch: "main", version: 1, kernelSha256: view.kernelSha256 },
			report: view.reportPath,
		});
		expect(Object.keys(result.spend)).toEqual([
			"trials",
			"modelCalls",
			"reflectionCalls",
			"tokens",
			"usd",
			"seconds",
			"harvested",
		]);
		for (const side of [result.incumbent, result.winner]) {
			expect(scorecardSchema.safeParse(side?.validation).success).toBe(true);
			expect(scorecardSchema.safeParse(side?.holdout).success).toBe(true);
		}
		expect(result.winner?.file).toMatch(/^results\/.*\.md$/);
		for (const entry of result.front) expect(Object.keys(entry)).toEqual(["variant", "file", "validation"]);
	});

	it("has null for a winner and a promotion that do not exist, and whole scorecards where nothing was measured", () => {
		const result = runResult(sampleView(STOPPED));
		expect([result.winner, result.promotion, result.status, result.stoppedBy]).toEqual([
			null,
			null,
			"stopped",
			"calls",
		]);
		expect(result.front.at(-1)?.validation.quality).toEqual({ mean: null, low: null, high: null, n: 0, errors: 0 });
	});
});

describe("the terminal", () => {
	it("keeps within 80 columns but for paths and commands", () => {
		const lines = terminalReport(view, { color: false }).split("\n");
		const long = lines.filter(
			(line) => [...line].length > 80 && !/^(report|undo|run|commit|winner|best text) /.test(line),
		);
		expect(long).toEqual([]);
	});

	it("colours only when asked to, and says the same without", () => {
		const plain = terminalReport(view, { color: false });
		const coloured = terminalReport(view, { color: true });
		expect(plain).not.toContain("\u001B");
		expect(coloured.replace(/\u001B\[\d+m/g, "")).toBe(plain);
	});
});

describe("what is committed", () => {
	it("holds no text of a case, a group or an output", () => {
		const secret = (field: string, usual: string) =>
			["input", "note", "label", "value", "diagnosis"].includes(field) ? `SECRET ${usual}` : usual;
		const body = commitBody(sampleView({ text: secret }));
		expect(body).not.toContain("SECRET");
		expect(body).toContain("To undo: git revert <this commit>");
	});
});
