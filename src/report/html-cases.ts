/**
 * Case by case: wins and losses first, then all of them by split, each with its input, what its checks said and, where given,
 * both outputs side by side. Very large runs show details of the first cases only; the figures of all are there.
 */
import type { Split } from "../domain/case.ts";
import { formatChange, formatCount, formatValue, plural, UNKNOWN } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { CaseSide, CaseView, RunView } from "./view.ts";
import { clip, visibleLine } from "./visible-text.ts";

/** Cases with details beyond wins and losses, and characters of one text: both keep the page small. */
const DETAILED = 300;
const TEXT = 4_000;

const SPLIT_TITLES: Readonly<Record<Split, string>> = {
	train: "Train",
	validation: "Validation",
	holdout: "Sealed (holdout)",
};

export function casesSection(view: RunView, outputs: ReadonlyMap<string, string>): SafeHtml {
	const detail = (entry: CaseView) => caseDetails(entry, outputs);
	const errors = view.cases.reduce((sum, entry) => sum + missing(entry.before) + missing(entry.after), 0);
	const list = (title: string, entries: readonly CaseView[], none: string) =>
		html`<h3>${title}</h3>${entries.length === 0 ? html`<p class="note">${none}</p>` : entries.map(detail)}`;
	return html`<section aria-labelledby="cases"><h2 id="cases">Cases</h2>
<p>${plural(view.cases.length, "case")} tried. ${errors === 0 ? "Every trial gave a quality." : `${plural(errors, "trial")} failed without a quality: missing data, not zeros.`}</p>
${view.challenger !== null && [list("Largest wins", view.wins, "No case got better."), list("Largest losses", view.losses, "No case got worse.")]}
${(["validation", "holdout", "train"] as const).map((split) => splitDetails(split, view, outputs))}
</section>`;
}

function missing(side: CaseSide | null): number {
	return side === null
		? 0
		: side.failures.filter((reason) => !["contract", "truncated", "refused"].includes(reason)).length;
}

function splitDetails(split: Split, view: RunView, outputs: ReadonlyMap<string, string>): Child {
	const cases = view.cases.filter((entry) => entry.split === split);
	if (cases.length === 0) return null;
	const rows = cases.map((entry, index) => (index < DETAILED ? caseDetails(entry, outputs) : caseLine(entry)));
	return html`<details class="more"><summary>${SPLIT_TITLES[split]}: all ${plural(cases.length, "case")}</summary>${rows}</details>`;
}

function caseLine(entry: CaseView): SafeHtml {
	return html`<p class="note"><code>${entry.id}</code> ${scores(entry)}</p>`;
}

function scores(entry: CaseView): SafeHtml {
	const says =
		entry.change === null ? "unknown" : entry.change > 1e-9 ? "better" : entry.change < -1e-9 ? "worse" : "same";
	const glyph = { better: "▲", worse: "▼", same: "=", unknown: "?" }[says];
	const value = (side: CaseSide | null) => formatValue("quality", side?.quality ?? null);
	return html`<span>${value(entry.before)} → ${value(entry.after)} <span class="${says}">${glyph} ${formatChange("quality", entry.change)}</span></span>`;
}

function caseDetails(entry: CaseView, outputs: ReadonlyMap<string, string>): SafeHtml {
	return html`<details class="case"><summary><code>${entry.id}</code><span class="glimpse">${visibleLine(entry.input, 110)}</span>${scores(entry)}</summary><div class="inside">
<h4>Input${entry.group !== null && ` (group ${entry.group})`}${entry.weight !== 1 && `, weight ${entry.weight}`}</h4><pre class="quote" tabindex="0">${clip(entry.input, TEXT)}</pre>
${checksTable(entry)}
<div class="sides">${sideView("v0", entry.before, outputs)}${sideView("compared text", entry.after, outputs)}</div></div></details>`;
}

function checksTable(entry: CaseView): SafeHtml {
	const cell = (side: CaseSide | null, index: number, contract: boolean) => {
		const score = side?.scores[index] ?? null;
		if (contract)
			return side === null
				? UNKNOWN
				: side.failures.includes("contract")
					? "✗ never met"
					: (side.retries ?? 0) > 0
						? "✓ after a re-ask"
						: side.retries === null
							? UNKNOWN
							: "✓";
		return score === null ? UNKNOWN : score >= 1 ? "✓ 1" : score <= 0 ? "✗ 0" : score.toFixed(2);
	};
	return html`<div class="wide"><table><thead><tr><th scope="col">check</th><th scope="col">v0</th><th scope="col">compared text</th></tr></thead><tbody>${entry.checks.map(
		(check, index) =>
			html`<tr><td class="text">${check.label}${check.contract && " (contract)"}${check.note !== null && html`<span class="range">${check.note}</span>`}</td><td>${cell(entry.before, index, check.contract)}</td><td>${cell(entry.after, index, check.contract)}</td></tr>`,
	)}</tbody></table></div>`;
}

function sideView(title: string, side: CaseSide | null, outputs: ReadonlyMap<string, string>): SafeHtml {
	if (side === null) return html`<div><h4>${title}</h4><p class="note">Not tried on this case.</p></div>`;
	const figures = [
		`quality ${formatValue("quality", side.quality)}`,
		`${formatValue("tokens", side.tokens)} tokens`,
		formatValue("latencyMs", side.latencyMs),
		`${formatValue("retries", side.retries)} retries`,
	];
	if (side.trials > 1) figures.push(`${formatCount(side.trials)} trials`);
	const failures = side.failures.length > 0 && html`<p class="worse">failed: ${side.failures.join(", ")}</p>`;
	const texts = side.rollouts.flatMap((key) => outputs.get(key) ?? []).slice(0, 2);
	return html`<div><h4>${title}: ${figures.join(", ")}</h4>${failures}${texts.map((text) => html`<pre class="quote" tabindex="0">${clip(text, TEXT)}</pre>`)}</div>`;
}
