/**
 * `npm run bench`: what is claimed in the README, measured. `--quick` takes about two minutes; without it, more seeds and all
 * budgets. `--families dataviz,tickets`, `--budgets 300,600` and `--seeds 8` narrow or widen it. Needs the stand beside the
 * project; without it only what needs no model is measured.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { FAMILIES, standExists } from "../support/stand.ts";
import { RIVALS } from "./rivals.ts";
import { benchOnce, mean, type Row } from "./search-bench.ts";

const { values } = parseArgs({
	options: {
		quick: { type: "boolean", default: false },
		families: { type: "string" },
		budgets: { type: "string" },
		seeds: { type: "string" },
		"no-edits": { type: "boolean", default: false },
	},
});
const families = values.families?.split(",") ?? [...FAMILIES];
const budgets = (values.budgets ?? (values.quick ? "300,600" : "150,300,600,1200")).split(",").map(Number);
const seeds = Number(values.seeds ?? (values.quick ? 2 : 8));
const plain = new Set(["dataviz", "tickets"]);

const print = (text: string) => process.stdout.write(`${text}\n`);
const figure = (value: number | undefined, digits: number) => (value === undefined ? "–" : value.toFixed(digits));

async function searches(): Promise<Row[]> {
	const rows: Row[] = [];
	for (const family of families) {
		for (const budget of budgets) {
			for (let seed = 1; seed <= seeds; seed++)
				rows.push(await benchOnce({ family, budget, seed, draws: values.quick ? 2 : 5 }));
			const own = rows.filter((row) => row.family === family && row.budget === budget);
			process.stderr.write(
				`${family} ${budget}: ${figure(mean(own.map((row) => row.score)), 3)} at ${figure(mean(own.map((row) => row.paid)), 0)} calls\n`,
			);
		}
	}
	return rows;
}

function table(rows: readonly Row[]): void {
	print(`\n## Test score by budget (${seeds} seeds, all paid calls counted, proofs included)\n`);
	print(`| families | optimizer | ${budgets.map((budget) => `${budget}: score (paid)`).join(" | ")} |`);
	print(`|---|---|${budgets.map(() => "---").join("|")}|`);
	const kinds = [...new Set(families.map((family) => (plain.has(family) ? "plain" : family)))];
	for (const kind of kinds) {
		const cells = budgets.map((budget) => {
			const own = rows.filter(
				(row) => (plain.has(row.family) ? "plain" : row.family) === kind && row.budget === budget,
			);
			return `${figure(mean(own.map((row) => row.score)), 3)}, worst ${figure(Math.min(...own.map((row) => row.score)), 2)} (${figure(mean(own.map((row) => row.paid)), 0)})`;
		});
		print(`| ${kind} | **this project** | ${cells.join(" | ")} |`);
		for (const rival of RIVALS.filter((one) => one.families.includes(kind))) {
			const theirs = budgets.map((budget) => {
				const entry = rival.scores[budget];
				return entry ? `${figure(entry.score, 3)}${entry.paid === undefined ? "" : ` (${entry.paid})`}` : "–";
			});
			print(`| ${kind} | ${rival.name} (stored) | ${theirs.join(" | ")} |`);
		}
	}
	const over = rows.filter((row) => row.paid > row.budget).length;
	print(
		`\nRuns over their limit: ${over} of ${rows.length}. Mean length of the text handed out: ${figure(mean(rows.filter((row) => plain.has(row.family)).map((row) => row.length)), 1)} times the seed (plain families).`,
	);
}

async function speed(): Promise<void> {
	print("\n## Slots and time (dataviz, 16 slots, budget 600)\n");
	const slow: Row[] = [];
	for (let seed = 1; seed <= (values.quick ? 1 : 3); seed++)
		slow.push(await benchOnce({ family: "dataviz", budget: 600, seed, stand: { latency: 200 }, draws: 1 }));
	const wall = mean(slow.map((row) => row.seconds / ((row.paid * 0.2) / 16)));
	print(
		`at 200 ms: ${figure(mean(slow.map((row) => row.busy)), 1)} of 16 slots busy (rivals: 0.9 to 4.5), wall ${figure(wall, 2)} times the ideal (rivals: 3.5 and more)`,
	);
	const fast: Row[] = [];
	for (let seed = 1; seed <= (values.quick ? 2 : 5); seed++)
		fast.push(await benchOnce({ family: "dataviz", budget: 600, seed, draws: 1 }));
	print(
		`at 0 ms: ${figure(mean(fast.map((row) => (row.seconds * 1000) / row.paid)), 2)} ms a paid call, the endpoint's own work included (rivals: 1.3 to 7.9; the floor of the stand is 1.16)`,
	);
}

function edits(): void {
	const count = values.quick ? 100_000 : 1_000_000;
	print(`\n## Kernel: ${count.toLocaleString("en")} random edits\n`);
	const result = spawnSync("npx", ["vitest", "run", "--project", "property", "test/property/kernel-edits.test.ts"], {
		env: { ...process.env, GEPA_EDITS: String(count) },
		encoding: "utf8",
	});
	print(result.status === 0 ? "no kernel or frontmatter byte changed" : `FAILED:\n${result.stdout.slice(-3000)}`);
	if (result.status !== 0) process.exitCode = 1;
}

if (!standExists) print("The stand is not beside this project: searches are not measured.");
else {
	table(await searches());
	await speed();
}
if (!values["no-edits"]) edits();
