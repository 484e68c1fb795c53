/**
 * Sees to it that no run that was accepted is forgotten: keeps a copy of each run of the queue on this host, brings back what an
 * emptied Redis no longer knows, and wakes a conductor for a run whose message was lost. Knows the books of runs and files; must
 * not know how a run is conducted. A live conductor brings its own run back, and says how those ended that it has conducted, so
 * others wait for it first; what somebody had begun is left to a person, because it may be paid for and over.
 */
import { join } from "node:path";
import type { RunQueue } from "../adapters/bullmq-runs.ts";
import { createQueuedFiles } from "../adapters/queued-files.ts";
import type { RunDesk, RunUnderWay } from "../adapters/run-desk.ts";
import { type RunEnding, type RunRequest, runRequestSchema } from "../domain/run-request.ts";
import { endOnDisk } from "./stored-end.ts";
import type { Teller } from "./teller.ts";

/** A run that Redis has forgotten is put in again when its conductor has not done so within so many times that a lease lasts. */
const FORGOTTEN_LEASES = 3;
/** A run that nobody holds for so many times a lease lasts gets a new message; one that has its message is not disturbed by it. */
const UNHELD_LEASES = 2;

export interface RunKeeperOptions {
	desk: RunDesk;
	queue: RunQueue;
	resultsFolder: string;
	/** How long a lease lasts, in milliseconds. */
	leaseMs: number;
	/** Milliseconds on any clock that only goes forward. */
	now(): number;
	tell: Teller;
	/** Runs that this process has conducted to their end, as they come. */
	ended: readonly EndedRun[];
}

export interface EndedRun {
	request: RunRequest;
	standing: "ended" | "halted";
	ending: RunEnding;
}

/** @returns one look, to be taken every few seconds */
export function createRunKeeper(options: RunKeeperOptions): () => Promise<void> {
	const { desk, queue, resultsFolder, leaseMs, now, tell, ended } = options;
	const files = createQueuedFiles(resultsFolder);
	/** The books that the copy of each run names. */
	const copies = new Map<string, string>(files.runs().map((run) => [run, files.read(run)?.books ?? ""]));
	const begun = new Set<string>([...copies.keys()].filter((run) => files.read(run)?.begun));
	let lastBooks: string | null = null;
	const missing = new Map<string, number>();
	const unheld = new Map<string, number>();

	const keepCopy = async (run: string, books: string): Promise<void> => {
		const request = runRequestSchema.safeParse(await desk.request(run));
		if (request.success) files.write(run, { books, request: request.data, begun: begun.has(run) });
		copies.set(run, books);
	};
	const drop = (run: string): void => {
		files.remove(run);
		copies.delete(run);
		missing.delete(run);
		begun.delete(run);
	};
	const wake = async ({ run, skill, isHeld }: RunUnderWay): Promise<void> => {
		if (isHeld) return void unheld.delete(run);
		const since = unheld.get(run) ?? now();
		unheld.set(run, since);
		if (now() - since < UNHELD_LEASES * leaseMs) return;
		unheld.set(run, now());
		await queue.send(run, skill);
	};
	const bringBack = async (run: string): Promise<void> => {
		const since = missing.get(run) ?? now();
		missing.set(run, since);
		if (now() - since < FORGOTTEN_LEASES * leaseMs) return;
		const copy = files.read(run);
		if (copy === null || (await desk.find(run)) !== null) return drop(run);
		if (begun.has(run)) return;
		const { skill } = copy.request.opening.settings;
		if (endOnDisk(join(resultsFolder, skill, run)) !== null) return drop(run);
		// Another run has the skill now: this one waits for its turn here.
		if ((await desk.enqueue(copy.request)).status === "taken") return;
		await queue.send(run, skill);
		tell.warn("run-restored", `Redis had forgotten run ${run} of ${skill}; it was brought back`, { run, skill });
	};

	return async () => {
		const books = await desk.books();
		if (lastBooks !== books) {
			for (const { request, standing, ending } of ended) await desk.remember(request, standing, ending);
			lastBooks = books;
		}
		const underWay = await desk.underWay();
		const known = new Set(underWay.map(({ run }) => run));
		for (const one of underWay) {
			missing.delete(one.run);
			const isNews = one.isBegun && !begun.has(one.run);
			if (one.isBegun) begun.add(one.run);
			if (isNews || copies.get(one.run) !== books) await keepCopy(one.run, books);
			await wake(one);
		}
		for (const run of unheld.keys()) if (!known.has(run)) unheld.delete(run);
		for (const [run, of] of copies) {
			if (known.has(run)) continue;
			// The same books without the run: it has ended.
			if (of === books) drop(run);
			else await bringBack(run);
		}
	};
}
