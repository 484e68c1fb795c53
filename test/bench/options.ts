/** The arguments of `npm run bench`. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { searchSchema } from "../../src/domain/job-spec.ts";
import { type FamilyName, familiesOfStand } from "../support/stand.ts";
import { keyNumbers, keyValues } from "./key-values.ts";
import type { Plan } from "./modes/mode.ts";

export interface Options {
	plan: Plan;
	/** Names of the modes to run. */
	only: readonly string[];
	json: boolean;
	fresh: boolean;
	processes: number;
}

export const HELP = `npm run bench -- [options]

  --quick            few runs of everything, in about two minutes
  --only score,weak  some modes: %MODES%
  --families a,b     by default all that lie in the stand's folder
  --budgets 300,600  by default 150,300,600,1200 (quick: 300,600)
  --seeds 8          runs of each cell (quick: 2)
  --sealed 20        sealed cases in the modes score, weak and noisy; by default none
  --deep             also what operators truly earn: each working text is scored on the test split
  --search key=value a setting of the job spec's search, for every run; as often as wanted
  --stand key=value  an option of the stand, for every run; as often as wanted
  --processes 2      that measure side by side; speed is always measured alone
  --fresh            measure again what was measured before on the same sources
  --json             one JSON document instead of tables

Rows are kept under results/bench, so that a bench that was broken off goes on where it was. GEPA_STAND names another stand.
`;

/** @throws Error that says which argument is wrong */
export function readOptions(args: readonly string[], modes: readonly string[]): Options | "help" {
	const { values } = parseArgs({
		args: [...args],
		options: {
			quick: { type: "boolean", default: false },
			only: { type: "string" },
			families: { type: "string" },
			budgets: { type: "string" },
			seeds: { type: "string" },
			sealed: { type: "string" },
			deep: { type: "boolean", default: false },
			search: { type: "string", multiple: true, default: [] },
			stand: { type: "string", multiple: true, default: [] },
			processes: { type: "string" },
			fresh: { type: "boolean", default: false },
			json: { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) return "help";
	const only = values.only?.split(",") ?? modes;
	const unknown = only.filter((name) => !modes.includes(name));
	if (unknown.length > 0) throw new Error(`there is no mode ${unknown.join(", ")}; modes are ${modes.join(", ")}`);
	const budgets = (values.budgets ?? (values.quick ? "300,600" : "150,300,600,1200"))
		.split(",")
		.map((budget) => whole("budgets", budget, 1));
	return {
		plan: {
			families: chosen(values.families?.split(",")),
			budgets,
			seeds: whole("seeds", values.seeds ?? (values.quick ? "2" : "8"), 1),
			quick: values.quick,
			deep: values.deep,
			search: searchOptions(values.search),
			stand: keyNumbers(values.stand),
			sealed: whole("sealed", values.sealed ?? "0", 0),
		},
		only,
		json: values.json,
		fresh: values.fresh,
		processes: whole("processes", values.processes ?? String(Math.min(2, cpus().length)), 1),
	};
}

/** Settings of the job spec's search, checked by its own schema. */
function searchOptions(options: readonly string[]): Plan["search"] {
	const values = keyValues(options);
	const { error } = searchSchema.partial().safeParse(values);
	if (error) throw new Error(`--search ${options.join(" ")}: ${error.issues.map(({ message }) => message).join("; ")}`);
	return values;
}

function chosen(names: readonly string[] | undefined): FamilyName[] {
	const all = familiesOfStand();
	const unknown = (names ?? []).filter((name) => !all.some((family) => family.name === name));
	if (unknown.length > 0)
		throw new Error(`the stand has no family ${unknown.join(", ")}; it has ${all.map(({ name }) => name).join(", ")}`);
	return names === undefined ? all : all.filter(({ name }) => names.includes(name));
}

function whole(option: string, text: string, least: number): number {
	const value = Number(text);
	if (!Number.isInteger(value) || value < least)
		throw new Error(`--${option} ${text}: a whole number from ${least} on is wanted`);
	return value;
}
