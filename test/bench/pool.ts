/**
 * Measures jobs in a few processes of its own, each one job at a time, and hands out every row as soon as it is there. A job that fails
 * is named and left out; the others go on, unless it is one after the other that fails.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Job, Row } from "./job.ts";

export interface PoolOptions {
	processes: number;
	onRow: (row: Row, job: Job) => void;
	onFailure: (job: Job, message: string) => void;
}

/** What a worker answers with. */
export type Answer = { row: Row } | { failure: string };

/** After so many failures in a row the fault is not in the job. */
const MOST_FAILURES = 5;

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

export async function measureAll(jobs: readonly Job[], { processes, onRow, onFailure }: PoolOptions): Promise<void> {
	let next = 0;
	let failures = 0;
	const lane = async () => {
		let worker: ChildProcess | null = null;
		try {
			while (next < jobs.length) {
				const job = jobs[next++] as Job;
				worker ??= fork(WORKER, { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: ["--import", "tsx"] });
				const answer = await ask(worker, job);
				if (answer === null) worker = null;
				if (answer !== null && "row" in answer) {
					failures = 0;
					onRow(answer.row, job);
				} else {
					failures += 1;
					onFailure(job, answer?.failure ?? "the process that measured it ended");
					if (failures >= MOST_FAILURES) next = jobs.length;
				}
			}
		} finally {
			worker?.disconnect();
		}
	};
	await Promise.all(Array.from({ length: Math.min(processes, jobs.length) }, lane));
}

/** The worker's answer; null when it ended without one. */
function ask(worker: ChildProcess, job: Job): Promise<Answer | null> {
	return new Promise((resolve) => {
		const done = (answer: Answer | null) => {
			worker.removeListener("exit", ended);
			worker.removeListener("message", answered);
			resolve(answer);
		};
		const ended = () => done(null);
		const answered = (message: unknown) => done(message as Answer);
		worker.once("exit", ended);
		worker.once("message", answered);
		worker.send(job);
	});
}
