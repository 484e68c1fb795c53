/**
 * A copy of the stand whose families have their cases in other splits: `npx tsx test/bench/resplit.ts FOLDER 7`, the number being a seed, and
 * then `GEPA_STAND=FOLDER npm run bench`. What was tuned to the train cases that everybody has seen shows itself there.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStream } from "../../src/domain/sampling.ts";
import { BENCH } from "../support/stand.ts";

interface FamilyFile {
	family: string;
	cases: { split: string }[];
}

/** Writes the copy; each family keeps the sizes of its splits and its cases in their order. */
export function resplit(folder: string, seed: number): void {
	cpSync(BENCH, folder, { recursive: true, dereference: true });
	for (const file of readdirSync(join(folder, "families")).filter((name) => name.endsWith(".json"))) {
		const path = join(folder, "families", file);
		const family = JSON.parse(readFileSync(path, "utf8")) as FamilyFile;
		const splits = createStream(seed, `bench: splits of ${family.family}`).shuffle(
			family.cases.map(({ split }) => split),
		);
		const cases = family.cases.map((entry, at) => ({ ...entry, split: splits[at] }));
		writeFileSync(path, JSON.stringify({ ...family, cases }));
	}
}

if (process.argv[1]?.endsWith("resplit.ts")) {
	const [folder, seed = "1"] = process.argv.slice(2);
	if (!folder || !Number.isInteger(Number(seed))) throw new Error("usage: resplit.ts FOLDER [SEED]");
	resplit(folder, Number(seed));
	process.stdout.write(`GEPA_STAND=${folder} npm run bench\n`);
}
