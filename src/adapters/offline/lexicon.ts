/**
 * Words of plain English as the offline model compares them: a stop list, a light stemmer and number words. Knows no subject
 * and no skill. Two spellings of one word have one stem; a word that says nothing has none.
 */

import { remembering } from "./memo.ts";

const STOP = new Set(
	`a an the this that these those it its they them their there here he she his her we us our you your i me my mine one's
	and or nor but so as at by for from in into of off on onto out over to up upon with within about than then thus
	is are was were be been being am do does did done doing has have had having can could may might must shall should will would
	if when whenever where wherever while once because since until unless though although whether which who whom whose what how why
	not no never without also too very just only even still yet again already ever often always sometimes usually
	any some each every all both either neither other others another such same own more most less least much many few
	e.g i.e etc please thanks thank hello hi dear let lets like well really quite rather simply actually basically
	use used using uses make makes made making take takes took taken give gives given giving get gets got put puts
	need needs needed want wants wanted show shows showed shown showing see sees seen look looks looking
	choose chosen pick picks draw drawn set keep keeps kept say says said tell know think ask asks asked
	thing things way ways kind kinds case cases good best better right clear clearly possible
	user users reader readers answer answers request requests question questions instead otherwise default rule rules
	don't doesn't isn't aren't can't cannot won't shouldn't didn't wasn't weren't per via among between against`.split(
		/\s+/,
	),
);

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
	`zero 0 one 1 single 1 two 2 both 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 dozen 12
	fifteen 15 twenty 20 thirty 30 forty 40 fifty 50 hundred 100 thousand 1000`
		.match(/[a-z]+ \d+/g)
		?.map((pair) => pair.split(" ") as [string, string])
		.map(([word, figure]) => [word, Number(figure)]),
);

/** The number that a word stands for, with thousands separators and k/m suffixes read; undefined for other words. */
export function numberOf(word: string): number | undefined {
	const lower = word.toLowerCase();
	const named = NUMBER_WORDS.get(lower);
	if (named !== undefined) return named;
	const match = /^(\d{1,3}(?:[,  ]\d{3})+|\d+(?:\.\d+)?)(k|m)?$/.exec(lower);
	if (match === null) return undefined;
	const scale = match[2] === "k" ? 1e3 : match[2] === "m" ? 1e6 : 1;
	return Number((match[1] ?? "").replace(/[,  ]/g, "")) * scale;
}

/** Words that carry no meaning of their own. */
export function isStopWord(word: string): boolean {
	return STOP.has(word);
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
	[/(?:isation|ization|ising|izing|ised|ized|ise|ize)s?$/, "is"],
	[/ies$/, "y"],
	[/(ss|us|is)$/, "$1"],
	[/(x|ch|sh|ss|z)es$/, "$1"],
	[/s$/, ""],
];

const IRREGULAR: ReadonlyMap<string, string> = new Map([
	["axes", "axis"],
	["people", "person"],
	["children", "child"],
	["men", "man"],
	["women", "woman"],
	["indices", "index"],
]);

/** The stem of a lower-case word: plural, -ing, -ed, -ly, -ion and a final e are cut; words of three letters stay. */
export const stem: (word: string) => string = remembering(20_000, cutEndings);

function cutEndings(word: string): string {
	const irregular = IRREGULAR.get(word);
	if (irregular !== undefined) return irregular;
	let text = word.replace(/['’]s?$/, "").replace(/our$/, "or");
	if (text.length <= 3) return text;
	for (const [pattern, replacement] of ENDINGS) {
		if (!pattern.test(text)) continue;
		text = text.replace(pattern, replacement);
		break;
	}
	for (const ending of [
		"ically",
		"ingly",
		"ally",
		"ly",
		"ations",
		"ation",
		"ating",
		"ated",
		"ate",
		"ing",
		"ed",
		"ion",
		"ment",
		"al",
	]) {
		const rest = text.slice(0, -ending.length);
		if (!text.endsWith(ending) || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
		text = /([bdfgmnprt])\1$/.test(rest) ? rest.slice(0, -1) : rest;
		break;
	}
	return text.length > 3 ? text.replace(/[ey]$/, "") : text;
}

/** A text as lower-case words and numbers, in order; hyphens and slashes part words, apostrophes do not. */
export function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/\d[a-z]\b|\d[\d,.]*\d%?|\d%?|[\p{L}][\p{L}'’]*/gu) ?? [];
}

/** The stems of the words of a text that mean something, in order, with repetitions; numbers are left to whoever counts. */
export function stemsOf(text: string): string[] {
	const stems: string[] = [];
	for (const word of wordsOf(text)) {
		if (
			word.length < 2 ||
			STOP.has(word) ||
			/^\d(?![a-z]$)|^\d[km]$/.test(word) ||
			(NUMBER_WORDS.has(word) && word !== "single")
		)
			continue;
		stems.push(stem(word));
	}
	return stems;
}
