/**
 * Flags as the command line hands them over, and how their values are read. Knows the words of the command line; must not
 * know environment, files or defaults. Invariant: a value that is not usable ends in a UsageError that names its flag.
 */
import { UsageError } from "../errors.ts";

/** Every flag of every command, unread: what was not given is absent. */
export interface Flags {
	job?: string;
	skillsRepo?: string;
	cases?: string;
	results?: string;
	model?: string;
	reflectionModel?: string;
	judgeModel?: string;
	baseUrl?: string;
	maxCalls?: string;
	maxTrials?: string;
	maxTokens?: string;
	maxUsd?: string;
	maxMinutes?: string;
	concurrency?: string;
	seed?: string;
	queue?: string;
	policy?: string;
	promote?: string;
	/** False for `--no-commit`. */
	commit?: boolean;
	push?: boolean;
	dryRun?: boolean;
	resume?: string;
	yes?: boolean;
	/** Of `gepa run`: the run goes on in the queue, and nobody waits for it. */
	detach?: boolean;
	/** Of `gepa runs prune`. */
	olderThan?: string;
	/** Of `gepa worker` and `gepa serve`. */
	port?: string;
	/** Of `gepa worker`. */
	roles?: string;
	verbose?: boolean;
	requestsPerMinute?: string;
	tokensPerMinute?: string;
	callsAtOnce?: string;
	/** Of `gepa cases noise`. */
	split?: string;
	repeats?: string;
	/** Of `gepa report`. */
	format?: string;
	open?: boolean;
	compare?: string;
	/** Of `gepa serve`. */
	host?: string;
	name?: string[];
}

/** A whole number from `least` to `most`; undefined when the flag was not given. */
export function readInteger(
	flag: string,
	text: string | undefined,
	least: number,
	most = Number.MAX_SAFE_INTEGER,
): number | undefined {
	if (text === undefined) return undefined;
	const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
	if (value >= least && value <= most) return value;
	const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
	throw new UsageError(`${flag} needs a whole number ${range}, not ${quoted(text)}`);
}

/** A number above 0; undefined when the flag was not given. */
export function readAmount(flag: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const value = /^\d{0,12}(?:\.\d{0,9})?$/.test(text) ? Number(text) : 0;
	if (value > 0) return value;
	throw new UsageError(`${flag} needs a number above 0, not ${quoted(text)}`);
}

/** One of the words; undefined when the flag was not given. */
export function readWord<W extends string>(flag: string, text: string | undefined, words: readonly W[]): W | undefined {
	if (text === undefined) return undefined;
	const word = words.find((known) => known === text);
	if (word !== undefined) return word;
	throw new UsageError(`${flag} is one of ${words.join(", ")}, not ${quoted(text)}`);
}

/** A text that is not blank; undefined when the flag was not given. */
export function readText(flag: string, text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	if (text.trim() !== "" && !text.includes("\0")) return text;
	throw new UsageError(`${flag} needs a value`);
}

/** An address of one of the protocols (with the colon), without a password in it; undefined when it was not given. */
export function readAddress(
	origin: string,
	text: string | undefined,
	protocols: readonly string[],
): string | undefined {
	if (text === undefined) return undefined;
	const url = URL.canParse(text) ? new URL(text) : null;
	if (url === null || !protocols.includes(url.protocol)) {
		throw new UsageError(
			`${origin} is not an address that starts with ${protocols.map((name) => `${name}//`).join(" or ")}`,
		);
	}
	return text;
}

function quoted(text: string): string {
	return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
