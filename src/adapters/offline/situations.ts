/**
 * Tells of which situations a text speaks, for instructions and inputs alike: two texts that speak of one situation are near
 * each other although they share no word. Never says what follows from a situation.
 */
import { SITUATION_PHRASES } from "./situation-phrases.ts";

const MONTH =
	"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const YEAR = "(?:19|20)\\d\\d";

const patterns: readonly (readonly [name: string, pattern: RegExp])[] = SITUATION_PHRASES.trim()
	.split(/\n(?!\t)/)
	.map((paragraph) => {
		const colon = paragraph.indexOf(":");
		const phrases = paragraph
			.slice(colon + 1)
			.trim()
			.split(/\s;\s+/)
			.join("|")
			.replaceAll("@year", YEAR)
			.replaceAll("@month", MONTH);
		return [paragraph.slice(0, colon), new RegExp(`(?<![a-zß-ÿ\\d])(?:${phrases})(?![a-zß-ÿ])`)] as const;
	});

/** Names of the situations of which a text speaks. */
export function situationsOf(text: string): Set<string> {
	return new Set(withoutSituations(text).found);
}

/** Situations of a text, and the text without the words that told them. */
export function withoutSituations(text: string): { found: string[]; rest: string } {
	const plain = text.toLowerCase().replace(/\s+/g, " ");
	const found: string[] = [];
	let rest = plain;
	for (const [name, pattern] of patterns) {
		const match = pattern.exec(plain);
		if (match === null) continue;
		found.push(name);
		rest = rest.replace(match[0], " ");
	}
	return { found, rest };
}
