/**
 * A small skill of the tests' own, and a model for it: a task model that follows the lines of the text it is given, and a
 * reflection model that writes the line a failed check asks for. Small enough to run a hundred times.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatBody } from "./endpoint-profiles.ts";

/** What each light wants. The seed text states none of it; the model asks when it does not know, which is right for blue. */
const MEANINGS = { red: "stop", green: "go", amber: "wait", blue: "ask" } as const;
const COLOURS = Object.keys(MEANINGS) as (keyof typeof MEANINGS)[];

export const LIGHTS = "lights";
export const SEED = `---
name: lights
description: Says what a light means.
---
# Lights

Answer with a JSON object whose member \`action\` is the action for the light.
`;

export interface LightsOptions {
	/** Cases of each split; a split without cases is left out. */
	train?: number;
	validation?: number;
	holdout?: number;
	/** More lines of the job spec. */
	job?: readonly string[];
}

/** Writes cases, seed and job spec of the skill into a workspace. */
export function writeLights(workspace: string, options: LightsOptions = {}): void {
	const { train = 12, validation = 12, holdout = 0, job = ["kernel: none", "holdout: none"] } = options;
	const folder = join(workspace, "eval-cases", LIGHTS);
	mkdirSync(join(folder, "seed"), { recursive: true });
	mkdirSync(join(workspace, "jobs"), { recursive: true });
	writeFileSync(join(folder, "seed", "SKILL.md"), SEED);
	const cases = Object.entries({ train, validation, holdout }).flatMap(([split, count]) =>
		Array.from({ length: count }, (_, index) => JSON.stringify(caseOf(split, index))),
	);
	writeFileSync(join(folder, "cases.jsonl"), `${cases.join("\n")}\n`);
	const head = [
		"schemaVersion: 1",
		`skill: ${LIGHTS}`,
		"models:",
		"  task: {name: fake-task}",
		"  reflection: {name: fake-reflect}",
	];
	writeFileSync(join(workspace, "jobs", `${LIGHTS}.yaml`), `${[...head, ...job].join("\n")}\n`);
}

function caseOf(split: string, index: number) {
	const colour = COLOURS[index % COLOURS.length] ?? "red";
	return {
		id: `${split}-${String(index).padStart(2, "0")}`,
		split,
		input: `The light at crossing ${split} ${index} shows ${colour}.`,
		checks: [
			{ type: "json-schema", schema: { type: "object", required: ["action"] }, contract: true },
			{ type: "json-equals", path: "/action", value: MEANINGS[colour] },
		],
	};
}

/** The model's answer to a request. */
export function answerLights(body: ChatBody): string {
	const text = body.messages.map((message) => message.content).join("\n");
	return body.model === "fake-reflect" ? propose(text) : act(text, body.messages.at(-1)?.content ?? "");
}

function act(text: string, question: string): string {
	const colour = COLOURS.find((name) => question.includes(`shows ${name}`)) ?? "blue";
	const stated = new RegExp(`For ${colour} the action is (\\w+)\\.`).exec(text)?.[1];
	return JSON.stringify({ action: stated ?? "ask" });
}

function propose(text: string): string {
	const section = /\[section ([^\]]+)\]/.exec(text)?.[1] ?? "";
	const wanted = Object.values(MEANINGS).find((meaning) => text.includes(`/action = "${meaning}"`));
	const colour = COLOURS.find((name) => MEANINGS[name] === wanted);
	const edits =
		colour === undefined
			? []
			: [{ op: "append", section, find: null, text: `\n- For ${colour} the action is ${wanted}.` }];
	return JSON.stringify({ diagnosis: "the text does not say it", cause: "missing-knowledge", edits });
}
