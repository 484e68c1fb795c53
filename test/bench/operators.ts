/**
 * What each operator earned in a run, from its events: how many texts it made, how many were adopted, and how quality on train, length and
 * what is stated changed then. Changes of train quality are of the cases that were measured, so they hold the luck of the draw: with
 * noise, about what was chosen for it.
 */
import type { RunEvent } from "../../src/domain/events.ts";
import { evolve, INITIAL, type RunState } from "../../src/domain/run-state.ts";
import type { AnswerKey } from "./answer-key.ts";

export interface OperatorFigures {
	operator: string;
	/** Texts that were measured; for merge and rank the answers, for edits those that came into a measured text. */
	texts: number;
	/** Of them adopted; answers that were of use; edits that are in the last text of the search. */
	adopted: number;
	/** Sums over the adopted: change of train quality, of length in lengths of the seed text, of rules stated, of lines that state none. */
	quality: number | null;
	length: number | null;
	rules: number | null;
	empty: number | null;
}

/** `key` is null where the stand cannot say what a text states. */
export function operatorsOf(
	events: readonly RunEvent[],
	textOf: (variant: string) => string,
	seedLength: number,
	key: AnswerKey | null,
): OperatorFigures[] {
	const found = new Map<string, OperatorFigures>();
	const of = (operator: string, whole: boolean) => {
		const none = whole ? 0 : null;
		const known = found.get(operator) ?? {
			operator,
			texts: 0,
			adopted: 0,
			quality: none,
			length: none,
			rules: whole && key !== null ? 0 : null,
			empty: whole && key !== null ? 0 : null,
		};
		found.set(operator, known);
		return known;
	};
	const reading = (variant: string) => {
		const { stated, filler, repeats } = key?.read(textOf(variant)) ?? { stated: [], filler: [], repeats: [] };
		return { rules: stated.filter((unit) => key?.units.includes(unit)).length, empty: filler.length + repeats.length };
	};
	let state = INITIAL;
	for (const event of events) {
		const after = evolve(state, event);
		if (event.type === "proposals-consolidated") {
			const figures = of(event.operator, false);
			figures.texts += 1;
			if (event.proposal !== null) figures.adopted += 1;
		}
		if (event.type === "edits-judged") {
			const measured = event.variant === null ? undefined : state.variants[event.variant];
			if (measured) {
				const figures = of(measured.operator, true);
				figures.texts += 1;
				const [was, is] = [state.search?.working.id ?? "", event.working.id];
				if (event.adopted || was !== is) {
					const [before, now] = [reading(was), reading(is)];
					figures.adopted += 1;
					figures.quality = (figures.quality ?? 0) + changeOfQuality(state, measured.id);
					figures.length = (figures.length ?? 0) + (textOf(is).length - textOf(was).length) / seedLength;
					if (figures.rules !== null) figures.rules += now.rules - before.rules;
					if (figures.empty !== null) figures.empty += now.empty - before.empty;
				}
			}
		}
		state = after;
	}
	const final = new Set(state.search?.working.patch);
	for (const { id, edit } of Object.values(state.edits)) {
		const figures = of(`edit: ${edit.op}`, false);
		figures.texts += 1;
		if (final.has(id)) figures.adopted += 1;
	}
	return [...found.values()];
}

/** Mean change on the cases that the variant was measured on, against what the search went by before. */
function changeOfQuality(state: RunState, variant: string): number {
	const first = (of: string | undefined, caseId: string) =>
		state.trials[of ?? ""]?.find((trial) => trial.caseId === caseId && trial.repeat === 0)?.outcome.quality;
	const changes = (state.search?.pending?.cases ?? []).flatMap((caseId) => {
		const [was, is] = [first(state.search?.view[caseId], caseId), first(variant, caseId)];
		return typeof was === "number" && typeof is === "number" ? [is - was] : [];
	});
	return changes.reduce((sum, change) => sum + change, 0) / Math.max(1, changes.length);
}
