/**
 * How well a rule fits an input: weighted overlap of what its condition and the input speak of. Knows no skill and draws
 * nothing. Rare words of the text weigh more than frequent ones; a broken count condition rules a rule out.
 */

import type { Alternative } from "./conditions.ts";
import { type CountCondition, judgeCount } from "./counts.ts";
import type { InputReading } from "./input-reading.ts";
import { stem } from "./lexicon.ts";
import type { Rule } from "./rule-reading.ts";
import { groupsOf } from "./thesaurus.ts";

/** Weight of a word and of a situation; the rarer the more, down to a floor. Set so that the notes of recorded cases work. */
const STEM_WEIGHT = 0.6;
const SITUATION_WEIGHT = 2.8;
const LEAST_RARITY = { stem: 0.1, situation: 0.2 } as const;
/** Added to the number of rules, so that a word is rare enough in a short text too. */
const FEW = 8;
/** Weight of a word that is only near one of the input. */
const NEAR = 0.35;
/** What an unmet word takes away, as a share of its weight; an unmet situation takes one and a half times that. */
const UNMET = 0.15;
const UNMET_SITUATION = 1.5;
/** How far unmet situations shrink the whole. */
const COVER = 0.3;
const COUNT_WEIGHT = 1.5;
/** Points for a condition that names what was decided before; factor for one that names only other values. */
const NAMED = 2.8;
const NOT_NAMED = 0.3;

/** Weights of the stems and situations of a text, by how many of its rules for one field use them. */
export interface Weights {
	stem(field: string, word: string): number;
	situation(field: string, name: string): number;
}

const FAINT = new Set(
	"data dataset file value number figure item text message result information example field row column table set year name list measure"
		.split(" ")
		.map(stem),
);

export function weightsOf(rules: readonly Rule[]): Weights {
	const rulesOfField = new Map<string, number>();
	const uses = new Map<string, number>();
	const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
	for (const { field, alternatives } of rules) {
		count(rulesOfField, field);
		for (const word of alternatives[0]?.stems ?? []) count(uses, `${field} ${word}`);
		for (const name of alternatives[0]?.situations ?? []) count(uses, `${field}#${name}`);
	}
	const rarity = (field: string, key: string) => {
		const all = rulesOfField.get(field) ?? 1;
		return Math.log((all + FEW) / ((uses.get(key) ?? 0) + 0.5)) / Math.log(all + FEW);
	};
	const known = new Map<string, Map<string, number>>();
	const remembered = (field: string, key: string, weigh: () => number) => {
		const own = known.get(field) ?? new Map<string, number>();
		known.set(field, own);
		const weight = own.get(key) ?? weigh();
		own.set(key, weight);
		return weight;
	};
	const faintness = (word: string) => (FAINT.has(word) ? 0.3 : 1);
	const least = LEAST_RARITY;
	return {
		stem: (field, word) =>
			remembered(field, word, () => {
				return STEM_WEIGHT * faintness(word) * Math.max(least.stem, rarity(field, `${field} ${word}`));
			}),
		situation: (field, name) =>
			remembered(
				field,
				`#${name}`,
				() => SITUATION_WEIGHT * Math.max(least.situation, rarity(field, `${field}#${name}`)),
			),
	};
}

/** Points of a rule for an input, 0 and up; `decided` holds the values of the fields before, as `field value`. */
export function fitOf(rule: Rule, input: InputReading, decided: ReadonlySet<string>, weights: Weights): number {
	let best = 0;
	for (const alternative of rule.alternatives)
		best = Math.max(best, alternative.share * pointsOf(rule.field, alternative, input, weights));
	if (rule.named.size > 0) {
		const said = [...rule.named].some((name) => decided.has(name));
		const [whole] = rule.alternatives;
		if (said) best += NAMED * (whole?.denied.some((name) => input.situations.has(name)) ? 0.4 : 1);
		else if (rule.named.size > 2) best *= NOT_NAMED;
	}
	const excepted = rule.exceptions.some((exception) => coverOf(rule.field, exception, input, weights) > 0.45);
	return excepted ? 0.15 * best : best;
}

interface Tally {
	met: number;
	unmet: number;
	factor: number;
}

function pointsOf(field: string, alternative: Alternative, input: InputReading, weights: Weights): number {
	const { met, unmet, factor } = tally(field, alternative, input, weights);
	const spoken = alternative.situations.filter((name) => input.situations.has(name)).length;
	const cover = alternative.situations.length === 0 ? 1 : spoken / alternative.situations.length;
	return Math.max(0, met - UNMET * unmet) * factor * (1 - COVER * (1 - cover));
}

function coverOf(field: string, alternative: Alternative, input: InputReading, weights: Weights): number {
	const { met, unmet } = tally(field, alternative, input, weights);
	return met === 0 ? 0 : met / (met + unmet);
}

function tally(field: string, alternative: Alternative, input: InputReading, weights: Weights): Tally {
	const sum: Tally = { met: 0, unmet: 0, factor: 1 };
	for (const word of alternative.stems) {
		const weight = weights.stem(field, word);
		const share = input.stems.has(word) ? 1 : groupsOf(word).some((group) => input.groups.has(group)) ? NEAR : 0;
		sum.met += share * weight;
		sum.unmet += Math.max(0, 1 - share) * weight;
	}
	for (const name of alternative.situations) {
		const weight = weights.situation(field, name);
		if (input.situations.has(name)) sum.met += weight;
		else sum.unmet += UNMET_SITUATION * weight;
	}
	for (const name of alternative.denied) {
		if (input.situations.has(name)) sum.factor *= 0.4;
		else if (alternative.lacked.includes(name)) sum.met += 0.5 * weights.situation(field, name);
	}
	// A count alone proves little where the condition speaks of more.
	const alone = alternative.situations.length > 0 && !alternative.situations.some((name) => input.situations.has(name));
	for (const condition of alternative.counts) addCount(sum, condition, input, alone ? 0.3 : 1);
	return sum;
}

function addCount(sum: Tally, condition: CountCondition, input: InputReading, share: number): void {
	const weight = share * (condition.exact ? COUNT_WEIGHT : 0.8);
	const verdict = judgeCount(condition, input.facts);
	if (verdict === "holds") sum.met += weight;
	else if (verdict === "holds-loosely") sum.met += 0.6 * weight;
	else if (verdict === "broken") sum.factor *= condition.exact ? 0.15 : 0.5;
	else if (verdict === "broken-loosely") sum.factor *= condition.exact ? 0.5 : 0.8;
	else sum.unmet += 0.3 * weight;
}
