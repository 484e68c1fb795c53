/**
 * Finds the kernel regions of a body and everything that makes them doubtful. Never guesses: what is unclosed, nested,
 * duplicated, crossed, malformed or hidden by an open block is a problem with its line, not a region.
 */
import type { Problem } from "../errors.ts";
import { createBlockReader, holdsColumnZero, type OpenBlock } from "./block.ts";
import type { Line } from "./line.ts";
import { looksLikeMarker, type Marker, readMarker, whyNoMarker } from "./marker.ts";

export interface Region {
	id: string;
	/** Positions of the marker lines in the list of lines, from 0. */
	first: number;
	last: number;
}

export interface Regions {
	regions: Region[];
	problems: Problem[];
	notes: Problem[];
}

/** Looks through the lines from `head` on. Line numbers in problems count from 1 in the whole file. */
export function findRegions(text: string, lines: readonly Line[], head: number, file: string): Regions {
	const reader = createBlockReader();
	const search = createSearch(file);
	for (let index = head; index < lines.length; index++) {
		const { start, end } = lines[index]!;
		const line = text.slice(start, end);
		const before = reader.open;
		const marker = readMarker(line);
		const role = reader.feed(line);
		if (marker !== null) {
			if (holdsColumnZero(before)) search.hidden(marker, index, lineOf(before, head), before);
			else search.marker(marker, index);
		} else if (role !== "blank" && suspicious(line) && looksLikeMarker(line)) {
			if (role === "fence") search.documented(index);
			else search.malformed(line, index);
		}
	}
	return search.finish(reader.open, head);
}

/**
 * A quick look that spares most lines the slow one. Without entities and without characters that can stand for a letter
 * or for nothing, a line needs the letters of the word in order, and a colon if the word is in pieces.
 */
function suspicious(line: string): boolean {
	if (ENTITY.test(line) || CHANGEABLE.test(line)) return true;
	const lower = line.toLowerCase();
	if (lower.includes("kernel")) return true;
	if (!line.includes(":")) return false;
	let at = -1;
	for (const letter of "kernel") {
		at = lower.indexOf(letter, at + 1);
		if (at < 0) return false;
	}
	return true;
}

const ENTITY = /&[#a-z]/i;
/** All but plain ASCII, common punctuation, arrows and drawings, Han, kana and Hangul, and emoji. */
const CHANGEABLE =
	/[^\t -~\u2013\u2014\u2018-\u201F\u2022\u2026\u2190-\u21FF\u2500-\u27BF\u3001-\u3029\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3\u{1F300}-\u{1FAFF}]/u;

function lineOf(block: OpenBlock, head: number): number {
	return head + block.line;
}

function createSearch(file: string) {
	const regions: Region[] = [];
	const problems: Problem[] = [];
	const notes: Problem[] = [];
	const firstLine = new Map<string, number>();
	/** Marker lines inside fences: documentation, unless the fence turns out to be open. */
	const inFence: { line: number; fence: number }[] = [];
	let current: { id: string; first: number } | null = null;

	function problem(index: number, message: string, expected: string): void {
		problems.push({ message, place: { file, line: index + 1 }, expected });
	}

	function marker({ edge, id }: Marker, index: number): void {
		if (edge === "begin") {
			if (current !== null) {
				problem(
					index,
					`kernel ${id} begins inside kernel ${current.id}, which began on line ${current.first + 1}`,
					"regions one after the other",
				);
				return;
			}
			const earlier = firstLine.get(id);
			if (earlier !== undefined) problem(index, `kernel ${id} was there before, on line ${earlier}`, "each id once");
			firstLine.set(id, earlier ?? index + 1);
			current = { id, first: index };
			return;
		}
		if (current === null)
			problem(index, `kernel ${id} ends here but never began`, `<!-- kernel:begin id=${id} --> on an earlier line`);
		else if (current.id !== id) {
			problem(
				index,
				`kernel ${id} ends here while kernel ${current.id} of line ${current.first + 1} is open`,
				`<!-- kernel:end id=${current.id} -->`,
			);
		} else {
			regions.push({ id, first: current.first, last: index });
			current = null;
		}
	}

	function hidden(found: Marker, index: number, opened: number, block: OpenBlock): void {
		if (block.kind === "html") {
			if (block.html >= 6) marker(found, index);
			else
				problem(
					index,
					`this kernel marker lies in the HTML block that line ${opened} leaves open`,
					"the block closed before it",
				);
		} else if (block.indent > 0) {
			problem(
				index,
				`it is unclear whether the indented fence of line ${opened} holds this kernel marker`,
				"the fence at column 1",
			);
		} else inFence.push({ line: index + 1, fence: opened });
	}

	function malformed(line: string, index: number): void {
		const { message, expected } = whyNoMarker(line);
		problems.push({
			message,
			place: { file, line: index + 1 },
			expected,
			hint: "Put text about markers into a code fence.",
		});
	}

	function documented(index: number): void {
		notes.push({
			message: "text about kernel markers inside a fence is read as documentation",
			place: { file, line: index + 1 },
		});
	}

	function finish(open: OpenBlock | null, head: number): Regions {
		const openLine = open === null ? 0 : lineOf(open, head);
		for (const { line, fence } of inFence) {
			if (open?.kind === "fence" && fence === openLine) {
				problem(
					line - 1,
					`this kernel marker lies in the fence that line ${fence} opens and nothing closes`,
					"the fence closed before it",
				);
			} else documented(line - 1);
		}
		if (current !== null) {
			const blame =
				open !== null && openLine > current.first + 1 ? `; line ${openLine} leaves a block open inside it` : "";
			problem(
				current.first,
				`kernel ${current.id} is never closed${blame}`,
				`<!-- kernel:end id=${current.id} --> on a later line`,
			);
		}
		problems.sort((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0));
		return { regions, problems, notes };
	}

	return { marker, hidden, malformed, documented, finish };
}
