/**
 * Runs that were put into the queue from this folder and that an emptied Redis no longer knows: told from their copies on disk.
 * Copies of runs that are over are removed on the way.
 */
import { join } from "node:path";
import { createQueuedFiles } from "../adapters/queued-files.ts";
import type { RunDesk } from "../adapters/run-desk.ts";
import type { RunRequest } from "../domain/run-request.ts";
import { endOnDisk } from "./stored-end.ts";

/** Oldest first. */
export async function forgottenRuns(desk: RunDesk, resultsFolder: string): Promise<RunRequest[]> {
	const files = createQueuedFiles(resultsFolder);
	const runs = files.runs().sort();
	if (runs.length === 0) return [];
	const books = await desk.books();
	const forgotten: RunRequest[] = [];
	for (const run of runs) {
		const copy = files.read(run);
		const found = await desk.find(run);
		if (copy === null || found?.standing === "queued" || found?.standing === "conducting") continue;
		const { skill } = copy.request.opening.settings;
		if (found !== null || copy.books === books || endOnDisk(join(resultsFolder, skill, run)) !== null)
			files.remove(run);
		else forgotten.push(copy.request);
	}
	return forgotten;
}

/** Keeps a copy of a run that was put in, for as long as it is not over. */
export async function keepCopy(desk: RunDesk, resultsFolder: string, request: RunRequest): Promise<void> {
	createQueuedFiles(resultsFolder).write(request.opening.run, { books: await desk.books(), request, begun: false });
}

export function dropCopy(resultsFolder: string, run: string): void {
	createQueuedFiles(resultsFolder).remove(run);
}
