/**
 * Makes text of models, cases and skills harmless to look at: whatever a screen would obey, hide or reorder becomes a visible
 * escape such as \u{202E}. Every rendering sends foreign text through here, before it escapes for its own syntax.
 *
 * It must not know where the text is shown. Invariant: the result holds no control, format or default-ignorable character
 * except tab and newline, and text without such characters is unchanged.
 */

/** Controls (C0, C1), format characters (bidi, zero width, tags), lone surrogates, line separators, and what fonts leave out. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** The same without tab and newline, as a run that a split keeps; emoji and their selectors stay in one piece. */
const INVISIBLE_RUN =
	/((?<![\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+)/u;
/** The emoji presentation selector and the joiner of emoji are how people write emoji; only there do they stay. */
const EMOJI_PART =
	/(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic})/gu;

const written = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;

/** The text with everything invisible written out; line ends become \n, tabs and newlines stay. */
export function visible(text: string): string {
	const plain = text.replace(/\r\n/g, "\n");
	const emoji = new Set([...plain.matchAll(EMOJI_PART)].map((match) => match.index));
	return plain.replace(INVISIBLE, (character, at: number) =>
		character === "\n" || character === "\t" || emoji.has(at) ? character : written(character),
	);
}

/** {@link visible} in pieces, with those that were written out told apart from text that only looks like it. */
export function visiblePieces(text: string): { text: string; hidden: boolean }[] {
	const pieces: { text: string; hidden: boolean }[] = [];
	for (const part of text.replace(/\r\n/g, "\n").split(INVISIBLE_RUN)) {
		const shown = visible(part);
		if (part !== "") pieces.push({ text: shown, hidden: shown !== part });
	}
	return pieces;
}

/**
 * The text as one line of at most `limit` characters (code points): runs of white space become one space, the rest is made
 * visible, and what was cut is marked with an ellipsis.
 */
export function visibleLine(text: string, limit = Number.POSITIVE_INFINITY): string {
	return clip(visible(text.replace(/[\t\n\r ]+/g, " ").trim()), limit);
}

/** At most `limit` code points, the last of them an ellipsis when something was cut. */
export function clip(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const points = [...text];
	return points.length <= limit ? text : `${points.slice(0, Math.max(0, limit - 1)).join("")}…`;
}

/** Characters that a terminal would obey or hide; JSON.stringify leaves them as they are. */
const UNSAFE_IN_JSON = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u007f-\u009f]/gu;

/** JSON with the same meaning, in which such characters are written in JSON's own way. */
export function escapeJson(json: string): string {
	return json.replace(UNSAFE_IN_JSON, (character) =>
		Array.from(
			{ length: character.length },
			(_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
		).join(""),
	);
}

/** A line that starts with `::` or holds `##[` or `##vso[` is a command to some CI systems, in whose logs our output ends up. */
export function withoutCommand(line: string): string {
	return line.replace(/^(\s*):(?=:)/, "$1\\u{3A}").replace(/##(?=\[|vso\[)/gi, "#\\u{23}");
}
