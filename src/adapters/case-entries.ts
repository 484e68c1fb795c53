/**
 * The entries of one case file, not yet judged as cases. Knows the two formats (a YAML file, a JSON case on each line) and
 * their limits; must not know what makes a case good. Invariant: every entry can be located, and is located only on demand.
 */
import { stat } from "node:fs/promises";
import { caseFileSchema } from "../domain/case.ts";
import type { Place, Problem } from "../errors.ts";
import { readLines } from "./case-lines.ts";
import { type LocatedDocument, problemsOf } from "./input-problems.ts";
import { readJsonLine } from "./json-line.ts";
import { decodeSource, readSource } from "./source-text.ts";
import { readYaml } from "./yaml-document.ts";

const MOST_FILE_BYTES = 64 * 1024 * 1024;
const MOST_LINE_BYTES = 4 * 1024 * 1024;
const MOST_VALUES = 5_000_000;

/** One entry that claims to be a case. */
export interface CaseEntry {
	value: unknown;
	place: Place;
	/** The document that holds it, and where in it. Reading it again may be needed, so it is for telling problems only. */
	document(): LocatedDocument;
	at: readonly PropertyKey[];
}

/** The entries of a file, and the problems of what is none. */
export async function* readEntries(file: string): AsyncGenerator<{ entry: CaseEntry } | { problem: Problem }> {
	if (file.endsWith(".jsonl")) yield* readJsonlEntries(file);
	else yield* readYamlEntries(file);
}

async function* readYamlEntries(file: string): AsyncGenerator<{ entry: CaseEntry } | { problem: Problem }> {
	const source = await readSource(file, MOST_FILE_BYTES);
	if ("problem" in source) return yield source;
	const read = readYaml(source.text, file, { maxValues: MOST_VALUES });
	if ("problems" in read) return yield* wrap(read.problems);
	const { document } = read;
	const parsed = caseFileSchema.safeParse(document.value);
	if (!parsed.success) {
		if (!Array.isArray(document.value))
			return yield* wrap(problemsOf(parsed.error, document, { schema: caseFileSchema }));
		return yield {
			problem: {
				message: "the file is a list",
				place: document.placeOf([]),
				expected: "schemaVersion: 1, and the list under cases:",
			},
		};
	}
	for (const [index, value] of parsed.data.cases.entries()) {
		const at = ["cases", index];
		yield { entry: { value, at, place: document.placeOf(at), document: () => document } };
	}
}

async function* readJsonlEntries(file: string): AsyncGenerator<{ entry: CaseEntry } | { problem: Problem }> {
	const { size } = await stat(file);
	if (size > MOST_FILE_BYTES) {
		return yield {
			problem: {
				message: `the file has ${size} bytes, which is too large`,
				place: { file },
				expected: "at most 64 MiB; cases may be spread over several files",
			},
		};
	}
	for await (const { number, bytes, length } of readLines(file, MOST_LINE_BYTES)) {
		const line = { file, line: number, column: 1 };
		if (bytes === null) {
			yield {
				problem: {
					message: `this line has ${length} bytes, which is too long`,
					place: line,
					expected: "one case on a line, at most 4 MiB",
				},
			};
			continue;
		}
		const decoded = decodeSource(bytes, file, number);
		// Bytes that are no text are not worth being told line by line.
		if ("problem" in decoded) return yield decoded;
		if (decoded.text.trim() === "") continue;
		const read = readJsonLine(decoded.text);
		if ("problem" in read)
			yield {
				problem: {
					message: read.problem,
					place: { ...line, column: read.offset + 1 },
					expected: "one JSON object on a line",
				},
			};
		else
			yield {
				entry: { value: read.value, place: line, at: [], document: () => locateJson(read.value, decoded.text, line) },
			};
	}
}

/** JSON is YAML, near enough to find places in it; where it is not, the line is known at least. */
function locateJson(value: unknown, text: string, line: Place): LocatedDocument {
	const read = readYaml(text, line.file, { maxValues: MOST_VALUES, firstLine: line.line ?? 1 });
	return "document" in read ? read.document : { value, placeOf: () => line, placeOfKey: () => line };
}

function* wrap(problems: readonly Problem[]): Generator<{ problem: Problem }> {
	for (const problem of problems) yield { problem };
}
