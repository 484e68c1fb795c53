import { describe, expect, it } from "vitest";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { createEvidence } from "../../src/cli/case-evidence.ts";
import { type Case, caseSchema } from "../../src/domain/case.ts";
import { NO_USAGE } from "../../src/domain/dialogue.ts";
import { settingsOf } from "../../src/domain/job-spec.ts";
import { judgementTask } from "../../src/engine/measure.ts";
import { reportHtml } from "../../src/report/html.ts";
import { sampleView } from "../support/sample-view.ts";

const settings = settingsOf("dataviz", { schemaVersion: 1 }, "gpt-5-mini");
const entry = caseSchema.parse({
	id: "c1",
	split: "validation",
	input: "Draw it.",
	checks: [
		{ type: "rubric", criterion: "Names the unit." },
		{ type: "contains", value: "euro" },
		{ type: "rubric", criterion: "Says why.", not: true },
	],
}) as Case;
const reply = (text: string) => ({ text, finish: "stop" as const, usage: NO_USAGE, latencyMs: 1 });
const rollout = { key: "r1", replies: [reply("A bar of dollars")], complete: true, met: true, lostCalls: 0 };

async function storeWith(answer: string, judged: Case = entry) {
	const store = createMemoryDialogueStore();
	const { key } = judgementTask(settings, judged, "A bar of dollars", "r1");
	await store.addReply(key, 0, reply(answer));
	await store.finish(key, { met: true, lostCalls: 0 });
	return store;
}

describe("what the checks of a case found", () => {
	const verdicts = [
		{ criterion: 1, evidence: "of dollars", pass: true },
		{ criterion: 2, evidence: "no reason is given", pass: false },
	];

	it("has the judge's words beside its criteria, met or not, and ours beside the others", async () => {
		const found = await createEvidence(settings, await storeWith(JSON.stringify({ verdicts }))).ofAll(entry, rollout);
		expect(found[0]).toEqual({ by: "judge", text: "of dollars" });
		expect(found[1]?.by).toBe("check");
		expect(found[2]).toEqual({ by: "judge", text: "no reason is given" });
	});

	it("says when the judge gave no clear verdict, and nothing where it gave no reason", async () => {
		const store = await storeWith(JSON.stringify({ verdicts: [{ criterion: 1, evidence: "  ", pass: true }] }));
		const found = await createEvidence(settings, store).ofAll(entry, rollout);
		expect(found[0]).toBeNull();
		expect(found[2]).toEqual({ by: "check", text: "the judge gave no clear verdict" });
	});

	it("puts no words of a judge beside a criterion that it was not asked about", async () => {
		const older = { ...entry, checks: entry.checks.slice(0, 2) };
		const found = await createEvidence(settings, await storeWith(JSON.stringify({ verdicts }), older)).ofAll(
			entry,
			rollout,
		);
		expect([found[0], found[2]]).toEqual([null, null]);
	});

	it("stands in the page as a quotation, escaped", () => {
		const view = sampleView({ counts: { train: 3, validation: 8, holdout: 4 } });
		const keys = view.cases.flatMap((one) => one.after?.rollouts ?? []);
		const said = { by: "judge" as const, text: "<b>five \u202e parts</b>" };
		const page = reportHtml(view, {
			outputs: new Map(keys.map((key) => [key, { text: "", cut: 0, evidence: [said] }])),
		});
		expect(page).toContain("judge: “&lt;b&gt;five \\u{202E} parts&lt;/b&gt;”");
	});
});
