/**
 * The page of one run in `gepa serve`: its verdict and answers, or how far it is while it is under way; and the notes of reviewers.
 * Must not compute a figure of a run.
 */
import type { Note } from "../domain/note.ts";
import type { ReportSummary } from "../domain/report-schema.ts";
import type { RunState } from "../domain/run-state.ts";
import { modelCalls } from "../domain/spend.ts";
import { verdictMark, withCode } from "./html-verdict.ts";
import { formatCount, formatValue, UNKNOWN } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import { sitePage } from "./site-frame.ts";
import type { ListedRun } from "./site-pages.ts";

/** How far a run is, in the words and figures of the page; keys name places in it. */
export interface LiveView {
	calls: string;
	/** Share of the limit on calls, 0 to 100; null when there is none. */
	share: number | null;
	generation: string;
	trials: string;
	variants: string;
	quality: string;
	doing: string;
}

const DOING: Readonly<Record<string, string>> = {
	"run-opened": "measuring v0",
	"trials-measured": "judging what was measured",
	"proposals-received": "combining proposals",
	"proposals-consolidated": "combining proposals",
	"variant-admitted": "measuring a new text",
	"edits-judged": "asking for edits",
	"search-finished": "proving on validation cases",
	"look-taken": "proving",
	"holdout-opened": "confirming on sealed cases",
	"promotion-done": "writing the report",
	"run-closed": "ended",
};

/** @param last type of the last event of the log */
export function liveView(state: RunState, last: string | undefined, paid: number): LiveView {
	const limit = state.opened?.settings.limits.calls;
	const calls = Math.max(modelCalls(state.spend), paid);
	const working = state.search?.working.id;
	const outcomes = (working === undefined ? [] : (state.trials[working] ?? [])).flatMap(
		({ outcome }) => outcome.quality ?? [],
	);
	const quality = outcomes.length === 0 ? null : outcomes.reduce((sum, one) => sum + one, 0) / outcomes.length;
	return {
		calls: limit === undefined ? formatCount(calls) : `${formatCount(calls)} of ${formatCount(limit)}`,
		share: limit === undefined ? null : Math.min(100, (calls / limit) * 100),
		generation: state.search === null ? UNKNOWN : String(state.search.generation),
		trials: formatCount(state.spend.trials),
		variants: formatCount(Object.keys(state.variants).length),
		quality: formatValue("quality", quality),
		doing: DOING[last ?? ""] ?? "working",
	};
}

export interface RunPageOptions {
	listed: ListedRun;
	/** How far it is; null for a run that has ended. */
	live: LiveView | null;
	notes: readonly Note[];
	/** Why the notes cannot be shown; null when they can. */
	notesProblem: string | null;
	hasReport: boolean;
	hasQueue: boolean;
}

export function runPage(options: RunPageOptions): string {
	const { listed, live, hasReport, hasQueue } = options;
	const path = `/runs/${encodeURIComponent(listed.run)}`;
	const trail = [{ name: listed.skill, to: `/skills/${encodeURIComponent(listed.skill)}` }];
	const content = html`${live !== null ? liveSection(live, path) : listed.report !== null ? verdict(listed.report) : html`<p>This run has no report that can be shown. <code>gepa report ${listed.run}</code> makes it anew.</p>`}
${hasReport && html`<p><a href="${path}/report">Open the report</a> · <a href="${path}/report.md">Markdown</a> · <a href="${path}/report.json">JSON</a></p>`}
${notesSection(options, path)}`;
	return sitePage({ title: `${listed.skill} ${listed.run}`, trail, hasQueue }, content);
}

function liveSection(live: LiveView, path: string): SafeHtml {
	const entry = (name: string, key: keyof LiveView) =>
		html`<div><dt>${name}</dt><dd data-live="${key}">${live[key] ?? UNKNOWN}</dd></div>`;
	return html`<section aria-labelledby="under-way" id="live" data-events="${path}/events"><h2 id="under-way">Under way, or interrupted</h2>
<p role="status" data-live="doing">${live.doing}</p>
${live.share !== null && html`<progress aria-label="Share of the limit on calls" data-live="share" max="100" value="${live.share}"></progress>`}
<dl class="live">${entry("paid calls", "calls")}${entry("generation", "generation")}${entry("trials", "trials")}${entry("variants", "variants")}${entry("quality of the working text", "quality")}</dl>
<p class="note">The figures follow the run's log.</p></section>`;
}

function verdict({ verdict: said, answers, offline }: ReportSummary): SafeHtml {
	const rows = [
		["What changed", answers.changed],
		["Is it better", answers.better],
		["How sure", answers.sure],
		["At what cost", answers.cost],
		["How to undo", answers.undo],
	] as const;
	return html`${offline && html`<p class="stamp">Simulation: built-in rules answered, no language model was involved.</p>`}<section class="verdict ${verdictMark(answers.decision).tone}" aria-labelledby="verdict">
<p class="decision"><span aria-hidden="true">${verdictMark(answers.decision).mark}</span> ${verdictMark(answers.decision).words}</p>
<h2 id="verdict">${said.headline}</h2><p class="why">${withCode(said.reason)}</p><p>${withCode(said.change)}</p>
<dl class="answers">${rows.map(([name, text]) => html`<div><dt>${name}</dt><dd>${withCode(text)}</dd></div>`)}</dl></section>`;
}

function notesSection({ notes, notesProblem, listed }: RunPageOptions, path: string): Child {
	const newest = [...notes].sort((a, b) => (a.at < b.at ? 1 : -1));
	return html`<section aria-labelledby="notes"><h2 id="notes">Notes of reviewers</h2>
${notesProblem !== null && html`<p class="worse" role="alert">${notesProblem}</p>`}
${newest.length === 0 ? html`<p class="note">None yet.</p>` : newest.map((note) => noteEntry(note, path))}
<form method="post" action="${path}/notes">
<label>What should be known about this run <textarea name="text" rows="4" maxlength="2000" required data-draft="${listed.run}"></textarea></label>
<label>Case that it is about, if it is one <input type="text" name="case" maxlength="80" autocomplete="off"></label>
<label>Your name <input type="text" name="author" maxlength="80" autocomplete="name"></label>
<label class="line"><input type="checkbox" name="guidance" value="yes" checked> Tell the reflection model of the next run</label>
<button type="submit">Save the note</button>
</form></section>`;
}

function noteEntry({ id, at, author, text, case: about, guidance }: Note, path: string): SafeHtml {
	return html`<div class="note-entry"><p>${text}</p><p class="note">${author === "" ? "somebody" : author}, ${at.slice(0, 16).replace("T", " ")} UTC${about !== null && html`, case <code>${about}</code>`}${guidance && ", told to the next run"}</p><form method="post" action="${path}/notes/${id}/remove"><button type="submit" aria-label="Remove the note of ${at.slice(0, 16).replace("T", " ")}">Remove</button></form></div>`;
}
