import { describe, expect, it } from "vitest";
import { settingsOf } from "../../src/domain/job-spec.ts";
import { openingOf, replay } from "../../src/domain/run-state.ts";
import { scatter } from "../../src/report/charts.ts";
import { reportHtml } from "../../src/report/html.ts";
import { reportJson, runResult } from "../../src/report/json.ts";
import { reportMarkdown } from "../../src/report/markdown.ts";
import { resumeCommand, shellWord } from "../../src/report/resume-command.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { closed, type SampleOptions, sampleRun } from "../support/sample-run.ts";
import { sampleView, viewOf } from "../support/sample-view.ts";

const RUN = "20260301T021500Z-dataviz-7c1f";
const usage = { prompt: 4_000, completion: 200, cached: 0, reasoning: 0, estimated: false };
const paid = { calls: 52, usage };

/** The sample run as it stands after its opening event. */
function justOpened(options: SampleOptions = {}) {
	const run = sampleRun(options);
	return { ...run, state: replay(run.events.slice(0, 1)) };
}

const priced = (task: number, judge: number) => {
	const { models } = settingsOf("dataviz", { schemaVersion: 1 }, "gpt-5-mini");
	const price = (inputPerMTok: number) => ({ inputPerMTok, outputPerMTok: 10 });
	return {
		models: { ...models, task: { name: "t", price: price(task) }, judge: { name: "j", price: price(judge) } },
	};
};

describe("a run that is still open", () => {
	it("counts what its store holds, before any step is in the log", () => {
		const view = viewOf(justOpened(), { paid, reportPath: null, files: {} });
		expect(view.spend).toMatchObject({ modelCalls: 52, tokens: 4_200, usd: null, cost: "no price known" });
		expect(view.spend.limits[0]).toEqual({ limit: "calls", used: 52, of: 600 });
		for (const text of [terminalReport(view, { color: false }), reportMarkdown(view), reportHtml(view)]) {
			expect(text).toContain("52 calls paid for so far");
			expect(text).not.toContain("$0.00");
			expect(text).not.toContain("report.html");
		}
		expect(runResult(view).report).toBeNull();
	});

	it("has a figure in dollars where all calls so far have one price, and none where they may differ", () => {
		const same = viewOf(justOpened({ settings: priced(1, 1) }), { paid });
		expect(same.spend.usd).toBeCloseTo((4_000 * 1 + 200 * 10) / 1e6, 12);
		const differs = viewOf(justOpened({ settings: priced(1, 2) }), { paid });
		expect(differs.spend).toMatchObject({ usd: null, cost: "cost known when this step ends" });
	});

	it("is free with the built-in rules", () => {
		const view = viewOf(justOpened({ offline: true }), { paid });
		expect(view.spend).toMatchObject({ usd: 0, cost: "free (built-in rules)" });
	});

	it("shows the whole command that goes on with it, and what has to be as before", () => {
		const view = viewOf(justOpened(), { paid, resumeFlags: ["--results", "/some where"] });
		const command = `gepa run dataviz --resume ${RUN} --model gpt-5-mini --results '/some where'`;
		expect(view.resume).toBe(command);
		expect(view.verdict.change).toContain("with the same --base-url or OPENAI_BASE_URL as before");
		expect(terminalReport(view, { color: false })).toContain(`\ngo on       ${command}\n`);
		expect(reportMarkdown(view)).toContain(`\`${command}\``);
		expect(reportHtml(view)).toContain("--resume");
	});
});

describe("the command that goes on with a run", () => {
	const opened = openingOf(sampleRun().state);

	it("names models, limits and decisions that are not the defaults", () => {
		const settings = {
			...opened.settings,
			...priced(1, 1),
			limits: { calls: 100, minutes: 60 },
			seed: 7,
			policy: "cheapest" as const,
			promote: "report" as const,
		};
		expect(resumeCommand({ ...opened, settings })).toBe(
			`gepa run dataviz --resume ${RUN} --model t --reflection-model gpt-5-mini --judge-model j --max-calls 100 --seed 7 --policy cheapest --no-commit`,
		);
	});

	it("names no model and needs nothing more when the built-in rules answered", () => {
		expect(resumeCommand({ ...opened, offline: true })).toBe(`gepa run dataviz --resume ${RUN}`);
		expect(viewOf(justOpened({ offline: true })).verdict.change).not.toContain("--base-url");
	});

	it("quotes what a shell would read otherwise", () => {
		expect([shellWord("a/b:c-1"), shellWord("a b"), shellWord("it's $HOME `x`")]).toEqual([
			"a/b:c-1",
			"'a b'",
			"'it'\\''s $HOME `x`'",
		]);
	});
});

describe("the command that takes a promotion back", () => {
	const commit = "9a".repeat(20);

	it("names the repository wherever it is shown, and keeps its path in one field", () => {
		const view = sampleView({}, { repositoryPath: "/home/me/my skills" });
		const command = `git -C '/home/me/my skills' revert ${commit}`;
		expect(terminalReport(view, { color: false })).toContain(`undo        ${command}\n`);
		expect(reportMarkdown(view)).toContain(command);
		expect(reportHtml(view)).toContain(command.replaceAll("'", "&#39;"));
		const document = JSON.parse(reportJson(view)) as Record<string, unknown>;
		expect(document.repositoryPath).toBe("/home/me/my skills");
		expect(JSON.stringify({ ...document, repositoryPath: null })).not.toContain("my skills");
	});

	it("says where to give it when the repository is not known", () => {
		expect(terminalReport(sampleView(), { color: false })).toContain(`git revert ${commit} (in the skills repository)`);
		expect(reportMarkdown(sampleView())).toContain("in the skills repository");
	});
});

describe("a run whose replies never met the contract", () => {
	it("says so in place of asking for other cases", () => {
		const run = sampleRun();
		const events = run.events.slice(0, 2).map((event) =>
			event.type !== "trials-measured"
				? event
				: {
						...event,
						trials: event.trials.map((trial) => ({
							...trial,
							outcome: {
								status: "failed" as const,
								reason: "contract" as const,
								quality: 0 as const,
								tokens: 9,
								retries: 2,
							},
						})),
					},
		);
		const state = replay([...events, closed("kept", "no-signal", "v0 scores 0 on every train case")]);
		expect(viewOf({ ...run, state }).verdict.change).toMatch(/^No reply met the output contract/);
	});
});

describe("groups of one label", () => {
	it("are told apart by the note that their checks share", () => {
		const view = sampleView();
		const noted = view.groups.filter((group) => group.note !== null);
		expect(noted.length).toBeGreaterThan(0);
		for (const { note } of noted) expect(reportHtml(view)).toContain(`<span class="range">${note?.slice(0, 20)}`);
	});
});

describe("the scatter", () => {
	const mark = (x: number, y: number) => ({
		label: `${x}`,
		id: `v${x}`,
		role: "front" as const,
		title: "t",
		x: { mean: x, low: null, high: null },
		y: { mean: y, low: null, high: null },
	});
	const options = {
		title: "t",
		x: { name: "x", better: "down" as const, ceiling: 100_000, text: (value: number) => value.toFixed(0) },
		y: { name: "y", better: "up" as const, ceiling: 1, text: (value: number) => value.toFixed(2) },
	};

	it("is not drawn for fewer than two points", () => {
		expect(scatter([], options)).toBeNull();
		expect(scatter([mark(1, 1)], options)).toBeNull();
	});

	it("repeats no label on an axis", () => {
		const markup = scatter([mark(1_000.1, 0.801), mark(1_000.9, 0.812)], options)?.markup ?? "";
		for (const anchor of ["middle", "end"]) {
			const pattern = new RegExp(`class="tick"[^>]*text-anchor="${anchor}">([^<]*)<`, "g");
			const labels = [...markup.matchAll(pattern)].map((match) => match[1]);
			expect(labels.length).toBeGreaterThan(0);
			expect(new Set(labels).size).toBe(labels.length);
		}
	});
});

describe("long tables of the page", () => {
	it("are folded away", () => {
		const view = sampleView();
		const many = Array.from({ length: 20 }, (_, at) => ({ ...view.groups[0], id: `g${at}` })) as typeof view.groups;
		expect(reportHtml({ ...view, groups: many })).toContain("<summary>20 rows</summary>");
		expect(reportHtml(view)).not.toMatch(/<summary>\d+ rows<\/summary>/);
	});
});

describe("the verdict card", () => {
	it("holds the cost of the run", () => {
		const card = reportHtml(sampleView()).split('<h2 id="objectives"')[0] ?? "";
		expect(card).toContain("<dt>Spent</dt>");
		expect(card).toContain(sampleView().spend.cost);
	});
});
