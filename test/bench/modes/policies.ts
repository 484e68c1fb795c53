/** What the policies make of a text that is right and bloated: tokens saved, at which quality, and whether that is true. */
import { POLICIES } from "../../../src/domain/job-spec.ts";
import { type RunRow, runsOf } from "../job.ts";
import { cell, mean, share, table } from "../markdown.ts";
import { type Mode, runJob, seedsUpTo } from "./mode.ts";

const BUDGET = 600;
const SEALED = 40;
/** The default of the job spec, by which quality may be lower. */
const MARGIN = 0.02;

/** Winners that are worse on the test split than the margin allows, by more than chance explains, at two standard errors. */
export const trulyWorse = (row: RunRow) => row.gain !== null && row.gain.mean + 2 * row.gain.error < -MARGIN;

export const policies: Mode = {
	name: "policies",
	title: "Policies",
	note: () =>
		`v0 states every rule, every third of them twice, among eight lines of filler. Budget ${BUDGET}, ${SEALED} sealed cases. Score and gain on the test split; tokens a trial, of promoted texts.`,
	jobs: (plan) =>
		plan.families.flatMap(({ name }) =>
			seedsUpTo(plan.seeds).flatMap((seed) =>
				POLICIES.map((policy) =>
					runJob(plan, "policies", { family: name, seed, policy, start: "bloated", budget: BUDGET, sealed: SEALED }),
				),
			),
		),
	table(rows, plan) {
		const own = runsOf(rows, "policies");
		if (own.length === 0) return "Nothing was measured.";
		return table(
			["families", "policy", "promoted", "truly worse than the margin", "their true gain", "tokens saved", "paid"],
			[...new Set(plan.families.map(({ kind }) => kind))].flatMap((kind) =>
				POLICIES.map((policy) => {
					const names = plan.families.filter((family) => family.kind === kind).map(({ name }) => name);
					const some = own.filter((row) => row.policy === policy && names.includes(row.family));
					const won = some.filter((row) => row.won);
					return [
						kind,
						policy,
						share(won.length, some.length),
						String(won.filter(trulyWorse).length),
						cell(won.flatMap((row) => row.gain?.mean ?? [])),
						won.length === 0
							? "–"
							: `${Math.round(100 * mean(won.map(({ tokens }) => 1 - tokens.text / tokens.v0)))} %`,
						some.length === 0 ? "–" : mean(some.map((row) => row.paid)).toFixed(0),
					];
				}),
			),
		);
	},
};
