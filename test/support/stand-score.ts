/** Scores a final text on a family's test split, outside the endpoint's statistics: the mean over cases and draws. */

import { createCheckTools } from "../../src/adapters/check-tools.ts";
import type { Case } from "../../src/domain/case.ts";
import { rubricsOf, scoreTrial } from "../../src/engine/score.ts";
import { JUDGE_FORMAT, readVerdicts, renderJudge } from "../../src/prompts/judge.ts";
import type { Stand } from "./stand.ts";

const tools = createCheckTools();

async function chat(stand: Stand, model: string, messages: unknown, salt: string, format?: unknown): Promise<string> {
	const response = await fetch(`${stand.url}/chat/completions`, {
		method: "POST",
		headers: { "content-type": "application/json", "x-bench-phase": "test", "x-bench-salt": salt },
		body: JSON.stringify({ model, messages, ...(format === undefined ? {} : { response_format: format }) }),
	});
	const body = (await response.json()) as { choices: { message: { content: string } }[] };
	return body.choices[0]?.message.content ?? "";
}

async function scoreOne(stand: Stand, text: string, entry: Case, salt: string): Promise<number> {
	const messages = [
		{ role: "system", content: text },
		{ role: "user", content: entry.input ?? "" },
	];
	const replies: {
		text: string;
		finish: "stop";
		usage: { prompt: number; completion: number; cached: number; reasoning: number; estimated: boolean };
		latencyMs: number;
	}[] = [];
	const usage = { prompt: 0, completion: 0, cached: 0, reasoning: 0, estimated: false };
	const contracts = entry.checks.filter((check) => check.contract);
	for (let ask = 0; ask < 3; ask++) {
		const output = await chat(stand, "sim-task", messages, salt);
		replies.push({ text: output, finish: "stop", usage, latencyMs: 0 });
		const met = contracts.every((check) => check.type !== "json-schema" || parses(output, check.schema));
		if (met) break;
		messages.push(
			{ role: "assistant", content: output },
			{ role: "user", content: "Send the complete reply again, and nothing else." },
		);
	}
	const output = replies.at(-1)?.text ?? "";
	const met = contracts.every((check) => check.type !== "json-schema" || parses(output, check.schema));
	const dialogue = { key: "", replies, complete: true, met, lostCalls: 0 };
	const criteria = rubricsOf(entry.checks).map((check) => check.criterion);
	const judgement =
		criteria.length === 0
			? undefined
			: {
					verdicts: readVerdicts(
						JSON.parse(
							await chat(
								stand,
								"sim-judge",
								renderJudge({ input: entry.input ?? "", output, criteria, nonce: "test" }),
								salt,
								{
									type: "json_schema",
									json_schema: { name: JUDGE_FORMAT.name, schema: JUDGE_FORMAT.schema },
								},
							),
						),
						criteria.length,
					),
				};
	const { outcome } = scoreTrial({ case: entry, dialogue, judgement, tools });
	return outcome.quality ?? 0;
}

function parses(text: string, schema: unknown): boolean {
	try {
		return (tools.complaints(schema as Record<string, unknown>, JSON.parse(text)) ?? ["unusable"]).length === 0;
	} catch {
		return false;
	}
}

/** `first` numbers the first draw: other numbers are other draws. */
export async function testScore(
	stand: Stand,
	text: string,
	cases: readonly Case[],
	draws = 3,
	first = 0,
): Promise<number> {
	const jobs = cases.flatMap((entry) => Array.from({ length: draws }, (_, draw) => ({ entry, draw: first + draw })));
	let sum = 0;
	for (let at = 0; at < jobs.length; at += 32) {
		const scores = await Promise.all(
			jobs.slice(at, at + 32).map(({ entry, draw }) => scoreOne(stand, text, entry, `t${draw}`)),
		);
		sum += scores.reduce((total, score) => total + score, 0);
	}
	return sum / jobs.length;
}
