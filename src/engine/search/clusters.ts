/**
 * Clusters of texts by their words: average linkage on the cosine of word sets in which a rare word counts more. (R. Sokal and
 * C. Michener 1958; inverse document frequency, K. Spärck Jones 1972.)
 */

interface Worded {
	words: ReadonlySet<string>;
}

/** More than this many are not compared with each other: the time grows with their square. The rest stay by themselves. */
const COMPARED = 600;

/**
 * Joins the two most alike clusters until none are at least `alike` on average, 0 to 1. `all` are the texts by which a word is
 * rare or not. The result depends on the order of `members` only where two pairs are equally alike.
 */
export function clusters<T extends Worded>(members: readonly T[], all: readonly Worded[], alike: number): T[][] {
	const compared = members.slice(0, COMPARED);
	const similarity = similarityTable(compared, all);
	const sizes = compared.map(() => 1);
	const groups = compared.map((member) => [member]);
	const mean = (a: number, b: number) => (similarity[a]?.[b] ?? 0) / ((sizes[a] ?? 1) * (sizes[b] ?? 1));
	const alive = new Set(compared.keys());
	/** For each cluster the later one that is most like it: one line of the table is looked through again where it changed. */
	const nearest = new Map<number, { other: number; mean: number }>();
	const look = (a: number) => {
		let best: { other: number; mean: number } | null = null;
		for (const b of alive) {
			if (b <= a) continue;
			const value = mean(a, b);
			if (value >= alike && (best === null || value > best.mean)) best = { other: b, mean: value };
		}
		if (best === null) nearest.delete(a);
		else nearest.set(a, best);
	};
	for (const a of alive) look(a);
	while (nearest.size > 0) {
		let [into, best] = [...nearest][0] as [number, { other: number; mean: number }];
		for (const [a, other] of nearest) if (other.mean > best.mean) [into, best] = [a, other];
		const gone = best.other;
		groups[into]?.push(...(groups[gone] ?? []));
		sizes[into] = (sizes[into] ?? 0) + (sizes[gone] ?? 0);
		alive.delete(gone);
		nearest.delete(gone);
		for (const other of alive) {
			const joined = (similarity[into]?.[other] ?? 0) + (similarity[gone]?.[other] ?? 0);
			(similarity[into] as number[])[other] = joined;
			(similarity[other] as number[])[into] = joined;
		}
		for (const a of alive) {
			const near = nearest.get(a);
			if (a === into || a < into || near?.other === gone || near?.other === into) look(a);
		}
	}
	return [...[...alive].map((index) => groups[index] as T[]), ...members.slice(COMPARED).map((member) => [member])];
}

function similarityTable(members: readonly Worded[], all: readonly Worded[]): number[][] {
	const frequency = new Map<string, number>();
	for (const { words } of all) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
	const weight = (word: string) => Math.log((all.length + 1) / (frequency.get(word) ?? 1)) ** 2;
	const norms = members.map(({ words }) => [...words].reduce((sum, word) => sum + weight(word), 0));
	return members.map((one, a) =>
		members.map((two, b) => {
			if (a === b) return 0;
			let shared = 0;
			for (const word of one.words) if (two.words.has(word)) shared += weight(word);
			const norm = Math.sqrt((norms[a] ?? 0) * (norms[b] ?? 0));
			return norm === 0 ? 0 : shared / norm;
		}),
	);
}
