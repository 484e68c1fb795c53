/**
 * Copies of runs that are in the queue, as files of this host: `results/queued/<run>.json`. They are what is left of a run when
 * Redis was emptied before anybody had taken it. Knows the place and the shape; must not know when a copy is needed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type RunRequest, runRequestSchema } from "../domain/run-request.ts";
import { RUN_ID, removeFile, writeWhole } from "./run-folder.ts";

const FOLDER = "queued";

const copySchema = z.strictObject({
	schemaVersion: z.literal(1),
	/** Name of the books that knew the run. */
	books: z.string(),
	request: runRequestSchema,
	/** Whether a decision of it had been taken. */
	begun: z.boolean().default(false),
});

export interface QueuedCopy {
	books: string;
	request: RunRequest;
	/** Whether a decision of it had been taken: it may be over by now. */
	begun: boolean;
}

export interface QueuedFiles {
	/** Runs of which there is a copy. */
	runs(): string[];
	/** Null when there is none, or none that this version can read. */
	read(run: string): QueuedCopy | null;
	write(run: string, copy: QueuedCopy): void;
	remove(run: string): void;
}

export function createQueuedFiles(results: string): QueuedFiles {
	const folder = join(results, FOLDER);
	const pathOf = (run: string) => join(folder, `${run}.json`);
	return {
		runs() {
			if (!existsSync(folder)) return [];
			const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
			return names.map((name) => name.slice(0, -".json".length)).filter((name) => RUN_ID.test(name));
		},
		read(run) {
			try {
				const { books, request, begun } = copySchema.parse(JSON.parse(readFileSync(pathOf(run), "utf8")));
				return request.opening.run === run ? { books, request, begun } : null;
			} catch {
				return null;
			}
		},
		write: (run, copy) => writeWhole(pathOf(run), `${JSON.stringify({ schemaVersion: 1, ...copy })}\n`),
		remove: (run) => removeFile(pathOf(run)),
	};
}
