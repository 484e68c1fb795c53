/**
 * Nights as files of this host: the digests of those that are over, and a copy of those under way, `results/nightly/open.json`.
 * Knows places and shapes; must not know when a copy is needed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Night, nightSchema } from "../domain/night.ts";
import { writeWhole } from "./run-folder.ts";

const FOLDER = "nightly";
const COPY_FILE = "open.json";
const DIGEST_FILE = /^\d{4}-\d{2}-\d{2}.*\.json$/;

const copySchema = z.object({
	schemaVersion: z.literal(1),
	books: z.string(),
	nights: z.array(nightSchema),
});

export interface OpenNights {
	/** Name of the books that the copy was made of. */
	books: string;
	nights: Night[];
}

export interface NightFiles {
	/** Null when there is no copy, or none that this version can read. */
	open(): OpenNights | null;
	keepOpen(copy: OpenNights): void;
	/** Nights whose digests are here. */
	over(): Night[];
}

export function createNightFiles(results: string): NightFiles {
	const folder = join(results, FOLDER);
	return {
		open: () => readJson(join(folder, COPY_FILE), copySchema) ?? null,
		keepOpen: (copy) => writeWhole(join(folder, COPY_FILE), `${JSON.stringify({ schemaVersion: 1, ...copy })}\n`),
		over() {
			if (!existsSync(folder)) return [];
			const names = readdirSync(folder).filter((name) => DIGEST_FILE.test(name));
			return names.flatMap((name) => readJson(join(folder, name), nightSchema) ?? []);
		},
	};
}

function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
	try {
		return schema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
	} catch {
		return undefined;
	}
}
