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
}

type Tell = (event: string, message: string, fields?: Readonly<Record<string, unknown>>) => void;

export function createPinoLog({ write, clean, base }: LogOptions): { info: Tell; warn: Tell; error: Tell } {
	const logger = pino(
		{
			base,
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label) => ({ level: label }) },
		},
		{ write: (line: string) => write(clean(line)) },
	);
	const tell =
		(level: "info" | "warn" | "error"): Tell =>
		(event, message, fields = {}) =>
			logger[level]({ event, ...fields }, message);
	return { info: tell("info"), warn: tell("warn"), error: tell("error") };
}
