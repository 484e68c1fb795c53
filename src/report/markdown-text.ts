/**
 * Foreign text made harmless for Markdown, and tables of it. Knows the syntax and nothing of a run.
 *
 * Invariant: foreign text cannot become markup, a link, a mention or an image, and nothing in it is invisible.
 */
import { visibleLine } from "./visible-text.ts";

export const LINE = 200;

/**
 * Foreign text as one line of plain Markdown. Where a host would make a link out of bare text (an address, a mention, the
 * number of an issue) a space is put in: escapes do not help there, because hosts look at the rendered text.
 */
export function plain(text: string, limit = LINE): string {
	return visibleLine(text, limit)
		.replace(/:\/\//g, ":// ")
		.replace(/\b(www)\.(?=\S)/gi, "$1. ")
		.replace(/([@#])(?=[\p{L}\p{N}_-])/gu, "$1 ")
		.replace(/[\\`*_[\]<>#|&~$]/g, "\\$&")
		.replace(/^[-+=]/, "\\$&")
		.replace(/^(\d+)([.)])/, "$1\\$2");
}

/** A name or path of ours as code; a backtick in it ends nothing. */
export function code(text: string, limit = LINE): string {
	return `\`${visibleLine(text, limit).replace(/`/g, "\\u{60}").replace(/\|/g, "\\u{7C}").replace(/@/g, "\\u{40}")}\``;
}

/** Our own sentences may hold a command in backticks and a message of somebody else: keep the former, defuse the latter. */
export function sentences(text: string): string {
	const parts = text.split(/(`[^`\n]{1,200}`)/);
	return parts.map((part, index) => (index % 2 === 1 ? code(part.slice(1, -1)) : prose(part))).join("");
}

function prose(text: string): string {
	const lead = /^\s/.test(text) ? " " : "";
	const trail = /\S\s+$/.test(text) ? " " : "";
	return `${lead}${plain(text, 2_000)}${trail}`;
}

/** Markdown, or the plain text of a commit's body. */
export type Form = "markdown" | "text";

/** Cells must be safe already. */
export function table(head: string[], rows: string[][], form: Form = "markdown"): string {
	if (form === "markdown") {
		const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
		return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
	}
	const widths = head.map((cell, column) =>
		Math.max(cell.length, ...rows.map((cells) => (cells[column] ?? "").length)),
	);
	return [head, ...rows]
		.map((cells) =>
			cells
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join("  ")
				.trimEnd(),
		)
		.join("\n");
}
