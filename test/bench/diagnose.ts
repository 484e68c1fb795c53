/**
 * The story of one run on the stand, for whoever works on the search: what was asked, what came of it, and what the texts say by the
 * stand's answer key. `npx tsx test/bench/diagnose.ts --family dispatch --budget 300 --seed 1`; options of the stand as
 * `--stand reveal=0.4`, of the job spec's search as `--search rounds=3`, both as often as wanted; `--sealed 40`, `--lines`.
 */
import { parseArgs } from "node:util";
import { testScore } from "../support/stand-score.ts";
import { answerKey } from "./answer-key.ts";
import { keyNumbers, keyValues } from "./key-values.ts";
import { withRun } from "./one-run.ts";
import { storyOf } from "./story.ts";

const { values } = parseArgs({
	options: {
		family: { type: "string", default: "dataviz" },
		budget: { type: "string", default: "300" },
		seed: { type: "string", default: "1" },
		sealed: { type: "string", default: "0" },
		draws: { type: "string", default: "3" },
		stand: { type: "string", multiple: true, default: [] },
		search: { type: "string", multiple: true, default: [] },
		/** Prints the lines of the final text, each with what it states. */
		lines: { type: "boolean", default: false },
	},
});

const key = await answerKey(values.family);
await withRun(
	{
		family: values.family,
		budget: Number(values.budget),
		seed: Number(values.seed),
		sealed: Number(values.sealed),
		stand: keyNumbers(values.stand),
		search: keyValues(values.search),
	},
	async (run) => {
		const score = (text: string) => testScore(run.stand, text, run.exported.test, Number(values.draws));
		for (const line of await storyOf(run, key, score, values.lines)) process.stdout.write(`${line}\n`);
	},
);
