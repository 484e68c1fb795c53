/**
 * The pages of `gepa serve`: all skills and runs, one skill over its runs and versions, and the small ones. Must not compute a
 * figure of a run: those come from its report.
 */
import type { ReportSummary } from "../domain/report-schema.ts";
import { steps } from "./chart-steps.ts";
import { formatChange, formatCount, formatUsd, formatValue, plural, UNKNOWN } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import { sitePage } from "./site-frame.ts";

/** A run as a list shows it. */
export interface ListedRun {
	run: string;
	skill: string;
	/** Null for a run without a report that can be read: under way, damaged, or of another version. */
	report: ReportSummary | null;
	state: "open" | "ended" | "damaged";
}

const when = (startedAt: string) => startedAt.slice(0, 16).replace("T", " ");
const runPath = (run: string) => `/runs/${encodeURIComponent(run)}`;
const skillPath = (skill: string) => `/skills/${encodeURIComponent(skill)}`;

function changeOf(report: ReportSummary, objective: string, split: "validation" | "holdout" = "validation") {
	return report.changes[split]?.find((change) => change.objective === objective);
}

export function overviewPage(runs: readonly ListedRun[], hasQueue: boolean): string {
	const skills = [...new Set(runs.map(({ skill }) => skill))].sort();
	const open = runs.filter(({ state }) => state === "open");
	const content = html`${
		runs.length === 0 &&
		html`<p>No runs yet. Make one with <code>gepa run dataviz</code>, or see one with <code>gepa demo</code>.</p>`
	}
${open.length > 0 && html`<section aria-labelledby="open"><h2 id="open">Under way, or interrupted</h2><ul class="plain">${open.map(({ run, skill }) => html`<li><a href="${runPath(run)}">${skill} ${run}</a></li>`)}</ul></section>`}
${skills.length > 0 && html`<section aria-labelledby="skills"><h2 id="skills">Skills</h2><div class="cards">${skills.map((skill) => skillCard(skill, runs))}</div></section>`}
${runs.length > 0 && html`<section aria-labelledby="runs"><h2 id="runs">Runs</h2>${runsTable(runs, true)}</section>`}`;
	return sitePage({ title: "Skills and runs", hasQueue }, content);
}

/** What a person wants to know who has many skills: which version stands, how good it is, and what the last run came to. */
function skillCard(skill: string, runs: readonly ListedRun[]): SafeHtml {
	const own = runs.filter((run) => run.skill === skill);
	const reports = own.flatMap(({ report }) => report ?? []);
	const [last, promoted] = [reports.at(-1), reports.filter(({ promotion }) => promotion !== null).at(-1)];
	const quality = promoted === undefined ? undefined : changeOf(promoted, "quality");
	return html`<div class="card"><h3><a href="${skillPath(skill)}">${skill}</a></h3>
<p>${promoted === undefined ? "No version promoted yet" : html`At v${promoted.promotion?.version ?? 0}, quality ${formatValue("quality", quality?.before.mean ?? null)} → ${formatValue("quality", quality?.after.mean ?? null)} when it was promoted`}</p>
<p class="note">${plural(own.length, "run")}${last !== undefined && html`; the last one, ${when(last.startedAt)} UTC: ${last.verdict.headline}`}</p></div>`;
}

function runsTable(runs: readonly ListedRun[], withSkill: boolean): SafeHtml {
	const newest = [...runs].reverse();
	return html`<div class="wide" role="region" aria-label="Runs" tabindex="0"><table><thead><tr><th scope="col">run</th>${withSkill && html`<th scope="col">skill</th>`}<th scope="col">verdict</th><th scope="col" class="n">quality</th><th scope="col" class="n">change</th><th scope="col" class="n">calls</th><th scope="col" class="n">cost</th></tr></thead><tbody>${newest.map((run) => runRow(run, withSkill))}</tbody></table></div>`;
}

function runRow({ run, skill, report, state }: ListedRun, withSkill: boolean): SafeHtml {
	const quality = report === null ? undefined : changeOf(report, "quality");
	const verdict = report?.verdict.headline ?? { open: "under way", damaged: "damaged", ended: "no report" }[state];
	return html`<tr><th scope="row"><a href="${runPath(run)}">${run}</a></th>${withSkill && html`<td><a href="${skillPath(skill)}">${skill}</a></td>`}<td>${verdict}${report?.offline === true && html` <span class="tag">simulation</span>`}</td><td class="n">${formatValue("quality", quality?.after.mean ?? null)}</td><td class="n">${formatChange("quality", quality?.mean ?? null)}</td><td class="n">${report === null ? UNKNOWN : formatCount(report.spend.modelCalls)}</td><td class="n">${report?.spend.cost ?? UNKNOWN}</td></tr>`;
}

/** @param runs of this skill alone, oldest first */
export function skillPage(skill: string, runs: readonly ListedRun[], hasQueue: boolean): string {
	const reports = runs.flatMap(({ report }) => (report === null ? [] : [report]));
	const charts = [
		qualityChart(reports),
		runChart(
			reports,
			"Tokens of a request, by run",
			(report) => changeOf(report, "tokens")?.after.mean ?? null,
			formatCount,
		),
		runChart(reports, "Paid calls, by run", (report) => report.spend.modelCalls, formatCount),
		reports.some(({ spend }) => (spend.usd ?? 0) > 0) &&
			runChart(reports, "US dollars, by run", (report) => report.spend.usd, formatUsd),
	];
	const content = html`<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
<p class="note">Each run has its own v0, and cases may have changed between two of them, so neighbouring points compare with care; <code>gepa report ${skill} --compare previous</code> pairs two of them case by case.</p>
<div class="charts">${charts}</div>${runsTable(runs, false)}</section>
${versions(reports)}`;
	return sitePage({ title: skill, hasQueue }, content);
}

function qualityChart(reports: readonly ReportSummary[]): Child {
	const of = (side: "before" | "after") =>
		reports.flatMap((report, index) => {
			const mean = changeOf(report, "quality")?.[side].mean;
			return mean == null ? [] : [{ x: index + 1, y: mean }];
		});
	const chart = steps(of("after"), {
		title: `Quality on validation by run: ${of("after")
			.map(({ y }) => y.toFixed(3))
			.join(", ")}`,
		...{
			xName: "run",
			yName: "quality",
			shape: "line",
			whole: true,
			xText: formatCount,
			yText: (value) => value.toFixed(2),
		},
		other: of("before"),
	});
	if (chart === null) return null;
	return html`<figure><figcaption>Quality on validation, by run</figcaption>${chart}<p class="note">Solid: the text that the run ended with; dashed: its v0.</p></figure>`;
}

function runChart(
	reports: readonly ReportSummary[],
	caption: string,
	pick: (report: ReportSummary) => number | null,
	text: (value: number) => string,
): Child {
	const points = reports.flatMap((report, index) => {
		const value = pick(report);
		return value === null ? [] : [{ x: index + 1, y: value }];
	});
	const title = `${caption}: ${points.map(({ y }) => text(y)).join(", ")}`;
	const chart = steps(points, {
		title,
		xName: "run",
		yName: "",
		xText: formatCount,
		yText: text,
		shape: "line",
		whole: true,
	});
	return chart === null ? null : html`<figure><figcaption>${caption}</figcaption>${chart}</figure>`;
}

function versions(reports: readonly ReportSummary[]): Child {
	const promoted = reports.filter(({ promotion }) => promotion !== null);
	if (promoted.length === 0) return html`<p class="note">No version of this skill has been promoted by a run.</p>`;
	const rows = promoted.map((report) => {
		const [quality, tokens] = [
			changeOf(report, "quality", "holdout") ?? changeOf(report, "quality"),
			changeOf(report, "tokens"),
		];
		return html`<tr><th scope="row"><a href="${runPath(report.run)}">v${report.promotion?.version ?? 0}</a></th><td>${when(report.startedAt)} UTC</td><td><code>${report.promotion?.commit.slice(0, 12) ?? ""}</code></td><td class="n">${formatValue("quality", quality?.before.mean ?? null)} → ${formatValue("quality", quality?.after.mean ?? null)}</td><td class="n">${formatChange("tokens", tokens?.mean ?? null)}</td><td class="n">${report.spend.cost}</td></tr>`;
	});
	return html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2><div class="wide" role="region" aria-label="Versions" tabindex="0"><table><thead><tr><th scope="col">version</th><th scope="col">run of</th><th scope="col">commit</th><th scope="col" class="n">quality, sealed cases</th><th scope="col" class="n">tokens</th><th scope="col" class="n">cost of the run</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

export function tokenPage(wrong: boolean): string {
	return sitePage(
		{ title: "Who is there?" },
		html`<form method="post" action="/token"><label>Token <input type="password" name="token" autocomplete="current-password" required></label><button type="submit">Enter</button></form>${wrong && html`<p class="worse" role="alert">That is not the token.</p>`}<p class="note">It is what GEPA_SERVE_TOKEN holds where <code>gepa serve</code> was started.</p>`,
	);
}

export function problemPage(status: number, message: string): string {
	return sitePage({ title: `${status}` }, html`<p>${message}</p><p><a href="/">All skills and runs</a></p>`);
}
