/**
 * Runs git through simple-git, with every defence in one place.
 * It knows how a git process is started; it knows nothing about skills or promotions.
 * Invariant: no shell, fixed argument lists, no hook, monitor, pager, prompt or lazy download; the environment is an
 * allow-list; data written by others travels through stdin, as a validated id or name, or after `--`.
 */
import { GitPluginError, type SimpleGitOptions, simpleGit } from "simple-git";
import { UnavailableError } from "../errors.ts";

/** What one git process answered. */
interface GitOutput {
	/** Exit code; git says 1 for "no" and 128 for "cannot". */
	code: number;
	stdout: Buffer;
	stderr: string;
}

interface GitRunOptions {
	/** Bytes for stdin, which is closed at once when there are none. */
	input?: string | Uint8Array;
	/** Another index file than the user's. */
	indexFile?: string;
	/** Identity to write when nobody configured one. */
	identity?: { name: string; email: string };
	/** Extra configuration, `key=value`; fixed text only. */
	config?: readonly string[];
	/** Allow the transports file, https and ssh for this one call. */
	network?: boolean;
}

export interface GitRunner {
	readonly folder: string;
	/** Runs git and reports its exit code, whatever it is. @throws UnavailableError when git cannot be run or hangs. */
	run(args: readonly string[], options?: GitRunOptions): Promise<GitOutput>;
	/** As `run`, for calls that must succeed: the stdout as bytes. @throws UnavailableError with git's own words. */
	bytes(args: readonly string[], options?: GitRunOptions): Promise<Buffer>;
	/** As `bytes`, decoded as UTF-8 without the final line end. */
	text(args: readonly string[], options?: GitRunOptions): Promise<string>;
	/** The same defences in another folder. */
	at(folder: string): GitRunner;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PASSED = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "XDG_CONFIG_HOME", "SYSTEMROOT", "USERPROFILE"];
const IDENTITY = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
const NETWORK = ["SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"];
const FORCED = [
	"GIT_CONFIG_NOSYSTEM",
	"GIT_TERMINAL_PROMPT",
	"GIT_OPTIONAL_LOCKS",
	"GIT_ALLOW_PROTOCOL",
	"GIT_LITERAL_PATHSPECS",
	"GIT_INDEX_FILE",
];

const SAFE_CONFIG = [
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.quotePath=false",
	"core.useReplaceRefs=false",
	"protocol.allow=never",
	"gc.auto=0",
	"maintenance.auto=false",
	"submodule.recurse=false",
	"i18n.commitEncoding=UTF-8",
	"i18n.logOutputEncoding=UTF-8",
];

/** Milliseconds of silence after which a git process is ended: on this machine, and over the network. */
const SILENCE_MS = { local: 120_000, network: 60_000 };

/**
 * A runner of git in one folder.
 * @param environment where the allow-listed variables are taken from; the process's own by default
 */
export function createGitRunner(folder: string, environment: Environment = process.env): GitRunner {
	const run = (args: readonly string[], options: GitRunOptions = {}) => spawnGit(folder, environment, args, options);
	const bytes = async (args: readonly string[], options?: GitRunOptions) => {
		const output = await run(args, options);
		if (output.code !== 0) throw failed(folder, args, output);
		return output.stdout;
	};
	return {
		folder,
		run,
		bytes,
		text: async (args, options) => (await bytes(args, options)).toString("utf8").replace(/\n$/, ""),
		at: (other) => createGitRunner(other, environment),
	};
}

async function spawnGit(
	folder: string,
	environment: Environment,
	args: readonly string[],
	options: GitRunOptions,
): Promise<GitOutput> {
	const seen: GitOutput = { code: -1, stdout: Buffer.alloc(0), stderr: "" };
	let spawnError: Error | undefined;
	const settings: Partial<SimpleGitOptions> = {
		baseDir: folder,
		config: [...SAFE_CONFIG, ...(options.network ? allowedTransports : []), ...(options.config ?? [])],
		// These five categories are refused unless named. They are named because of the lines above, which switch things
		// off; nobody else's text can reach an option position.
		unsafe: {
			allowUnsafeHooksPath: true,
			allowUnsafeFsMonitor: true,
			allowUnsafeProtocolOverride: true,
			allowUnsafePack: options.network === true,
			allowUnsafeSshCommand: options.network === true,
		},
		allowEnvironment: [...FORCED, ...IDENTITY],
		// The process is over when its pipes are closed, not some time after its exit: output is never cut.
		completion: { onClose: true, onExit: false },
		timeout: { block: options.network ? SILENCE_MS.network : SILENCE_MS.local },
		input: () => Buffer.from(options.input ?? ""),
		errors: (error, result) => {
			seen.code = typeof result.exitCode === "number" ? result.exitCode : -1;
			seen.stdout = Buffer.concat(result.stdOut);
			seen.stderr = Buffer.concat(result.stdErr).toString("utf8").trim();
			// A plugin's error is a timeout; any other is only git's exit code in other words, which the caller judges.
			if (error instanceof GitPluginError) spawnError = error;
			return undefined;
		},
	};
	try {
		await simpleGit(settings)
			.env(childEnvironment(environment, options))
			.raw([...args]);
	} catch (error) {
		spawnError = error instanceof Error ? error : new Error(String(error));
	}
	if (spawnError !== undefined || seen.code < 0) throw unusable(folder, spawnError, seen);
	return seen;
}

const allowedTransports = ["protocol.file.allow=always", "protocol.https.allow=always", "protocol.ssh.allow=always"];

function childEnvironment(environment: Environment, options: GitRunOptions): Record<string, string> {
	const child: Record<string, string> = {};
	for (const name of [...PASSED, ...IDENTITY, ...(options.network ? NETWORK : [])]) {
		const value = environment[name];
		if (value !== undefined && value !== "") child[name] = value;
	}
	// Messages are parsed, so they come in one language.
	child.LC_ALL = "C";
	child.GIT_CONFIG_NOSYSTEM = "1";
	child.GIT_TERMINAL_PROMPT = "0";
	child.GIT_OPTIONAL_LOCKS = "0";
	child.GIT_LITERAL_PATHSPECS = "1";
	// Stronger than any protocol.<name>.allow in a configuration file; "none" is the name of no transport.
	child.GIT_ALLOW_PROTOCOL = options.network ? "file:https:ssh" : "none";
	if (options.indexFile !== undefined) child.GIT_INDEX_FILE = options.indexFile;
	if (options.identity !== undefined) {
		for (const role of ["AUTHOR", "COMMITTER"]) {
			child[`GIT_${role}_NAME`] ??= options.identity.name;
			child[`GIT_${role}_EMAIL`] ??= options.identity.email;
		}
	}
	return child;
}

function failed(folder: string, args: readonly string[], output: GitOutput): UnavailableError {
	const said = output.stderr === "" ? `exit code ${output.code}` : output.stderr;
	return new UnavailableError({ message: `git ${args[0]} failed in ${folder}: ${said}` });
}

function unusable(folder: string, error: Error | undefined, output: GitOutput): UnavailableError {
	const said = error?.message ?? output.stderr;
	if (/ENOENT/.test(said)) {
		return new UnavailableError({
			message: "git is not installed or not on the PATH",
			hint: "Install git 2.36 or newer.",
		});
	}
	return new UnavailableError({ message: `git could not be run in ${folder}: ${said}`, cause: error });
}
