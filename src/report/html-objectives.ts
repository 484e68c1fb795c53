/**
 * The table of the four objectives, v0 against the compared text, by split. Proofs first: validation and sealed cases in the
 * open, train cases (from which the text was written) folded away.
 */
import type { Split } from "../domain/case.ts";
import { DIRECTIONS, OBJECTIVES, type Objective, type Scorecard } from "../domain/objective.ts";
import { changeBar } from "./charts.ts";
import {
	directionArrow,
	formatChange,
	formatChangeInterval,
	formatInterval,
	formatPercent,
	formatValue,
	OBJECTIVE_NAMES,
	SAYS_MARKS,
	UNKNOWN,
} from "./numbers.ts";
import { html, type SafeHtml } from "./safe-html.ts";
import type { ChangeView, RunView } from "./view.ts";

/** What the cases of a split are for, for a reader who sees the word for the first time. */
const PURPOSES: Readonly<Record<Split, string>> = {
	validation: "cases that the text was not written from",
	holdout: "cases that the search never sees, looked at once",
	train: "cases that the text was written from",
};

const TITLES: Readonly<Record<Split, string>> = {
	validation: "Validation",
	holdout: "Sealed cases (holdout)",
	train: "Train",
};

export function objectivesSection(view: RunView): SafeHtml {
	const { challenger } = view;
	const after = view.challengerName;
	const table = (split: Split) => {
		const changes = view.changes[split];
		return changes === null ? null : changesTable(split, changes, after);
	};
	const train = table("train");
	const proofs = [table("validation"), table("holdout")];
	const nothing = proofs.every((entry) => entry === null);
	return html`<section aria-labelledby="objectives"><h2 id="objectives">Objectives</h2>
${challenger === null ? alone(view) : nothing && html`<p class="note">No other text was validated: these figures are from the cases that the text was written from.</p>`}
${proofs}
${shrinkageTable(view)}
${train !== null && (nothing ? train : html`<details class="more"><summary>On the train cases, from which the text was written</summary>${train}</details>`)}
</section>`;
}

function changesTable(split: Split, changes: readonly ChangeView[], after: string): SafeHtml {
	const title = TITLES[split];
	return html`<div class="wide" role="region" aria-label="${title}" tabindex="0"><table class="objectives">
<caption>${title} <span class="soft">${PURPOSES[split]}; means (latency: median) with 95 % intervals</span></caption>
<thead><tr><th scope="col">objective</th><th scope="col" class="n">v0</th><th scope="col" class="n">${after}</th><th scope="col" class="n">change</th><th scope="col" class="opt">says</th><th scope="col" class="opt zero">worse · better</th><th scope="col" class="n opt">pairs</th><th scope="col" class="n opt">errors</th></tr></thead>
<tbody>${changes.map(row)}</tbody></table></div>`;
}

function row(change: ChangeView): SafeHtml {
	const { objective, before, after, says } = change;
	const mark = SAYS_MARKS[says];
	const sign = DIRECTIONS[objective] === "up" ? 1 : -1;
	const words = `change ${formatChange(objective, change.mean)}, ${formatChangeInterval(change)}: ${mark.word}`;
	const turned = (value: number | null) => (value === null ? null : sign * value);
	const bar =
		change.mean !== null &&
		changeBar(
			{
				mean: sign * change.mean,
				low: turned(sign > 0 ? change.low : change.high),
				high: turned(sign > 0 ? change.high : change.low),
			},
			says,
			words,
		);
	return html`<tr><th scope="row">${OBJECTIVE_NAMES[objective]} <span class="soft" title="${sign > 0 ? "more is better" : "less is better"}">${directionArrow(objective)}</span></th>
<td class="n">${formatValue(objective, before.mean)}<span class="range opt">${formatInterval(objective, before)}</span></td>
<td class="n">${formatValue(objective, after.mean)}<span class="range opt">${formatInterval(objective, after)}</span></td>
<td class="n">${formatChange(objective, change.mean)}<span class="range">${formatChangeInterval(change)}</span><span class="range narrow ${says}">${mark.glyph} ${mark.word}</span></td>
<td class="mark opt ${says}">${mark.glyph} ${mark.word}</td><td class="opt ${says}">${bar}</td><td class="n opt">${change.n}${change.missing > 0 && html`<span class="range">${change.missing} missing</span>`}</td><td class="n opt">${before.errors} / ${after.errors}</td></tr>`;
}

/** A gain that was chosen for being the greatest is smaller when it is measured again: how much of it was left. */
function shrinkageTable({ shrinkage }: RunView): SafeHtml | null {
	if (shrinkage.length === 0) return null;
	const rows = shrinkage.map(
		({ objective, validation, holdout, difference, kept }) =>
			html`<tr><th scope="row">${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}</th><td class="n">${formatChange(objective, validation)}</td><td class="n">${formatChange(objective, holdout)}</td><td class="n">${formatChange(objective, difference)}</td><td class="n">${kept === null ? UNKNOWN : formatPercent(kept)}</td></tr>`,
	);
	return html`<div class="wide" role="region" aria-label="Shrinkage" tabindex="0"><table><caption>Shrinkage <span class="soft">change on validation, and what of it was seen again on sealed cases</span></caption>
<thead><tr><th scope="col">objective</th><th scope="col" class="n">validation</th><th scope="col" class="n">sealed</th><th scope="col" class="n">difference</th><th scope="col" class="n">seen again</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function alone(view: RunView): SafeHtml {
	const { validation, train } = view.incumbent.scorecards;
	const card = validation ?? train;
	if (card === null) return html`<p class="note">Nothing has been measured.</p>`;
	return html`<p class="note">No text that differs from v0 came of this run.</p>
<div class="wide" role="region" aria-label="v0" tabindex="0"><table><caption>v0 on ${validation === null ? "train" : "validation"} cases</caption><thead><tr><th scope="col">objective</th><th scope="col" class="n">v0</th><th scope="col" class="n">cases</th><th scope="col" class="n">errors</th></tr></thead><tbody>${OBJECTIVES.map((objective) => aloneRow(objective, card))}</tbody></table></div>`;
}

function aloneRow(objective: Objective, card: Scorecard): SafeHtml {
	const estimate = card[objective];
	return html`<tr><th scope="row">${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}</th><td class="n">${formatValue(objective, estimate.mean)}<span class="range">${formatInterval(objective, estimate)}</span></td><td class="n">${estimate.n}</td><td class="n">${estimate.errors}</td></tr>`;
}
