/**
 * Public skills as test data. They lie beside the project and may be missing: then the tests that need them are skipped,
 * and say so.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../shared/corpus/skills/", import.meta.url));

export const hasCorpus = existsSync(root);
if (!hasCorpus) console.warn(`skipped: tests on public skills, because ${root} is missing`);

export interface CorpusFile {
	name: string;
	bytes: Uint8Array;
}

export function corpusFiles(): CorpusFile[] {
	if (!hasCorpus) return [];
	return readdirSync(root)
		.sort()
		.map((name) => ({ name, bytes: new Uint8Array(readFileSync(`${root}${name}/SKILL.md`)) }));
}

export function bytesOf(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array): string {
	return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
