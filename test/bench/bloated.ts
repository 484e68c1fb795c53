/** A text as they grow when nobody measures them: right, with much beside that instructs nothing, and with some of it said twice. */

const FILLER = [
	"Always take a moment to understand what the user really wants before you answer.",
	"Quality matters: aim for an answer that you would be proud of.",
	"Consider the wider context and keep the reader in mind at every step.",
	"Good work is clear, careful and complete.",
	"Remember that small details can make a big difference to the person who asked.",
	"Be thoughtful and thorough in everything you do.",
	"Work through the task step by step and double-check what you wrote.",
	"There is no need to hurry; a considered reply is better than a quick one.",
];

/** @param rewordings of its rules, one each; the seed chooses every third of them */
export function bloated(text: string, rewordings: readonly string[], seed: number): string {
	const again = rewordings.filter((_, index) => (index + seed) % 3 === 0);
	return [text.trimEnd(), ...[...FILLER, ...again].map((line) => `- ${line}`)].join("\n");
}
