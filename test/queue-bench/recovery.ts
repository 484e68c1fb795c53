/**
 * How long it takes until somebody goes on after a worker or a conductor was killed, with the times of real life. `--times 10`.
 * Needs redis-server, and the stand beside the project. Two workers are there all the time; the one that has the work is killed.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ensureDemoRepository } from "../../src/adapters/demo-repository.ts";
import { startDurableRedis } from "../support/durable-redis.ts";
import { writeFamily } from "../support/export-family.ts";
import { type GepaProcess, startGepa } from "../support/queue-process.ts";
import { paidCalls, standExists, startStand } from "../support/stand.ts";

const { values } = parseArgs({ options: { times: { type: "string", default: "5" } } });
const print = (text: string) => process.stdout.write(`${text}\n`);
const SKILL = "dataviz";

/** Milliseconds from the kill until another process has the work. */
async function once(role: "trial" | "run", seed: number): Promise<number> {
	const root = mkdtempSync(join(tmpdir(), "gepa-recovery-"));
	const [redis, stand] = await Promise.all([startDurableRedis(), startStand({ latency: 1_500 })]);
	const processes: GepaProcess[] = [];
	try {
		const user = join(root, "user");
		const { skill } = writeFamily(user, SKILL);
		const { root: repository } = await ensureDemoRepository(join(root, "skills"), SKILL, skill);
		const common = ["--queue", redis.url, "--base-url", stand.url, "--skills-repo", repository];
		const hire = async (name: string, roles: string): Promise<GepaProcess> => {
			mkdirSync(join(root, name));
			const worker = startGepa(["worker", ...common, "--concurrency", "4", "--roles", roles], join(root, name));
			processes.push(worker);
			await worker.says("Ctrl-C stops it");
			return worker;
		};
		const first = await hire("first", role);
		await hire("other", role === "trial" ? "run" : "trial");
		processes.push(startGepa(["run", SKILL, ...common, "--seed", String(seed), "--no-commit"], user));
		while (paidCalls(await stand.stats()) < 10 + seed) await pause(20);
		const second = await hire("second", role);
		// A worker without a task has nothing that somebody could miss; the second has its own four.
		while (role === "trial" && (await stand.stats()).inflight < 7) await pause(5);
		const killed = performance.now();
		first.kill("SIGKILL");
		const said = second.says(role === "trial" ? "task-stalled" : "run-taken").then(() => true);
		if (!(await Promise.race([said, pause(120_000, false)]))) throw new Error(`nobody went on:\n${second.output}`);
		return performance.now() - killed;
	} finally {
		for (const one of processes) one.kill("SIGKILL");
		await stand.stop();
		await redis.stop();
		rmSync(root, { recursive: true, force: true });
	}
}

async function main(): Promise<void> {
	for (const role of ["trial", "run"] as const) {
		const all: number[] = [];
		for (let n = 1; n <= Number(values.times); n++) all.push((await once(role, n)) / 1000);
		all.sort((a, b) => a - b);
		const what = role === "trial" ? "task of a killed worker is done again" : "run of a killed conductor goes on";
		const figures = `median ${all[Math.floor(all.length / 2)]?.toFixed(1)} s, longest ${all.at(-1)?.toFixed(1)} s of ${all.length}`;
		print(`${what}: ${figures} (${all.map((seconds) => seconds.toFixed(1)).join(", ")})`);
	}
}

if (!standExists) print("The stand is not beside this project: nothing is measured.");
else await main();
process.exit();
