/**
 * How well a rule fits an input: weighted overlap of what its condition and the input speak of. Knows no skill and draws
 * nothing. Rare words of the text weigh more than frequent ones; a broken count condition rules a rule out.
 */
import { judgeCount } from "./counts.ts";
import type { InputReading } from "./input-reading.ts";
import { stem } from "./lexicon.ts";
import type { Alternative, Rule } from "./rule-reading.ts";
import { groupsOf } from "./thesaurus.ts";

/** Weights of the stems and situations of a text, by how many of its rules for one field use them. */
export interface Weights {
	stem(field: string, word: string): number;
	situation(field: string, name: string): number;
}

const FAINT = new Set("data dataset file valu number figur item text mess result inform exampl field row column tabl set year name list measur".split(" ").map(stem));

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
		return Math.log((all + 2) / ((uses.get(key) ?? 0) + 0.5)) / Math.log(all + 2);
	};
	return {
		stem: (field, word) => Math.max(0.1, rarity(field, `${field} ${word}`)) * (FAINT.has(word) ? 0.3 : 1),
		situation: (field, name) => 2.2 * Math.max(0.15, rarity(field, `${field}#${name}`)),
	};
}

/** Points of a rule for an input, 0 and up; `context` holds the stems of what was decided before. */
export function fitOf(rule: Rule, input: InputReading, context: ReadonlySet<string>, weights: Weights): number {
	let best = 0;
	rule.alternatives.forEach((alternative, index) => {
		const points = pointsOf(rule.field, alternative, input, context, weights);
		best = Math.max(best, index === 0 ? points : 0.75 * points);
	});
	const excepted = rule.exceptions.some((exception) => coverOf(rule.field, exception, input, context, weights) > 0.45);
	return excepted ? 0.15 * best : best;
}

function pointsOf(field: string, alternative: Alternative, input: InputReading, context: ReadonlySet<string>, weights: Weights): number {
	const { met, all, factor } = tally(field, alternative, input, context, weights);
	return all === 0 ? 0 : met * Math.sqrt(met / all) * factor;
}

function coverOf(field: string, alternative: Alternative, input: InputReading, context: ReadonlySet<string>, weights: Weights): number {
	const { met, all } = tally(field, alternative, input, context, weights);
	return all === 0 ? 0 : met / all;
}

function tally(field: string, alternative: Alternative, input: InputReading, context: ReadonlySet<string>, weights: Weights): { met: number; all: number; factor: number } {
	let met = 0;
	let all = 0;
	let factor = 1;
	for (const word of alternative.stems) {
		const weight = weights.stem(field, word);
		all += weight;
		if (context.has(word)) met += 1.6 * weight;
		else if (input.stems.has(word)) met += weight;
		else if (groupsOf(word).some((group) => input.groups.has(group))) met += 0.35 * weight;
	}
	for (const name of alternative.situations) {
		const weight = weights.situation(field, name);
		all += weight;
		if (input.situations.has(name)) met += weight;
	}
	for (const condition of alternative.counts) {
		const weight = condition.exact ? 1.5 : 0.8;
		const verdict = judgeCount(condition, input.facts);
		all += verdict === "unknown" ? 0.3 * weight : weight;
		if (verdict === "holds") met += weight;
		else if (verdict === "holds-loosely") met += 0.6 * weight;
		else if (verdict === "broken") factor *= condition.exact ? 0.15 : 0.5;
		else if (verdict === "broken-loosely") factor *= condition.exact ? 0.5 : 0.8;
	}
	return { met, all, factor };
}
