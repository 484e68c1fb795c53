/**
 * What changed between two texts: by line, and inside lines that were reworded by word. Longest common subsequence, bounded:
 * beyond the bound the middle counts as replaced, so a huge text costs neither time nor memory.
 *
 * It must not know a syntax. Invariant: the lines that are not added, in order, are the text before; those that are not
 * removed are the text after; so the pieces of each line give back that line.
 */

interface Piece {
	text: string;
	changed: boolean;
}

export interface DiffLine {
	kind: "same" | "removed" | "added";
	pieces: readonly Piece[];
}

/** Cells of the table of a comparison: 2,000 by 1,000 lines, well below a second. */
const CELLS = 2_000_000;
/** Lines that share less than this part of their words are not a rewording of each other. */
const ALIKE = 0.35;

type Step<T> = { kind: DiffLine["kind"]; item: T };

/** The lines of both texts in order, removed ones before the added ones that replace them. Line ends do not count. */
export function diffLines(before: string, after: string): DiffLine[] {
	const steps = diffSequence(linesOf(before), linesOf(after));
	const lines: DiffLine[] = [];
	for (let at = 0; at < steps.length; ) {
		const step = steps[at] as Step<string>;
		if (step.kind === "same") {
			lines.push({ kind: "same", pieces: [{ text: step.item, changed: false }] });
			at++;
			continue;
		}
		const end = nextSame(steps, at);
		const run = steps.slice(at, end);
		lines.push(...rewordings(itemsOf(run, "removed"), itemsOf(run, "added")));
		at = end;
	}
	return lines;
}

function nextSame(steps: readonly Step<string>[], from: number): number {
	const found = steps.findIndex((step, index) => index >= from && step.kind === "same");
	return found < 0 ? steps.length : found;
}

function itemsOf(run: readonly Step<string>[], kind: DiffLine["kind"]): string[] {
	return run.filter((step) => step.kind === kind).map((step) => step.item);
}

/** Removed and added lines of one place; those that stand at the same position and are alike show their words. */
function rewordings(removed: readonly string[], added: readonly string[]): DiffLine[] {
	const pairs = removed.map((line, index) => wordDiff(line, added[index]));
	const old = removed.map(
		(line, index): DiffLine => ({ kind: "removed", pieces: pairs[index]?.before ?? whole(line) }),
	);
	const young = added.map((line, index): DiffLine => ({ kind: "added", pieces: pairs[index]?.after ?? whole(line) }));
	return [...old, ...young];
}

function whole(line: string): Piece[] {
	return [{ text: line, changed: true }];
}

function wordDiff(before: string, after: string | undefined): { before: Piece[]; after: Piece[] } | null {
	if (after === undefined) return null;
	const steps = diffSequence(wordsOf(before), wordsOf(after));
	const words = (kind: DiffLine["kind"]) =>
		steps.filter((step) => step.kind === kind && /[\p{L}\p{N}]/u.test(step.item)).length;
	const same = words("same");
	if (same / Math.max(1, same + Math.max(words("removed"), words("added"))) < ALIKE) return null;
	const side = (kind: "removed" | "added") => join(steps.filter((step) => step.kind === "same" || step.kind === kind));
	return { before: side("removed"), after: side("added") };
}

function join(steps: readonly Step<string>[]): Piece[] {
	const pieces: Piece[] = [];
	for (const { kind, item } of steps) {
		const changed = kind !== "same";
		const last = pieces.at(-1);
		if (last !== undefined && last.changed === changed) last.text += item;
		else pieces.push({ text: item, changed });
	}
	return pieces;
}

function linesOf(text: string): string[] {
	if (text === "") return [];
	return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function wordsOf(line: string): string[] {
	return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** One shortest way from `before` to `after`, as long as the middle that differs is within the bound. */
function diffSequence(before: readonly string[], after: readonly string[]): Step<string>[] {
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start++;
	let end = 0;
	while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
	const same = (item: string): Step<string> => ({ kind: "same", item });
	const middle = diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end));
	return [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)];
}

function diffMiddle(before: readonly string[], after: readonly string[]): Step<string>[] {
	const [rows, columns] = [before.length, after.length];
	const removed = (item: string): Step<string> => ({ kind: "removed", item });
	const added = (item: string): Step<string> => ({ kind: "added", item });
	if (rows === 0 || columns === 0 || rows * columns > CELLS) return [...before.map(removed), ...after.map(added)];
	const width = columns + 1;
	const common = new Uint32Array((rows + 1) * width);
	const at = (row: number, column: number) => common[row * width + column] ?? 0;
	for (let row = rows - 1; row >= 0; row--) {
		for (let column = columns - 1; column >= 0; column--) {
			common[row * width + column] =
				before[row] === after[column]
					? at(row + 1, column + 1) + 1
					: Math.max(at(row + 1, column), at(row, column + 1));
		}
	}
	const steps: Step<string>[] = [];
	let [row, column] = [0, 0];
	while (row < rows && column < columns) {
		if (before[row] === after[column]) {
			steps.push({ kind: "same", item: before[row++] as string });
			column++;
		} else if (at(row + 1, column) >= at(row, column + 1)) steps.push(removed(before[row++] as string));
		else steps.push(added(after[column++] as string));
	}
	return [...steps, ...before.slice(row).map(removed), ...after.slice(column).map(added)];
}
