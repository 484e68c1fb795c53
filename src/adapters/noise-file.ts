/**
 * Measured noise on disk, `results/<skill>/noise/<key>/noise.json`: one file for each text, split and protocol. A cache: beside it
 * are the paid answers that it was computed from, so it can be made again for nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SPLITS } from "../domain/case.ts";
import { noiseSchema } from "../domain/noise.ts";
import { writeWhole } from "./run-folder.ts";

const noiseFileSchema = z.strictObject({
	schemaVersion: z.literal(1),
	skill: z.string(),
	split: z.enum(SPLITS),
	/** ISO 8601 in UTC. */
	measuredAt: z.string(),
	/** The built-in rules answered, not a language model. */
	simulation: z.boolean(),
	/** What the figures hold for: id of the text, digests of the split's cases and of the protocol. */
	text: z.string(),
	cases: z.string(),
	protocol: z.string(),
	models: z.strictObject({ task: z.string(), judge: z.string() }),
	/** Draws of each case on either side. */
	repeats: z.number().int().positive(),
	/** Cases that were drawn, and draws for which a limit left no room. */
	drawn: z.number().int().nonnegative(),
	unaffordable: z.number().int().nonnegative(),
	spend: z.strictObject({ calls: z.number(), tokens: z.number(), usd: z.number().nullable() }),
	objectives: noiseSchema,
});
export type NoiseFile = z.infer<typeof noiseFileSchema>;

/** Folder of one measured figure. */
export function noiseFolder(results: string, skill: string, key: string): string {
	return join(results, skill, "noise", key);
}

const fileIn = (folder: string) => join(folder, "noise.json");

/** Writes the figure whole, and returns the path of its file. */
export function writeNoise(folder: string, figure: NoiseFile): string {
	writeWhole(fileIn(folder), `${JSON.stringify(figure, null, 2)}\n`);
	return fileIn(folder);
}

/** The figure of a folder; null when there is none, or when the file holds none that this version can read. */
export function readNoise(folder: string): NoiseFile | null {
	const file = fileIn(folder);
	if (!existsSync(file)) return null;
	try {
		return noiseFileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch {
		return null;
	}
}
