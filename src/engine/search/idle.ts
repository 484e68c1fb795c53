/**
 * Which units of a text look idle: those that say what another one says, and those that are about nothing that is checked. Only a
 * guess by their words, from the trials of that very text; whether they are missed, measuring tells.
 */
import { type RunState, variantOf } from "../../domain/run-state.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { type Group, groupsOf } from "./groups.ts";
import { tellingWords } from "./lines.ts";
import { createOwners, type Owner } from "./owners.ts";
import { type Unit, unitsOf } from "./units.ts";
import { causesOf, trialsOf } from "./view.ts";
import { similarity, wordsOf } from "./words.ts";

/**
 * Indexes of units, the longest first in each group. Blocks that look idle are a group of their own: often they say what the
 * skill is for, which no check names. So are units about the output contract: without them every answer is asked for again.
 */
export interface Idle {
	items: number[];
	blocks: number[];
	others: number[];
	contract: number[];
}

/** Words tell what units are about when at least this share of them is about something. */
const TELLING = 0.2;
/** Two units that share this much of their words say the same. */
const SAME_WORDS = 0.8;
/** Two units about one cause that share this much of their telling words probably do one thing. */
const ALIKE = 0.4;

/** Groups of the train sample as a text of its own shows them. */
export function groupsOfText(state: RunState, context: RunContext, variant: string): Group[] {
	const trials = trialsOf(state, variant);
	return groupsOf(trainSampleOf(state, context), (id) => trials.get(id), causesOf(state, context));
}

/** The symptom that each unit of a text is about; null for one that is about none. */
export function ownersOfUnits(state: RunState, context: RunContext, variant: string): (Owner | null)[] {
	const ownerOf = createOwners(groupsOfText(state, context, variant), context);
	return unitsOf(variantOf(state, variant).harness).map((unit) => ownerOf(unit.text));
}

export function idleUnits(state: RunState, context: RunContext, variant: string): Idle {
	const units = unitsOf(variantOf(state, variant).harness);
	const owners = ownersOfUnits(state, context, variant);
	const words = units.map((unit) => wordsOf(unit.text));
	const told = units.map((unit) => tellingWords(unit.text, context));
	const tells = owners.filter((owner) => owner !== null).length >= TELLING * units.length;
	const isRepeat = (a: number, b: number): boolean => {
		const cause = owners[a]?.group.cause;
		return (
			similarity(words[a] as ReadonlySet<string>, words[b] as ReadonlySet<string>) >= SAME_WORDS ||
			(cause !== undefined &&
				cause === owners[b]?.group.cause &&
				similarity(told[a] as ReadonlySet<string>, told[b] as ReadonlySet<string>) >= ALIKE)
		);
	};
	/** Of two that say the same, the one that is more about it stays; of equals, the first. */
	const yields = (one: number, other: number) => {
		const [mine, its] = [owners[one]?.related ?? 0, owners[other]?.related ?? 0];
		return mine < its || (mine === its && one > other);
	};
	const isIdle = (one: number) =>
		(tells && owners[one] === null) ||
		units.some((_, other) => other !== one && isRepeat(one, other) && yields(one, other));
	const longestFirst = (a: number, b: number) =>
		(units[b] as Unit).text.length - (units[a] as Unit).text.length || a - b;
	const all = units.map((_, index) => index).sort(longestFirst);
	const idle = all.filter(isIdle);
	return {
		items: idle.filter((index) => units[index]?.kind === "item"),
		blocks: idle.filter((index) => units[index]?.kind === "block"),
		others: all.filter((index) => !isIdle(index) && owners[index]?.group.contract !== true),
		contract: all.filter((index) => !isIdle(index) && owners[index]?.group.contract === true),
	};
}
