import { describe, expect, it } from "vitest";
import { reportHtml } from "../../src/report/html.ts";
import { commitBody, reportMarkdown } from "../../src/report/markdown.ts";
import { html } from "../../src/report/safe-html.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import type { RunView } from "../../src/report/view.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { closed } from "../support/sample-run.ts";
import { sampleView } from "../support/sample-view.ts";

/** A run in which every text of a model, a case or a person is the payload, with reasons and names to match. */
function hostileView(payload: string): RunView {
	const model = { name: payload };
	return sampleView(
		{
			text: (field, usual) => (field === "edit" || field === "value" ? `${usual} ${payload}` : payload),
			settings: { models: { task: model, reflection: model, judge: model } },
			ending: [
				{ type: "promotion-refused", reason: "base-moved", message: payload },
				closed("confirmed", "converged", payload),
			],
		},
		{ reportPath: `results/${payload.replace(/\//g, "_")}/report.html` },
	);
}

/** The page without the content of its own script and of the data for it. */
function withoutScript(page: string): string {
	return page.replace(/<script>[\s\S]*?<\/script>|<script type="application\/json" id="data">[^<]*<\/script>/g, "");
}

/** Tags of the page, without what stands in double quotes. */
function tagsOf(page: string): string[] {
	const body = withoutScript(page.slice(page.indexOf("</style>")));
	return [...body.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'));
}

const OUR_TAG =
	/^<\/?(?:html|head|title|body|header|nav|main|footer|a|fieldset|legend|label|input|tspan|section|h[1-4]|p|div|span|strong|code|pre|del|ins|dl|dt|dd|ul|li|table|caption|thead|tbody|tr|th|td|details|summary|figure|figcaption|svg|g|line|rect|path|circle|text|style)(?: [a-zA-Z0-9-]+=""| checked| (?:x|y|x1|x2|y1|y2|cx|cy|r|rx|d|width|height)="")*\/?>$/;

describe.each(HOSTILE)("hostile text %j", (payload) => {
	const view = hostileView(payload);
	const outputs = new Map(
		view.cases
			.flatMap((entry) => [...(entry.before?.rollouts ?? []), ...(entry.after?.rollouts ?? [])])
			.map((key) => [key, { text: payload, cut: 3, evidence: [{ by: "judge" as const, text: payload }] }]),
	);

	it("opens no tag and no attribute in the page", () => {
		const page = reportHtml(view, { outputs });
		expect(tagsOf(page).filter((tag) => !OUR_TAG.test(tag))).toEqual([]);
		expect(withoutScript(page)).not.toMatch(/<(?:script|img|iframe|base|form|object|embed|link|button)\b/i);
		expect(page.match(/<script/g)).toHaveLength(2);
		expect([...page.matchAll(/ href="([^"]*)"/g)].filter(([, to]) => !/^#[a-z0-9-]+$/.test(to ?? ""))).toEqual([]);
		expect(tagsOf(page).filter((tag) => / (?:on\w+|src|style|srcdoc|action)=/i.test(tag))).toEqual([]);
		expect(page).not.toMatch(
			/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u,
		);
	});

	it("makes no markup, link, mention or image in Markdown", () => {
		const text = reportMarkdown(view);
		const prose = text.replace(/`[^`\n]*`/g, "");
		expect(prose).not.toMatch(/(?<!\\)(?:[<[](?=[a-z/!])|!(?=\[))/i);
		expect(prose).not.toMatch(/:\/\/\S|\bwww\.\S|@[\w-]|(?<!\\)~~/);
		for (const line of text.split("\n").filter((entry) => entry.startsWith("|"))) {
			expect([6, 7, 8, 9]).toContain(line.match(/(?<!\\)\|/g)?.length);
		}
		expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
	});

	it("moves nothing in a terminal and starts no command of a CI log", () => {
		for (const text of [terminalReport(view, { color: false }), commitBody(view)]) {
			expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2066-\u2069]/);
			expect(text).not.toMatch(/^\s*::|##\[|##vso\[/m);
		}
	});
});

describe("the html template", () => {
	it("escapes what is no markup of its own, also in attributes", () => {
		expect(html`<p title="${'"><b>'}">${"<i>&"}</p>`.markup).toBe('<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt;&amp;</p>');
	});

	it("refuses an object that only looks like markup", () => {
		const forged = JSON.parse('{"markup":"<script>"}');
		expect(() => html`${forged}`).toThrow(TypeError);
	});

	it("shows nothing for null and false, and joins lists", () => {
		expect(html`${null}${false}${["a", html`<b>${1}</b>`]}`.markup).toBe("a<b>1</b>");
	});
});
