/** Words of a text for comparing lines: lower case, letters and digits, nothing shorter than three characters. */
export function wordsOf(text: string): ReadonlySet<string> {
	return new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? []);
}

/** Share of the words of `line` that also stand in `reference`, 0 to 1; 0 for a line without words. */
export function overlap(line: string, reference: ReadonlySet<string>): number {
	const words = [...wordsOf(line)];
	if (words.length === 0) return 0;
	return words.filter((word) => reference.has(word)).length / words.length;
}

/** Shared words over all words of two texts, 0 to 1 (Jaccard); 0 when one has none. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	const shared = [...a].filter((word) => b.has(word)).length;
	return shared / (a.size + b.size - shared);
}
