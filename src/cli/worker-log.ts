/**
 * How a worker says what happens: lines for a person at a terminal, JSON for whatever collects logs elsewhere. Knows both forms;
 * must not know what is told. No line holds a secret.
 */
import { createPinoLog } from "../adapters/pino-log.ts";
import { visible } from "../report/visible-text.ts";
import type { Io } from "./io.ts";
import { redact } from "./secrets.ts";
import type { Teller } from "./teller.ts";

/** @param verbose details are told, too */
export function createWorkerLog(io: Io, base: Readonly<Record<string, unknown>>, verbose: boolean): Teller {
	const clean = (text: string) => redact(text, io.env);
	if (!io.isTty) return createPinoLog({ write: (line) => io.err(line), clean, base, verbose });
	const say = (_event: string, message: string): void => io.err(visible(clean(message)));
	return { detail: verbose ? say : () => undefined, info: say, warn: say, error: say };
}
