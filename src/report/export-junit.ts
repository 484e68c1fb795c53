/**
 * `junit`: the compared text as a suite of tests for CI systems. A case on which it is worse than v0 is a failure, a case without
 * a quality is an error, a case that was not compared is skipped.
 *
 * Invariant: foreign text is escaped and holds no character that XML forbids.
 */
import { SPLITS } from "../domain/case.ts";
import { formatChange, formatValue } from "./numbers.ts";
import type { CaseView, RunView } from "./view.ts";
import { clip, visible } from "./visible-text.ts";

const LONGEST = 2_000;

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&apos;",
};

function xmlText(text: string): string {
	return visible(clip(text, LONGEST))
		.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? "")
		.replace(/[\n\t]/g, " ");
}

export function reportJunit(view: RunView): string {
	const suites = SPLITS.flatMap((split) => {
		const cases = view.cases.filter((entry) => entry.split === split);
		return cases.length === 0 ? [] : [suite(`${view.skill}.${split}`, cases)];
	});
	const { failures, errors } = counts(view.cases);
	return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${xmlText(`${view.skill} ${view.run}: ${view.verdict.headline}`)}" tests="${view.cases.length}" failures="${failures}" errors="${errors}">
${suites.join("\n")}
</testsuites>
`;
}

function suite(name: string, cases: readonly CaseView[]): string {
	const { failures, errors, skipped } = counts(cases);
	return `<testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}">
${cases.map((entry) => testcase(name, entry)).join("\n")}
</testsuite>`;
}

type Result = "passed" | "failure" | "error" | "skipped";

function resultOf({ after, change }: CaseView): Result {
	if (after === null) return "skipped";
	if (after.quality === null) return "error";
	return change !== null && change < -1e-9 ? "failure" : "passed";
}

function counts(cases: readonly CaseView[]): { failures: number; errors: number; skipped: number } {
	const count = (result: Result) => cases.filter((entry) => resultOf(entry) === result).length;
	return { failures: count("failure"), errors: count("error"), skipped: count("skipped") };
}

function testcase(suiteName: string, entry: CaseView): string {
	const time = ((entry.after?.latencyMs ?? 0) / 1000).toFixed(3);
	const open = `<testcase classname="${xmlText(suiteName)}" name="${xmlText(entry.id)}" time="${time}"`;
	const quality = (side: CaseView["after"]) => formatValue("quality", side?.quality ?? null);
	switch (resultOf(entry)) {
		case "passed":
			return `${open}/>`;
		case "skipped":
			return `${open}><skipped message="not compared on this case"/></testcase>`;
		case "error":
			return `${open}><error message="${xmlText(`no quality: ${entry.after?.failures.join(", ") ?? ""}`)}"/></testcase>`;
		case "failure":
			return `${open}><failure message="${xmlText(`quality ${quality(entry.before)} → ${quality(entry.after)} (${formatChange("quality", entry.change)})`)}"/></testcase>`;
	}
}
