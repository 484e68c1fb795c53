/**
 * The family of errors that a person is meant to read, and the single table of exit codes.
 *
 * Expected failure inside the product is a value (an outcome, a refusal with a reason); these classes are for what ends
 * a command. Anything thrown that is not a GepaError is a bug of ours and exits 1 with its stack.
 */

/** What a process exits with, by meaning. */
export const EXIT = {
	done: 0,
	bug: 1,
	usage: 2,
	input: 3,
	unavailable: 4,
	budget: 5,
	guard: 6,
	damage: 7,
	later: 75,
	interrupted: 130,
	terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where in a file something is wrong; line and column count from 1. */
export interface Place {
	file: string;
	line?: number;
	column?: number;
}

export interface Complaint {
	/** What happened, one sentence without a final dot being required. */
	message: string;
	/** What the person can do about it. */
	hint?: string;
	place?: Place;
	cause?: unknown;
}

export abstract class GepaError extends Error {
	abstract readonly exitCode: ExitCode;
	readonly hint: string | undefined;
	readonly place: Place | undefined;

	constructor(complaint: string | Complaint) {
		const { message, hint, place, cause } =
			typeof complaint === "string" ? ({ message: complaint } as Complaint) : complaint;
		super(message, cause === undefined ? undefined : { cause });
		this.name = new.target.name;
		this.hint = hint;
		this.place = place;
	}
}

/** Wrong flag, wrong setting, wrong combination (exit 2). */
export class UsageError extends GepaError {
	readonly exitCode = EXIT.usage;
}

/** A file that a person wrote is not what it should be (exit 3). Carries every problem found in one pass. */
export class InputError extends GepaError {
	readonly exitCode = EXIT.input;
	readonly problems: readonly Problem[];

	constructor(complaint: string | Complaint, problems: readonly Problem[] = []) {
		super(complaint);
		this.problems = problems;
	}
}

/** One problem of an input, with its place and what was expected. */
export interface Problem {
	message: string;
	place: Place;
	expected?: string;
	hint?: string;
}

/** Redis, git, the model endpoint or a key is not there (exit 4). */
export class UnavailableError extends GepaError {
	readonly exitCode = EXIT.unavailable;
}

/** The budget cannot afford a decision (exit 5). */
export class BudgetError extends GepaError {
	readonly exitCode = EXIT.budget;
}

/** A guard refused: kernel, secret, unsafe text, changed base (exit 6). */
export class GuardError extends GepaError {
	readonly exitCode = EXIT.guard;
}

/** The log or the store of a run is damaged (exit 7). The place names the line. */
export class DamageError extends GepaError {
	readonly exitCode = EXIT.damage;
}

/** Try again later: locked, rate limit, Redis away (exit 75). */
export class LaterError extends GepaError {
	readonly exitCode = EXIT.later;
}

/** A person or the system asked the run to stop; its state is saved (exit 130 or 143). */
export class InterruptedError extends GepaError {
	readonly exitCode: 130 | 143;

	constructor(complaint: string | Complaint, signal: "SIGINT" | "SIGTERM" = "SIGINT") {
		super(complaint);
		this.exitCode = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
	}
}

/** `file:12:3` as editors understand it. */
export function formatPlace(place: Place): string {
	return [place.file, place.line, place.line === undefined ? undefined : place.column]
		.filter((part) => part !== undefined)
		.join(":");
}
