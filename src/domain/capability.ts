/**
 * What a text could make a host or an agent do: shell that runs before the model reads, variables that are filled in, hosts
 * and files to go to, tools to be granted, commands. Only looks and never runs; knows nothing of who had what before.
 * Errs on the side of seeing too much: what it sees is refused only when it is new.
 */
import { COMMANDS, TOOL_GRANTS } from "./capability-command.ts";
import { unmask } from "./disguise.ts";

export type CapabilityKind =
	| "inline-shell"
	| "template-variable"
	| "environment"
	| "url"
	| "tool-grant"
	| "file-reference"
	| "command"
	| "encoded"
	| "active-html";

export interface Capability {
	kind: CapabilityKind;
	/** What was found, folded so that equal things compare equal. */
	token: string;
}

/**
 * Inline shell and shell fences. Their whole content is the token, so that a changed command is a new one. Read in the raw
 * text without regard to code spans, because that is how hosts look for them.
 */
export function shellOf(text: string): { at: number; token: string }[] {
	const found: { at: number; token: string }[] = [];
	for (const match of text.matchAll(/!`+[^`]{0,2000}|(?:`{3,}|~{3,})[ \t]*!(?:(?!```|~~~)[\s\S])*/g)) {
		found.push({ at: match.index, token: match[0].replace(/\s+/g, " ").trim() });
	}
	return found;
}

/** Everything but shell, in one line. */
export function lineCapabilities(raw: string): Capability[] {
	return capabilitiesOf([raw])[0]!;
}

/** Everything but shell, of each of the rows. Patterns that find nothing in all of them together are not tried on each. */
export function capabilitiesOf(rows: readonly string[]): Capability[][] {
	const text = rows.join("\n");
	const plain = unmask(text);
	const patterns = PATTERNS.filter(({ pattern, from }) => (from === "raw" ? text : plain).search(pattern) >= 0);
	return rows.map((row) => (patterns.length === 0 ? [] : matchesIn(row, patterns)));
}

function matchesIn(raw: string, patterns: readonly Pattern[]): Capability[] {
	const found = new Map<string, Capability>();
	const line = unmask(raw);
	for (const { kind, pattern, from } of patterns) {
		for (const match of (from === "raw" ? raw : line).matchAll(pattern)) {
			const token = (match[1] ?? match[0]).trim().replace(/[.,;:!?'"]+$/, "");
			if (token !== "") found.set(`${kind} ${token}`, { kind, token: kind === "url" ? token.toLowerCase() : token });
		}
	}
	return [...found.values()];
}

interface Pattern {
	kind: Exclude<CapabilityKind, "inline-shell">;
	/** Finds in lines that are joined whatever it finds in one of them: `^` and `$` go with the flag `m`. */
	pattern: RegExp;
	/** Variables are only filled in as they are written, and backslashes are part of a path; all else is read without disguise. */
	from?: "raw";
}

/** Endings that hardly occur in prose, and endings that are words or have other uses, which count with a path or port behind them. */
const HOSTS =
	"com|net|org|io|dev|app|ai|co|xyz|info|biz|cloud|cc|gg|uk|de|fr|eu|ru|cn|jp|br|nl|edu|gov|mil|int|onion|zip|mov|tv|icu|pizza|tk|gq|pw|cyou|sbs|buzz|wtf|ninja|xn--[a-z0-9-]{1,59}";
const WORDLIKE_HOSTS =
	"site|online|tech|store|shop|link|click|top|me|ly|to|us|pl|it|es|ch|at|au|ca|kr|in|is|so|sh|rs|local|internal";
const ROOTS =
	"etc|usr|var|tmp|home|root|opt|bin|sbin|dev|proc|sys|mnt|media|srv|boot|lib|private|Users|Library|Volumes|Applications|System|Windows|workspace|app";
const FOLDERS =
	"scripts?|references?|assets|templates|resources|hooks|agents|commands|skills|examples|evals|tests?|src|lib|bin|docs|config|node_modules|\\.[a-z][\\w-]*";
const FILES =
	"md|mdx|txt|py|sh|bash|zsh|fish|ps1|psm1|bat|cmd|exe|dll|so|dylib|rb|pl|php|jar|json|jsonl|ya?ml|toml|ini|cfg|conf|env|pem|key|crt|p12|sql|sqlite|db|csv|tsv|xlsx?|docx?|pptx?|pdf|log|lock|tmpl|service|plist|ipynb";
const LABELS = "(?:[a-z0-9-]{1,63}(?:[.\u3002]|\\[\\.\\]|\\(\\.\\)|\\[dot\\])){1,8}";
const TARGET = "(?::\\d+|/[^\\s<>\"'`)\\]}]*)";
const LEFT = "(?<![\\w./~$-])";

const PATTERNS: readonly Pattern[] = [
	{
		// A backslash in front makes a price of it, unless the backslash is itself escaped. Not every host knows that, so it saves no name.
		kind: "template-variable",
		from: "raw",
		pattern:
			/\$(?<=(?<!\\)(?:\\\\)*\$)\d+|\$(?:\{[^}\n]{0,200}\}?|[A-Za-z_]\w*(?:\[[^\]\n]{0,40}\])?|\([^)\n]{0,200}\)?)/g,
	},
	{
		kind: "template-variable",
		pattern:
			/\{\{[^}\n]{0,200}\}{0,3}|\{%[-+]?[ \t]*[a-z][^\n]{0,200}?(?:%\}|$)|<%(?:[-=#]|[^\n%]{0,200}%>)[^\n%]{0,200}|#\{[^}\n]{1,200}\}/gim,
	},
	{
		kind: "environment",
		pattern:
			/%[A-Z][A-Z0-9_]{2,}%|\$env:\w+|\bprocess\.env\b[.\w]*|\bos\.environ\b|\bimport\.meta\.env\b[.\w]*|\bDeno\.env\b|\bENV\[|\bgetenv\b|\bprintenv\b|`env`/gi,
	},
	{ kind: "environment", pattern: /\$\{?(?!ARGUMENTS\b|CLAUDE_|HERMES_)[A-Z][A-Z0-9_]+\b/g },
	{
		kind: "environment",
		pattern:
			/\b(?!(?:PRIMARY|FOREIGN|SORT)_KEY\b|(?:MAX|MIN)_TOKENS\b)(?=[A-Z0-9]*_)[A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)[A-Z0-9_]{0,60}\b/g,
	},
	{ kind: "url", pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}]*/gi },
	{
		kind: "url",
		pattern: /\b(?:mailto|data|javascript|vbscript|file|tel|blob|ftp|ssh|git\+ssh):(?=\S)[^\s<>"'`)\]}]*/gi,
	},
	{
		// Destinations of links and definitions, and autolinks: whatever the scheme, a reader can follow them.
		kind: "url",
		pattern:
			/(?:\]\([ \t]{0,9}<?|^[ \t>*+-]{0,20}\[[^\]\n]{1,200}\]:[ \t]{0,9}<?)([a-z][a-z0-9+.-]{1,31}:[^\s<>)]*)/gim,
	},
	{ kind: "url", pattern: /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/gi },
	{ kind: "url", from: "raw", pattern: /\]\([ \t]{0,9}<?([\\/]{2}[^\s<>)]*)/g },
	{
		kind: "url",
		pattern:
			/(?<![\w.+%-])[\w.+%-]{1,64}(?:@|[ \t]?(?:\[at\]|\(at\))[ \t]?)(?:[a-z0-9-]{1,63}(?:\.|\[\.\]|[ \t]?(?:\[dot\]|\(dot\))[ \t]?)){1,8}[a-z]{2,24}(?![\w-])/gi,
	},
	{
		// A name with any ending, with a path behind it; endings of files are no hosts.
		kind: "url",
		pattern:
			/(?<![\w./@~$-])(?:[a-z0-9-]{1,63}\.){1,8}(?!(?:[cm]?[jt]sx?|py|md|css|html?|json|ya?ml|vue|rb|go|java|sql|csv|txt)\/)[a-z]{2,24}\/[^\s<>"'`)\]}]*/gi,
	},
	{ kind: "url", pattern: /\bhxxps?\b[^\s<>"'`)\]}]*/gi },
	{ kind: "url", pattern: /(?<![\w:/])\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s<>"'`)\]}]*/gi },
	{ kind: "url", pattern: new RegExp(`(?<![\\w.-])${LABELS}(?:${HOSTS})(?![\\w-])${TARGET}?`, "gi") },
	{ kind: "url", pattern: new RegExp(`(?<![\\w.-])${LABELS}(?:${WORDLIKE_HOSTS})(?![\\w-])${TARGET}`, "gi") },
	{
		kind: "url",
		pattern:
			/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]|\.\d)(?::\d+)?|\blocalhost(?::\d+)?\b|\[[0-9a-f]*:[0-9a-f]*:[0-9a-f:]*\]/gi,
	},
	...TOOL_GRANTS.map((pattern) => ({ kind: "tool-grant" as const, pattern })),
	{
		kind: "file-reference",
		pattern: new RegExp(`${LEFT}/(?:${ROOTS})(?:/[^\\s<>"'\`)\\]},;]*|(?=[\\s"'\`)\\],;]|$))`, "g"),
	},
	{ kind: "file-reference", pattern: /(?<![\w.~/])(?:~[\w-]*|\.{1,2})[/\\][^\s<>"'`)\]},;]*/g },
	{
		kind: "file-reference",
		from: "raw",
		pattern: /(?<!\w)[a-z]:[\\/][^\s<>"'`)\]},;]*|\\\\[\w.-]+\\[^\s<>"'`)\]},;]*/gi,
	},
	{ kind: "file-reference", pattern: new RegExp(`${LEFT}(?:${FOLDERS})[/\\\\](?:[\\w.*@-]+[/\\\\]?)+`, "g") },
	{
		kind: "file-reference",
		pattern: /(?<![\w./~$-])(?:[\w.@-]{1,80}\/){1,20}[\w.@-]{0,80}\.[a-z][a-z0-9]{0,7}(?![\w-])/gi,
	},
	{
		kind: "file-reference",
		pattern: new RegExp(
			`(?<![\\w./~$@-])[\\w][\\w-]{0,80}(?:\\.[\\w-]{1,40}){0,4}\\.(?:${FILES})(?![\\w-]|\\.\\w)`,
			"gi",
		),
	},
	{
		kind: "file-reference",
		pattern:
			/(?<![\w./])\.(?:env|git|ssh|aws|npmrc|netrc|bashrc|zshrc|profile|claude|codex|cursor|docker|kube)\b[\w./-]*/gi,
	},
	...COMMANDS.map((pattern) => ({ kind: "command" as const, pattern })),
	{
		kind: "encoded",
		pattern:
			/(?<![\w+/])(?=[\w+/]*\d)(?=[\w+/]*[A-Z])(?=[\w+/]*[a-z])[A-Za-z0-9+/]{40,2000}={0,2}|\b(?:[0-9a-f]{2}){24,1000}\b|(?:\\x[0-9a-f]{2}){4,}|(?:\\u[0-9a-f]{4}){4,}|(?:%[0-9a-f]{2}){4,}/gi,
	},
	{
		kind: "active-html",
		pattern:
			/<\/?(script|iframe|object|embed|link|meta|style|form|base|svg|img|video|audio|input|button|template|frame|frameset|applet|marquee)\b/gi,
	},
	{
		kind: "active-html",
		pattern: /<[a-z][^<>]{0,500}\b(on[a-z]{3,20}|style|hidden|src|href|srcdoc|action|formaction)[ \t]*(?:=|[ \t>])/gi,
	},
];
