/**
 * How the compared text came about: groups of failures, edits with what they earned, what was taken out or refused and why,
 * the lineage of all variants, and the looks of the gates.
 */

import { DIRECTIONS } from "../domain/objective.ts";
import { type TreeNode, tree } from "./chart-tree.ts";
import { formatChange, formatChangeInterval, formatCount, formatP, formatValue, plural, UNKNOWN } from "./numbers.ts";
import { editPlace, GATE_NAMES, gateAnswer, OPERATOR_WORDS } from "./plain-words.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { EditView, GateView, GroupCount, RunView, VariantView } from "./view.ts";
import { clip } from "./visible-text.ts";

const TEXT = 1_500;
const NOTE = 240;
const ROWS = 200;
const TREE_WORDS = 100;
/** A table that is longer than this is folded away. */
const OPEN_ROWS = 12;

/** Train quality with the number of cases behind it: a probe of three says less than a whole pass. */
function trainQuality({ scorecards }: VariantView): string {
	const { mean = null, n = 0 } = scorecards.train?.quality ?? {};
	return mean === null ? UNKNOWN : `${formatValue("quality", mean)} (${n})`;
}

export function historySection(view: RunView): SafeHtml {
	const { proposed, refused, admitted, validated } = view.counts;
	return html`<section aria-labelledby="history"><h2 id="history">How it came about</h2>
<p>${plural(proposed, "proposal")}, ${formatCount(refused)} refused wholly or in part; ${plural(admitted, "variant")} admitted, ${formatCount(validated)} validated.</p>
${counting(view)}
${groups(view)}${edits(view)}${takenOut(view)}${refusals(view)}${gates(view)}${lineageTree(view)}${lineage(view)}
</section>`;
}

function table(title: string, heads: readonly (readonly [string, string])[], rows: readonly Child[]): Child {
	if (rows.length === 0) return null;
	const more = rows.length - ROWS;
	const body = html`<div class="wide" role="region" aria-label="${title}" tabindex="0"><table><thead><tr>${heads.map(([name, kind]) => html`<th scope="col" class="${kind}">${name}</th>`)}</tr></thead><tbody>${rows.slice(0, ROWS)}</tbody></table></div>${more > 0 && html`<p class="note">and ${formatCount(more)} more, in report.json</p>`}`;
	// A long table would stand between the reader and what follows it.
	if (rows.length <= OPEN_ROWS) return html`<h3>${title}</h3>${body}`;
	return html`<h3>${title}</h3><details class="more"><summary>${plural(rows.length, "row")}</summary>${body}</details>`;
}

const failing = (count: GroupCount | null | undefined): string =>
	count == null ? UNKNOWN : `${count.failing} of ${count.total}`;

/** Groups of one label differ in what the notes of their checks say. */
function groupLabel(label: string, note: string | null): Child {
	return note === null ? label : html`${label}<span class="range">${clip(note, NOTE)}</span>`;
}

function groups(view: RunView): Child {
	const rows = view.groups.map(
		(group) =>
			html`<tr><td class="text">${groupLabel(group.label, group.note)}</td><td class="n">${failing(group.before)}</td><td class="n">${failing(group.after)}</td><td class="n">${group.worked}</td></tr>`,
	);
	return table(
		"Failures that the search worked on (train cases)",
		[
			["what the checks want", ""],
			["failing under v0", "n"],
			[underWords(view), "n"],
			["rounds", "n"],
		],
		rows,
	);
}

/** Which text the counts after the search are of, where it is not the compared one. */
function underWords({ countedText, challenger, challengerName }: RunView): string {
	if (countedText === null || countedText === challenger?.label) return `under the ${challengerName}`;
	return `under ${countedText}`;
}

function counting({ countedText, challenger, challengerName }: RunView): Child {
	if (countedText === null || countedText === challenger?.label) return null;
	return html`<p class="note">Failing checks after the search are those of <code>${countedText}</code>: the ${challengerName} came of it by taking edits out, and was not measured on all train cases again.</p>`;
}

function place(edit: EditView, view: RunView): Child {
	const { does, title } = editPlace(edit, view.document);
	return html`${does} <strong>${title}</strong>`;
}

function edits(view: RunView): Child {
	const rows = view.edits.map((edit) => {
		const { earned } = edit;
		const effect = earned === null ? UNKNOWN : `${failing(earned.before)} → ${failing(earned.after)}`;
		return html`<tr><td class="text">${place(edit, view)}</td><td class="text">${words(edit)}</td><td class="text">${groupLabel(edit.group, earned?.note ?? null)}</td><td class="n">${effect}</td></tr>`;
	});
	return table(
		"Edits in the text",
		[
			["edit", ""],
			["words", ""],
			["written for", ""],
			["checks of that kind that fail: v0 → now", "n"],
		],
		rows,
	);
}

function words(edit: EditView): Child {
	const text = edit.op === "delete" ? (edit.find ?? "the whole section") : (edit.text ?? "");
	return edit.op === "delete" ? html`<del>${clip(text, TEXT)}</del>` : clip(text, TEXT);
}

function takenOut(view: RunView): Child {
	const rows = view.dropped.map(
		(edit) =>
			html`<tr><td class="text">${place(edit, view)}</td><td class="text">${words(edit)}</td><td class="text">${edit.dropped ?? ""}</td></tr>`,
	);
	return table(
		"Tried and taken out",
		[
			["edit", ""],
			["words", ""],
			["why", ""],
		],
		rows,
	);
}

function refusals(view: RunView): Child {
	const unusable = view.unusable.map(
		({ reason, count }) =>
			html`<tr><td>whole proposal</td><td class="n">${count}</td><td class="text">of no use: ${reason}</td><td></td></tr>`,
	);
	const refused = view.refusals.map(
		(refusal) =>
			html`<tr><td><code>${refusal.code}</code></td><td class="n">${refusal.count}</td><td class="text">${refusal.messages.join("; ")}</td><td class="text">${refusal.text !== null && clip(refusal.text, TEXT)}</td></tr>`,
	);
	return table(
		"Refused before any trial",
		[
			["rule", ""],
			["times", "n"],
			["why", ""],
			["text", ""],
		],
		[...unusable, ...refused],
	);
}

function gates(view: RunView): Child {
	return table(
		"Proofs",
		[
			["on", ""],
			["text", ""],
			["pairs", "n"],
			["mean change", "n"],
			["p, at most", "n"],
			["answer", ""],
		],
		view.gates.map(gateRow),
	);
}

function gateRow(gate: GateView): SafeHtml {
	const { objective } = gate;
	const up = DIRECTIONS[objective] === "up";
	const turned = (value: number | null) => (value === null || up ? value : -value);
	const change = { objective, low: turned(up ? gate.low : gate.high), high: turned(up ? gate.high : gate.low) };
	return html`<tr><td>${GATE_NAMES[gate.gate]}${gate.attempt > 1 && `, text ${gate.attempt}`}</td><td><code>${gate.label}</code></td><td class="n">${gate.pairs}</td><td class="n">${formatChange(objective, turned(gate.mean))} ${objective}<span class="range">${formatChangeInterval(change)}</span></td><td class="n">${formatP(gate.p)}, ${formatP(gate.alpha)}</td><td class="text">${gateAnswer(gate.answer)}<span class="range">${gate.reason}</span></td></tr>`;
}

function lineageTree(view: RunView): Child {
	const drawn = tree(
		view.variants.map((variant) => ({
			id: variant.id,
			label: variant.label,
			parent: variant.parents[0] ?? null,
			role: roleOf(variant, view),
			words: treeWords(variant),
		})),
		`Lineage of ${plural(view.variants.length, "variant")}`,
	);
	if (drawn === null) return null;
	return html`<h3>Lineage</h3><div class="wide" role="region" aria-label="Lineage as a tree" tabindex="0">${drawn}</div>`;
}

function roleOf(variant: VariantView, view: RunView): TreeNode["role"] {
	if (variant.state === "incumbent") return "incumbent";
	if (variant.id === view.challenger?.id) return "chosen";
	return variant.onFront ? "kept" : "retired";
}

function treeWords(variant: VariantView): string {
	const quality = (variant.scorecards.validation ?? variant.scorecards.train)?.quality.mean ?? null;
	const figures = quality === null ? "" : `, quality ${formatValue("quality", quality)}`;
	return clip(
		`${OPERATOR_WORDS[variant.operator]}, ${plural(variant.edits, "edit")}${figures}; ${stateWords(variant)}`,
		TREE_WORDS,
	);
}

function lineage(view: RunView): Child {
	const labels = new Map(view.variants.map((variant) => [variant.id, variant.label]));
	const row = (variant: VariantView) =>
		html`<tr class="${variant.state === "winner" ? "self" : ""}"><td class="n">${variant.generation}</td><td><code>${variant.label}</code></td><td>${variant.parents.length === 0 ? UNKNOWN : variant.parents.map((id, index) => [index > 0 && ", ", html`<code>${labels.get(id) ?? id}</code>`])}</td><td class="text">${OPERATOR_WORDS[variant.operator]}</td><td class="n">${variant.edits}</td><td class="n">${formatCount(variant.bytes)} B</td><td class="n">${trainQuality(variant)}</td><td class="n">${formatValue("quality", variant.scorecards.validation?.quality.mean ?? null)}</td><td class="text">${stateWords(variant)}</td></tr>`;
	return table(
		"Variants",
		[
			["generation", "n"],
			["variant", ""],
			["from", ""],
			["made by", ""],
			["edits", "n"],
			["harness", "n"],
			["train quality", "n"],
			["validation", "n"],
			["what became of it", ""],
		],
		view.variants.map(row),
	);
}

function stateWords(variant: VariantView): string {
	switch (variant.state) {
		case "incumbent":
			return "the incumbent";
		case "winner":
			return "the winner";
		case "best":
			return "the best text found";
		case "retired":
			return `retired: ${variant.reason}`;
	}
}
