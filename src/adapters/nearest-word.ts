/**
 * The known word that somebody probably meant. Knows words only. Invariant: a word that is nearly as long as its own
 * difference is no suggestion.
 */

/** The nearest of the words, within a third of its length (at least one, at most three edits), or null. */
export function nearestWord(written: string, words: readonly string[]): string | null {
	let best: string | null = null;
	let least = Number.POSITIVE_INFINITY;
	for (const word of words) {
		const distance = edits(written.toLowerCase(), word.toLowerCase());
		const allowed = Math.max(1, Math.min(3, Math.floor(Math.max(word.length, written.length) / 3)));
		if (distance <= allowed && distance < least) {
			best = word;
			least = distance;
		}
	}
	return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), for words of at most 60 letters. */
function edits(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > 3 || a.length > 60) return Number.POSITIVE_INFINITY;
	const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const same = a[i - 1] === b[j - 1] ? 0 : 1;
			let cost = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				cost = Math.min(cost, rows[i - 2]![j - 2]! + 1);
			row.push(cost);
		}
		rows.push(row);
	}
	return rows[a.length]![b.length]!;
}
