/**
 * Text from cases, models and skills inside a prompt. It is data: each piece stands in a fence whose marks hold a nonce that
 * its author cannot have known, so nothing inside can close it.
 */

/** The piece between two marks; the label says what it is. */
export function quoted(label: string, text: string, nonce: string): string {
	return `<<<${label} ${nonce}\n${text}\n${label} ${nonce}>>>`;
}

/** The text cut to a number of characters, in the middle, with a note of what is missing. */
export function clipped(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const head = Math.ceil(limit * 0.7);
	const tail = limit - head;
	return `${text.slice(0, head)}\n[… ${text.length - limit} characters left out …]\n${text.slice(text.length - tail)}`;
}
