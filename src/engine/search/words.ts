/** Texts whose words are remembered: a search compares the same lines and notes at each step. */
const REMEMBERED = 10_000;

function remembering(read: (text: string) => ReadonlySet<string>): (text: string) => ReadonlySet<string> {
	const known = new Map<string, ReadonlySet<string>>();
	return (text) => {
		const found = known.get(text);
		if (found !== undefined) return found;
		const words = read(text);
		if (known.size >= REMEMBERED) known.clear();
		known.set(text, words);
		return words;
	};
}

/** Words of a text for comparing lines: lower case, letters and digits, nothing shorter than three characters. */
export const wordsOf = remembering((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? []));

/** Shared words over all words of two texts, 0 to 1 (Jaccard); 0 when one has none. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	const shared = [...a].filter((word) => b.has(word)).length;
	return shared / (a.size + b.size - shared);
}

/** English words that carry no meaning of their own: two texts that share only these share nothing. */
const FUNCTION_WORDS = new Set(
	"about above after again against all also always and any anything are because been before being below between both but can cannot could did does doing done down during each else ever every everything few for from further get give given had has have having her here him his how into its itself just keep keeps let like made make makes making many may might more most much must never nobody not nothing now off once one only onto other others ought our out over own per same set sets shall she should case cases call calls since some somebody something somewhere still such take taken takes than that the their them then there these they this those though through thus too two under until upon use used uses using very was way well went were what when where whether which while who whom whose why will with within without would yet you your".split(
		" ",
	),
);

/** Words without their common English endings, so that "visits" and "visit" are one. Other languages lose little by it. */
export const stemsOf = remembering(
	(text) =>
		new Set(
			[...wordsOf(text)]
				.filter((word) => !FUNCTION_WORDS.has(word))
				.map((word) => (word.length > 4 ? word.replace(/(?:ings?|ed|ers?|es|s|ly)$/, "") : word)),
		),
);
