/**
 * The one place where a command ends: turns what was thrown into a message, a hint and an exit code, and the only module
 * that ends the process. Knows every error class; must not know any command. Invariant: an expected failure prints no
 * stack, and no message holds a secret.
 */
import { isAbsolute, relative } from "node:path";
import {
	EXIT,
	type ExitCode,
	formatPlace,
	GepaError,
	InputError,
	InterruptedError,
	type Place,
	type Problem,
} from "../errors.ts";
import { visible } from "../report/visible-text.ts";
import type { Environment, Io } from "./io.ts";
import { paint, printDocument } from "./output.ts";
import { redact } from "./secrets.ts";

/** What the machine says when a file, a folder or a limit is not as it should be, and a person can put it right. */
const OF_THE_MACHINE = new Set(
	"EACCES EPERM EROFS EMFILE ENFILE ENOMEM EIO EBUSY ENOTDIR EISDIR EEXIST ENOTEMPTY ELOOP ENAMETOOLONG ENXIO".split(
		" ",
	),
);

/** Time for sockets and files to close by themselves after a command, in milliseconds. */
const GRACE_MS = 3_000;
const EXIT_CODES = new Set<unknown>(Object.values(EXIT));

/** What is told about an error, apart from how. */
interface Failure {
	exitCode: ExitCode;
	kind: string;
	message: string;
	hint?: string | undefined;
	place?: Place | undefined;
	problems?: readonly Problem[];
	stack?: string | undefined;
	/** It stands above the help that was printed with it, so people are not told again. */
	isTold?: boolean;
}

/**
 * Performs a command and sets the exit code of the process: the number that the command resolves to (0 for anything else),
 * or that of what it throws.
 */
export async function settle(io: Io, debug: boolean, action: () => Promise<unknown>): Promise<void> {
	let code: ExitCode;
	try {
		const result = await action();
		code = EXIT_CODES.has(result) ? (result as ExitCode) : EXIT.done;
	} catch (error) {
		const failure = readFailure(error);
		tell(io, failure, debug);
		code = failure.exitCode;
	}
	process.exitCode = code;
	endLater(code);
}

/** A result that cannot be written (a full disk) must not look like success. */
export function endWithoutOutput(error: Error): void {
	process.stderr.on("error", () => {}).write(`error: the output cannot be written: ${error.message}\n`);
	process.exit(EXIT.later);
}

/** Takes SIGINT and SIGTERM over: the first aborts the signal, the second ends the process at once. */
export function watchSignals(): AbortSignal {
	const controller = new AbortController();
	for (const name of ["SIGINT", "SIGTERM"] as const) {
		process.on(name, () => {
			const reason = new InterruptedError(`Interrupted by ${name}`, name);
			if (controller.signal.aborted) process.exit(reason.exitCode);
			controller.abort(reason);
		});
	}
	return controller.signal;
}

/** Something may keep the process alive after its work is done; a person should not have to wait for it. */
function endLater(code: ExitCode): void {
	const check = () => {
		if (process.stdout.writableLength > 0) setTimeout(check, GRACE_MS).unref();
		else process.exit(code);
	};
	setTimeout(check, GRACE_MS).unref();
}

function readFailure(error: unknown): Failure {
	if (error instanceof GepaError) {
		const { exitCode, name: kind, message, hint, place, stack } = error;
		return { exitCode, kind, message, hint, place, stack, problems: error instanceof InputError ? error.problems : [] };
	}
	if (!(error instanceof Error)) return bug(new Error(String(error)));
	if (error.name === "CommanderError" || error.name === "InvalidArgumentError") return usage(error);
	return systemFailure(error) ?? bug(error);
}

/** Commander throws for `--help` and `--version` too, with exit code 0, and puts its suggestion on a line of its own. */
function usage(error: Error & { code?: string; exitCode?: number }): Failure {
	const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
	return {
		exitCode: error.exitCode === 0 ? EXIT.done : EXIT.usage,
		kind: "UsageError",
		message: error.code === "commander.help" ? "a command is missing" : message,
		hint: suggestion?.replace(/^\((.*)\)$/, "$1") ?? "See gepa --help.",
		stack: error.stack,
		isTold: error.code === "commander.help",
	};
}

/** What the machine refuses is no bug: a full disk passes; a missing right, or a file where a folder belongs, does not. */
function systemFailure(error: NodeJS.ErrnoException): Failure | null {
	const isFull = error.code === "ENOSPC" || error.code === "EDQUOT";
	if (!isFull && !OF_THE_MACHINE.has(error.code ?? "")) return null;
	const hint = isFull
		? "Free some space and try again; what was paid for is kept."
		: "Check what is there, and the rights and limits of this account.";
	return {
		exitCode: isFull ? EXIT.later : EXIT.unavailable,
		kind: "SystemError",
		message: error.message,
		hint,
		stack: error.stack,
	};
}

function bug(error: Error): Failure {
	return {
		exitCode: EXIT.bug,
		kind: "InternalError",
		message: `A bug of gepa: ${error.message}`,
		hint: "Please report this on the project's issue page, with the output of gepa config.",
		stack: error.stack ?? error.message,
	};
}

function tell(io: Io, failure: Failure, debug: boolean): void {
	if (failure.exitCode === EXIT.done) return;
	const clean = cleaner(io.env);
	const places = (failure.problems ?? []).map((problem) => ({ ...problem, place: shown(io.cwd, problem.place) }));
	const place = failure.place === undefined ? undefined : shown(io.cwd, failure.place);
	const stack = debug || failure.exitCode === EXIT.bug ? failure.stack : undefined;
	if (io.json) {
		const { exitCode, kind, message, hint } = failure;
		const document = { error: { kind, exitCode, message, hint, place, problems: places, stack } };
		printDocument(io, JSON.parse(clean(JSON.stringify(document), "keep")) as typeof document);
	}
	if (failure.isTold) return;
	const head = place === undefined || places.length > 0 ? "" : `${formatPlace(place)}: `;
	io.err(paint(io, "red", "error: ") + clean(head + failure.message));
	for (const problem of places) io.err(clean(describeProblem(problem)));
	if (failure.hint !== undefined) io.err(paint(io, "cyan", "hint: ") + clean(failure.hint));
	if (stack !== undefined) io.err(clean(stack));
}

/** `file:3:7: message (expected: …)` with the hint below, indented. */
export function describeProblem({ place, message, expected, hint }: Problem): string {
	const wanted = expected === undefined ? "" : ` (expected: ${expected})`;
	return `  ${formatPlace(place)}: ${message}${wanted}${hint === undefined ? "" : `\n      ${hint}`}`;
}

/** A place with its file as seen from the folder that the command was started in. */
export function shown<P extends Place>(cwd: string, place: P): P {
	return { ...place, file: shownPath(cwd, place.file) };
}

/** A path as a person in this folder would write it: relative when it lies below, else absolute. */
export function shownPath(cwd: string, path: string): string {
	if (!isAbsolute(path)) return path;
	const below = relative(cwd, path);
	return below === "" ? "." : below.startsWith("..") || isAbsolute(below) ? path : below;
}

function cleaner(env: Environment): (text: string, controls?: "keep") => string {
	return (text, controls) => redact(controls === "keep" ? text : visible(text), env);
}
