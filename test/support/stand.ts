/**
 * The simulated model endpoint beside the project, where it exists: starts it on a free port, exports its task families to the
 * case format, and scores final texts on the split that a run never sees. Only tests and benchmarks know it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import { bodyOf, parseSkill } from "../../src/domain/skill.ts";

/** Folder of the stand, with a slash at the end; GEPA_STAND names another one, with families of its own, say. */
export const BENCH = process.env.GEPA_STAND
	? `${resolve(process.env.GEPA_STAND)}/`
	: fileURLToPath(new URL("../../../shared/bench/", import.meta.url));

/** Whether the stand lies beside the project. */
export const standExists = existsSync(`${BENCH}sim-model.mjs`);

export interface Stand {
	/** Base URL of the endpoint, ending in /v1. */
	url: string;
	stats(): Promise<StandStats>;
	post(path: string, body?: unknown): Promise<unknown>;
	stop(): Promise<void>;
}

interface RoleStats {
	attempts: number;
	calls: number;
	repeated: number;
	repeatedAfterMark: number;
	serviceMs: number;
	meanConcurrency: number;
}

export interface StandStats {
	roles: Record<"task" | "reflect" | "judge", RoleStats>;
	maxConcurrency: number;
	inflight: number;
}

/** Paid calls of every role, as the endpoint counts them. */
export function paidCalls(stats: StandStats): number {
	return stats.roles.task.calls + stats.roles.reflect.calls + stats.roles.judge.calls;
}

export async function startStand(options: Record<string, number | string> = {}): Promise<Stand> {
	const args = Object.entries(options).flatMap(([key, value]) => [`--${key}`, String(value)]);
	const child: ChildProcess = spawn(process.execPath, [`${BENCH}sim-model.mjs`, ...args], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	if (!child.stdout) throw new Error("the stand has no output");
	const lines = createInterface({ input: child.stdout });
	const first = await new Promise<string>((resolve, reject) => {
		lines.once("line", resolve);
		child.once("exit", (code) => reject(new Error(`the stand ended with ${code}`)));
	});
	const { port } = JSON.parse(first) as { port: number };
	const root = `http://127.0.0.1:${port}`;
	// A process that ends in the middle takes the stand with it.
	const end = () => child.kill("SIGTERM");
	process.once("exit", end);
	const post = async (path: string, body: unknown = {}) =>
		(await fetch(`${root}${path}`, { method: "POST", body: JSON.stringify(body) })).json();
	return {
		url: `${root}/v1`,
		post,
		stats: async () => (await (await fetch(`${root}/stats`)).json()) as StandStats,
		stop: async () => {
			process.removeListener("exit", end);
			const ended = new Promise((resolve) => child.once("exit", resolve));
			child.kill("SIGTERM");
			await ended;
		},
	};
}

interface FamilyCase {
	id: string;
	split: "train" | "val" | "test";
	input: string;
	expected?: Record<string, string>;
	notes?: Record<string, string>;
	checks?: unknown[];
}

interface Family {
	family: string;
	kind?: string;
	fields: string[];
	seedPrompt: string;
	contractNotes: string[];
	cases: FamilyCase[];
	/** The text that states everything; without it, the seed text and the first statement of each rule do. */
	oracle?: string;
	rules: { statements: string[] }[];
}

export interface ExportedFamily {
	name: string;
	skill: Uint8Array;
	/** Cases that a run may see; the test split is the holdout where that is wanted. */
	cases: Case[];
	test: Case[];
	seedPrompt: string;
	/** One line for each thing that the full text states. */
	statements: string[];
	/** The seed text with everything stated. */
	fullText: string;
}

export interface FamilyName {
	name: string;
	/** `plain` where the family's file names no kind. */
	kind: string;
}

/** The families that lie there, the plain ones first; none without a stand. */
export function familiesOfStand(): FamilyName[] {
	if (!standExists) return [];
	const plainFirst = (kind: string) => (kind === "plain" ? 0 : 1);
	return readdirSync(`${BENCH}families`)
		.filter((file) => file.endsWith(".json"))
		.map((file) => ({
			name: file.slice(0, -".json".length),
			kind: (JSON.parse(readFileSync(`${BENCH}families/${file}`, "utf8")) as Family).kind ?? "plain",
		}))
		.sort((a, b) => plainFirst(a.kind) - plainFirst(b.kind) || (a.kind + a.name < b.kind + b.name ? -1 : 1));
}

/** A family as a skill and cases. `holdout: true` seals its test split into the run; otherwise there is none. */
export function exportFamily(name: string, options: { holdout?: boolean; harness?: string } = {}): ExportedFamily {
	const family = JSON.parse(readFileSync(`${BENCH}families/${name}.json`, "utf8")) as Family;
	const all = family.cases.map((entry) => placeCase(caseSchema.parse(exportCase(family, entry))));
	const test = all.filter((entry) => entry.split === "holdout");
	const harness = options.harness ?? family.seedPrompt;
	const text = `---\nname: ${family.family}\ndescription: Exported task family.\n---\n${harness}\n`;
	const statements = family.rules?.map((rule) => `- ${rule.statements?.[0] ?? ""}`) ?? [];
	return {
		name,
		skill: new TextEncoder().encode(text),
		cases: options.holdout ? all : all.filter((entry) => entry.split !== "holdout"),
		test,
		seedPrompt: family.seedPrompt,
		statements,
		fullText: family.oracle ?? [family.seedPrompt, ...statements].join("\n"),
	};
}

function exportCase(family: Family, entry: FamilyCase): unknown {
	const split = entry.split === "val" ? "validation" : entry.split === "test" ? "holdout" : "train";
	if (entry.checks) return { id: entry.id, split, input: entry.input, checks: entry.checks };
	const properties = Object.fromEntries(family.fields.map((field) => [field, { type: "string" }]));
	const checks: unknown[] = [
		{
			type: "json-schema",
			schema: { type: "object", required: family.fields, properties },
			contract: true,
			note: family.contractNotes[0],
		},
	];
	for (const field of family.fields) {
		const note = entry.notes?.[field];
		checks.push({
			type: "json-equals",
			path: `/${field}`,
			value: entry.expected?.[field],
			...(note === undefined ? {} : { note }),
		});
	}
	return { id: entry.id, split, input: entry.input, checks };
}

/** Body of a SKILL.md as a model receives it. */
export function bodyOfBytes(bytes: Uint8Array): string {
	return bodyOf(parseSkill(bytes));
}
