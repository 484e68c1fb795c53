import { describe, expect, it } from "vitest";
import { comparisonText } from "../../src/report/compare-text.ts";
import { commitBody, reportMarkdown } from "../../src/report/markdown.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { compareRuns } from "../../src/report/view-compare.ts";
import { batches, harmlessAs } from "../support/hostile-payloads.ts";
import { hostileView } from "../support/hostile-view.ts";
import { sampleView } from "../support/sample-view.ts";

const base = sampleView({ counts: { train: 3, validation: 8, holdout: 4 } }, { repositoryPath: "/home/me/skills" });

/** Everything that a terminal obeys, hides or reorders; a newline ends a line and does no more. */
const OBEYED =
	/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/u;
const COMMAND = /^\s*::|##\[|##vso\[/m;

/** The lines that are ours whatever a run holds: heads of tables, labels. */
const heads = (text: string) =>
	text.match(
		/^(?:(?:validation|sealed) \(\d+\)|quality ↑|latency ↓|tokens ↓|retries ↓|top wins|top losses|spent|texts|kernel|Spent:|Runs|Objectives)/gm,
	);

describe.each(batches(20))("payloads in every field, from %j", (payload) => {
	const view = hostileView(base, payload);
	const harmless = hostileView(base, harmlessAs(payload));

	it("leave a terminal as it was, and its lines where they belong", () => {
		for (const render of [
			(one: typeof view) => terminalReport(one, { color: false }),
			(one: typeof view) => comparisonText(compareRuns(one, one)),
			commitBody,
		]) {
			const text = render(view);
			expect(text).not.toMatch(OBEYED);
			expect(text).not.toMatch(COMMAND);
			expect(heads(text)).toEqual(heads(render(harmless)));
		}
	});

	it("colour nothing but what we colour", () => {
		const own = /\u001b\[(?:1|2|22|31|32|33|39)m/g;
		expect(terminalReport(view, { color: true }).replace(own, "")).not.toMatch(OBEYED);
	});

	it("stay within 80 columns, but for paths and commands that are of use only whole", () => {
		const whole = /^(?:run|commit|winner|best text|kernel|report|go on|undo) {2,}/;
		for (const line of terminalReport(view, { color: false }).split("\n")) {
			if (!whole.test(line)) expect([...line].length, line).toBeLessThanOrEqual(80);
		}
	});

	it("make no markup in Markdown", () => {
		const prose = reportMarkdown(view).replace(/`[^`\n]*`/g, "");
		expect(prose).not.toMatch(OBEYED);
		expect(prose).not.toMatch(/(?<!\\)(?:[<[](?=[a-z/!])|!(?=\[))/i);
		expect(prose).not.toMatch(/:\/\/\S|\bwww\.\S|@[\w-]/);
	});
});
