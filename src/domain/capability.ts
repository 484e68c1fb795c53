/**
 * What a text could make a host or an agent do: shell that runs before the model reads, variables that are filled in, hosts
 * and files to go to, tools to be granted, commands. Only looks and never runs; knows nothing of who had what before.
 * Errs on the side of seeing too much: what it sees is refused only when it is new.
 */
import { unmask } from "./disguise.ts";

export type CapabilityKind =
	| "inline-shell"
	| "template-variable"
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
	const found = new Map<string, Capability>();
	const line = unmask(raw);
	for (const { kind, pattern, from } of PATTERNS) {
		for (const match of (from === "raw" ? raw : line).matchAll(pattern)) {
			const token = (match[1] ?? match[0]).trim().replace(/[.,;:!?'"]+$/, "");
			if (token !== "") found.set(`${kind} ${token}`, { kind, token: kind === "url" ? token.toLowerCase() : token });
		}
	}
	return [...found.values()];
}

interface Pattern {
	kind: Exclude<CapabilityKind, "inline-shell">;
	pattern: RegExp;
	/** Variables are only filled in as they are written, and backslashes are part of a path; all else is read without disguise. */
	from?: "raw";
}

/** Endings that hardly occur in prose, and endings that are words or have other uses, which count with a path or port behind them. */
const HOSTS =
	"com|net|org|io|dev|app|ai|co|xyz|info|biz|cloud|cc|gg|uk|de|fr|eu|ru|cn|jp|br|nl|edu|gov|mil|int|onion|zip|mov|tv";
const WORDLIKE_HOSTS =
	"site|online|tech|store|shop|link|click|top|me|ly|to|us|pl|it|es|ch|at|au|ca|kr|in|is|so|sh|rs|local|internal";
const ROOTS =
	"etc|usr|var|tmp|home|root|opt|bin|sbin|dev|proc|sys|mnt|media|srv|boot|lib|private|Users|Library|Volumes|Applications|System|Windows|workspace|app";
const FOLDERS =
	"scripts?|references?|assets|templates|resources|hooks|agents|commands|skills|examples|evals|tests?|src|lib|bin|docs|config|node_modules|\\.[a-z][\\w-]*";
const FILES =
	"md|mdx|txt|py|sh|bash|zsh|fish|ps1|psm1|bat|cmd|exe|dll|so|dylib|rb|pl|php|jar|json|jsonl|ya?ml|toml|ini|cfg|conf|env|pem|key|crt|p12|sql|sqlite|db|csv|tsv|xlsx?|docx?|pptx?|pdf|log|lock|tmpl|service|plist|ipynb";
const TOOLS =
	"WebFetch|WebSearch|MultiEdit|NotebookEdit|NotebookRead|TodoWrite|BashOutput|KillShell|KillBash|ExitPlanMode|AskUserQuestion|SlashCommand|TaskOutput|TaskCreate|ToolSearch";
const CALLABLE = "Bash|Read|Write|Edit|Glob|Grep|LS|Task|Agent|Skill|Monitor|Terminal|PowerShell|Shell";
const LABELS = "(?:[a-z0-9-]{1,63}(?:\\.|\\[\\.\\]|\\(\\.\\)|\\[dot\\])){1,8}";
const TARGET = "(?::\\d+|/[^\\s<>\"'`)\\]}]*)";
const LEFT = "(?<![\\w./~$-])";

const PATTERNS: readonly Pattern[] = [
	{
		kind: "template-variable",
		from: "raw",
		pattern: /(?<!\\)\$(?:\{[^}\n]{0,200}\}?|[A-Za-z_]\w*(?:\[[^\]\n]{0,40}\])?|\d+|\([^)\n]{0,200}\)?)/g,
	},
	{
		kind: "template-variable",
		pattern: /%[A-Z][A-Z0-9_]{2,}%|\$env:\w+|\bprocess\.env\b|\bos\.environ\b|\bgetenv\b/gi,
	},
	{ kind: "url", pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}]*/gi },
	{
		kind: "url",
		pattern: /\b(?:mailto|data|javascript|vbscript|file|tel|blob|ftp|ssh|git\+ssh):(?=\S)[^\s<>"'`)\]}]*/gi,
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
	{
		kind: "tool-grant",
		pattern:
			/\b(?:dis)?allowed[-_ ]?tools\b|\bpermission[-_]?mode\b|\bdangerously[-_]skip[-_]permissions\b|\bbypassPermissions\b/gi,
	},
	{
		kind: "tool-grant",
		pattern: new RegExp(`\\b(?:${TOOLS})\\b|\\b(?:${CALLABLE})\\([^)\\n]{0,200}|\\bmcp__\\w+`, "g"),
	},
	{
		kind: "tool-grant",
		pattern: new RegExp(
			`\\b(?:${CALLABLE})\\b["'\`*]{0,3}[ \\t]+tool\\b|\\btool["'\`*: \\t]{1,4}(?:${CALLABLE})\\b`,
			"gi",
		),
	},
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
	{
		kind: "command",
		pattern:
			/\b(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|brew|apt|apt-get|gem|cargo|dnf|yum|apk|conda)[ \t]+(?:install|i|add|ci|get|run|exec)\b[ \t]*[^\s"'`)]*/g,
	},
	{
		kind: "command",
		pattern:
			/\b(?:curl|wget|sudo|npx|uvx|bunx|powershell|pwsh|netcat|scp|rsync|osascript|crontab|systemctl|chmod|chown|mkfifo|certutil)\b[ \t]*[^\s"'`)]*/gi,
	},
	{
		kind: "command",
		pattern:
			/\brm[ \t]+-[rf]+\b|\b(?:ba|z|da|k)?sh[ \t]+-c\b|\bpython3?[ \t]+(?:-[cm]\b|\S+\.py\b)|\bnode[ \t]+(?:-e\b|\S+\.[cm]?js\b)|\bgo[ \t]+(?:install|get|run)[ \t]+\S*[./]|\b(?:eval|exec|system|popen)\(|\bsubprocess\b|\bchild_process\b|\|[ \t]*(?:sudo[ \t]+)?(?:ba|z|da)?sh\b|\bnc[ \t]+-\w|\bssh[ \t]+\S+@|\bbase64[ \t]+(?:-d|-D|--decode)\b|\bgit[ \t]+(?:clone|push|fetch|pull|config)\b/g,
	},
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
