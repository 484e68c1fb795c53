/**
 * Writes a task family of the stand as a workspace that `gepa run` can be started in: eval-cases/<name>/cases.jsonl and
 * seed/SKILL.md, and jobs/<name>.yaml. As a script: `npx tsx test/support/export-family.ts dataviz /some/folder [--holdout]`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ExportedFamily, exportFamily } from "./stand.ts";

export function writeFamily(
	folder: string,
	name: string,
	options: { holdout?: boolean; harness?: string } = {},
): ExportedFamily {
	const family = exportFamily(name, options);
	const cases = join(folder, "eval-cases", name);
	mkdirSync(join(cases, "seed"), { recursive: true });
	mkdirSync(join(folder, "jobs"), { recursive: true });
	writeFileSync(join(cases, "seed", "SKILL.md"), family.skill);
	writeFileSync(join(cases, "cases.jsonl"), `${family.cases.map((entry) => JSON.stringify(entry)).join("\n")}\n`);
	writeFileSync(
		join(folder, "jobs", `${name}.yaml`),
		[
			"schemaVersion: 1",
			`skill: ${name}`,
			"models:",
			"  task: {name: sim-task}",
			"  reflection: {name: sim-reflect}",
			"  judge: {name: sim-judge}",
			`holdout: ${options.holdout ? "required" : "none"}`,
			"kernel: none",
			"",
		].join("\n"),
	);
	return family;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const [name, folder, flag] = process.argv.slice(2);
	if (!name || !folder) throw new Error("usage: export-family.ts NAME FOLDER [--holdout]");
	const family = writeFamily(folder, name, { holdout: flag === "--holdout" });
	process.stdout.write(`${family.cases.length} cases of ${name} in ${folder}\n`);
}
