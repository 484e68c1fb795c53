/**
 * Answers two other requests to a reflection model: to merge edits that are given as JSON, and to rank numbered items. Knows
 * no skill; a merge is a union without repetitions, a ranking puts what reads like a rule first.
 */
import type { Message } from "../../domain/dialogue.ts";
import { stemsOf } from "./lexicon.ts";

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const RANKED = ["ranking", "order", "indices"] as const;

/** The key of the integer array that a schema asks for, if it asks for a ranking. */
export function rankingKey(schema: Readonly<Record<string, unknown>> | undefined): string | undefined {
	const properties = (schema?.properties ?? {}) as Properties;
	return RANKED.find((key) => {
		const items = properties[key]?.items as { type?: unknown } | undefined;
		return properties[key]?.type === "array" && items?.type === "integer";
	});
}

/** Numbers of the items `[0] …`, those first that give a condition and name a value in marks. */
export function answerRanking(messages: readonly Message[], key: string): string {
	const items = [...(messages.at(-1)?.content ?? "").matchAll(/^\[(\d+)\] (.*)$/gm)].map((match) => {
		const text = match[2] ?? "";
		const points =
			(/`[^`]+`/.test(text) ? 2 : 0) +
			(/:|\b(?:when|if|for|unless)\b/.test(text) ? 1 : 0) +
			Math.min(1, stemsOf(text).length / 12);
		return { index: Number(match[1]), points };
	});
	return JSON.stringify({
		[key]: items.sort((a, b) => b.points - a.points || a.index - b.index).map((item) => item.index),
	});
}

/** Edits that stand as JSON objects in the last message; empty unless it asks to merge them. */
export function editsToMerge(messages: readonly Message[]): Record<string, unknown>[] {
	const last = messages.at(-1)?.content ?? "";
	if (!messages.some((message) => /\b(merge|combine|consolidate)\b/i.test(message.content))) return [];
	const found: Record<string, unknown>[] = [];
	for (const object of objectsIn(last)) {
		const edits = Array.isArray(object.edits) ? (object.edits as unknown[]) : [object];
		for (const edit of edits) {
			if (typeof edit === "object" && edit !== null && "op" in edit) found.push(edit as Record<string, unknown>);
		}
	}
	return found;
}

export function answerMerge(edits: readonly Record<string, unknown>[]): string {
	const said = new Set<string>();
	const kept = edits.filter((edit) => {
		const key = [
			edit.op,
			edit.section,
			edit.find ?? "",
			String(edit.text ?? "")
				.toLowerCase()
				.replace(/\W+/g, " "),
		].join("\u0000");
		return !said.has(key) && said.add(key) !== undefined;
	});
	return JSON.stringify({ diagnosis: "The edits together, each once.", cause: "missing-knowledge", edits: kept });
}

/** Outermost JSON objects in a text, in order; what does not parse is passed over. */
function objectsIn(text: string): Record<string, unknown>[] {
	const objects: Record<string, unknown>[] = [];
	let from = text.indexOf("{");
	while (from >= 0) {
		const end = endOfObject(text, from);
		try {
			if (end > from) objects.push(JSON.parse(text.slice(from, end)) as Record<string, unknown>);
			from = text.indexOf("{", end > from ? end : from + 1);
		} catch {
			from = text.indexOf("{", from + 1);
		}
	}
	return objects;
}

function endOfObject(text: string, from: number): number {
	let depth = 0;
	let quoted = false;
	for (let at = from; at < text.length; at++) {
		const char = text[at];
		if (quoted) {
			if (char === "\\") at++;
			else if (char === '"') quoted = false;
		} else if (char === '"') quoted = true;
		else if (char === "{") depth++;
		else if (char === "}" && --depth === 0) return at + 1;
	}
	return -1;
}
