/**
 * YAML as values with places. Knows YAML and lines; must not know what a document means. Invariant: text from a file cannot
 * make this module run long, recurse deeply, build anything but plain values, or expand aliases without bound.
 */
import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, Parser } from "yaml";
import type { Place, Problem } from "../errors.ts";

/** Levels of nesting; more than any schema or case needs, and far from the end of the stack. */
const MOST_LEVELS = 100;
/** Problems that are told of one document; after a broken line the rest is mostly noise. */
const MOST_PROBLEMS = 50;
const LONGEST_MESSAGE = 200;
const OPTIONS = {
	schema: "core",
	merge: false,
	stringKeys: true,
	uniqueKeys: false,
	prettyErrors: false,
	logLevel: "error",
} as const;

interface YamlOptions {
	/** Values at the most, each use of an anchor counted with all that it stands for. */
	maxValues: number;
	/** Line of the file that the text starts on (1). */
	firstLine?: number;
}

/** A document that was read, and where its parts stand. */
interface YamlDocument {
	readonly file: string;
	readonly value: unknown;
	/** Place of the value at a path; of its nearest parent when there is none. */
	placeOf(path: readonly PropertyKey[]): Place;
	/** Place of a key in the map at a path. */
	placeOfKey(path: readonly PropertyKey[], key: string): Place;
}

type YamlResult = { document: YamlDocument } | { problems: Problem[] };

/** Reads one document. Duplicate keys, unknown tags, a second document and all that passes a limit are problems. */
export function readYaml(text: string, file: string, options: YamlOptions): YamlResult {
	const locate = createLocator(text, file, options.firstLine ?? 1);
	const problems: Problem[] = [];
	const report = (message: string, offset: number, expected?: string) => {
		const problem = { message, place: locate(offset) };
		if (problems.length < MOST_PROBLEMS) problems.push(expected === undefined ? problem : { ...problem, expected });
	};
	const documents = compose(text, report);
	if (documents === null) return { problems };
	const [first, second] = documents;
	for (const { code, message, pos } of [...(first?.errors ?? []), ...(first?.warnings ?? [])]) {
		if (code !== "MULTIPLE_DOCS") report(plainMessage(code, message), pos[0]);
	}
	if (second !== undefined) report("a second document starts here", second.range[0], "one document in a file");
	const root = first?.contents ?? null;
	if (problems.length === 0 && isEmpty(root)) report("the file is empty", 0);
	if (problems.length > 0) return { problems };
	const reader = createValueReader(options.maxValues, report);
	const value = reader.read(root);
	return problems.length > 0
		? { problems }
		: { document: { file, value, ...createFinder(root, reader.anchors, locate) } };
}

type Report = (message: string, offset: number, expected?: string) => void;

/** Composes nodes, unless the text nests too deeply to be composed. */
function compose(text: string, report: Report): Document.Parsed[] | null {
	const parser = new Parser();
	const composer = new Composer(OPTIONS);
	const documents: Document.Parsed[] = [];
	const tokens = function* () {
		for (const lexeme of new Lexer().lex(text)) {
			if (parser.stack.length > MOST_LEVELS) throw new TooDeep(parser.offset);
			yield* parser.next(lexeme);
		}
		yield* parser.end();
	};
	// A text that is no YAML makes an error of nearly every byte; without their stacks that is quick enough.
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 0;
	try {
		for (const document of composer.compose(tokens(), true, text.length)) {
			documents.push(document as Document.Parsed);
			if (documents.length > 1) break;
		}
		return documents;
	} catch (error) {
		if (!(error instanceof TooDeep)) throw error;
		report("this is nested too deeply", error.offset, `at most ${MOST_LEVELS} levels`);
		return null;
	} finally {
		Error.stackTraceLimit = stackTraceLimit;
	}
}

class TooDeep extends Error {
	readonly offset: number;

	constructor(offset: number) {
		super("nested too deeply");
		this.offset = offset;
	}
}

function plainMessage(code: string, message: string): string {
	if (code === "TAB_AS_INDENT") return "a tab indents this line; YAML indents with spaces";
	return message.charAt(0).toLowerCase() + message.slice(1, LONGEST_MESSAGE);
}

function isEmpty(node: Node | null): boolean {
	return node === null || (isScalar(node) && node.value === null && node.source === "");
}

interface Anchor {
	node: Node;
	value: unknown;
	/** Values that it stands for. */
	size: number;
}

/** Turns nodes into plain values. What an anchor names is made once and shared, but counted at every use. */
function createValueReader(maxValues: number, report: Report) {
	const anchors = new Map<string, Anchor>();
	let count = 0;
	let isOver = false;

	function spend(values: number, node: Node): void {
		count += values;
		if (count > maxValues && !isOver) {
			isOver = true;
			report(
				"the document is too large once its aliases are written out",
				offsetOf(node),
				`at most ${maxValues} values`,
			);
		}
	}

	function read(node: unknown): unknown {
		if (isOver || node === null || node === undefined) return null;
		if (isAlias(node)) return readAlias(node);
		const before = count;
		spend(1, node as Node);
		let value: unknown = null;
		if (isScalar(node)) value = node.value;
		else if (isSeq(node)) value = node.items.map(read);
		else if (isMap(node)) value = readMap(node.items);
		const { anchor } = node as { anchor?: string };
		if (anchor !== undefined) anchors.set(anchor, { node: node as Node, value, size: count - before });
		return value;
	}

	function readAlias(node: Node & { source: string }): unknown {
		const anchor = anchors.get(node.source);
		if (anchor === undefined) report(`the alias *${node.source} names no anchor before it`, offsetOf(node));
		else spend(anchor.size, node);
		return anchor?.value ?? null;
	}

	function readMap(pairs: readonly { key: unknown; value: unknown }[]): Record<string, unknown> {
		const map: Record<string, unknown> = {};
		for (const { key, value } of pairs) {
			const name = keyOf(key);
			if (Object.hasOwn(map, name))
				report(`the key ${JSON.stringify(name)} stands here a second time`, offsetOf(key as Node), "each key once");
			// Defined, not assigned: `__proto__` is a key like any other.
			Object.defineProperty(map, name, { value: read(value), enumerable: true, writable: true, configurable: true });
		}
		return map;
	}

	return { read, anchors: anchors as ReadonlyMap<string, Anchor> };
}

function keyOf(key: unknown): string {
	return isScalar(key) ? String(key.value) : "";
}

function offsetOf(node: Node): number {
	return node.range?.[0] ?? 0;
}

function createFinder(root: Node | null, anchors: ReadonlyMap<string, Anchor>, locate: (offset: number) => Place) {
	const settle = (node: unknown): unknown => (isAlias(node) ? anchors.get(node.source)?.node : node);

	function pairOf(node: unknown, key: PropertyKey) {
		return isMap(node) ? node.items.find((pair) => keyOf(pair.key) === String(key)) : undefined;
	}

	function find(path: readonly PropertyKey[]): Node | null {
		let node = settle(root);
		for (const step of path) {
			const next = isSeq(node) ? node.items[Number(step)] : pairOf(node, step)?.value;
			if (next === undefined || next === null) break;
			node = settle(next);
		}
		return (node ?? null) as Node | null;
	}

	return {
		placeOf(path: readonly PropertyKey[]): Place {
			const node = find(path);
			return locate(node === null ? 0 : offsetOf(node));
		},
		placeOfKey(path: readonly PropertyKey[], key: string): Place {
			const found = pairOf(find(path), key)?.key;
			return isScalar(found) ? locate(offsetOf(found)) : this.placeOf(path);
		},
	};
}

/** Line and column of offsets, both from 1; the lines are only looked for when somebody asks. */
function createLocator(text: string, file: string, firstLine: number): (offset: number) => Place {
	let starts: number[] | undefined;
	return (offset) => {
		if (starts === undefined) {
			starts = [0];
			for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
		}
		let low = 0;
		let high = starts.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (starts[middle]! <= offset) low = middle;
			else high = middle - 1;
		}
		return { file, line: low + firstLine, column: offset - starts[low]! + 1 };
	};
}
