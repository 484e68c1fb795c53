/** `gepa config [skill]`: each setting and which source won. Shows that a key is set, never the key. */

import type { Resolved } from "../config.ts";
import { shownPath } from "../exit.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { paint, printDocument, table } from "../output.ts";
import { redact } from "../secrets.ts";

type Row = [name: string, value: unknown];

export async function configCommand(skill: string | null, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(skill, flags, io);
	const rows = rowsOf(config, io).map(([name, value]) => ({
		name,
		value: clean(value, io),
		origin: config.origins[name] ?? "default",
	}));
	if (io.json) return printDocument(io, { values: Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest])) });
	const head = ["VALUE", "IS", "FROM"].map((text) => paint(io, "bold", text));
	io.out(table([head, ...rows.map(({ name, value, origin }) => [name, shown(value), origin])]));
	if (config.baseUrl === null)
		io.err("No model endpoint is configured: the built-in rules would answer, as a simulation.");
}

function rowsOf(config: Resolved, { cwd }: Io): Row[] {
	const { settings } = config;
	const path = (value: string | null) => (value === null ? null : shownPath(cwd, value));
	const rows: Row[] = [
		["jobFile", path(config.jobFile)],
		["casesFolder", path(config.casesFolder)],
		["resultsFolder", path(config.resultsFolder)],
		["skillsRepo", path(config.skillsRepo)],
		["baseUrl", config.baseUrl],
		["apiKey", config.apiKey === undefined ? "not set" : "set"],
		["queueUrl", config.queueUrl],
		...Object.entries(settings.models).map(([role, model]): Row => [`models.${role}`, model]),
		...(["calls", "trials", "tokens", "usd", "minutes"] as const).map(
			(name): Row => [`limits.${name}`, settings.limits[name] ?? null],
		),
		["concurrency", config.concurrency],
		...(["repeats", "maxRetries", "policy", "margin", "holdout", "kernel", "promote", "seed", "search"] as const).map(
			(name): Row => [name, settings[name]],
		),
		["push", config.push],
		["dryRun", config.dryRun],
		["resume", config.resume],
		["yes", config.yes],
	];
	return config.skill === null ? rows : [["skill", config.skill], ...rows];
}

function clean(value: unknown, { env }: Io): unknown {
	return typeof value === "string" ? redact(value, env) : value;
}

function shown(value: unknown): string {
	if (value === null) return "-";
	if (typeof value !== "object") return String(value);
	const { name, ...rest } = value as Record<string, unknown>;
	const details = Object.entries(rest).map(
		([key, part]) => `${key} ${typeof part === "object" ? shown(part) : String(part)}`,
	);
	return [...(name === undefined ? [] : [String(name)]), ...details].join(", ");
}
