/**
 * The front: every pair of objectives against each other, all four at once, and the table of the variants that were validated.
 * What was not validated is counted, never drawn. The choice of axes is made by radio buttons and style alone.
 */
import { DIRECTIONS, OBJECTIVES, type Objective } from "../domain/objective.ts";
import type { Spread } from "./chart-axis.ts";
import { parallel } from "./chart-parallel.ts";
import { type AxisOptions, type Mark, type Role, scatter } from "./charts.ts";
import {
	directionArrow,
	formatChange,
	formatCount,
	formatInterval,
	formatValue,
	OBJECTIVE_NAMES,
	plural,
} from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { RunView, VariantView } from "./view.ts";

interface Named {
	id: string;
	name: string;
}

/** Across, then up; quality is always up. The first is what a reader sees. */
const PAIRS: readonly (readonly [x: Objective, y: Objective])[] = [
	["tokens", "quality"],
	["latencyMs", "quality"],
	["retries", "quality"],
	["latencyMs", "tokens"],
	["retries", "tokens"],
	["retries", "latencyMs"],
];

export function frontSection(view: RunView): SafeHtml {
	const validated = view.variants.filter((variant) => variant.scorecards.validation !== null);
	const shown = [...view.front, ...validated.filter((variant) => !view.front.includes(variant)).sort(byQuality)];
	const named = { id: view.challenger?.id ?? "", name: view.challengerName };
	const rest = view.variants.length - shown.length;
	const pairs = PAIRS.flatMap(([x, y]) => {
		const drawn = pairChart(validated, x, y, named);
		return drawn === null ? [] : [{ key: `${x}-${y}`, name: pairName(x, y), drawn }];
	});
	const all = parallelChart(validated, named);
	return html`<section aria-labelledby="front"><h2 id="front">Front</h2>
<p>Texts that no other beats in all four objectives, on validation cases. ${rest > 0 && `${plural(rest, "more variant")} ${rest === 1 ? "was a step" : "were steps"} of the search and not validated.`}</p>
${view.winner !== null && !view.winner.onFront && html`<p class="note">The winner is the text that the search came to on train cases, and it was proved; a text on the front that looks better here was measured for this picture alone and proved nothing.</p>`}
${
	pairs.length > 0 &&
	html`${legend(view.challengerName)}<div class="charts"><div class="pairs">${axesChoice(pairs)}${pairs.map(({ key, name, drawn }) => html`<figure class="pair ${key}"><figcaption>${name}</figcaption>${drawn}</figure>`)}</div>
${all !== null && html`<figure class="all"><figcaption>All four objectives; better is up</figcaption>${all}<div id="brush"></div></figure>`}</div>`
}
<div class="wide" role="region" aria-label="Variants" tabindex="0"><table class="sortable" id="variants">
<thead><tr><th scope="col">variant</th>${OBJECTIVES.map((objective) => html`<th scope="col" class="n">${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}</th>`)}<th scope="col" class="n">cases</th><th scope="col" class="n">errors</th><th scope="col" class="n">harness</th></tr></thead>
<tbody>${shown.map((variant) => row(variant, named))}</tbody></table></div>
</section>`;
}

function byQuality(a: VariantView, b: VariantView): number {
	const of = (variant: VariantView) => variant.scorecards.validation?.quality.mean ?? -1;
	return of(b) - of(a);
}

/** Radio buttons; which figure is seen follows from them in the style sheet, so that they work without a script. */
function axesChoice(pairs: readonly { key: string; name: string }[]): SafeHtml {
	return html`<fieldset class="axes"><legend>Axes</legend>${pairs.map(({ key, name }, index) =>
		index === 0
			? html`<label><input type="radio" name="axes" value="${key}" checked>${name}</label>`
			: html`<label><input type="radio" name="axes" value="${key}">${name}</label>`,
	)}</fieldset>`;
}

function pairName(x: Objective, y: Objective): string {
	const name = OBJECTIVE_NAMES[y];
	return `${name.charAt(0).toUpperCase()}${name.slice(1)} against ${OBJECTIVE_NAMES[x]}`;
}

function row(variant: VariantView, named: Named): SafeHtml {
	const card = variant.scorecards.validation;
	const cell = (objective: Objective) => {
		const estimate = card?.[objective];
		const own = estimate?.mean ?? null;
		const change = variant.change?.[objective] ?? null;
		return html`<td class="n" data-sort="${own === null ? "" : String(own)}">${formatValue(objective, own)}${estimate !== undefined && html`<span class="range">${formatInterval(objective, estimate)}</span>`}${change !== null && html`<span class="range">${formatChange(objective, change)} ${glyph(objective, change)}</span>`}</td>`;
	};
	return html`<tr class="${variant.state === "winner" ? "self" : ""}" data-v="${variant.id}"><th scope="row"><code>${variant.label}</code> ${variant.id === named.id && tag(variant.state, named.name)} ${variant.onFront ? tag("front", "front") : html`<span class="soft">dominated</span>`}</th>${OBJECTIVES.map(cell)}<td class="n">${card?.quality.n ?? 0}</td><td class="n">${card?.quality.errors ?? 0}</td><td class="n" data-sort="${String(variant.bytes)}">${formatCount(variant.bytes)} B</td></tr>`;
}

/** Which way a change points; it is no test. */
function glyph(objective: Objective, change: number): string {
	if (!/[1-9]/.test(formatValue(objective, Math.abs(change)))) return "=";
	return (DIRECTIONS[objective] === "up") === change > 0 ? "▲" : "▼";
}

function tag(kind: string, words: string): SafeHtml {
	return html`<span class="tag ${kind}">${words}</span>`;
}

function pairChart(variants: readonly VariantView[], x: Objective, y: Objective, named: Named): Child {
	const marks = variants.flatMap((variant): Mark[] => {
		const card = variant.scorecards.validation;
		const [across, up] = [spread(card?.[x]), spread(card?.[y])];
		if (across === null || up === null) return [];
		const words = (objective: Objective, own: Spread) =>
			`${OBJECTIVE_NAMES[objective]} ${formatValue(objective, own.mean)} (${formatInterval(objective, own)})`;
		return [
			{
				id: variant.id,
				label: nameOf(variant, named),
				role: roleOf(variant),
				x: across,
				y: up,
				title: `${variant.label}: ${words(y, up)}, ${words(x, across)}`,
			},
		];
	});
	const title = `${pairName(x, y)}, ${plural(marks.length, "variant")}`;
	return scatter(marks, { title, x: axisOf(x), y: axisOf(y) });
}

function parallelChart(variants: readonly VariantView[], named: Named): Child {
	const lines = variants.map((variant) => {
		const values = OBJECTIVES.map((objective) => variant.scorecards.validation?.[objective].mean ?? null);
		const words = OBJECTIVES.map(
			(objective, index) => `${OBJECTIVE_NAMES[objective]} ${formatValue(objective, values[index] ?? null)}`,
		);
		const label = nameOf(variant, named);
		return { id: variant.id, label, role: roleOf(variant), values, title: `${variant.label}: ${words.join(", ")}` };
	});
	const axes = OBJECTIVES.map((objective) => ({ key: objective, ...axisOf(objective) }));
	return parallel(lines, axes, `All four objectives of ${plural(lines.length, "variant")}; better is up`);
}

function axisOf(objective: Objective): AxisOptions {
	const isQuality = objective === "quality";
	return {
		name: OBJECTIVE_NAMES[objective],
		better: DIRECTIONS[objective],
		ceiling: isQuality ? 1 : Number.POSITIVE_INFINITY,
		text: (value) =>
			isQuality
				? value.toFixed(Math.abs(value * 100 - Math.round(value * 100)) < 1e-6 ? 2 : 3)
				: formatValue(objective, value),
	};
}

function nameOf(variant: VariantView, named: Named): string {
	return named.id === variant.id ? named.name : variant.label;
}

function roleOf(variant: VariantView): Role {
	if (variant.state === "incumbent") return "incumbent";
	if (variant.state === "winner" || variant.state === "best") return "chosen";
	return variant.onFront ? "front" : "dominated";
}

function spread(estimate: { mean: number | null; low: number | null; high: number | null } | undefined): Spread | null {
	if (estimate === undefined || estimate.mean === null) return null;
	return { mean: estimate.mean, low: estimate.low, high: estimate.high };
}

function legend(name: string): SafeHtml {
	const item = (mark: SafeHtml, words: string) =>
		html`<li><svg viewBox="0 0 14 14" aria-hidden="true">${mark}</svg>${words}</li>`;
	return html`<ul class="legend">
${item(html`<rect class="mark incumbent" x="2" y="2" width="10" height="10"/>`, "v0")}
${item(html`<path class="mark chosen" d="M7 0 L14 7 L7 14 L0 7 Z"/>`, name)}
${item(html`<circle class="mark front" cx="7" cy="7" r="4.5"/>`, "on the front")}
${item(html`<circle class="mark dominated" cx="7" cy="7" r="3"/>`, "dominated: another is better in some and worse in none")}
<li>crosses: 95 % intervals; dashed: what no other beats in these two</li>
</ul>`;
}
