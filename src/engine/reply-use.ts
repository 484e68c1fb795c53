/**
 * Decides whether a reply can be used as it is, or what falls short in it. Knows contracts and nothing of calls: the
 * dialogue that is being held and the one that is scored later are judged here alike.
 */
import type { Check, CheckTools } from "../domain/check.ts";
import type { Reply } from "../domain/dialogue.ts";
import type { Shortcoming } from "../prompts/reask.ts";
import { scoreCheck } from "./check-score.ts";

/** What keeps a reply from being read at all, whatever it was asked for; undefined when it can be read. */
export function unusable(reply: Reply): Exclude<Shortcoming, { kind: "contract" }> | undefined {
	if (reply.finish === "length") return { kind: "truncated" };
	if (reply.finish === "refused") return { kind: "refused" };
	return reply.text.trim() === "" ? { kind: "empty" } : undefined;
}

/**
 * `met`: usable, and every contract holds. Otherwise `shortcoming` says what to ask for again; it is undefined when a
 * contract cannot be evaluated, because asking again would mend nothing.
 */
export function judgeReply(
	reply: Reply,
	contracts: readonly Check[],
	tools: CheckTools,
): { met: boolean; shortcoming?: Shortcoming } {
	const cause = unusable(reply);
	if (cause !== undefined) return { met: false, shortcoming: cause };
	const results = contracts.map((check) => ({ check, result: scoreCheck(check, reply.text, tools) }));
	const complaints = results.flatMap(({ check, result }) => {
		if (result.status === "error" || result.score > 0) return [];
		return [check.note ?? result.evidence ?? "it is not in the form asked for"];
	});
	if (complaints.length > 0) return { met: false, shortcoming: { kind: "contract", complaints } };
	return { met: results.every(({ result }) => result.status === "scored") };
}
