/**
 * Scores one output by one pure check. Knows the check types and nothing of trials; patterns and schemas are evaluated by
 * tools that bound their time. Every pure check says yes or no: its score is 1 or 0. What cannot be said is an error, which
 * is missing data and never a score.
 */
import type { Check, CheckResult, CheckTools } from "../domain/check.ts";
import { clip, findByPointer, jsonEqual, parseBareJson, show } from "./bare-json.ts";

/** Longest evidence, in characters. */
const MOST_EVIDENCE = 300;

/** What a check found before `not` turned it round. `unreadable`: there is no value to judge, so `not` cannot turn it. */
type Finding = { holds: boolean; evidence?: string | undefined; unreadable?: true } | { error: string };

/**
 * Score of an output, 0 or 1, with a short evidence of what was found when the check is not met.
 *
 * `equals` compares whole texts; line ends (CRLF or LF) and whitespace at the very end do not count, because models and
 * block scalars of YAML add them freely. JSON checks read the reply as one bare JSON value; a reply that is none scores 0,
 * with and without `not`. `length` counts code points, words between whitespace, or lines without the final line end.
 * Types that need more than the output (rubric, command, tool-used, tool-sequence) answer with an error.
 */
export function scoreCheck(check: Check, output: string, tools: CheckTools): CheckResult {
	const finding = find(check, output, tools);
	if ("error" in finding) return { status: "error", reason: finding.error };
	if (finding.unreadable) return scored(false, finding.evidence);
	return check.not ? scored(!finding.holds, `not wanted: ${describe(check)}`) : scored(finding.holds, finding.evidence);
}

function scored(holds: boolean, evidence: string | undefined): CheckResult {
	if (holds || evidence === undefined) return { status: "scored", score: holds ? 1 : 0 };
	return { status: "scored", score: 0, evidence: clip(evidence, MOST_EVIDENCE) };
}

function find(check: Check, output: string, tools: CheckTools): Finding {
	switch (check.type) {
		case "equals": {
			const holds = withoutEnd(output) === withoutEnd(check.value);
			return { holds, evidence: `expected ${show(check.value)}, got ${show(output)}` };
		}
		case "contains":
			return { holds: includes(output, check), evidence: `expected it to contain ${show(check.value)}` };
		case "not-contains":
			return { holds: !includes(output, check), evidence: `must not contain ${show(check.value)}` };
		case "regex": {
			const holds = tools.matches(check.pattern, check.flags, output);
			if (holds === null) return { error: `the pattern ${show(check.pattern)} cannot be used` };
			return { holds, evidence: `expected a match of ${show(check.pattern)}` };
		}
		case "length":
			return findLength(check, output);
		case "json-schema":
		case "json-equals":
		case "json-one-of":
		case "numeric": {
			const parsed = parseBareJson(output);
			return parsed.ok
				? findJson(check, parsed.value, tools)
				: { holds: false, evidence: parsed.reason, unreadable: true };
		}
		default:
			return { error: `a check of type ${check.type} is not scored by the output alone` };
	}
}

function findJson(
	check: Extract<Check, { type: `json-${string}` | "numeric" }>,
	root: unknown,
	tools: CheckTools,
): Finding {
	if (check.type === "json-schema") {
		const complaints = tools.complaints(check.schema, root);
		if (complaints === null) return { error: "the JSON schema cannot be used" };
		return { holds: complaints.length === 0, evidence: complaints.join("; ") };
	}
	const found = findByPointer(root, check.path);
	const got = found === undefined ? `nothing at ${show(check.path)}` : show(found.value);
	if (check.type === "json-equals") {
		return {
			holds: found !== undefined && jsonEqual(found.value, check.value),
			evidence: `expected ${show(check.value)}, got ${got}`,
		};
	}
	if (check.type === "json-one-of") {
		const holds = found !== undefined && check.values.some((value) => jsonEqual(found.value, value));
		return {
			holds,
			evidence: `expected one of ${check.values.map((value) => show(value, 30)).join(", ")}, got ${got}`,
		};
	}
	const tolerance = check.tolerance === 0 ? "" : ` ± ${check.tolerance}`;
	return { holds: isNear(found?.value, check), evidence: `expected ${check.value}${tolerance}, got ${got}` };
}

/** Only a JSON number is near; 0.4 is within 0.1 of 0.3 although binary fractions say 0.10000000000000003. */
function isNear(got: unknown, { value, tolerance }: { value: number; tolerance: number }): boolean {
	if (typeof got !== "number") return false;
	const rounding = tolerance === 0 ? 0 : 4 * Number.EPSILON * Math.max(Math.abs(got), Math.abs(value));
	return Math.abs(got - value) <= tolerance + rounding;
}

function findLength(check: Extract<Check, { type: "length" }>, output: string): Finding {
	const length = COUNT[check.unit](output);
	const { min = 0, max = Number.POSITIVE_INFINITY } = check;
	const limit = length < min ? `at least ${min}` : `at most ${max}`;
	return { holds: length >= min && length <= max, evidence: `expected ${limit} ${check.unit}, got ${length}` };
}

const COUNT: Record<"chars" | "words" | "lines", (text: string) => number> = {
	chars(text) {
		let pairs = 0;
		for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs++;
		return text.length - pairs;
	},
	words: (text) => text.match(/\S+/g)?.length ?? 0,
	lines: (text) => (text === "" ? 0 : text.replace(/\r?\n$/, "").split("\n").length),
};

function withoutEnd(text: string): string {
	return text.replaceAll("\r\n", "\n").trimEnd();
}

function includes(text: string, { value, ignoreCase }: { value: string; ignoreCase: boolean }): boolean {
	return ignoreCase ? text.toLowerCase().includes(value.toLowerCase()) : text.includes(value);
}

/** What a check asks for, in words, for the evidence of its opposite. */
function describe(check: Check): string {
	switch (check.type) {
		case "json-equals":
		case "numeric":
			return `${show(check.value)} at ${show(check.path)}`;
		case "json-one-of":
			return `one of ${check.values.map((value) => show(value, 30)).join(", ")} at ${show(check.path)}`;
		case "regex":
			return `a match of ${show(check.pattern)}`;
		case "json-schema":
			return "a value that satisfies the schema";
		case "length":
			return `a length within the limits (${check.unit})`;
		case "equals":
		case "contains":
		case "not-contains":
			return `${check.type} ${show(check.value)}`;
		default:
			return check.type;
	}
}
