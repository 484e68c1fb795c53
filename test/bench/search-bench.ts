/** Runs whole searches on the stand and measures them from outside: test score, calls that the endpoint counted, slots, time. */
import { performance } from "node:perf_hooks";
import { createOpenAiClient } from "../../src/adapters/openai-client.ts";
import { openingOf } from "../../src/domain/run-state.ts";
import { runInProcess } from "../support/in-process.ts";
import { bodyOfBytes, exportFamily, paidCalls, startStand } from "../support/stand.ts";
import { testScore } from "../support/stand-score.ts";

export interface Row {
	family: string;
	budget: number;
	seed: number;
	/** Mean score of the handed-out text on the test split, which no run sees. */
	score: number;
	/** Paid calls as the endpoint counts them. */
	paid: number;
	/** Length of the handed-out text over that of the seed. */
	length: number;
	seconds: number;
	/** Mean number of calls under way, as the endpoint counts them. */
	busy: number;
	status: string;
}

export interface BenchCase {
	family: string;
	budget: number;
	seed: number;
	/** Options of the stand, such as latency. */
	stand?: Record<string, number>;
	concurrency?: number;
	draws?: number;
}

/** One search, scored. Without a proven winner the incumbent is what is handed out. */
export async function benchOnce({
	family,
	budget,
	seed,
	stand: options = {},
	concurrency = 16,
	draws = 3,
}: BenchCase): Promise<Row> {
	const stand = await startStand({ seed, ...options });
	try {
		const exported = exportFamily(family);
		const client = createOpenAiClient({ baseUrl: stand.url, apiKey: "none" });
		const started = performance.now();
		const { state, fileOf } = await runInProcess({
			skill: exported.skill,
			cases: exported.cases,
			client,
			concurrency,
			spec: { budget: { calls: budget }, seed },
		});
		const seconds = (performance.now() - started) / 1000;
		const stats = await stand.stats();
		const proven = state.closed?.status === "confirmed" || state.closed?.status === "promoted";
		const handedOut = proven ? (state.search?.finished?.finalist ?? "") : openingOf(state).incumbent.id;
		const text = bodyOfBytes(fileOf(handedOut));
		const service = stats.roles.task.serviceMs + stats.roles.reflect.serviceMs + stats.roles.judge.serviceMs;
		return {
			family,
			budget,
			seed,
			score: await testScore(stand, text, exported.test, draws),
			paid: paidCalls(stats),
			length: text.length / exported.seedPrompt.length,
			seconds,
			busy: service / 1000 / seconds,
			status: `${state.closed?.status}/${state.closed?.stoppedBy}`,
		};
	} finally {
		await stand.stop();
	}
}

export const mean = (values: readonly number[]) =>
	values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
