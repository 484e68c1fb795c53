/**
 * Keeps secrets off the screen and out of the arguments. Knows what a key looks like and which values the environment
 * holds; must not know where a text goes. Invariant: no message of this module repeats the secret that it is about.
 */
import { UsageError } from "../errors.ts";
import type { Environment } from "./io.ts";

/** Variables whose values never appear in any text. */
const SECRET_VARIABLES = ["OPENAI_API_KEY"];
/** Variables with an address that may hold a password. */
const ADDRESS_VARIABLES = ["OPENAI_BASE_URL", "GEPA_QUEUE_URL", "REDIS_URL", "GEPA_SKILLS_REPO"];
/** Shorter values are too common to be blanked wherever they occur. */
const SHORTEST_SECRET = 6;

const KEY_SHAPES =
	/\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}|\bAKIA[0-9A-Z]{16}\b|\bxox[abpr]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{30,}/g;
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*:[^\s/?#]*@/gi;
const SECRET_PARAMETER = /([?&](?:api[-_]?key|key|token|password|secret|sig)=)[^&\s]+/gi;
const SECRET_FLAG = /^--?(?:[a-z-]+-)?(?:api-?key|key|token|password|secret)$/i;

/** The text with every known or likely secret replaced by `[secret]`. */
export function redact(text: string, env: Environment = {}): string {
	let clean = text;
	for (const value of secretValues(env)) clean = clean.replaceAll(value, "[secret]");
	return clean
		.replace(KEY_SHAPES, "[secret]")
		.replace(CREDENTIALS, "$1[secret]@")
		.replace(SECRET_PARAMETER, "$1[secret]");
}

/**
 * Arguments can be read by every process of the machine and stay in the history of the shell, so none may hold a secret.
 * @throws UsageError that names the argument, never its value
 */
export function refuseSecrets(argv: readonly string[], env: Environment): void {
	for (const [index, argument] of argv.entries()) {
		const name = argument.split("=", 1)[0] ?? "";
		if (argument.startsWith("-") && SECRET_FLAG.test(name))
			throw refusal(`The flag ${name} does not exist: a secret is never taken from the command line`);
		if (redact(argument, env) === argument) continue;
		const before = argv[index - 1];
		const where = name.startsWith("--")
			? `The value of ${name}`
			: before?.startsWith("--")
				? `The value of ${before}`
				: `Argument ${index + 1}`;
		throw refusal(`${where} holds a secret, which other processes and the history of the shell can read`);
	}
}

function refusal(message: string): UsageError {
	return new UsageError({
		message,
		hint: "Put the key into OPENAI_API_KEY, and an address with a password into GEPA_QUEUE_URL or OPENAI_BASE_URL.",
	});
}

function secretValues(env: Environment): string[] {
	const keys = SECRET_VARIABLES.map((name) => env[name]?.trim() ?? "");
	const passwords = ADDRESS_VARIABLES.map((name) => passwordOf(env[name] ?? ""));
	return [...keys, ...passwords].filter((value) => value.length >= SHORTEST_SECRET);
}

function passwordOf(address: string): string {
	return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*?:([^/?#]*)@/i.exec(address)?.[1] ?? "";
}
