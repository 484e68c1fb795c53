/**
 * What each operator earned in a run, from its events: how many texts it made, how many were adopted, and how quality on train, length and
 * what is stated changed then. Changes of train quality are of the cases that were measured, so they hold the luck of the draw: with
 * noise, about what was chosen for it.
 */
import type { Proposal } from "../../src/domain/events.ts";
import { evolve, INITIAL, type RunState } from "../../src/domain/run-state.ts";
import type { AnswerKey } from "./answer-key.ts";
import type { OneRun } from "./one-run.ts";

export interface OperatorFigures {
	operator: string;
	/** Texts that were measured; for merge and rank the answers, for edits those that came into a measured text. */
	texts: number;
	/** Of them adopted; answers that were of use; edits that are in the last text of the search. */
	adopted: number;
	/** Sums over the adopted: change of train quality, of length in lengths of the seed text, of rules stated, of lines that state none new. */
	quality: number | null;
	/** Change of the score on the test split; null where it was not measured. */
	test: number | null;
	length: number | null;
	rules: number | null;
	empty: number | null;
	/** Change of mean tokens and retries a trial. */
	tokens: number | null;
	retries: number | null;
	/** Calls paid for its questions and for measuring its texts, adopted or not. */
	calls: number;
}

/**
 * @param key null where the stand cannot say what a text states
 * @param score of a text on the test split; null where that is not wanted
 */
export async function operatorsOf(
	run: Pick<OneRun, "events" | "textOf" | "exported">,
	key: AnswerKey | null,
	score: ((text: string) => Promise<number>) | null,
): Promise<OperatorFigures[]> {
	const found = new Map<string, OperatorFigures>();
	const of = (operator: string) => {
		const known = found.get(operator) ?? { ...NOTHING, operator };
		found.set(operator, known);
		return known;
	};
	const scores = new Map<string, number>();
	const testOf = async (text: string) => {
		const known = scores.get(text) ?? (await score?.(text)) ?? 0;
		scores.set(text, known);
		return known;
	};
	const compare = (figures: OperatorFigures, was: string, is: string) => {
		figures.length = (figures.length ?? 0) + (is.length - was.length) / run.exported.seedPrompt.length;
		if (key === null) return;
		const [before, after] = [worthOf(key, was), worthOf(key, is)];
		figures.rules = (figures.rules ?? 0) + after.rules - before.rules;
		figures.empty = (figures.empty ?? 0) + after.empty - before.empty;
	};
	let state = INITIAL;
	let measuring = 0;
	for (const event of run.events) {
		const after = evolve(state, event);
		if (event.type === "proposals-consolidated") {
			const figures = of(event.operator);
			figures.texts += 1;
			figures.calls += event.calls;
			if (event.proposal !== null) {
				figures.adopted += 1;
				compare(figures, editLines(state.search?.proposals ?? []), editLines([event.proposal]));
			}
		}
		if (event.type === "proposals-received")
			of("reflect").calls += event.proposals.reduce((sum, proposal) => sum + proposal.calls, 0);
		if (event.type === "trials-measured")
			measuring += event.trials.reduce((sum, { spend }) => sum + spend.taskCalls + spend.judgeCalls, 0);
		if (event.type === "variant-admitted") measuring = 0;
		if (event.type === "edits-judged" && event.variant !== null) {
			const measured = event.variant;
			const figures = of(state.variants[measured]?.operator ?? "?");
			figures.texts += 1;
			figures.calls += measuring;
			measuring = 0;
			const [was, is] = [state.search?.working.id ?? "", event.working.id];
			if (event.adopted || was !== is) {
				figures.adopted += 1;
				figures.quality = (figures.quality ?? 0) + changeOf(state, measured, "quality");
				figures.tokens = (figures.tokens ?? 0) + changeOf(state, measured, "tokens");
				figures.retries = (figures.retries ?? 0) + changeOf(state, measured, "retries");
				compare(figures, run.textOf(was), run.textOf(is));
				if (score !== null)
					figures.test = (figures.test ?? 0) + (await testOf(run.textOf(is))) - (await testOf(run.textOf(was)));
			}
		}
		state = after;
	}
	const final = new Set(state.search?.working.patch);
	for (const { id, edit } of Object.values(state.edits)) {
		const figures = of(`edit: ${edit.op}`);
		figures.texts += 1;
		if (final.has(id)) figures.adopted += 1;
	}
	return [...found.values()];
}

const NOTHING = {
	...{ texts: 0, adopted: 0, quality: null, test: null, length: null, rules: null, empty: null },
	...{ tokens: null, retries: null, calls: 0 },
};

/** What edits would add, one line each. */
function editLines(proposals: readonly Pick<Proposal, "status" | "edits">[]): string {
	return proposals
		.filter((proposal) => proposal.status === "usable")
		.flatMap((proposal) => proposal.edits.map((edit) => edit.text?.replace(/\s*\n\s*/g, " ") ?? ""))
		.join("\n");
}

/** Rules of the full text that a text states, and lines that state nothing new. */
function worthOf(key: AnswerKey, text: string): { rules: number; empty: number } {
	const { stated, filler, repeats } = key.read(text);
	return { rules: stated.filter((unit) => key.units.includes(unit)).length, empty: filler.length + repeats.length };
}

/** Mean change on the cases that the variant was measured on, against what the search went by before. */
function changeOf(state: RunState, variant: string, objective: "quality" | "tokens" | "retries"): number {
	const first = (of: string | undefined, caseId: string) =>
		state.trials[of ?? ""]?.find((trial) => trial.caseId === caseId && trial.repeat === 0)?.outcome[objective];
	const changes = (state.search?.pending?.cases ?? []).flatMap((caseId) => {
		const [was, is] = [first(state.search?.view[caseId], caseId), first(variant, caseId)];
		return typeof was === "number" && typeof is === "number" ? [is - was] : [];
	});
	return changes.reduce((sum, change) => sum + change, 0) / Math.max(1, changes.length);
}
