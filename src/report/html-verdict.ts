/**
 * The card that a reader decides by: what to do in a word and a sentence, then the five questions with their answers, then the
 * facts. Whatever stands in it comes from the view.
 */

import { plural } from "./numbers.ts";
import { endingWords } from "./plain-words.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import { undoCommand } from "./undo-command.ts";
import type { RunView } from "./view.ts";
import type { Decision } from "./view-answers.ts";

const DECISIONS: Readonly<Record<Decision, { mark: string; words: string; tone: string }>> = {
	promote: { mark: "✓", words: "Promote", tone: "good" },
	keep: { mark: "=", words: "Keep v0", tone: "" },
	undecided: { mark: "?", words: "Undecided", tone: "open" },
};

/** How a decision is marked, in a sign, in words and in a tone of the style sheet. */
export function verdictMark(decision: Decision): { mark: string; words: string; tone: string } {
	return DECISIONS[decision];
}

export function verdictCard(view: RunView): SafeHtml {
	const { verdict, promotion, answers } = view;
	const undo = undoCommand(view);
	const { mark, words, tone } = verdictMark(answers.decision);
	return html`<section class="verdict ${tone}" aria-labelledby="verdict">
<p class="decision"><span aria-hidden="true">${mark}</span> ${words}</p>
<h2 id="verdict">${verdict.headline}</h2>
<p class="why">${withCode(verdict.reason)}</p>
<p>${withCode(verdict.change)}</p>
<dl class="answers">
${fact("What changed", withCode(answers.changed))}
${fact("Is it better", withCode(answers.better))}
${fact("How sure", withCode(answers.sure))}
${fact("At what cost", withCode(answers.cost))}
${fact("How to undo", undo === null ? withCode(answers.undo) : html`<code>${undo}</code>`)}
</dl>
<dl class="facts">
${fact("Started", view.startedAt.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2 UTC"))}
${fact("How it ended", verdict.open ? "not yet" : endingWords(verdict.status, verdict.stoppedBy))}
${fact("Task model", view.models.task)}
${fact("Reflection model", view.models.reflection)}
${view.models.judge !== view.models.task && fact("Judge model", view.models.judge)}
${fact("Base", html`<code>${view.base.commit.slice(0, 12)}</code> ${view.base.path}`)}
${promotion !== null && fact("Commit", html`<code>${promotion.commit.slice(0, 12)}</code> on ${promotion.ref.replace(/^refs\/heads\//, "")}, tag ${promotion.tag}`)}
${fact("Spent", `${plural(view.spend.modelCalls, "call")}${verdict.open ? " so far" : ""}, ${view.spend.cost}`)}
${view.resume !== null && fact("Go on", html`<code>${view.resume}</code>`)}
${kernelProof(view)}
</dl>
</section>`;
}

function kernelProof(view: RunView): SafeHtml {
	const regions = view.document.filter((part) => part.kind === "kernel").length;
	const what = regions === 0 ? "no marked region" : `${plural(regions, "region")}, byte-equal in every variant`;
	return fact(
		"Kernel",
		html`<code>${view.kernelSha256}</code><span class="range">${what}. <code>gepa verify ${view.skill}</code> proves it from git.</span>`,
		"whole",
	);
}

function fact(name: string, value: Child, kind = ""): SafeHtml {
	return html`<div class="${kind}"><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Text in which a stretch between backticks is shown as code; all of it is escaped. */
export function withCode(text: string): Child[] {
	return text.split(/`([^`\n]{1,400})`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
