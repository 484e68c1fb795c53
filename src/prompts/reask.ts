/**
 * What is said to a model whose reply cannot be used as it is. Knows the ways in which a reply falls short; knows no case
 * and no check. The text is a function of its input alone, so that a dialogue that is continued after a crash goes on with
 * the very words it would have had.
 */
import type { Message } from "../domain/dialogue.ts";

/** Why a reply is asked for again. */
export type Shortcoming =
	| { kind: "truncated" }
	| { kind: "refused" }
	| { kind: "empty" }
	| { kind: "contract" /** One sentence for each contract that is not met. */; complaints: readonly string[] };

/** Stands for an assistant turn without text: several endpoints refuse an empty one. */
const NO_TEXT = "(no text)";

const MOST_COMPLAINTS = 5;

const WHAT_IS_WRONG = {
	truncated: "Your reply was cut off at the length limit. Be shorter.",
	refused: "Your reply does not answer the request.",
	empty: "Your reply was empty.",
} as const;

/** The two turns that ask again: the reply as it was, then the correction. */
export function reaskMessages(replyText: string, shortcoming: Shortcoming): [Message, Message] {
	return [
		{ role: "assistant", content: replyText.trim() === "" ? NO_TEXT : replyText },
		{ role: "user", content: `${whatIsWrong(shortcoming)}\nSend the complete reply again, and nothing else.` },
	];
}

function whatIsWrong(shortcoming: Shortcoming): string {
	if (shortcoming.kind !== "contract") return WHAT_IS_WRONG[shortcoming.kind];
	const [only, ...others] = shortcoming.complaints;
	if (others.length === 0)
		return `Your reply does not meet the requirements: ${only ?? "it is not in the form asked for"}`;
	const lines = shortcoming.complaints.slice(0, MOST_COMPLAINTS).map((complaint) => `- ${complaint}`);
	return ["Your reply does not meet the requirements:", ...lines].join("\n");
}
