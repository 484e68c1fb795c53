/**
 * A model for tests that lives in the world of parcels. Every answer is a function of its request, so that runs can be compared
 * byte for byte; it counts what it answers by request, can hold answers back and let them go in a random order, and can fail by
 * script. It waits for nothing but the event loop.
 */
import type { Message, Reply, Role } from "../../src/domain/dialogue.ts";
import { digest, sha256 } from "../../src/domain/digest.ts";
import { createStream } from "../../src/domain/sampling.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../src/ports/model-client.ts";
import { DEFAULTS, type Field, lineOf, noteOf, RULES } from "./parcels.ts";

/** One call, before it is answered. */
export interface ScriptedCall {
	request: ModelRequest;
	/** Number of the call, from 1, in the order in which calls arrive. */
	number: number;
	/** Number among the calls of its role, from 1. */
	ofRole: number;
}

export interface ScriptedWorld {
	/** Share of first answers that break the contract, for all inputs or by input. Default 0.05. */
	slips?: number | ((input: string) => number);
	/** Share of answers that get one field wrong although the text says it. Default 0. */
	noise?: number;
	/** Whether a useful reflection model is sometimes cut off, off the point, or talkative. Default true. */
	moods?: boolean;
	/** `useful`: names the rule of a failing note, sometimes badly; `useless`: fills and repeats. Or an answer of its own. */
	reflection?: "useful" | "useless" | ((request: ModelRequest) => string | Partial<Reply>);
	/** Answer to the question that merges proposals; by default every different edit once. */
	merge?: (request: ModelRequest) => string | Partial<Reply>;
	/** Answer to the question that ranks edits; by default those that state a rule come first. */
	rank?: (request: ModelRequest) => string | Partial<Reply>;
	/** Answer to the question for a section in fewer words; by default that there are none. */
	reformulate?: (request: ModelRequest) => string | Partial<Reply>;
	/** Answer of the task model to a system text and an input; by default it obeys the rules that the text states. */
	task?: (system: string, input: string) => string | Partial<Reply> | undefined;
	judge?: (request: ModelRequest) => string | Partial<Reply>;
	/** Lets answers go in a random order of this seed instead of the order of the questions. */
	shuffle?: number;
	/** What happens instead of an answer; an error is thrown. */
	fail?: (call: ScriptedCall) => ModelAnswer | Error | undefined;
}

export interface ScriptedClient extends ModelClient {
	/** Requests that were answered, in the order in which they arrived. */
	readonly answered: ModelRequest[];
	/** How often each request was answered, by its digest. */
	readonly counts: ReadonlyMap<string, number>;
	/** Calls that arrived, answered or not. */
	readonly arrived: number;
	/** Requests that were answered more than once. */
	repeated(): number;
}

/** A number in [0, 1) that belongs to a text. */
export function shareOf(text: string): number {
	return Number.parseInt(sha256(text).slice(0, 8), 16) / 0x1_0000_0000;
}

export function createScriptedClient(world: ScriptedWorld = {}): ScriptedClient {
	const counts = new Map<string, number>();
	const answered: ModelRequest[] = [];
	const byRole: Record<Role, number> = { task: 0, reflection: 0, judge: 0 };
	const turn = world.shuffle === undefined ? async () => undefined : shuffledTurns(world.shuffle);
	let arrived = 0;
	return {
		answered,
		counts,
		get arrived() {
			return arrived;
		},
		repeated: () => [...counts.values()].filter((count) => count > 1).length,
		async complete(request) {
			arrived += 1;
			byRole[request.role] += 1;
			const failure = world.fail?.({ request, number: arrived, ofRole: byRole[request.role] });
			await turn();
			if (failure instanceof Error) throw failure;
			if (failure !== undefined && failure.status !== "answered") return failure;
			const key = digest(request);
			counts.set(key, (counts.get(key) ?? 0) + 1);
			answered.push(request);
			return failure ?? { status: "answered", reply: replyOf(request, world), attempts: 1 };
		},
	};
}

/** Lets waiting calls go one by one, each time any of those that wait. */
function shuffledTurns(seed: number): () => Promise<void> {
	const stream = createStream(seed, "turns");
	const waiting: (() => void)[] = [];
	const release = () => {
		const [next] = waiting.splice(stream.integer(waiting.length), 1);
		next?.();
		if (waiting.length > 0) setImmediate(release);
	};
	return () =>
		new Promise((resolve) => {
			waiting.push(resolve);
			if (waiting.length === 1) setImmediate(release);
		});
}

function replyOf(request: ModelRequest, world: ScriptedWorld): Reply {
	const said = SAYS[request.role](request, world);
	const changes = typeof said === "string" ? { text: said } : said;
	const text = changes.text ?? "";
	const length = request.messages.reduce((sum, message) => sum + message.content.length, 0);
	const usage = {
		prompt: Math.ceil(length / 4),
		completion: Math.ceil(text.length / 4),
		cached: 0,
		reasoning: 0,
		estimated: false,
	};
	const latencyMs = 100 + Math.floor(shareOf(`latency ${textOf(request.messages)}`) * 400);
	return { text, finish: "stop", usage, latencyMs, ...changes };
}

const SAYS: Record<Role, (request: ModelRequest, world: ScriptedWorld) => string | Partial<Reply>> = {
	task: taskAnswer,
	reflection: (request, world) => {
		const asked = kindOf(request);
		if (asked === "merge") return world.merge?.(request) ?? mergeAnswer(request);
		if (asked === "reformulate")
			return world.reformulate?.(request) ?? JSON.stringify({ diagnosis: "", cause: "skill-defect", edits: [] });
		return asked === "rank" ? (world.rank?.(request) ?? rankAnswer(request)) : reflectionAnswer(request, world);
	},
	judge: (request, world) => world.judge?.(request) ?? judgeAnswer(request),
};

function textOf(messages: readonly Message[]): string {
	return messages.map((message) => `${message.role}: ${message.content}`).join("\n");
}

function taskAnswer({ messages }: ModelRequest, world: ScriptedWorld): string | Partial<Reply> {
	const system = messages[0]?.content ?? "";
	const input = messages[1]?.content ?? "";
	const own = world.task?.(system, input);
	if (own !== undefined) return own;
	const answer: Record<string, string> = { ...DEFAULTS };
	for (const [, trait, field, value] of system.matchAll(/^- A (\w+) parcel: (\w+) (\w+)\.$/gm)) {
		if (trait && field && value && input.includes(trait)) answer[field as Field] = value;
	}
	if (shareOf(`noise ${system} ${input}`) < (world.noise ?? 0)) answer.box = "lost";
	const share = typeof world.slips === "function" ? world.slips(input) : (world.slips ?? 0.05);
	const slips = messages.length === 2 && shareOf(`slip ${system} ${input}`) < share;
	return slips ? `Sure, here it is: ${JSON.stringify(answer)}` : JSON.stringify(answer);
}

const FILLERS = [
	"Read the whole order before you answer.",
	"Take your time.",
	"Be careful and precise.",
	"Think of the customer.",
];

function reflectionAnswer(request: ModelRequest, world: ScriptedWorld): string | Partial<Reply> {
	if (typeof world.reflection === "function") return world.reflection(request);
	const prompt = textOf(request.messages);
	const section = sectionIn(prompt);
	const filler = FILLERS[Math.floor(shareOf(`filler ${prompt}`) * FILLERS.length)] ?? "";
	if (world.reflection === "useless") return appendReply(section, `- ${filler}`);
	const mood = world.moods === false ? 0.5 : shareOf(`mood ${prompt}`);
	if (mood < 0.08) return "I would rather talk about something else.";
	if (mood < 0.13) return { text: '{"diagnosis": "cut o', finish: "length" };
	if (mood < 0.25) return appendReply(section, `- ${filler}`);
	const noted = RULES.find((rule) => prompt.includes(`Note: ${noteOf(rule)}`));
	const line = noted === undefined ? `- ${filler}` : lineOf(noted);
	return appendReply(section, mood > 0.85 ? `${line}\n- ${filler}` : line);
}

/** What a request to the reflection model asks for. */
export function kindOf(request: ModelRequest): "edits" | "merge" | "rank" | "reformulate" {
	if (request.messages[1]?.content.includes("\n# The section to say in fewer words")) return "reformulate";
	if (request.format?.name === "ranking") return "rank";
	return request.messages[1]?.content.includes("\n# Edits to merge") ? "merge" : "edits";
}

function mergeAnswer({ messages }: ModelRequest): string {
	const [, listed = ""] = (messages[1]?.content ?? "").split("\n# Edits to merge, one JSON object a line\n");
	const edits = [...new Set(listed.split("\n"))].map((line): unknown => JSON.parse(line));
	return JSON.stringify({ diagnosis: "merged", cause: "skill-defect", edits });
}

function rankAnswer({ messages }: ModelRequest): string {
	const items = [...(messages[1]?.content ?? "").matchAll(/^\[(\d+)\] (.*)$/gm)];
	const isRule = (item: string) => (/A \w+ parcel:/.test(item) ? 0 : 1);
	const ranking = items.sort((a, b) => isRule(a[2] ?? "") - isRule(b[2] ?? "")).map(([, number]) => Number(number));
	return JSON.stringify({ reason: "rules first", ranking });
}

/** The section on packing where the skill has one, else the last that the prompt shows. */
export function sectionIn(prompt: string): string {
	const ids = [...prompt.matchAll(/^\[section ([^\]]+)\]$/gm)].map((match) => match[1] ?? "");
	return ids.find((id) => id.endsWith("packing")) ?? ids.at(-1) ?? "";
}

/** An answer that appends a text to a section. */
export function appendReply(section: string, text: string): string {
	return JSON.stringify({
		diagnosis: "a rule is missing",
		cause: "missing-knowledge",
		edits: [{ op: "append", section, find: null, text }],
	});
}

/** An answer that puts a text in the place of a whole section below its heading. */
export function replaceReply(section: string, text: string): string {
	const edits = [{ op: "replace", section, find: null, text }];
	return JSON.stringify({ diagnosis: "", cause: "skill-defect", edits });
}

/** Looks for the word in quotes of each criterion in the answer that it is shown. */
function judgeAnswer({ messages }: ModelRequest): string {
	const prompt = messages.at(-1)?.content ?? "";
	const [shown, criteria] = prompt.split("\n# Criteria\n");
	const answer = shown?.split("\n# Answer\n")[1] ?? "";
	const verdicts = [...(criteria ?? "").matchAll(/^(\d+)\. .*"(\w+)"/gm)].map(([, number, word]) => {
		return { criterion: Number(number), evidence: "", pass: answer.includes(`"${word}"`) };
	});
	return JSON.stringify({ verdicts });
}
