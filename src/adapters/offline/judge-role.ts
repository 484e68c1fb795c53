/**
 * Plays the judge: decides each criterion by its words, negations and measures against the answer. Knows the layout of the
 * judge's prompt and no skill. It errs on purpose as little as it can, which is more than a model would.
 */
import type { Message } from "../../domain/dialogue.ts";
import { stemsOf, wordsOf } from "./lexicon.ts";
import { situationsOf } from "./situations.ts";
import { sentencesOf } from "./statements.ts";
import { groupsOf } from "./thesaurus.ts";

interface Verdict {
	criterion: number;
	evidence: string;
	pass: boolean;
}

/** Words that only lead up to what a criterion asks for. */
const ABOUT = new Set(
	stemsOf(`text reason answer speak mention claim imply state say explain contain include describe name give reader clearly
		plain output reply response word sentence`),
);
const LEAST_OVERLAP = 0.4;

/** Verdicts on the criteria that the messages list, as the JSON that the prompt asks for. */
export function answerJudge(messages: readonly Message[]): string {
	const prompt = messages.find((message) => message.role === "user")?.content ?? "";
	const answer = quotedPart(prompt, "answer");
	const list = prompt.slice(prompt.lastIndexOf("# Criteria"));
	const verdicts = [...list.matchAll(/^(\d+)\. ([\s\S]*?)(?=\n\d+\. |$(?![\s\S]))/gm)].map((match) =>
		judge(Number(match[1]), match[2] ?? "", answer),
	);
	return JSON.stringify({ verdicts });
}

function quotedPart(prompt: string, label: string): string {
	const match = new RegExp(`<<<${label} (\\S+)\\n([\\s\\S]*?)\\n${label} \\1>>>`).exec(prompt);
	return match?.[2] ?? "";
}

function judge(criterion: number, text: string, answer: string): Verdict {
	const spoken = proseOf(answer);
	// "…, and neither claims nor implies that …": what is asked for, and what must not be there.
	const [wanted = "", ...refused] = text.split(
		/\b(?:and |but )?(?:neither|does not|do not|doesn't|never|without|no longer|not|avoids?)\b/i,
	);
	const measured = measure(text, spoken);
	const met =
		measured ??
		(about(wanted).length === 0 || wanted.split(/\bor\b/).some((part) => overlap(part, spoken) >= LEAST_OVERLAP));
	const broken = refused.some((part) => about(part).length > 0 && overlap(part, spoken) >= LEAST_OVERLAP);
	return { criterion, evidence: evidence(text, spoken), pass: met && !broken };
}

/** The strings of a JSON answer as running text; any other answer as it is. */
function proseOf(answer: string): string {
	const strings = [...answer.matchAll(/"(?:[^"\\]|\\.)*"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(
		(match) => JSON.parse(match[1] ?? '""') as string,
	);
	return strings.length > 0 ? strings.join(". ") : answer;
}

function about(text: string): string[] {
	return [...new Set(stemsOf(text).filter((word) => !ABOUT.has(word)))];
}

/** Share of the words of a criterion that the answer holds, in the same or in a near word. */
function overlap(criterion: string, answer: string): number {
	const wanted = about(criterion);
	if (wanted.length === 0) return 0;
	const words = new Set(stemsOf(answer));
	const groups = new Set([...words].flatMap((word) => [...groupsOf(word)]));
	const situations = situationsOf(answer);
	const shared = [...situationsOf(criterion)].some((name) => situations.has(name)) ? 0.25 : 0;
	const points = wanted.map((word): number =>
		words.has(word) ? 1 : groupsOf(word).some((group) => groups.has(group)) ? 0.6 : 0,
	);
	return points.reduce((sum, point) => sum + point, 0) / wanted.length + shared;
}

const LIMIT =
	/(at most|no more than|fewer than|under|up to|at least|more than)\s+(\d+|one|two|three)\s+(words?|sentences?|characters?)/i;

/** Length, where a criterion asks for it; undefined where it does not. */
function measure(criterion: string, answer: string): boolean | undefined {
	const limit = LIMIT.exec(criterion);
	const [, bound = "", figure = "", unit = ""] = limit ?? /()\b(one|two|three)\s+(sentences?)\b/i.exec(criterion) ?? [];
	if (unit === "") return undefined;
	const most = ["one", "two", "three"].indexOf(figure.toLowerCase()) + 1 || Number(figure);
	const sizes = { w: wordsOf(answer).length, s: sentencesOf(answer).length, c: answer.length };
	const size = sizes[unit[0]?.toLowerCase() as "w" | "s" | "c"];
	if (/^at least$/i.test(bound)) return size >= most;
	if (/^more than$/i.test(bound)) return size > most;
	return /^(fewer than|under)$/i.test(bound) ? size < most : size <= most;
}

function evidence(criterion: string, answer: string): string {
	const words = new Set(about(criterion));
	const sentences = sentencesOf(answer);
	const best = sentences.find((sentence) => stemsOf(sentence).some((word) => words.has(word))) ?? sentences[0] ?? "";
	return best.slice(0, 120);
}
