/**
 * What an input speaks of, as the matcher needs it: stems with a weight, groups of the thesaurus, situations and counts.
 * Knows no rule. The same text has the same reading; readings are kept by their text.
 */
import { type CountFact, readCountFacts } from "./counts.ts";
import { stem, stemsOf } from "./lexicon.ts";
import { remembering } from "./memo.ts";
import { readShape } from "./shape.ts";
import { situationsOf } from "./situations.ts";
import { groupsOf } from "./thesaurus.ts";

export interface InputReading {
	stems: ReadonlySet<string>;
	groups: ReadonlySet<number>;
	situations: ReadonlySet<string>;
	facts: readonly CountFact[];
}

/** Longer inputs are read up to here. */
const MOST_CHARACTERS = 20_000;

/** What an input speaks of. */
export const readInput: (text: string) => InputReading = remembering(500, (whole) => {
	const text = whole.slice(0, MOST_CHARACTERS);
	const shape = readShape(text);
	const spoken = withoutRefusals(shape.prose).replace(/_/g, " ");
	const stems = new Set([...stemsOf(spoken), ...shape.words.map(stem)]);
	const groups = new Set<number>();
	for (const word of stems) for (const group of groupsOf(word)) groups.add(group);
	return {
		stems,
		groups,
		situations: withImplied(`${withoutRefusals(text)} ${shape.words.join(" ")}`),
		facts: [...readCountFacts(spoken), ...shape.facts],
	};
});

/** What a situation holds besides: who speaks of a cause speaks of a relation, and what grows does so over time. */
const IMPLIED: Readonly<Record<string, string>> = {
	"a cause": "a relation",
	"a forecast": "over time",
	"building up": "over time",
	"growth from a start": "over time",
	"an unfinished period": "over time",
};

function withImplied(text: string): Set<string> {
	const found = situationsOf(text);
	for (const name of [...found]) {
		const implied = IMPLIED[name];
		if (implied !== undefined) found.add(implied);
	}
	return found;
}

/** Without what the writer says not to want: it is named, but not what the input is about. */
function withoutRefusals(text: string): string {
	return text.replace(/\b(?:don't|do not|does not|doesn't) (?:need|want|care about|like)\b[^,.;\n]*/gi, " ");
}
