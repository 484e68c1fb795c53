/** One line on stderr that says how far the bench is: rewritten on a terminal, now and then elsewhere. */
import type { Job } from "./job.ts";

const EVERY_MS = 10_000;

export interface Progress {
	done(job: Job): void;
	end(): void;
}

export function createProgress(total: number): Progress {
	const terminal = process.stderr.isTTY;
	const started = Date.now();
	let finished = 0;
	let shown = 0;
	return {
		done(job) {
			finished += 1;
			if (!terminal && Date.now() - shown < EVERY_MS && finished < total) return;
			shown = Date.now();
			const left = ((shown - started) / finished) * (total - finished);
			const words = `${finished} of ${total} · ${nameOf(job)} · about ${minutes(left)} left`;
			process.stderr.write(terminal ? `\r\u001b[K${words}` : `${words}\n`);
		},
		end: () => {
			if (terminal && finished > 0) process.stderr.write("\n");
		},
	};
}

export function nameOf(job: Job): string {
	const words = [job.job === "run" ? job.mode : job.job, "family" in job ? job.family : "built-in rules"];
	if ("budget" in job) words.push(String(job.budget), `seed ${job.seed}`);
	return words.join(" ");
}

const minutes = (ms: number) => (ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`);
