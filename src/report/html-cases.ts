/**
 * Case by case: the largest wins and losses, then the matrix of all cases and variants, then every case with its input, what its
 * checks said and both outputs side by side. Very large runs show details of the cases that changed most; the figures of all are
 * there, and a file beside the page holds the rest.
 */
import type { Split } from "../domain/case.ts";
import type { CaseOutputs, Evidence } from "./case-output.ts";
import { matrixTable } from "./html-matrix.ts";
import { formatChange, formatCount, formatValue, plural, UNKNOWN } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { CaseSide, CaseView, RunView } from "./view.ts";
import { clip, visibleLine } from "./visible-text.ts";

/** Bytes of details in the page, and characters of one text: both keep the page small. */
const DETAIL_BYTES = 2_000_000;
const TEXT = 4_000;
const ROLLOUTS = 2;

const SPLIT_TITLES: Readonly<Record<Split, string>> = {
	train: "Train",
	validation: "Validation",
	holdout: "Sealed (holdout)",
};
const SPLIT_ORDER = ["validation", "holdout", "train"] as const;

/** @param sidecar name of the file beside the page that holds what is left out; null when there is none */
export function casesSection(view: RunView, outputs: CaseOutputs, sidecar: string | null): SafeHtml {
	const errors = view.cases.reduce((sum, entry) => sum + missing(entry.before) + missing(entry.after), 0);
	const details = detailsOf(view, outputs);
	const first = new Set([...view.wins, ...view.losses].map(({ id }) => id));
	const list = (title: string, entries: readonly CaseView[], none: string) =>
		html`<h3>${title}</h3>${entries.length === 0 ? html`<p class="note">${none}</p>` : entries.map(({ id }) => details.get(id) ?? null)}`;
	const missed = view.cases.length - details.size;
	return html`<section aria-labelledby="cases"><h2 id="cases">Cases</h2>
<p>${plural(view.cases.length, "case")} tried. ${errors === 0 ? "Every trial gave a quality." : `${plural(errors, "trial")} failed without a quality: missing data, not zeros.`}</p>
${view.challenger !== null && [tally(view), list("Largest wins", view.wins, "No case got better."), list("Largest losses", view.losses, "No case got worse.")]}
${matrixTable(view, new Set(details.keys()))}
${SPLIT_ORDER.map((split) => {
	const own = view.cases.filter((entry) => entry.split === split && !first.has(entry.id) && details.has(entry.id));
	if (own.length === 0) return null;
	return html`<details class="more"><summary>${SPLIT_TITLES[split]}: ${plural(own.length, "more case")}</summary>${own.map(({ id }) => details.get(id) ?? null)}</details>`;
})}
${(missed > 0 || sidecar !== null) && leftOut(missed, sidecar)}
</section>`;
}

/** Details in the order of the matrix, wins and losses first, until the page is full. */
function detailsOf(view: RunView, outputs: CaseOutputs): Map<string, SafeHtml> {
	const byId = new Map(view.cases.map((entry) => [entry.id, entry]));
	const place = new Map(view.matrix.rows.map((row, index) => [row.case, index]));
	const order = [...view.wins, ...view.losses, ...view.matrix.rows.flatMap((row) => byId.get(row.case) ?? [])];
	const details = new Map<string, SafeHtml>();
	let bytes = 0;
	for (const entry of order) {
		if (details.has(entry.id)) continue;
		const made = caseDetails(entry, place.get(entry.id) ?? 0, view.challengerName, outputs);
		bytes += made.markup.length;
		if (bytes > DETAIL_BYTES) break;
		details.set(entry.id, made);
	}
	return details;
}

function missing(side: CaseSide | null): number {
	return side === null
		? 0
		: side.failures.filter((reason) => !["contract", "truncated", "refused"].includes(reason)).length;
}

type Direction = "better" | "worse" | "same" | "unknown";

function directionOf({ change }: CaseView): Direction {
	return change === null ? "unknown" : change > 1e-9 ? "better" : change < -1e-9 ? "worse" : "same";
}

function tally(view: RunView): SafeHtml {
	const rows = SPLIT_ORDER.flatMap((split) => {
		const own = view.cases.filter((entry) => entry.split === split);
		const count = (direction: Direction) => own.filter((entry) => directionOf(entry) === direction).length;
		if (own.length === 0) return [];
		return [
			html`<tr><th scope="row">${SPLIT_TITLES[split]}</th><td class="n better">▲ ${count("better")}</td><td class="n">= ${count("same")}</td><td class="n worse">▼ ${count("worse")}</td><td class="n">? ${count("unknown")}</td></tr>`,
		];
	});
	return html`<div class="wide" role="region" aria-label="Wins and losses" tabindex="0"><table class="tally"><thead><tr><th scope="col">cases</th><th scope="col" class="n">better</th><th scope="col" class="n">the same</th><th scope="col" class="n">worse</th><th scope="col" class="n">not compared</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function leftOut(missed: number, sidecar: string | null): SafeHtml {
	const what = missed > 0 ? `Details of ${plural(missed, "more case")}` : "Outputs in full";
	const where =
		sidecar === null
			? "are left out of this page."
			: html`are in <a href="${sidecar}">${sidecar}</a> beside this page, one case a line.`;
	return html`<div id="sidecar"><p class="note">${what} ${where}</p></div>`;
}

function scores(entry: CaseView): SafeHtml {
	const says = directionOf(entry);
	const glyph = { better: "▲", worse: "▼", same: "=", unknown: "?" }[says];
	const value = (side: CaseSide | null) => formatValue("quality", side?.quality ?? null);
	return html`<span>${value(entry.before)} → ${value(entry.after)} <span class="${says}">${glyph} ${formatChange("quality", entry.change)}</span></span>`;
}

function caseDetails(entry: CaseView, place: number, after: string, outputs: CaseOutputs): SafeHtml {
	return html`<details class="case"><summary><code>${entry.id}</code><span class="glimpse">${visibleLine(entry.input, 110)}</span>${scores(entry)}</summary><div class="inside" id="case-${place}">
<h4>Input${entry.group !== null && ` (group ${entry.group})`}${entry.weight !== 1 && `, weight ${entry.weight}`}</h4><pre class="quote" tabindex="0">${clip(entry.input, TEXT)}</pre>
${checksTable(entry, after, outputs)}
<div class="sides">${sideView("v0", entry.before, outputs)}${sideView(after, entry.after, outputs)}</div></div></details>`;
}

function checksTable(entry: CaseView, after: string, outputs: CaseOutputs): SafeHtml {
	const cell = (side: CaseSide | null, index: number, contract: boolean): Child => {
		const score = side?.scores[index] ?? null;
		const mark = contract ? contractMark(side) : scoreMark(score);
		const found = side?.rollouts.slice(0, ROLLOUTS).flatMap((key) => outputs.get(key)?.evidence[index] ?? []) ?? [];
		return html`${mark}${distinct(found).map(evidence)}`;
	};
	return html`<div class="wide" role="region" aria-label="Checks of ${entry.id}" tabindex="0"><table><thead><tr><th scope="col">check</th><th scope="col">v0</th><th scope="col">${after}</th></tr></thead><tbody>${entry.checks.map(
		(check, index) =>
			html`<tr><td class="text">${check.label}${check.contract && " (contract)"}${check.note !== null && html`<span class="range">${check.note}</span>`}</td><td>${cell(entry.before, index, check.contract)}</td><td>${cell(entry.after, index, check.contract)}</td></tr>`,
	)}</tbody></table></div>`;
}

/** Foreign words stand in quotation marks, behind the name of who said them. */
function evidence({ by, text }: Evidence): SafeHtml {
	return html`<span class="range">${by === "judge" ? `judge: “${text}”` : text}</span>`;
}

/** Repeats often find the same. */
function distinct(found: readonly Evidence[]): Evidence[] {
	return found.filter(({ text }, at) => found.findIndex((other) => other.text === text) === at);
}

function scoreMark(score: number | null): string {
	return score === null ? UNKNOWN : score >= 1 ? "✓ 1" : score <= 0 ? "✗ 0" : score.toFixed(2);
}

function contractMark(side: CaseSide | null): string {
	if (side === null) return UNKNOWN;
	if (side.failures.includes("contract")) return "✗ never met";
	if (side.retries === null) return UNKNOWN;
	return side.retries > 0 ? "✓ after a re-ask" : "✓";
}

function sideView(title: string, side: CaseSide | null, outputs: CaseOutputs): SafeHtml {
	if (side === null) return html`<div><h4>${title}</h4><p class="note">Not tried on this case.</p></div>`;
	const figures = [
		`quality ${formatValue("quality", side.quality)}`,
		`${formatValue("tokens", side.tokens)} tokens`,
		formatValue("latencyMs", side.latencyMs),
		`${formatValue("retries", side.retries)} retries`,
	];
	if (side.trials > 1) figures.push(`${formatCount(side.trials)} trials`);
	const failures = side.failures.length > 0 && html`<p class="worse">failed: ${side.failures.join(", ")}</p>`;
	const texts = side.rollouts.flatMap((key) => outputs.get(key) ?? []).slice(0, ROLLOUTS);
	return html`<div><h4>${title}: ${figures.join(", ")}</h4>${failures}${texts.map(
		({ text, cut }) =>
			html`<pre class="quote" tabindex="0">${text}</pre>${cut > 0 && html`<p class="note">${formatCount(cut)} more characters</p>`}`,
	)}</div>`;
}
