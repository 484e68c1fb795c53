/**
 * What a text states, by the answer key of the stand: the units of its rules, which of them the text contradicts or repeats, and
 * which lines are filler. Read through the stand's own modules, so that both mean the same. Only measurements may know this; nothing
 * of the product ever does.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { BENCH } from "../support/stand.ts";

interface Recognised {
	stated: Record<string, string>;
	contradicted: Record<string, number>;
}

interface KeyFamily {
	kind?: string;
	seedPrompt: string;
	oracle?: string;
	rules: { id: string; statements: string[] }[];
}

export interface Reading {
	/** Units that the text states, in the order of the full text; such as do not occur there come last. */
	stated: string[];
	contradicted: string[];
	/** Lines beside those of the seed text: that state only what an earlier line states, that contradict, and that do neither. */
	repeats: string[];
	against: string[];
	filler: string[];
	/** All lines beside those of the seed text. */
	lines: number;
}

export interface AnswerKey {
	/** Units that the full text states. */
	units: readonly string[];
	/** The full text: the seed text and one line for each rule, or what the family gives as such. */
	oracle: string;
	seedPrompt: string;
	read(text: string): Reading;
}

/** Each rule of a family in another wording than that of the full text, where it has one. */
export function rewordings(name: string): string[] {
	const family = JSON.parse(readFileSync(`${BENCH}families/${name}.json`, "utf8")) as KeyFamily;
	return family.rules.flatMap(({ statements }) => statements[1] ?? statements[0] ?? []);
}

/** The answer key of a family. @throws Error for a family whose kind the stand's modules cannot read. */
export async function answerKey(name: string): Promise<AnswerKey> {
	const family = JSON.parse(readFileSync(`${BENCH}families/${name}.json`, "utf8")) as KeyFamily;
	const recognise = await recogniserOf(family);
	const seedPrompt = family.seedPrompt;
	const oracle = family.oracle ?? [seedPrompt, ...family.rules.map((rule) => `- ${rule.statements[0]}`)].join("\n");
	const units = Object.keys(recognise(oracle).stated);
	const seedLines = new Set(linesOf(seedPrompt));
	return {
		units,
		oracle,
		seedPrompt,
		read(text) {
			const whole = recognise(text);
			const added = linesOf(text).filter((line) => !seedLines.has(line));
			const seen = new Set(Object.keys(recognise(seedPrompt).stated));
			const reading: Reading = {
				stated: [],
				contradicted: [],
				repeats: [],
				against: [],
				filler: [],
				lines: added.length,
			};
			for (const line of added) {
				const { stated, contradicted } = recognise(line);
				const own = Object.keys(stated);
				if (Object.keys(contradicted).length > 0) reading.against.push(line);
				else if (own.length === 0) reading.filler.push(line);
				else if (own.every((unit) => seen.has(unit))) reading.repeats.push(line);
				for (const unit of own) seen.add(unit);
			}
			const stated = new Set(Object.keys(whole.stated));
			reading.stated = [
				...units.filter((unit) => stated.has(unit)),
				...[...stated].filter((unit) => !units.includes(unit)),
			];
			reading.contradicted = Object.keys(whole.contradicted);
			return reading;
		},
	};
}

async function recogniserOf(family: KeyFamily): Promise<(text: string) => Recognised> {
	const plain = family.kind === undefined;
	const module = (await import(pathToFileURL(`${BENCH}lib/${plain ? "rules" : "hard"}.mjs`).href)) as Record<
		string,
		((family: KeyFamily, text: string) => Recognised) | undefined
	>;
	const found = plain ? module.recognise : module.recogniseHard;
	if (!found) throw new Error("the stand's modules have no function that reads a text of this kind");
	return (text) => found(family, text);
}

function linesOf(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
}
