/** Work for a pool: tasks that cost a call each, and how long a pool takes for them. Knows the simulated endpoint's cases. */
import { createTask, type Task } from "../../src/domain/trial.ts";
import type { TaskPool } from "../../src/ports/task-pool.ts";
import { exportFamily } from "../support/stand.ts";

/** Tasks that are all different: the same cases, drawn again and again. */
export function tasks(count: number, scope: string): Task[] {
	const { cases, seedPrompt } = exportFamily("dataviz");
	return Array.from({ length: count }, (_, n) => {
		const input = cases[n % cases.length]?.input ?? "";
		const messages = [
			{ role: "system" as const, content: `${seedPrompt}\n${scope}` },
			{ role: "user" as const, content: input },
		];
		const model = { name: "sim-task" };
		const rest = { contracts: [], maxRetries: 0, repeat: Math.floor(n / cases.length) };
		return createTask({ kind: "rollout", role: "task", model, messages, ...rest });
	});
}

/** Milliseconds that all of them take, at most `room` in the pool at once. */
export async function time(pool: TaskPool, all: readonly Task[], room: number): Promise<number> {
	const signal = new AbortController().signal;
	const begun = performance.now();
	const line = all[Symbol.iterator]();
	await Promise.all(
		Array.from({ length: room }, async () => {
			for (const task of line) {
				const dialogue = await pool.run(task, { signal });
				if (!dialogue.complete) throw new Error(dialogue.loss?.message);
			}
		}),
	);
	return performance.now() - begun;
}
