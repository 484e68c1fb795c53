/**
 * Words of the program for people who read their first report: what the log calls by a short name is said in full, the same in every
 * rendering. It must not know a run or a syntax.
 */
import type { Operator, Status, Stopper } from "../domain/events.ts";
import type { DocumentPart, EditView, GateView } from "./view.ts";

/** How a text came about. */
export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
	seed: "the text that the run began with",
	start: "what an earlier run left undecided",
	reflect: "new edits",
	attribute: "without edits that did not help",
	prune: "tried shorter",
	trim: "without what no case misses",
	reformulate: "a section in fewer words",
};

const STATUS_WORDS: Readonly<Record<Status, string>> = {
	promoted: "promoted",
	confirmed: "proved, not committed",
	kept: "v0 kept",
	undecided: "undecided",
	stopped: "stopped",
};

const STOPPER_WORDS: Readonly<Record<Stopper, string>> = {
	converged: "the search ended because nothing was left that was worth another try",
	calls: "the search ended at the limit on calls",
	trials: "the search ended at the limit on trials",
	tokens: "the search ended at the limit on tokens",
	usd: "the search ended at the limit on dollars",
	minutes: "the search ended at the limit on minutes",
	"no-signal": "there was no search, because the figures could not move",
	cancelled: "a person ended it",
};

/** Status of a run, with what ended its search. */
export function endingWords(status: Status, stoppedBy: Stopper | null): string {
	return stoppedBy === null ? STATUS_WORDS[status] : `${STATUS_WORDS[status]}; ${STOPPER_WORDS[stoppedBy]}`;
}

/** Names that the reflection model gives to what no edit mends. */
const NO_CURE: Readonly<Record<string, string>> = {
	"execution-lapse": "the text says it well, and the model did not follow",
	"bad-case": "the case seems to expect something wrong",
	noise: "it looks like chance",
};

/** Why a proposal was of no use, without the name that the prompt has for it. */
export function unusableWords(reason: string): string {
	const name = /^no edit helps: ([a-z-]+)$/.exec(reason)?.[1] ?? "";
	return NO_CURE[name] === undefined ? reason : `no edit helps: ${NO_CURE[name]}`;
}

/** Which cases a gate looks at. */
export const GATE_NAMES: Readonly<Record<GateView["gate"], string>> = {
	validation: "validation cases",
	holdout: "sealed cases",
};

const GATE_ANSWERS: Readonly<Record<string, string>> = {
	better: "passed",
	continue: "not yet: more cases",
	"not-better": "not better",
	undecided: "not proved",
};

export function gateAnswer(answer: string): string {
	return GATE_ANSWERS[answer] ?? answer;
}

const EDIT_WORDS: Readonly<Record<string, string>> = {
	append: "added to",
	replace: "replaced in",
	delete: "deleted from",
};

/** What an edit does and to which section, by its heading; the section's id where the document has no such heading. */
export function editPlace({ op, section }: Pick<EditView, "op" | "section">, document: readonly DocumentPart[]) {
	const part = document.find((entry) => entry.kind === "section" && entry.id === section);
	const title = part?.kind === "section" ? (part.title ?? "the text before the first heading") : section;
	return { does: EDIT_WORDS[op] ?? op, title };
}
