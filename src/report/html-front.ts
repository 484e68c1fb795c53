/**
 * The front: quality against tokens and against latency, and the table of all variants that were validated. What was not
 * validated is counted, never drawn.
 */
import { OBJECTIVES, type Objective } from "../domain/objective.ts";
import { type Mark, type Role, type Spread, scatter } from "./charts.ts";
import { directionArrow, formatCount, formatInterval, formatValue, OBJECTIVE_NAMES, plural } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { RunView, VariantView } from "./view.ts";

interface Named {
	id: string;
	name: string;
}

export function frontSection(view: RunView): SafeHtml {
	const validated = view.variants.filter((variant) => variant.scorecards.validation !== null);
	const shown = [...view.front, ...validated.filter((variant) => !view.front.includes(variant)).sort(byQuality)];
	const named = { id: view.challenger?.id ?? "", name: view.challengerName };
	const rest = view.variants.length - shown.length;
	const charts = [chart(validated, "tokens", named), chart(validated, "latencyMs", named)].filter(
		(drawn) => drawn !== null,
	);
	return html`<section aria-labelledby="front"><h2 id="front">Front</h2>
<p>The variants that no other beats in all four objectives, on validation cases. ${rest > 0 && `${plural(rest, "more variant")} ${rest === 1 ? "was a step" : "were steps"} of the search and not validated.`}</p>
${charts.length > 0 && [legend(view.challengerName), html`<div class="charts">${charts}</div>`]}
<div class="wide" role="region" aria-label="Variants" tabindex="0"><table>
<thead><tr><th scope="col">variant</th>${OBJECTIVES.map((objective) => html`<th scope="col" class="n">${OBJECTIVE_NAMES[objective]} ${directionArrow(objective)}</th>`)}<th scope="col" class="n">cases</th><th scope="col" class="n">errors</th><th scope="col" class="n">harness</th></tr></thead>
<tbody>${shown.map((variant) => row(variant, named))}</tbody></table></div>
</section>`;
}

function byQuality(a: VariantView, b: VariantView): number {
	const of = (variant: VariantView) => variant.scorecards.validation?.quality.mean ?? -1;
	return of(b) - of(a);
}

function row(variant: VariantView, named: Named): SafeHtml {
	const card = variant.scorecards.validation;
	const cell = (objective: Objective) => {
		const estimate = card?.[objective];
		return html`<td class="n">${formatValue(objective, estimate?.mean ?? null)}${estimate !== undefined && html`<span class="range">${formatInterval(objective, estimate)}</span>`}</td>`;
	};
	return html`<tr class="${variant.state === "winner" ? "self" : ""}"><th scope="row"><code>${variant.label}</code> ${variant.id === named.id && tag(variant.state, named.name)} ${variant.onFront ? tag("front", "front") : html`<span class="soft">dominated</span>`}</th>${OBJECTIVES.map(cell)}<td class="n">${card?.quality.n ?? 0}</td><td class="n">${card?.quality.errors ?? 0}</td><td class="n">${formatCount(variant.bytes)} B</td></tr>`;
}

function tag(kind: string, words: string): SafeHtml {
	return html`<span class="tag ${kind}">${words}</span>`;
}

function chart(variants: readonly VariantView[], cost: "tokens" | "latencyMs", named: Named): Child {
	const marks = variants.flatMap((variant): Mark[] => {
		const card = variant.scorecards.validation;
		const [x, y] = [spread(card?.[cost]), spread(card?.quality)];
		if (x === null || y === null) return [];
		const title = `${variant.label}: quality ${formatValue("quality", y.mean)} (${formatInterval("quality", y)}), ${OBJECTIVE_NAMES[cost]} ${formatValue(cost, x.mean)} (${formatInterval(cost, x)})`;
		return [
			{
				label: named.id === variant.id ? named.name : variant.label,
				role: roleOf(variant),
				x,
				y,
				title,
			},
		];
	});
	const name = OBJECTIVE_NAMES[cost];
	const drawn = scatter(marks, {
		title: `Quality against ${name}, ${plural(marks.length, "variant")}`,
		xName: name,
		yName: "quality",
		xText: (value) => formatValue(cost, value),
		yText: (value) => value.toFixed(Math.abs(value * 100 - Math.round(value * 100)) < 1e-6 ? 2 : 3),
	});
	return drawn === null ? null : html`<figure><figcaption>Quality against ${name}</figcaption>${drawn}</figure>`;
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
${item(html`<circle class="mark dominated" cx="7" cy="7" r="3"/>`, "dominated")}
<li>crosses: 95 % intervals; dashed: best quality at each cost</li>
</ul>`;
}
