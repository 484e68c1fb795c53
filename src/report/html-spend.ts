/** What the run spent, over time and against its limits; and how it was measured, with what to hold against the figures. */

import { steps } from "./chart-steps.ts";
import { shareBar } from "./charts.ts";
import { withCode } from "./html-verdict.ts";
import { formatCount, formatSeconds, formatUsd, plural, UNKNOWN } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { LimitView, RunView } from "./view.ts";

export function spendSection(view: RunView): SafeHtml {
	const { spend } = view;
	const calls = view.verdict.open
		? `${plural(spend.modelCalls, "call")} paid for so far; in the log`
		: plural(spend.modelCalls, "model call");
	const charts = [callsChart(view), usdChart(view), volumeChart(view)].filter((chart) => chart !== null);
	return html`<section aria-labelledby="spend"><h2 id="spend">Spend and progress</h2>
<p>${calls}: ${formatCount(spend.taskCalls)} task, ${formatCount(spend.reflectionCalls)} reflection, ${formatCount(spend.judgeCalls)} judge. ${plural(spend.trials, "trial")}, ${formatCount(spend.tokens)} tokens, ${spend.cost}, ${formatSeconds(spend.seconds)}.${spend.harvested > 0 && ` ${plural(spend.harvested, "answer")} had been paid for before.`}</p>
${
	spend.limits.length > 0 &&
	html`<div class="wide" role="region" aria-label="Limits" tabindex="0"><table><thead><tr><th scope="col">limit</th><th scope="col" class="n">used</th><th scope="col" class="n">of</th><th scope="col"><span class="opt">share</span></th></tr></thead><tbody>${spend.limits.map(limitRow)}</tbody></table></div>`
}
${charts.length > 0 && html`<div class="charts">${charts}</div>`}
${generationsTable(view)}</section>`;
}

function limitRow({ limit, used, of }: LimitView): SafeHtml {
	const amount = (value: number) =>
		limit === "usd" ? formatUsd(value) : limit === "minutes" ? value.toFixed(1) : formatCount(value);
	const share = used === null ? null : used / of;
	const words = share === null ? "not known" : `${Math.round(share * 100)} %`;
	return html`<tr><th scope="row">${limit}</th><td class="n">${used === null ? UNKNOWN : amount(used)}</td><td class="n">${amount(of)}</td><td>${share !== null && shareBar(share, words)}</td></tr>`;
}

function figure(caption: string, chart: Child): Child {
	return chart === null ? null : html`<figure><figcaption>${caption}</figcaption>${chart}</figure>`;
}

function callsChart({ progress, spend }: RunView): Child {
	const limit = spend.limits.find((entry) => entry.limit === "calls");
	const points = progress.map(({ seconds, calls }) => ({ x: seconds, y: calls }));
	const chart = steps(points, {
		title: `Paid calls over time: ${formatCount(points.at(-1)?.y ?? 0)} in ${formatSeconds(points.at(-1)?.x ?? 0)}`,
		...{ xName: "time", yName: "paid calls", xText: formatSeconds, yText: formatCount, shape: "stair" },
		limit: limit === undefined ? undefined : { value: limit.of, name: `limit ${formatCount(limit.of)}` },
	});
	return figure("Paid calls over time, against the limit", chart);
}

function usdChart({ progress, spend }: RunView): Child {
	const known = progress.flatMap(({ seconds, usd }) => (usd === null ? [] : [{ x: seconds, y: usd }]));
	if (!known.some(({ y }) => y > 0)) return null;
	const limit = spend.limits.find((entry) => entry.limit === "usd");
	const chart = steps(known, {
		title: `US dollars over time: ${formatUsd(known.at(-1)?.y ?? null)}`,
		...{ xName: "time", yName: "US dollars", xText: formatSeconds, yText: formatUsd, shape: "stair" },
		limit: limit === undefined ? undefined : { value: limit.of, name: `limit ${formatUsd(limit.of)}` },
	});
	return figure("US dollars over time, against the limit", chart);
}

function volumeChart({ generations }: RunView): Child {
	const points = generations.map(({ generation, hypervolume }) => ({ x: generation, y: hypervolume }));
	const chart = steps(points, {
		title: `Hypervolume by generation: ${points.map(({ y }) => y.toFixed(3)).join(", ")}`,
		...{ xName: "generation", yName: "hypervolume", xText: formatCount, shape: "line", whole: true },
		yText: (value) => value.toFixed(2),
	});
	return figure("What the search had found, by generation (hypervolume)", chart);
}

function generationsTable({ generations }: RunView): Child {
	if (generations.length < 2) return null;
	const rows = generations.map(
		(entry) =>
			html`<tr><td class="n">${entry.generation}</td><td class="n">${entry.texts}</td><td class="n">${entry.quality.toFixed(3)}</td><td class="n">${entry.hypervolume.toFixed(3)}</td></tr>`,
	);
	return html`<details class="more"><summary>Generation by generation</summary><div class="wide" role="region" aria-label="Generations" tabindex="0"><table><thead><tr><th scope="col" class="n">generation</th><th scope="col" class="n">texts measured so far</th><th scope="col" class="n">best train quality so far</th><th scope="col" class="n">hypervolume</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="note">Hypervolume: the share of the space of quality, tokens and retries that the texts so far dominate, on the whole train sample; the reference is quality 0 and a tenth more tokens and retries than the worst text.</p></details>`;
}

export function methodSection(view: RunView): SafeHtml {
	const { policy, seed, repeats, holdout, kernel, promote } = view.settings;
	const list = (lines: readonly string[]) =>
		html`<ul class="plain">${lines.map((line) => html`<li>${withCode(line)}</li>`)}</ul>`;
	return html`<section aria-labelledby="method"><h2 id="method">Method and caveats</h2>
${view.caveats.length > 0 && list(view.caveats)}
<h3>How the figures came about</h3>
${list(view.method)}
<p class="note">Settings: policy ${policy}, seed ${seed}, repeats ${repeats}, holdout ${holdout}, kernel ${kernel}, promote ${promote}. Cases: ${view.caseCounts.train} train, ${view.caseCounts.validation} validation, ${view.caseCounts.holdout} sealed. Kernel <code>${view.kernelSha256}</code>.</p></section>`;
}
