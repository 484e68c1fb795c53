/** The rules of the house, checked on every source file: who may import whom, how large files are, which words are used. */
import { describe, expect, it } from "vitest";
import { allFiles, exportedNames, packageOf, readSources, type Source, wordsOf } from "./sources.ts";

const sources = readSources();
const byPath = new Map(sources.map((source) => [source.path, source]));

const FLOORS: Readonly<Record<string, readonly string[]>> = {
	errors: [],
	domain: ["domain", "errors"],
	prompts: ["prompts", "domain", "errors"],
	ports: ["ports", "domain"],
	engine: ["engine", "prompts", "ports", "domain", "errors"],
	capture: ["capture", "ports", "domain", "errors"],
	report: ["report", "ports", "domain", "errors"],
	adapters: ["adapters", "ports", "domain", "errors"],
	cli: ["cli", "adapters", "report", "capture", "engine", "ports", "prompts", "domain", "errors"],
};

/** Packages that a floor may use beside what Node brings; adapters may use one each, whichever it is. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
	errors: [],
	domain: ["zod"],
	prompts: ["zod"],
	ports: [],
	engine: [],
	capture: [],
	report: [],
	cli: ["commander"],
};

/** What of Node a floor may use. */
const NODE: Readonly<Record<string, RegExp>> = {
	domain: /^node:crypto$/,
	adapters: /^node:/,
	cli: /^node:/,
};

/** Adapters that need the environment of the process, and why. */
const READS_ENVIRONMENT: readonly string[] = [
	// Git gets an allow-listed part of the environment; the process's own is the default.
	"adapters/git-runner.ts",
];

/** Every offence as one line, so that a failure reads as a list of things to do. */
function offences(find: (source: Source) => readonly string[]): string[] {
	return sources.flatMap((source) => find(source).map((offence) => `${source.path}: ${offence}`));
}

describe("imports", () => {
	it("are there to be scanned", () => {
		expect(sources.length).toBeGreaterThan(50);
		expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
	});

	it("come from a known floor", () => {
		expect(offences(({ floor }) => (floor in FLOORS ? [] : [`${floor} is no floor`]))).toEqual([]);
	});

	it("go only where their floor may look", () => {
		const found = offences(({ floor, imports }) =>
			imports.flatMap(({ target }) => {
				if (target === null) return [];
				const other = target.includes("/") ? target.slice(0, target.indexOf("/")) : target.replace(/\.ts$/, "");
				return FLOORS[floor]?.includes(other) ? [] : [`${floor} must not import ${target}`];
			}),
		);
		expect(found).toEqual([]);
	});

	it("lead to files that exist, by their name with .ts", () => {
		expect(
			offences(({ imports }) =>
				imports.flatMap(({ target }) => (target === null || byPath.has(target) ? [] : [`${target} does not exist`])),
			),
		).toEqual([]);
		expect(
			offences(({ imports }) =>
				imports.filter(({ specifier }) => specifier === "(computed)").map(() => "an import must name its module"),
			),
		).toEqual([]);
	});

	it("of ports are types alone", () => {
		expect(
			offences(({ floor, imports }) =>
				floor === "ports"
					? imports.filter(({ isType }) => !isType).map(({ specifier }) => `${specifier} is imported as a value`)
					: [],
			),
		).toEqual([]);
	});

	it("bring in only the packages of their floor", () => {
		const found = offences(({ floor, imports }) => {
			const outside = imports.filter(({ target }) => target === null).map(({ specifier }) => specifier);
			const packages = [...new Set(outside.filter((specifier) => !specifier.startsWith("node:")).map(packageOf))];
			const node = outside.filter((specifier) => specifier.startsWith("node:") && !NODE[floor]?.test(specifier));
			const refused =
				floor === "adapters"
					? packages.length > 1
						? [packages.join(" and ")]
						: []
					: packages.filter((name) => !PACKAGES[floor]?.includes(name));
			return [...refused, ...node].map((name) => `${floor} must not use ${name}`);
		});
		expect(found).toEqual([]);
	});

	it("of values form no cycle", () => {
		expect(cycles()).toEqual([]);
	});
});

function cycles(): string[] {
	const found: string[] = [];
	const done = new Set<string>();
	const visit = (path: string, trail: readonly string[]): void => {
		const at = trail.indexOf(path);
		if (at >= 0) found.push([...trail.slice(at), path].join(" > "));
		if (at >= 0 || done.has(path)) return;
		for (const { target, isType } of byPath.get(path)?.imports ?? []) {
			if (target !== null && !isType) visit(target, [...trail, path]);
		}
		done.add(path);
	};
	for (const { path } of sources) visit(path, []);
	return found;
}

describe("files", () => {
	it("have at most 300 lines, and half of them fewer than 100", () => {
		expect(offences(({ lines }) => (lines > 300 ? [`${lines} lines`] : []))).toEqual([]);
		const sorted = sources.map(({ lines }) => lines).sort((a, b) => a - b);
		expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
	});

	it("have names in kebab case, and none is an index", () => {
		expect(allFiles().filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.(ts|js)$/.test(name))).toEqual([]);
		expect(allFiles().filter((name) => /^index\./.test(name))).toEqual([]);
	});

	it("open with a comment that says what they are for", () => {
		expect(offences(({ text }) => (/^(\/\*\*|\/\/)/.test(text) ? [] : ["no opening comment"]))).toEqual([]);
	});
});

describe("the world outside", () => {
	const reaching = (pattern: RegExp, allowed: (source: Source) => boolean) =>
		offences((source) => (allowed(source) ? [] : [...source.code.matchAll(pattern)].map(([text]) => text)));

	it("is reached from cli and adapters alone: clock, chance, environment, console", () => {
		const isOuter = ({ floor }: Source) => floor === "cli" || floor === "adapters";
		expect(
			reaching(/\bprocess\.(?:exit|env)\b|\bconsole\.\w+|\bDate\.now\b|\bMath\.random\b|\bnew Date\(\)/g, isOuter),
		).toEqual([]);
	});

	it("gets its environment and its console from cli; adapters that need them are listed", () => {
		expect(
			reaching(
				/\bprocess\.env\b|\bconsole\.\w+/g,
				({ floor, path }) => floor === "cli" || READS_ENVIRONMENT.includes(path),
			),
		).toEqual([]);
	});

	it("is left at one place", () => {
		expect(reaching(/\bprocess\.(?:exit|abort)\b/g, ({ path }) => path === "cli/exit.ts")).toEqual([]);
	});

	it("has its environment read at one place of cli", () => {
		expect(
			reaching(/\bprocess\.env\b/g, ({ path }) => path === "cli/main.ts" || READS_ENVIRONMENT.includes(path)),
		).toEqual([]);
	});
});

/** Each word with the words that a name must hold to be it. */
const VOCABULARY = [
	...[
		"skill",
		"frontmatter",
		"kernel",
		"harness",
		"section",
		"variant",
		"proposal",
		"case",
		"check",
		"protocol",
		"trial",
	],
	...[
		"rollout",
		"judgement",
		"outcome",
		"objective",
		"scorecard",
		"front",
		"generation",
		"run",
		"job spec",
		"task",
		"promotion",
		"report",
	],
];

/** Words that another word of the vocabulary stands for, and that have no other use here. */
const NEVER_SAY = [
	"candidate",
	"mutant",
	"leaderboard",
	"epoch",
	"experiment",
	"trajectory",
	"fitness",
	"dashboard",
	"metric",
	"assertion",
	"iteration",
];

/** A prompt is what a model gets, never a skill; these names count it. */
const PROMPT_NAMES = ["prompt", "promptTokens", "promptCharacters"];

describe("the vocabulary", () => {
	it("is exported by the domain, word by word", () => {
		const exported = sources.filter(({ floor }) => floor === "domain").flatMap(exportedNames);
		const known = exported.map(wordsOf);
		expect(
			VOCABULARY.filter((word) => !known.some((words) => word.split(" ").every((part) => words.includes(part)))),
		).toEqual([]);
	});

	it("has no synonyms in domain and engine", () => {
		const found = offences(({ floor, code }) => {
			if (floor !== "domain" && floor !== "engine") return [];
			const names = [...new Set(code.match(/\b[A-Za-z_$][\w$]*/g))];
			return names.filter((name) => {
				const words = wordsOf(name).map((word) => word.replace(/s$/, ""));
				return (
					words.some((word) => NEVER_SAY.includes(word)) || (words.includes("prompt") && !PROMPT_NAMES.includes(name))
				);
			});
		});
		expect(found).toEqual([]);
	});
});
