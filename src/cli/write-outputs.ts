/**
 * What the texts said, for the page: cut to what a page can show, with what each check found in it. What does not fit goes to a
 * file beside the page, one case a line, written as it is read so that memory stays flat.
 */
import { join } from "node:path";
import { removeFile, writeLines } from "../adapters/run-folder.ts";
import type { Case } from "../domain/case.ts";
import type { Settings } from "../domain/job-spec.ts";
import { SIDECAR_FILE } from "../domain/report.ts";
import type { Dialogue } from "../domain/trial.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { CaseOutput, Evidence } from "../report/case-output.ts";
import type { CaseSide, CaseView, RunView } from "../report/view.ts";
import { clip } from "../report/visible-text.ts";
import { createEvidence, type EvidenceFinder } from "./case-evidence.ts";

/** Characters of one output, and of all outputs in the page together. */
const OUTPUT_LIMIT = 2_000;
const PAGE_LIMIT = 1_200_000;
/** Outputs of one case and side in the page. */
const ROLLOUTS = 2;
/** Characters of what one check found. */
const EVIDENCE = 400;

export interface WrittenOutputs {
	outputs: ReadonlyMap<string, CaseOutput>;
	/** Name of the file that holds all of them in full; null when the page does. */
	sidecar: string | null;
}

/** Reads the outputs of v0 and of the compared text, those of the cases that changed most first. */
export async function writeOutputs(
	view: RunView,
	{ cases, settings }: { cases: readonly Case[]; settings: Settings },
	folder: string,
	store: DialogueStore,
): Promise<WrittenOutputs> {
	const outputs = new Map<string, CaseOutput>();
	const known = new Map(cases.map((entry) => [entry.id, entry]));
	const evidence = createEvidence(settings, store);
	const byId = new Map(view.cases.map((entry) => [entry.id, entry]));
	const order = [...view.wins, ...view.losses, ...view.matrix.rows.flatMap((row) => byId.get(row.case) ?? [])];
	let room = PAGE_LIMIT;
	let whole = true;
	for (const entry of new Set(order)) {
		const keys = [entry.before, entry.after].flatMap((side) => side?.rollouts.slice(0, ROLLOUTS) ?? []);
		for (const key of keys) {
			if (room <= 0) {
				whole = false;
				continue;
			}
			const dialogue = await store.find(key);
			const text = outputOf(dialogue);
			const current = known.get(entry.id);
			if (dialogue === undefined || text === undefined || current === undefined || outputs.has(key)) continue;
			const shown = text.slice(0, OUTPUT_LIMIT);
			if (shown.length < text.length) whole = false;
			const found = (await evidence.ofAll(current, dialogue)).map(clipped);
			room -= shown.length + found.reduce((sum, entry) => sum + (entry?.text.length ?? 0), 0);
			outputs.set(key, { text: shown, cut: text.length - shown.length, evidence: found });
		}
	}
	const path = join(folder, SIDECAR_FILE);
	if (whole) removeFile(path);
	else await writeLines(path, caseLines(view, known, store, evidence));
	return { outputs, sidecar: whole ? null : SIDECAR_FILE };
}

function clipped(found: Evidence | null): Evidence | null {
	return found === null ? null : { ...found, text: clip(found.text, EVIDENCE) };
}

function outputOf(dialogue: Dialogue | undefined): string | undefined {
	return dialogue?.replies.at(-1)?.text;
}

/** One line a case; `case` comes first, so that a reader can find a line without reading all of it. */
async function* caseLines(
	view: RunView,
	known: ReadonlyMap<string, Case>,
	store: DialogueStore,
	{ ofJudge }: EvidenceFinder,
): AsyncGenerator<string> {
	for (const entry of view.cases) {
		const current = known.get(entry.id);
		const found = { before: await sideOf(entry.before), after: await sideOf(entry.after) };
		yield JSON.stringify({
			case: entry.id,
			split: entry.split,
			input: entry.input,
			checks: entry.checks.map((check, index) => {
				const said = { before: found.before.evidence[index] ?? null, after: found.after.evidence[index] ?? null };
				return {
					...{ label: check.label, contract: check.contract },
					...{ before: scoreOf(entry, "before", index), after: scoreOf(entry, "after", index) },
					...((said.before !== null || said.after !== null) && { evidence: said }),
				};
			}),
			before: found.before.texts,
			after: found.after.texts,
		});

		/** Every answer of a side, and what the judge said of the first. */
		async function sideOf(side: CaseSide | null) {
			const dialogues: Dialogue[] = [];
			for (const key of side?.rollouts ?? []) {
				const dialogue = await store.find(key);
				if (dialogue !== undefined) dialogues.push(dialogue);
			}
			const [first] = dialogues;
			return {
				texts: dialogues.flatMap((dialogue) => outputOf(dialogue) ?? []),
				evidence: first === undefined || current === undefined ? [] : await ofJudge(current, first),
			};
		}
	}
}

function scoreOf(entry: CaseView, side: "before" | "after", index: number): number | null {
	return entry[side]?.scores[index] ?? null;
}
