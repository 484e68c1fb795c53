/**
 * Parts a text of instructions into statements: list items and paragraphs with the heading they stand under. Knows Markdown
 * as far as that needs and nothing of what is said. Comments and fences are left out; each word belongs to one statement.
 */

export interface Statement {
	/** On one line, without its list mark. */
	text: string;
	heading: string;
	/** Position among the statements. */
	index: number;
}

export interface ParsedText {
	statements: readonly Statement[];
	/** Contents of fenced blocks, in order. */
	fences: readonly string[];
}

/** A longer statement is read up to here. */
const MOST_CHARACTERS = 2_000;
const LIST_MARK = /^\s*(?:[-*+]|\d+[.)])\s+/;

/** Statements and fences of a text in order. */
export function parseText(text: string): ParsedText {
	const statements: Statement[] = [];
	const fences: string[] = [];
	let heading = "";
	let open: string[] = [];
	let fence: string[] | undefined;
	const close = () => {
		const joined = open.join(" ").replace(/\s+/g, " ").trim().slice(0, MOST_CHARACTERS);
		if (joined !== "") statements.push({ text: joined, heading, index: statements.length });
		open = [];
	};
	for (const line of text.replace(/<!--[\s\S]*?-->/g, "").split(/\r?\n/)) {
		if (/^\s*(```|~~~)/.test(line)) {
			close();
			if (fence !== undefined) fences.push(fence.join("\n"));
			fence = fence === undefined ? [] : undefined;
		} else if (fence !== undefined) fence.push(line);
		else if (/^\s*#{1,6}\s/.test(line)) {
			close();
			heading = line.replace(/^\s*#+\s*/, "").trim();
		} else if (line.trim() === "") close();
		else {
			if (LIST_MARK.test(line) || /^\s*\|/.test(line)) close();
			open.push(line.replace(LIST_MARK, ""));
		}
	}
	close();
	if (fence !== undefined) fences.push(fence.join("\n"));
	return { statements, fences };
}

/** The sentences of a statement; a dot inside a word, a number or an abbreviation ends none. */
export function sentencesOf(text: string): string[] {
	return text
		.split(/(?<=[.!?]["'”)]?)(?<!\b(?:e\.g|i\.e|etc|vs|approx|no)\.)\s+(?=["'`“(]?[\p{Lu}`])/u)
		.map((sentence) => sentence.trim())
		.filter((sentence) => sentence !== "");
}
