/**
 * How text and documents reach the two streams: line ends, colour, JSON. Knows streams by what it needs of them; must not
 * know any command. Invariants: with `--json`, stdout gets one document and nothing else; a reader that goes away is no error;
 * whatever a command prints, the terminal is told nothing but text and the colours of this file.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { escapeJson, visible } from "../report/visible-text.ts";
import type { Environment, Io } from "./io.ts";

const SCHEMA_VERSION = 1;

/** What is needed of a stream of the process. */
interface Stream {
	write(text: string): unknown;
	isTTY?: boolean | undefined;
	on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

interface IoOptions {
	json: boolean;
	/** False for `--no-color`. */
	color: boolean;
	env: Environment;
	cwd: string;
	stdin: { isTTY?: boolean | undefined };
	stdout: Stream;
	stderr: Stream;
	/** Called when stdout cannot be written to, for another reason than that its reader went away. */
	onLostOutput(error: Error): void;
	/** Called when a command first asks for the signal; only such commands take the signals of the process over. */
	watchSignals(): AbortSignal;
}

/** The world of a command, on real streams. */
export function createIo(options: IoOptions): Io {
	const { stdout, stderr, stdin, env, json, cwd } = options;
	const bothAreTerminals = stdout.isTTY === true && stderr.isTTY === true;
	let signal: AbortSignal | undefined;
	const color = !json && allowsColor(env, options.color, bothAreTerminals);
	ignoreGoneReader(stdout, options.onLostOutput);
	// What is said beside the result may be lost: stderr can be closed on purpose, and a run is not given up for it.
	stderr.on("error", () => undefined);
	return {
		out: (text) => void stdout.write(wholeLines(isJson(text) ? escapeJson(text) : harmless(text, color))),
		err: (text) => void stderr.write(wholeLines(harmless(text, color))),
		json,
		color,
		env,
		cwd,
		isTty: stdin.isTTY === true && stderr.isTTY === true && env.TERM !== "dumb",
		get signal() {
			signal ??= options.watchSignals();
			return signal;
		},
	};
}

/** `--no-color` and NO_COLOR forbid, FORCE_COLOR allows, a dumb terminal or a pipe forbids; the first that applies decides. */
export function allowsColor(env: Environment, flag: boolean, isTerminal: boolean): boolean {
	if (!flag || (env.NO_COLOR ?? "") !== "") return false;
	if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
	return env.TERM !== "dumb" && isTerminal;
}

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** What {@link paint} and the report write for these styles. */
const OWN_COLORS = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/u;

/** Text of models, names and paths may hold what a terminal obeys: that is written out, wherever it was put together. */
function harmless(text: string, color: boolean): string {
	if (!color) return visible(text);
	const parts = text.split(OWN_COLORS);
	return parts.map((part, at) => (at % 2 === 1 ? part : visible(part))).join("");
}

/** Text in lines of at most 80 columns, for what stands on a terminal; a word that is longer stays whole. */
export function wrapped(text: string, width = 80): string {
	const lines: string[] = [];
	for (const word of text.split(" ")) {
		const line = lines.at(-1);
		if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
		else lines[lines.length - 1] = `${line} ${word}`;
	}
	return lines.join("\n");
}

/** The text in a style where colour is allowed, else as it is. */
export function paint(io: Pick<Io, "color">, style: Style, text: string): string {
	return io.color ? styleText(style, text, { validateStream: false }) : text;
}

/** Prints the one document of `--json`; `schemaVersion` comes first. */
export function printDocument(io: Io, document: Readonly<Record<string, unknown>>): void {
	io.out(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...document }, null, 2));
}

/** A whole document: its strings can say any character in JSON's own way, and must stay readable for programs. */
function isJson(text: string): boolean {
	if (!text.startsWith("{") || !text.trimEnd().endsWith("}")) return false;
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/** Columns padded to their widest cell, two spaces apart, without spaces at the end of a line. */
export function table(rows: readonly (readonly string[])[], indent = ""): string {
	const widths: number[] = [];
	for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
	const line = (row: readonly string[]) =>
		row.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - widthOf(cell))).join("  ");
	return rows.map((row) => (indent + line(row)).trimEnd()).join("\n");
}

function widthOf(cell: string): number {
	return stripVTControlCharacters(cell).length;
}

/** `1 case`, `3 cases`. */
export function plural(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function wholeLines(text: string): string {
	return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function ignoreGoneReader(stream: Stream, onLost: (error: Error) => void): void {
	stream.on("error", (error) => {
		if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") onLost(error);
	});
}
