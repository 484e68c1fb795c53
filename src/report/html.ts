/**
 * `report.html`: one self-contained page without a script, in the order in which a reader decides: verdict, objectives, front,
 * change, cases, history, spend, method.
 *
 * It must not compute: figures come from the view. Invariants: nothing is loaded from anywhere, foreign text is shown as text
 * only, and equal views give equal bytes.
 */

import { shareBar } from "./charts.ts";
import { casesSection } from "./html-cases.ts";
import { changeSection } from "./html-change.ts";
import { frontSection } from "./html-front.ts";
import { historySection } from "./html-history.ts";
import { objectivesSection } from "./html-objectives.ts";
import { formatCount, formatSeconds, formatUsd, plural, UNKNOWN } from "./numbers.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { type Child, html, rawStyle, type SafeHtml } from "./safe-html.ts";
import { undoCommand } from "./undo-command.ts";
import type { LimitView, RunView } from "./view.ts";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/**
 * The page.
 * @param outputs what the model said, by key of the rollout; shown side by side, clipped. Pass those of the cases that matter.
 */
export function reportHtml(
	view: RunView,
	{ outputs = new Map() }: { outputs?: ReadonlyMap<string, string> } = {},
): string {
	const title = `${view.skill}: ${view.verdict.headline}`;
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${rawStyle(PAGE_STYLE)}
</head>
<body>
<header>
<h1>${view.skill} <span class="of">· report of run ${view.run}</span></h1>
${view.offline && html`<p class="stamp">Simulation: built-in rules answered, no language model was involved. The figures say nothing about any model.</p>`}
</header>
<main>
${verdictCard(view)}
${objectivesSection(view)}
${frontSection(view)}
${changeSection(view)}
${casesSection(view, outputs)}
${historySection(view)}
${spendSection(view)}
${methodSection(view)}
</main>
<footer>Made by gepa from the run's log. The same figures are in report.md and report.json beside this file.</footer>
</body>
</html>
`;
	return page.markup;
}

function verdictCard(view: RunView): SafeHtml {
	const { verdict, promotion } = view;
	const undo = undoCommand(view);
	const tone = view.winner !== null ? "good" : verdict.status === "kept" ? "" : "open";
	return html`<section class="verdict ${tone}" aria-labelledby="verdict">
<h2 id="verdict">${verdict.headline}</h2>
<p class="why">${withCode(verdict.reason)}</p>
<p>${withCode(verdict.change)}</p>
<dl class="facts">
${fact("Started", view.startedAt.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2 UTC"))}
${fact("Status", verdict.stoppedBy === null ? verdict.status : `${verdict.status}, search ended by: ${verdict.stoppedBy}`)}
${fact("Task model", view.models.task)}
${fact("Reflection model", view.models.reflection)}
${view.models.judge !== view.models.task && fact("Judge model", view.models.judge)}
${fact("Base", html`<code>${view.base.commit.slice(0, 12)}</code> ${view.base.path}`)}
${fact("Kernel", html`<code>${view.kernelSha256.slice(0, 16)}</code> byte-equal in every variant`)}
${promotion !== null && fact("Commit", html`<code>${promotion.commit.slice(0, 12)}</code> on ${promotion.ref.replace(/^refs\/heads\//, "")}, tag ${promotion.tag}`)}
${fact("Spent", `${plural(view.spend.modelCalls, "call")}${verdict.open ? " so far" : ""}, ${view.spend.cost}`)}
${view.resume !== null && fact("Go on", html`<code>${view.resume}</code>`)}
${undo !== null && fact("Undo", html`<code>${undo}</code>`)}
</dl>
</section>`;
}

function fact(name: string, value: Child): SafeHtml {
	return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Text in which a stretch between backticks is shown as code; all of it is escaped. */
function withCode(text: string): Child[] {
	return text.split(/`([^`\n]{1,200})`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

function spendSection(view: RunView): SafeHtml {
	const { spend } = view;
	const calls = view.verdict.open
		? `${plural(spend.modelCalls, "call")} paid for so far; in the log`
		: plural(spend.modelCalls, "model call");
	return html`<section aria-labelledby="spend"><h2 id="spend">Spend</h2>
<p>${calls}: ${formatCount(spend.taskCalls)} task, ${formatCount(spend.reflectionCalls)} reflection, ${formatCount(spend.judgeCalls)} judge. ${plural(spend.trials, "trial")}, ${formatCount(spend.tokens)} tokens, ${spend.cost}, ${formatSeconds(spend.seconds)}.${spend.harvested > 0 && ` ${plural(spend.harvested, "answer")} had been paid for before.`}</p>
${
	spend.limits.length > 0 &&
	html`<div class="wide"><table><thead><tr><th scope="col">limit</th><th scope="col" class="n">used</th><th scope="col" class="n">of</th><th scope="col"><span class="opt">share</span></th></tr></thead><tbody>${spend.limits.map(limitRow)}</tbody></table></div>`
}</section>`;
}

function limitRow({ limit, used, of }: LimitView): SafeHtml {
	const amount = (value: number) =>
		limit === "usd" ? formatUsd(value) : limit === "minutes" ? value.toFixed(1) : formatCount(value);
	const share = used === null ? null : used / of;
	const words = share === null ? "not known" : `${Math.round(share * 100)} %`;
	return html`<tr><th scope="row">${limit}</th><td class="n">${used === null ? UNKNOWN : amount(used)}</td><td class="n">${amount(of)}</td><td>${share !== null && shareBar(share, words)}</td></tr>`;
}

function methodSection(view: RunView): SafeHtml {
	const { policy, seed, repeats, holdout, kernel, promote } = view.settings;
	const list = (lines: readonly string[]) =>
		html`<ul class="plain">${lines.map((line) => html`<li>${withCode(line)}</li>`)}</ul>`;
	return html`<section aria-labelledby="method"><h2 id="method">Method and caveats</h2>
${view.caveats.length > 0 && list(view.caveats)}
<h3>How the figures came about</h3>
${list(view.method)}
<p class="note">Settings: policy ${policy}, seed ${seed}, repeats ${repeats}, holdout ${holdout}, kernel ${kernel}, promote ${promote}. Cases: ${view.caseCounts.train} train, ${view.caseCounts.validation} validation, ${view.caseCounts.holdout} sealed. Kernel <code>${view.kernelSha256}</code>.</p></section>`;
}
