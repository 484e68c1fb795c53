/**
 * How a worker says what happens: lines for a person at a terminal, JSON for whatever collects logs elsewhere. Knows both forms;
 * must not know what is told. No line holds a secret.
 */
import { createPinoLog } from "../adapters/pino-log.ts";
import { visible } from "../report/visible-text.ts";
import type { Io } from "./io.ts";
import { redact } from "./secrets.ts";
import type { Teller } from "./teller.ts";

/** Events that a person at a terminal is not told one by one. */
const QUIET = new Set(["task-taken", "task-finished"]);

export function createWorkerLog(io: Io, base: Readonly<Record<string, unknown>>): Teller {
	if (!io.isTty) return createPinoLog({ write: (line) => io.err(line), clean: (text) => redact(text, io.env), base });
	const say = (event: string, message: string): void => {
		if (!QUIET.has(event)) io.err(visible(redact(message, io.env)));
	};
	return { info: say, warn: say, error: say };
}
