/**
 * Lines of JSON for programs that collect logs: one event a line, with a name, a sentence and fields. Knows pino; must not know
 * what is told. Invariant: every text passes the cleaner that is handed in before it is written.
 */
import { pino } from "pino";

export interface LogOptions {
	/** Where lines go. */
	write(line: string): void;
	/** Takes secrets out of a text. */
	clean(text: string): string;
	/** Stands in every line. */
	base: Readonly<Record<string, unknown>>;
	/** Writes lines of level debug, too. */
	verbose: boolean;
}

type Tell = (event: string, message: string, fields?: Readonly<Record<string, unknown>>) => void;

export function createPinoLog(options: LogOptions): { detail: Tell; info: Tell; warn: Tell; error: Tell } {
	const { write, clean, base, verbose } = options;
	const logger = pino(
		{
			base,
			level: verbose ? "debug" : "info",
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label) => ({ level: label }) },
		},
		{ write: (line: string) => write(clean(line)) },
	);
	const tell =
		(level: "debug" | "info" | "warn" | "error"): Tell =>
		(event, message, fields = {}) =>
			logger[level]({ event, ...fields }, message);
	return { detail: tell("debug"), info: tell("info"), warn: tell("warn"), error: tell("error") };
}
