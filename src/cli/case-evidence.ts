/**
 * What each check found in an answer: our own words for checks that the text alone decides, the judge's for criteria. The judge's
 * words are those that were paid for, found in the store by the very task that bought them.
 */
import { createCheckTools } from "../adapters/check-tools.ts";
import type { Case } from "../domain/case.ts";
import type { Settings } from "../domain/job-spec.ts";
import type { Dialogue } from "../domain/trial.ts";
import { scoreCheck } from "../engine/check-score.ts";
import { looseJson } from "../engine/loose-json.ts";
import { judgementTask } from "../engine/measure.ts";
import { rubricsOf, scoreTrial } from "../engine/score.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import { readVerdicts } from "../prompts/judge.ts";
import type { Evidence } from "../report/case-output.ts";

/** By check of the case, in its order; null where there is nothing to say. */
type FindEvidence = (entry: Case, dialogue: Dialogue) => Promise<(Evidence | null)[]>;

export interface EvidenceFinder {
	/** Of every check. */
	ofAll: FindEvidence;
	/** Of the judge's criteria alone, for what is written of thousands of cases: the others say nothing that the answer does not show. */
	ofJudge: FindEvidence;
}

export function createEvidence(settings: Settings, store: Pick<DialogueStore, "find">): EvidenceFinder {
	const tools = createCheckTools();

	async function verdictsOn(entry: Case, dialogue: Dialogue): Promise<(Evidence | null)[]> {
		const rubrics = rubricsOf(entry.checks);
		if (rubrics.length === 0 || !dialogue.met) return [];
		const { output } = scoreTrial({ case: entry, dialogue, tools });
		if (output === null) return [];
		const judgement = await store.find(judgementTask(settings, entry, output, dialogue.key).key);
		// The case may have been edited since: then nobody was asked about it as it is now.
		if (judgement === undefined) return [];
		const verdicts = readVerdicts(looseJson(judgement.replies.at(-1)?.text ?? ""), rubrics.length);
		return verdicts.map((verdict) => {
			if (verdict === null) return { by: "check", text: "the judge gave no clear verdict" };
			return verdict.evidence.trim() === "" ? null : { by: "judge", text: verdict.evidence };
		});
	}

	const ofJudge: FindEvidence = async (entry, dialogue) => {
		const rubrics = rubricsOf(entry.checks);
		if (rubrics.length === 0) return [];
		const said = await verdictsOn(entry, dialogue);
		return entry.checks.map((check) =>
			check.type === "rubric" && !check.contract ? (said[rubrics.indexOf(check)] ?? null) : null,
		);
	};

	const ofAll: FindEvidence = async (entry, dialogue) => {
		const judged = await ofJudge(entry, dialogue);
		const text = dialogue.replies.at(-1)?.text ?? "";
		return entry.checks.map((check, index) => {
			if (check.type === "rubric" && !check.contract) return judged[index] ?? null;
			const result = scoreCheck(check, text, tools);
			return result.status === "scored" && result.evidence !== undefined
				? { by: "check", text: result.evidence }
				: null;
		});
	};
	return { ofAll, ofJudge };
}
