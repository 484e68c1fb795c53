/**
 * `report.html`: one self-contained page in the order in which a reader decides: verdict, objectives, front, change, cases,
 * history, spend, method. It reads fully without its script, which only sorts, filters, pages and lights up.
 *
 * It must not compute: figures come from the view. Invariants: nothing is loaded from anywhere, only the one script and the one
 * style sheet whose hashes the policy names have any effect, foreign text is shown as text only, and equal views give equal bytes.
 */
import { sha256 } from "../domain/digest.ts";
import type { CaseOutputs } from "./case-output.ts";
import { casesSection } from "./html-cases.ts";
import { changeSection } from "./html-change.ts";
import { frontSection } from "./html-front.ts";
import { historySection } from "./html-history.ts";
import { matrixData } from "./html-matrix.ts";
import { objectivesSection } from "./html-objectives.ts";
import { methodSection, spendSection } from "./html-spend.ts";
import { verdictCard } from "./html-verdict.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { dataBlock, html, rawScript, rawStyle } from "./safe-html.ts";
import type { RunView } from "./view.ts";

const hashOf = (text: string) => `'sha256-${Buffer.from(sha256(text), "hex").toString("base64")}'`;

const POLICY = [
	"default-src 'none'",
	`style-src ${hashOf(PAGE_STYLE)}`,
	`script-src ${hashOf(PAGE_SCRIPT)}`,
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");

const SECTIONS = [
	["verdict", "Verdict"],
	["objectives", "Objectives"],
	["front", "Front"],
	["change", "The change"],
	["cases", "Cases"],
	["history", "How it came about"],
	["spend", "Spend"],
	["method", "Method"],
] as const;

export interface PageOptions {
	/** What the texts said, by key of the rollout. */
	outputs?: CaseOutputs;
	/** Name of the file beside the page that holds what the page leaves out; null when there is none. */
	sidecar?: string | null;
}

/** The page. */
export function reportHtml(view: RunView, { outputs = new Map(), sidecar = null }: PageOptions = {}): string {
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
<nav aria-label="Sections"><ul>${SECTIONS.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
${view.offline && html`<p class="stamp">Simulation: built-in rules answered, no language model was involved. The figures say nothing about any model.</p>`}
</header>
<main>
${verdictCard(view)}
${objectivesSection(view)}
${frontSection(view)}
${changeSection(view)}
${casesSection(view, outputs, sidecar)}
${historySection(view)}
${spendSection(view)}
${methodSection(view)}
</main>
<footer>Made by gepa from the run's log. The same figures are in report.md and report.json beside this file.</footer>
${dataBlock("data", { matrix: matrixData(view) })}
${rawScript(PAGE_SCRIPT)}
</body>
</html>
`;
	return page.markup;
}
