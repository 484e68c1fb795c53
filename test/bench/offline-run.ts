/** One whole run of the shipped skill on the built-in rules, which need no endpoint and no stand. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readCases } from "../../src/adapters/case-files.ts";
import { createOfflineClient, OFFLINE_MODEL } from "../../src/adapters/offline/offline-client.ts";
import { type JobSpec, searchSchema } from "../../src/domain/job-spec.ts";
import { openingOf } from "../../src/domain/run-state.ts";
import { modelCalls } from "../../src/domain/spend.ts";
import { runInProcess } from "../support/in-process.ts";
import type { OfflineJob, OfflineResult } from "./job.ts";
import { mean } from "./markdown.ts";

const FOLDER = fileURLToPath(new URL("../../eval-cases/dataviz/", import.meta.url));
const BUDGET = 1200;

export async function measureOffline({ seed, policy, search }: OfflineJob): Promise<OfflineResult> {
	const { cases } = await readCases(FOLDER);
	const model = { name: OFFLINE_MODEL };
	const { state } = await runInProcess({
		skill: readFileSync(`${FOLDER}seed/SKILL.md`),
		cases,
		client: createOfflineClient({ seed }),
		spec: {
			models: { task: model, reflection: model, judge: model },
			budget: { calls: BUDGET },
			...{ seed, policy, kernel: "required", holdout: "required" },
			search: searchSchema.partial().parse(search) as NonNullable<JobSpec["search"]>,
		},
	});
	const finalist = state.search?.finished?.finalist ?? "";
	const unseen = new Set(cases.filter((entry) => entry.split !== "train").map((entry) => entry.id));
	const trialsOf = (variant: string) => state.trials[variant] ?? [];
	const quality = (variant: string) =>
		mean(trialsOf(variant).flatMap((trial) => (unseen.has(trial.caseId) ? (trial.outcome.quality ?? []) : [])));
	const tokens = (variant: string) => mean(trialsOf(variant).flatMap((trial) => trial.outcome.tokens ?? []));
	const v0 = openingOf(state).incumbent.id;
	return {
		won: state.closed?.status === "confirmed",
		quality: { v0: quality(v0), text: quality(finalist) },
		tokens: { v0: tokens(v0), text: tokens(finalist) },
		examples: state.variants[finalist]?.patch.filter((id) => id.includes(".example.")).length ?? 0,
		paid: modelCalls(state.spend),
	};
}
