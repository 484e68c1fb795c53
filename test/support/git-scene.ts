/**
 * A repository of skills, a workspace and an endpoint that belong together, and what a run of the built command line does to
 * them. Everything ends with the running test.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type CliResult, cli, testFolder } from "./cli.ts";
import type { ChatBody } from "./endpoint-profiles.ts";
import { type FaultServer, startFaultServer } from "./fault-server.ts";
import { answerLights, LIGHTS, type LightsOptions, SEED, writeLights } from "./lights.ts";
import { runsOf } from "./run-files.ts";
import { createTempRepo, type TempRepo } from "./temp-repo.ts";

export const FILE = `skills/${LIGHTS}/SKILL.md`;
export const KERNEL =
	"<!-- kernel:begin id=safety -->\nNever say that a broken light is safe.\n<!-- kernel:end id=safety -->\n";
export const WITH_KERNEL = `${SEED}\n${KERNEL}`;

interface Scene {
	repo: TempRepo;
	workspace: string;
	server: FaultServer;
	/** Starts a run on the repository and waits for its end. */
	run(...flags: string[]): Promise<CliResult>;
	args(...flags: string[]): string[];
}

interface SceneOptions {
	/** Null: an unborn branch. */
	text?: string | null;
	job?: LightsOptions["job"];
	/** Called before the endpoint answers its request of this number. */
	during?: { request: number; act: (repo: TempRepo) => void };
	/** The repository's folder as the run is told. */
	root?: (repo: TempRepo) => string;
}

export async function scene({
	text = WITH_KERNEL,
	job = ["holdout: none"],
	during,
	root,
}: SceneOptions = {}): Promise<Scene> {
	const repo = createTempRepo([]);
	if (text !== null) repo.commit({ [FILE]: text, "notes.txt": "one\n" }, "start");
	const workspace = testFolder(LIGHTS);
	writeLights(workspace, { job });
	let requests = 0;
	const answer = (body: ChatBody) => {
		requests += 1;
		if (requests === during?.request) during.act(repo);
		return answerLights(body);
	};
	const server = await startFaultServer({ answer });
	onTestFinished(async () => {
		await server.close();
		repo.remove();
	});
	const args = (...flags: string[]) => {
		const at = root?.(repo) ?? repo.root;
		return ["run", LIGHTS, "--skills-repo", at, "--base-url", server.url, "--json", ...flags];
	};
	return { repo, workspace, server, args, run: (...flags) => cli(args(...flags), { cwd: workspace }) };
}

interface Result {
	status: string;
	reason: string;
	promotion: { commit: string; branch: string; version: number } | null;
	winner: { file: string } | null;
}

export function resultOf(ended: CliResult): Result {
	expect(ended.code, ended.stderr).toBe(0);
	return JSON.parse(ended.stdout) as Result;
}

/** Nothing was paid for, and nothing is left of the attempt. */
export function expectStopped(
	{ code, stderr }: CliResult,
	{ server, workspace }: Scene,
	wanted: number,
	words: RegExp,
): void {
	expect(code, stderr).toBe(wanted);
	expect(stderr).toMatch(words);
	expect(server.requests).toHaveLength(0);
	expect(runsOf(workspace, LIGHTS)).toEqual([]);
}

/** Every file below a folder with the hash of its content. */
export function listing(folder: string): Record<string, string> {
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
		statSync(join(folder, name)).isFile(),
	);
	const hash = (name: string) =>
		createHash("sha256")
			.update(readFileSync(join(folder, name)))
			.digest("hex");
	return Object.fromEntries(files.sort().map((name) => [name, hash(name)]));
}
