/**
 * What a command may know of the world around it: two streams, the environment, the folder it was started in, and a signal
 * that says stop. Commands get it handed in, so that a test can play the world. Knows no stream of Node.
 * Invariant: results go to `out`, everything else to `err`.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Io {
	/** Prints a part of the result on stdout; ends its line when the text does not. */
	out(text: string): void;
	/** Prints what is not the result (progress, warnings, questions) on stderr; ends its line when the text does not. */
	err(text: string): void;
	/** One JSON document on stdout is asked for, and nothing else may go there. */
	readonly json: boolean;
	/** Whether escape sequences for colour may be written. */
	readonly color: boolean;
	readonly env: Environment;
	/** Absolute path; every relative path of a flag starts here. */
	readonly cwd: string;
	/** A person sits at the terminal: lines may be redrawn and questions asked. */
	readonly isTty: boolean;
	/** Aborts with an InterruptedError as its reason on the first SIGINT or SIGTERM; the second ends the process. */
	readonly signal: AbortSignal;
}
