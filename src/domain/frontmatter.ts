/**
 * The YAML block at the top of a skill: where it lies, and a lenient look at the four values that people see. Must never
 * write YAML and never decide anything by what it reads: the block is protected as bytes, whatever it means.
 */
import type { Line } from "./line.ts";

/** What a lenient reader finds; a key that is absent, empty or a collection is left out. */
export interface FrontmatterFields {
	name?: string;
	description?: string;
	trigger?: string;
	/** `metadata.version`, else a top-level `version`. */
	version?: string;
}

const FENCE = /^---[ \t]*$/;

/**
 * Number of lines that the frontmatter takes, both `---` lines included.
 * @returns 0 when there is none, -1 when it is opened on the first line and never closed.
 */
export function frontmatterLines(text: string, lines: readonly Line[]): number {
	const first = lines[0];
	if (first === undefined || !FENCE.test(text.slice(first.start, first.end))) return 0;
	const close = lines.findIndex(
		(line, index) =>
			index > 0 &&
			line.end - line.start >= 3 &&
			text.startsWith("---", line.start) &&
			FENCE.test(text.slice(line.start, line.end)),
	);
	return close < 0 ? -1 : close + 1;
}

/** Reads the lines between the two `---` lines. Of a duplicate key the last one wins, as most hosts have it. */
export function readFields(lines: readonly string[]): { fields: FrontmatterFields; duplicates: string[] } {
	const top = entriesOf(lines, 0);
	const seen = new Map<string, string>();
	const duplicates: string[] = [];
	let nested: string | undefined;
	for (const { key, value, body } of top) {
		if (seen.has(key) && !duplicates.includes(key)) duplicates.push(key);
		seen.set(key, scalarOf(value, body));
		if (key === "metadata") nested = versionWithin(value, body);
	}
	const fields: FrontmatterFields = {};
	for (const key of ["name", "description", "trigger"] as const) {
		const value = seen.get(key);
		if (value !== undefined && value !== "") fields[key] = value;
	}
	const version = nested ?? seen.get("version");
	if (version !== undefined && version !== "") fields.version = version;
	return { fields, duplicates };
}

interface Entry {
	key: string;
	/** What follows the colon on its line. */
	value: string;
	/** The deeper lines below it. */
	body: string[];
}

const KEY = /^["']?([A-Za-z_][\w-]*)["']?[ \t]*:(?:[ \t]+(.*))?$/;

/** The `key: value` lines at one depth of indentation, each with the lines below that belong to it. */
function entriesOf(lines: readonly string[], indent: number): Entry[] {
	const entries: Entry[] = [];
	for (const line of lines) {
		const found = indentOf(line) === indent ? KEY.exec(line.trim()) : null;
		if (found !== null) entries.push({ key: found[1]!, value: (found[2] ?? "").trim(), body: [] });
		else entries.at(-1)?.body.push(line);
	}
	return entries;
}

function versionWithin(value: string, body: readonly string[]): string | undefined {
	const inline = /[{,][ \t]*["']?version["']?[ \t]*:[ \t]*([^,}]*)/.exec(value);
	if (inline !== null) return unquoted(inline[1]!.trim());
	const first = body.find((line) => line.trim() !== "");
	if (first === undefined) return undefined;
	const entry = entriesOf(body, indentOf(first)).findLast(({ key }) => key === "version");
	return entry === undefined ? undefined : scalarOf(entry.value, entry.body);
}

const BLOCK_SCALAR = /^[|>][-+0-9]*(?:[ \t]+#.*)?$/;

/** A scalar as a person reads it: quotes taken off, block scalars and continued lines put together. */
function scalarOf(value: string, body: readonly string[]): string {
	if (BLOCK_SCALAR.test(value)) {
		const depth = Math.min(...body.filter((line) => line.trim() !== "").map(indentOf));
		const text = body
			.map((line) => line.slice(Number.isFinite(depth) ? depth : 0).trimEnd())
			.join("\n")
			.trim();
		return value.startsWith(">") ? text.replace(/([^\n])\n(?=[^\n])/g, "$1 ") : text;
	}
	if (value === "" && body.some((line) => /^[ \t]*(?:-[ \t]|[\w-]+:[ \t]*)/.test(line))) return "";
	const whole = [value, ...body.map((line) => line.trim())]
		.filter((part) => part !== "" && !part.startsWith("#"))
		.join(" ");
	return unquoted(whole);
}

function unquoted(value: string): string {
	const double = /^"((?:[^"\\]|\\.)*)"/.exec(value);
	if (double !== null)
		return double[1]!
			.replace(/\\(["\\/])/g, "$1")
			.replace(/\\n/g, "\n")
			.replace(/\\t/g, "\t");
	const single = /^'((?:[^']|'')*)'/.exec(value);
	if (single !== null) return single[1]!.replaceAll("''", "'");
	return value.replace(/[ \t]#.*$/, "").trim();
}

function indentOf(line: string): number {
	return line.length - line.trimStart().length;
}
