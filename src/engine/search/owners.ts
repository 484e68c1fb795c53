/**
 * Which group a line is about, whoever asked for it. A reflection that was asked about one failure often answers another one
 * that it also saw. Lines and groups are compared by their words, rare words counting more: those of a group are what its
 * checks want and what their notes say.
 */
import { caseOf, type RunContext } from "../context.ts";
import { causesIn, type Group, symptomsOf } from "./groups.ts";
import { stemsOf } from "./words.ts";

/** A line that shares less than this of the weight of its words with any group is about none of them. */
const UNRELATED = 0.15;

/** What the checks of a group say in words: what they want and what their notes tell. */
function referenceOf(group: Group, context: RunContext): ReadonlySet<string> {
	const texts = new Set<string>([group.label]);
	for (const finding of group.findings) {
		const { checks } = caseOf(context, finding.caseId);
		const own =
			finding.check < 0 ? checks.filter((check) => check.contract) : checks.slice(finding.check, finding.check + 1);
		for (const check of own) if (check.note !== undefined) texts.add(check.note);
	}
	return stemsOf([...texts].join(" "));
}

/** Words too short to tell anything, but for those that a check wants: "go", "4h", "P1". */
function shortWords(text: string): string[] {
	return (text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []).filter((word) => word.length < 3);
}

export interface Owner {
	group: Group;
	/** Share of the weight of the line's words that the group has too, 0 to 1. */
	related: number;
}

/** Finds the symptom that a line is about, among those of all causes; null for a line that is about none of them. */
export function createOwners(groups: readonly Group[], context: RunContext): (line: string) => Owner | null {
	const symptoms = causesIn(groups).flatMap((cause) => symptomsOf(groups, cause.id));
	const wanted = new Set(symptoms.flatMap((group) => (group.contract ? [] : shortWords(group.label))));
	const references = symptoms.map((group) => ({
		group,
		words: new Set([...referenceOf(group, context), ...(group.contract ? [] : shortWords(group.label))]),
	}));
	const frequency = new Map<string, number>();
	for (const { words } of references) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
	// Inverse document frequency (Spärck Jones 1972): a word that every group has tells nothing.
	const weight = (word: string) => Math.log((references.length + 1) / (frequency.get(word) ?? 0.5));
	return (line) => {
		const words = [...new Set([...stemsOf(line), ...shortWords(line).filter((word) => wanted.has(word))])];
		const whole = words.reduce((sum, word) => sum + weight(word), 0);
		let best: Owner | null = null;
		for (const { group, words: reference } of references) {
			const related =
				words.reduce((sum, word) => sum + (reference.has(word) ? weight(word) : 0), 0) / Math.max(whole, 1e-9);
			if (related >= UNRELATED && related > (best?.related ?? 0)) best = { group, related };
		}
		return best;
	};
}
