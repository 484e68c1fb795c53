/** The sources as the architecture tests see them: files, import lines, exported names and identifiers, by a scan of the text. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../src/", import.meta.url));

export interface Import {
	/** As it is written. */
	specifier: string;
	/** Path below src of a relative import; null for a package. */
	target: string | null;
	/** Only types: gone when the program runs. */
	isType: boolean;
}

export interface Source {
	/** Path below src, with forward slashes. */
	path: string;
	/** First folder of the path; the file's own name without `.ts` at the top. */
	floor: string;
	text: string;
	/** The text without comments, strings and templates. */
	code: string;
	lines: number;
	imports: Import[];
}

const STATIC = /^(?:import|export)\s+(type\s+)?((?:[\w$*{},\s]*?)\s+from\s+)?"([^"]+)";/gm;
const DYNAMIC = /\bimport\(\s*(?:"([^"]*)")?/g;

/** Every TypeScript file of the project, by path. */
export function readSources(): Source[] {
	const paths = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
	return paths
		.filter((path) => path.endsWith(".ts"))
		.sort()
		.map(readOne);
}

/** Every file below src, of whatever kind. */
export function allFiles(): string[] {
	return readdirSync(ROOT, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => entry.name);
}

function readOne(path: string): Source {
	const text = readFileSync(join(ROOT, path), "utf8");
	const floor = path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.ts$/, "");
	return { path, floor, text, code: codeOf(text), lines: text.split("\n").length - 1, imports: importsOf(path, text) };
}

function importsOf(path: string, text: string): Import[] {
	const bare = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
	const found: Import[] = [];
	for (const [, type, names = "", specifier = ""] of bare.matchAll(STATIC)) {
		found.push({ specifier, target: targetOf(path, specifier), isType: type !== undefined || areAllTypes(names) });
	}
	for (const [, specifier = "(computed)"] of bare.matchAll(DYNAMIC)) {
		found.push({ specifier, target: targetOf(path, specifier), isType: false });
	}
	return found;
}

function targetOf(path: string, specifier: string): string | null {
	return specifier.startsWith(".") ? posix.join(dirname(path), specifier) : null;
}

/** `{ type A, type B } from`: nothing of it is left when the program runs. */
function areAllTypes(names: string): boolean {
	const listed = /^\{([\s\S]*)\}\s+from\s+$/.exec(names)?.[1];
	if (listed === undefined) return false;
	return listed
		.split(",")
		.map((name) => name.trim())
		.filter((name) => name !== "")
		.every((name) => name.startsWith("type "));
}

function codeOf(text: string): string {
	return text
		.replace(/\/\*[\s\S]*?\*\//g, " ")
		.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '""')
		.replace(/(^|\s)\/\/.*$/gm, " ")
		.replace(/`(?:\\.|[^`\\])*`/g, "``");
}

/** Package of a specifier: `ajv/dist/2020.js` is of ajv, `@a/b/c` of @a/b. */
export function packageOf(specifier: string): string {
	return specifier
		.split("/")
		.slice(0, specifier.startsWith("@") ? 2 : 1)
		.join("/");
}

/** Names that a file exports. */
export function exportedNames({ code }: Source): string[] {
	return [
		...code.matchAll(/^export\s+(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|interface|type)\s+(\w+)/gm),
	].map((match) => match[1] ?? "");
}

/** The words of a name in camel case, snake case or capitals, in lowercase: `JobSpec` is job and spec. */
export function wordsOf(name: string): string[] {
	return name
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
		.split(/[\s_$]+/)
		.filter((word) => word !== "")
		.map((word) => word.toLowerCase());
}
