/**
 * What the texts said, for the page: cut to what a page can show, with what each check found in it. What does not fit goes to a
 * file beside the page, one case a line, written as it is read so that memory stays flat.
 */
import { join } from "node:path";
import { createCheckTools } from "../adapters/check-tools.ts";
import { removeFile, writeLines } from "../adapters/run-folder.ts";
import type { Case } from "../domain/case.ts";
import { SIDECAR_FILE } from "../domain/report.ts";
import { scoreCheck } from "../engine/check-score.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { CaseOutput } from "../report/case-output.ts";
import type { CaseSide, CaseView, RunView } from "../report/view.ts";

/** Characters of one output, and of all outputs in the page together. */
const OUTPUT_LIMIT = 2_000;
const PAGE_LIMIT = 1_200_000;
/** Outputs of one case and side in the page. */
const ROLLOUTS = 2;

export interface WrittenOutputs {
	outputs: ReadonlyMap<string, CaseOutput>;
	/** Name of the file that holds all of them in full; null when the page does. */
	sidecar: string | null;
}

/** Reads the outputs of v0 and of the compared text, those of the cases that changed most first. */
export async function writeOutputs(
	view: RunView,
	cases: readonly Case[],
	folder: string,
	store: DialogueStore,
): Promise<WrittenOutputs> {
	const outputs = new Map<string, CaseOutput>();
	const checksOf = new Map(cases.map((entry) => [entry.id, entry.checks]));
	const byId = new Map(view.cases.map((entry) => [entry.id, entry]));
	const order = [...view.wins, ...view.losses, ...view.matrix.rows.flatMap((row) => byId.get(row.case) ?? [])];
	const tools = createCheckTools();
	let room = PAGE_LIMIT;
	let whole = true;
	for (const entry of new Set(order)) {
		const keys = [entry.before, entry.after].flatMap((side) => side?.rollouts.slice(0, ROLLOUTS) ?? []);
		for (const key of keys) {
			if (room <= 0) {
				whole = false;
				continue;
			}
			const text = await outputOf(key, store);
			if (text === undefined || outputs.has(key)) continue;
			const shown = text.slice(0, OUTPUT_LIMIT);
			if (shown.length < text.length) whole = false;
			room -= shown.length;
			const evidence = (checksOf.get(entry.id) ?? []).map((check) => {
				const result = scoreCheck(check, text, tools);
				return result.status === "scored" ? (result.evidence ?? null) : null;
			});
			outputs.set(key, { text: shown, cut: text.length - shown.length, evidence });
		}
	}
	const path = join(folder, SIDECAR_FILE);
	if (whole) removeFile(path);
	else await writeLines(path, caseLines(view, store));
	return { outputs, sidecar: whole ? null : SIDECAR_FILE };
}

async function outputOf(key: string, store: DialogueStore): Promise<string | undefined> {
	return (await store.find(key))?.replies.at(-1)?.text;
}

/** One line a case; `case` comes first, so that a reader can find a line without reading all of it. */
async function* caseLines(view: RunView, store: DialogueStore): AsyncGenerator<string> {
	for (const entry of view.cases) {
		const texts = async (side: CaseSide | null) => {
			const found: string[] = [];
			for (const key of side?.rollouts ?? []) {
				const text = await outputOf(key, store);
				if (text !== undefined) found.push(text);
			}
			return found;
		};
		yield JSON.stringify({
			case: entry.id,
			split: entry.split,
			input: entry.input,
			checks: entry.checks.map((check, index) => ({
				label: check.label,
				contract: check.contract,
				before: scoreOf(entry, "before", index),
				after: scoreOf(entry, "after", index),
			})),
			before: await texts(entry.before),
			after: await texts(entry.after),
		});
	}
}

function scoreOf(entry: CaseView, side: "before" | "after", index: number): number | null {
	return entry[side]?.scores[index] ?? null;
}
