/**
 * Plays the model under test: answers an input by retrieval over the rules of the text it is given. Knows no skill; without
 * rules it falls back on defaults. Its invariant: the answer is a function of the messages alone.
 */
import type { Message } from "../../domain/dialogue.ts";
import type { Contract, Field } from "./contract-reading.ts";
import { draw, pickBy } from "./draws.ts";
import { type InputReading, readInput } from "./input-reading.ts";
import { stemsOf } from "./lexicon.ts";
import { fitOf } from "./matching.ts";
import type { Rule } from "./rule-reading.ts";
import { readText, type TextReading } from "./text-reading.ts";

interface Choice {
	value: string;
	/** The rule that led to the value, if one did. */
	rule?: Rule;
}

/** A rule with fewer points than this fits by accident. */
const LEAST_POINTS = 0.4;
/** Values whose rules come nearer to each other than this contradict each other. */
const CLOSE = 0.93;
/** Points for a value that shares its name with one decided before. */
const KIN = 0.8;

/** The text of an answer to the messages of a task. The system messages hold the instructions, else the first message. */
export function answerTask(messages: readonly Message[], schema?: Readonly<Record<string, unknown>>): string {
	const system = messages.filter((message) => message.role === "system");
	const instructions = (system.length > 0 ? system : messages.slice(0, 1)).map((message) => message.content);
	const text = readText(instructions.join("\n\n"), schema);
	const input = inputOf(messages);
	const asked = messages.filter((message) => message.role === "assistant").length;
	if (text.contract.fields.length === 0) return proseAnswer(text, input);
	const answer = decide(text, input);
	const slip = asked === 0 ? text.slip : text.slip / 8;
	const clean = JSON.stringify(answer);
	return draw("slip", text.digest, input, asked) < slip ? slipped(answer, clean, text, `${input}${asked}`) : clean;
}

const SENT_BACK =
	/\b(complete reply again|does not meet the requirements|cut off at the length|valid json|answer again)\b/i;

/** What the user wants: all user turns but those that only send an answer back. */
function inputOf(messages: readonly Message[]): string {
	const turns = messages.filter((message) => message.role !== "system");
	const own = turns.filter(({ role, content }, index) => {
		return role === "user" && !(turns[index - 1]?.role === "assistant" && SENT_BACK.test(content));
	});
	return own.map((message) => message.content).join("\n\n");
}

function decide(text: TextReading, input: string): Record<string, unknown> {
	const reading = readInput(input);
	const decided = new Set<string>();
	const rules: Rule[] = [];
	const answer: Record<string, unknown> = {};
	for (const field of text.contract.fields) {
		if (field.values.length === 0) continue;
		const choice = choose(text, field, reading, decided, input);
		answer[field.key] = field.kind === "boolean" ? choice.value === "true" : choice.value;
		if (choice.rule !== undefined) rules.push(choice.rule);
		decided.add(`${field.key} ${choice.value}`);
	}
	// In the order of the contract, with the free text last decided because it speaks of the rest.
	return Object.fromEntries(
		text.contract.fields.map((field) => [
			field.key,
			Object.hasOwn(answer, field.key) ? answer[field.key] : freeValue(field, rules, text),
		]),
	);
}

function choose(
	text: TextReading,
	field: Field,
	input: InputReading,
	decided: ReadonlySet<string>,
	inputText: string,
): Choice {
	const ranked = rank(text, field, input, decided);
	const [first, second] = ranked;
	const fallback = fallbackOf(text, field);
	if (draw("lapse", text.digest, inputText, field.key) < text.lapse) {
		const others = [second, fallback, { value: pickBy(field.values, "stray", inputText, field.key) ?? fallback.value }];
		return others.find((choice) => choice !== undefined && choice.value !== first?.value) ?? fallback;
	}
	if (first === undefined || first.points < LEAST_POINTS) return fallback;
	if (field.firstWins) {
		const due = ranked.filter((choice) => choice.points > Math.max(LEAST_POINTS, 0.75 * first.points));
		return due.sort((a, b) => field.values.indexOf(a.value) - field.values.indexOf(b.value))[0] ?? first;
	}
	const torn = second !== undefined && second.points > CLOSE * first.points;
	return torn && draw("torn", text.digest, inputText, field.key) < 0.4 ? second : first;
}

/** Values with the points of their best rule, best first; rules against a value take points away. */
function rank(
	text: TextReading,
	field: Field,
	input: InputReading,
	decided: ReadonlySet<string>,
): (Choice & { points: number })[] {
	const best = new Map<string, Choice & { points: number }>();
	for (const rule of text.rules) {
		if (rule.field !== field.key || rule.against) continue;
		const points = fitOf(rule, input, decided, text.weights) * (rule.fallback === 2 ? 0.6 : 1);
		if (points > (best.get(rule.value)?.points ?? 0)) best.set(rule.value, { value: rule.value, rule, points });
	}
	for (const rule of text.rules) {
		const choice = rule.field === field.key && rule.against ? best.get(rule.value) : undefined;
		if (choice !== undefined) choice.points -= 0.7 * fitOf(rule, input, decided, text.weights);
	}
	// What bears the name of what was decided before goes with it: "diverging-bar" and "diverging".
	for (const choice of best.values()) if (isAkin(choice.value, decided)) choice.points += KIN;
	return [...best.values()].sort((a, b) => b.points - a.points || (a.value < b.value ? -1 : 1));
}

function isAkin(value: string, decided: ReadonlySet<string>): boolean {
	return value.length > 4 && [...decided].some((name) => name.split(" ")[1]?.split(/[-_]/).includes(value));
}

/**
 * What applies when no rule fits: what the text calls its default, an unmarked instruction, else the first allowed value. A
 * list of which the first that is due wins has what is never due at its end.
 */
function fallbackOf(text: TextReading, field: Field): Choice {
	const rules = text.rules.filter((rule) => rule.field === field.key && !rule.against);
	const rule =
		rules.find((candidate) => candidate.fallback === 2) ?? rules.find((candidate) => candidate.fallback === 1);
	if (rule !== undefined) return { value: rule.value, rule };
	return { value: (field.firstWins ? field.values.at(-1) : field.values[0]) ?? "" };
}

function freeValue(field: Field, rules: readonly Rule[], text: TextReading): unknown {
	if (field.kind === "number") return 0;
	if (field.kind === "boolean") return false;
	if (field.kind === "list") return [];
	const rule = rules.find((candidate) => candidate.fallback === 0) ?? rules[0];
	const said = rule?.source ?? text.statements[0]?.text ?? "the request";
	return sentenceWithin(`This follows the instruction on ${plainWords(said)}`, field.limit);
}

/** The condition of a rule in plain words, without marks and without what it sets. */
function plainWords(text: string): string {
	return (text.split(/[:;→]/)[0] ?? text)
		.replace(/[`*"“”]/g, "")
		.replace(/\s+/g, " ")
		.replace(/[.,\s]+$/, "")
		.toLowerCase();
}

function sentenceWithin(text: string, limit: Field["limit"]): string {
	const words = text.split(" ").slice(0, Math.min(limit.words, 16));
	while (words.length > 1 && words.join(" ").length > limit.characters - 1) words.pop();
	return `${words.join(" ").replace(/[,;(]+$/, "")}.`;
}

/** An answer that does not keep to the form: words around it, a fence, a value or a key that is wrong. */
function slipped(
	answer: Record<string, unknown>,
	clean: string,
	{ contract }: { contract: Contract },
	key: string,
): string {
	const kind = draw("slip kind", key);
	if (kind < 0.5)
		return `${clean}\n\nThis should suit your readers well. Tell me if you would like to see an alternative.`;
	if (kind < 0.7) return `\`\`\`json\n${clean}\n\`\`\``;
	const field = pickBy(contract.fields, "slip field", key);
	if (field === undefined) return clean;
	if (kind < 0.85)
		return JSON.stringify({
			...answer,
			[field.key]: field.values.length > 0 ? `${answer[field.key]} (recommended)` : null,
		});
	const { [field.key]: _left, ...rest } = answer;
	return JSON.stringify(rest);
}

/** Without a contract: the statements of the text that are nearest to the input, as an answer in prose. */
function proseAnswer(text: TextReading, input: string): string {
	const words = readInput(input).stems;
	const scored = text.statements
		.map((statement) => ({ statement, points: stemsOf(statement.text).filter((word) => words.has(word)).length }))
		.filter(({ points }) => points > 0)
		.sort((a, b) => b.points - a.points || a.statement.index - b.statement.index);
	const nearest = scored.slice(0, 3).map(({ statement }) => statement.text.replace(/[`*]/g, ""));
	return nearest.length === 0 ? "Nothing in the instructions speaks of this request." : nearest.join(" ");
}
