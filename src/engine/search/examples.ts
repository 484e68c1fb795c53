/**
 * Added examples. A cause that stays open after it was asked about twice is shown instead of told: one line with the telling part
 * of a train input and an answer that passes every check on it. Which case, and which words of it, is decided here; whether the
 * line may stand is for admission, and whether it helps for measuring.
 */
import type { Case } from "../../domain/case.ts";
import type { CheckTools } from "../../domain/check.ts";
import { LEAK_CHARS, LEAK_WORDS } from "../../domain/leak.ts";
import { openingOf, type RunState, searchOf } from "../../domain/run-state.ts";
import { type Edit, sectionsOf } from "../../domain/section.ts";
import { scoreCheck } from "../check-score.ts";
import { caseOf, type RunContext } from "../context.ts";
import { editsOf } from "../patch.ts";
import { inputOf } from "../protocol.ts";
import type { ExampleRequest } from "../steps.ts";
import { type Group, wantedOf } from "./groups.ts";
import { triesOf } from "./open-causes.ts";
import { stemsOf } from "./words.ts";

/** Questions about a cause before an example is tried. */
const ASKED = 2;
/** A longer answer teaches its content, not what was wrong. */
const MOST_OUTPUT = 400;

/** One example for each of these groups whose cause was asked about often enough; each time from another case. */
export function examplesFor(state: RunState, context: RunContext, groups: readonly Group[]): ExampleRequest[] {
	const { worked, generation } = searchOf(state);
	if (!context.settings.search.examples) return [];
	return groups.flatMap((group) => {
		const tries = triesOf(group.cause, worked);
		const failing = group.findings.filter((finding) => finding.failed && finding.check >= 0);
		const finding = failing[tries % Math.max(1, failing.length)];
		if (tries < ASKED || finding === undefined) return [];
		const { caseId, check } = finding;
		const id = `g${generation}.example.${group.id.slice(0, 20)}`;
		return [{ id, group: group.id, caseId, check, rollout: passingRollout(state, caseId) }];
	});
}

/** The first answer of any text that passed every check of a case at the first ask. */
function passingRollout(state: RunState, caseId: string): string | null {
	const order = [openingOf(state).incumbent.id, ...searchOf(state).passes, ...Object.keys(state.trials).sort()];
	for (const variant of order) {
		const trial = state.trials[variant]?.find((other) => other.caseId === caseId);
		if (trial?.outcome.quality === 1 && trial.outcome.retries === 0) return trial.rollout;
	}
	return null;
}

/** An answer made of what the checks want; null unless every check that counts is a `json-equals` of an object. */
export function composedAnswer(entry: Case): string | null {
	const answer: Record<string, unknown> = {};
	for (const check of entry.checks.filter((other) => !other.contract)) {
		if (check.type !== "json-equals" || check.not) return null;
		const keys = check.path
			.split("/")
			.slice(1)
			.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
		const last = keys.pop();
		let place = answer;
		for (const key of keys) {
			const next = place[key] ?? {};
			place[key] = next;
			if (typeof next !== "object" || next === null || Array.isArray(next)) return null;
			place = next as Record<string, unknown>;
		}
		if (last === undefined || last === "" || /^\d+$/.test(last)) return null;
		place[last] = check.value;
	}
	return Object.keys(answer).length === 0 ? null : JSON.stringify(answer);
}

/** Whether an answer passes every check of a case, as far as that can be said without a judge. */
export function passesAll(entry: Case, answer: string, tools: CheckTools): boolean {
	return entry.checks.every((check) => {
		if (check.type === "rubric") return false;
		const result = scoreCheck(check, answer, tools);
		return result.status === "scored" && result.score === 1;
	});
}

/** The stretch of an input that says most of what the failing check is about, short enough to be no copy of the case. */
function excerptOf(entry: Case, check: number): string {
	const wanted = entry.checks[check];
	const about = stemsOf(wanted === undefined ? "" : `${wanted.note ?? ""} ${wantedOf(wanted)}`);
	const words = inputOf(entry)
		.split(/\s+/)
		.filter((word) => word !== "");
	const width = Math.floor(LEAK_WORDS / 2);
	let best = { text: "", alike: -1 };
	for (let at = 0; at === 0 || at + width <= words.length; at++) {
		let text = words.slice(at, at + width).join(" ");
		if (text.length >= LEAK_CHARS) text = text.slice(0, LEAK_CHARS - 1);
		const alike = [...stemsOf(text)].filter((word) => about.has(word)).length;
		if (alike > best.alike) best = { text, alike };
	}
	return best.text.replace(/["`<>]/g, "").trim();
}

/** The edit that adds the example, below what the search added last; null when it would be too long or has several lines. */
export function exampleEdit(
	state: RunState,
	context: RunContext,
	request: ExampleRequest,
	answer: string,
): Edit | null {
	const { working } = searchOf(state);
	const excerpt = excerptOf(caseOf(context, request.caseId), request.check);
	const last = editsOf(state, working.patch).findLast(({ edit }) => edit.op === "append")?.edit.section;
	const section = last ?? sectionsOf(working.harness).findLast(({ text }) => text.trim() !== "")?.id;
	const flat = answer.trim();
	if (section === undefined || excerpt === "" || flat.length > MOST_OUTPUT || /[\r\n]/.test(flat)) return null;
	return { op: "append", section, text: `- Example: "… ${excerpt} …" is answered ${flat}` };
}
