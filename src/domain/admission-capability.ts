/**
 * The part of admission that compares what a text can do and which characters it is made of with what was known before.
 * Must not judge structure. Invariant: what the known texts hold is never refused.
 */
import { ADMISSION_CODES, type AdmissionRefusal } from "./admission-refusal.ts";
import { type Capability, capabilitiesOf, shellOf } from "./capability.ts";
import { mixedWords, UNSEEN } from "./disguise.ts";
import { linesOf } from "./line.ts";

/** Capabilities of the harness that none of the known texts has. */
export function addedCapabilities(known: readonly string[], harness: readonly string[]): AdmissionRefusal[] {
	const rows = new Set(known.flatMap((text) => linesOf(text).map(({ start, end }) => text.slice(start, end))));
	const shell = new Set(known.flatMap((text) => shellOf(text).map(({ token }) => token)));
	const found = harness.flatMap((text, segment) => [
		...shellOf(text)
			.filter(({ token }) => !shell.has(token))
			.map(({ at, token }) => ({
				kind: "inline-shell" as const,
				token,
				line: linesOf(text.slice(0, at + 1)).length,
				segment,
			})),
		...newLines(text, rows).map((capability) => ({ ...capability, segment })),
	]);
	const before = found.length === 0 ? new Set<string>() : knownTokens(rows);
	return found
		.filter(({ kind, token }) => kind === "inline-shell" || !before.has(`${kind} ${token}`))
		.map(({ kind, token, line, segment }) => ({
			code: kind,
			message: `it adds ${ADMISSION_CODES[kind]} that its parent lacks: ${token.slice(0, 80)}`,
			segment,
			line,
		}));
}

/** Only lines that are not known word for word can add something. */
function newLines(text: string, rows: ReadonlySet<string>): (Capability & { line: number })[] {
	const added = linesOf(text)
		.map(({ start, end }, index) => ({ row: text.slice(start, end), line: index + 1 }))
		.filter(({ row }) => !rows.has(row));
	return capabilitiesOf(added.map(({ row }) => row)).flatMap((found, index) =>
		found.map((capability) => ({ ...capability, line: added[index]!.line })),
	);
}

function knownTokens(rows: ReadonlySet<string>): Set<string> {
	const found = capabilitiesOf([...rows]).flat();
	return new Set(found.map(({ kind, token }) => `${kind} ${token}`));
}

/** Invisible and control characters that occur more often than in any known text, and words of mixed scripts that are new. */
export function addedCharacters(known: readonly string[], harness: readonly string[]): AdmissionRefusal[] {
	const refusals: AdmissionRefusal[] = [];
	const allowed = mostOften(known, harness.length);
	const words = new Set(known.flatMap(mixedWords));
	for (const [segment, text] of harness.entries()) {
		const reported = new Set<string>();
		for (const match of text.matchAll(UNSEEN)) {
			const character = match[0];
			const left = (allowed.get(character) ?? 0) - 1;
			allowed.set(character, left);
			if (left >= 0 || reported.has(character)) continue;
			reported.add(character);
			const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
			refusals.push({
				code: "invisible",
				message: `it adds the invisible character U+${code}`,
				segment,
				line: lineOf(text, match.index),
			});
		}
		for (const word of mixedWords(text)) {
			if (words.has(word)) continue;
			refusals.push({
				code: "look-alike",
				message: `it mixes scripts in one word: ${word.slice(0, 40)}`,
				segment,
				line: lineOf(text, text.indexOf(word)),
			});
		}
	}
	return refusals;
}

/** How often each invisible character may occur: as often as in the original body or in the parent's harness, whichever has more. */
function mostOften(known: readonly string[], segments: number): Map<string, number> {
	const groups = [known.slice(0, known.length - segments), known.slice(known.length - segments)];
	const most = new Map<string, number>();
	for (const group of groups) {
		const count = new Map<string, number>();
		for (const text of group)
			for (const [character] of text.matchAll(UNSEEN)) count.set(character, (count.get(character) ?? 0) + 1);
		for (const [character, times] of count) most.set(character, Math.max(times, most.get(character) ?? 0));
	}
	return most;
}

function lineOf(text: string, at: number): number {
	return linesOf(text.slice(0, at + 1)).length;
}
