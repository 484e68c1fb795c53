/**
 * Finds text of recorded cases inside a harness: a variant that carries its cases with it has learnt them by heart. Works
 * on folded words and folded text; must not know what a case is. Costs about one look-up for each unit of the harness.
 */

/** A run of this many words in a row is copied, not coincidence: rules of a skill rarely share more than eight with an input. */
export const LEAK_WORDS = 12;
/** The same in characters, for scripts without blanks between words. */
export const LEAK_CHARS = 80;

export interface Leak {
	/** The run that was found, folded. */
	text: string;
}

/** Blocks that lie end to end in the case texts; a run twice as long as a block holds at least one whole. */
interface Index {
	words: Blocks<string[]>;
	chars: Blocks<string>;
}

interface Blocks<T> {
	size: number;
	texts: readonly T[];
	places: ReadonlyMap<string, readonly (readonly [text: number, at: number])[]>;
}

const indexes = new WeakMap<readonly string[], Index>();

/** The first long run that a text shares with the case texts and not with what was there before; null when there is none. */
export function findLeak(text: string, caseTexts: readonly string[], before: string): Leak | null {
	const index = indexes.get(caseTexts) ?? indexTexts(caseTexts);
	indexes.set(caseTexts, index);
	let knownWords: string | undefined;
	let knownText: string | undefined;
	const isNewRun = (run: string) => {
		knownWords ??= ` ${wordsOf(before).join(" ")} `;
		return !knownWords.includes(` ${run} `);
	};
	const isNewText = (run: string) => {
		knownText ??= fold(before);
		return !knownText.includes(run);
	};
	const byWords = sharedRun(wordsOf(text), index.words, LEAK_WORDS, (run) => run.join(" "), isNewRun);
	if (byWords !== null) return { text: byWords };
	const byChars = sharedRun(fold(text), index.chars, LEAK_CHARS, (run) => run, isNewText);
	return byChars === null ? null : { text: byChars };
}

function indexTexts(texts: readonly string[]): Index {
	const size = { words: Math.floor(LEAK_WORDS / 2), chars: Math.floor(LEAK_CHARS / 2) };
	return {
		words: blocksOf(texts.map(wordsOf), size.words, (block) => block.join(" ")),
		chars: blocksOf(texts.map(fold), size.chars, (block) => block),
	};
}

interface Sliceable<T> {
	readonly length: number;
	slice(start: number, end: number): T;
}

function blocksOf<T extends Sliceable<T>>(texts: readonly T[], size: number, keyOf: (block: T) => string): Blocks<T> {
	const places = new Map<string, (readonly [number, number])[]>();
	for (const [text, content] of texts.entries()) {
		for (let at = 0; at + size <= content.length; at += size) {
			const key = keyOf(content.slice(at, at + size));
			const list = places.get(key);
			if (list === undefined) places.set(key, [[text, at]]);
			else list.push([text, at]);
		}
	}
	return { size, texts, places };
}

function sharedRun<T extends Sliceable<T> & { [index: number]: string }>(
	content: T,
	{ size, texts, places }: Blocks<T>,
	least: number,
	keyOf: (block: T) => string,
	isNew: (run: string) => boolean,
): string | null {
	const seen = new Set<string>();
	for (let at = 0; at + size <= content.length; at++) {
		for (const [text, place] of places.get(keyOf(content.slice(at, at + size))) ?? []) {
			const other = texts[text]!;
			let before = 0;
			while (before < least && at > before && place > before && content[at - before - 1] === other[place - before - 1])
				before++;
			let after = size;
			while (
				before + after < least &&
				at + after < content.length &&
				content[at + after] !== undefined &&
				content[at + after] === other[place + after]
			)
				after++;
			if (before + after < least) continue;
			const run = keyOf(content.slice(at - before, at + after));
			if (!seen.has(run) && isNew(run)) return run;
			seen.add(run);
		}
	}
	return null;
}

function fold(text: string): string {
	return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

function wordsOf(text: string): string[] {
	return (
		text
			.normalize("NFKC")
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? []
	);
}
