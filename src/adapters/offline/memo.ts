/**
 * Remembers what a pure function said of a text. Knows nothing of what is remembered; holds a bounded number of texts and
 * forgets them all at once when it is full.
 */
export function remembering<V>(most: number, read: (text: string) => V): (text: string) => V {
	const known = new Map<string, V>();
	return (text) => {
		const before = known.get(text);
		if (before !== undefined) return before;
		const value = read(text);
		if (known.size >= most) known.clear();
		known.set(text, value);
		return value;
	};
}
