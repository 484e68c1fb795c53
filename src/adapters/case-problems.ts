/**
 * What a case's schema cannot say: patterns and JSON schemas that do not compile, and checks that contradict themselves. Knows
 * checks and the tools that evaluate them; must not know files.
 */
import type { CaseFileEntry } from "../domain/case.ts";
import type { Check, CheckTools } from "../domain/check.ts";

/** Types that more than the output is needed for, so that asking again in the dialogue makes no sense. */
const BEYOND_OUTPUT: ReadonlySet<Check["type"]> = new Set(["rubric", "command", "tool-used", "tool-sequence"]);

interface CaseProblem {
	/** Path in the case. */
	path: readonly PropertyKey[];
	message: string;
	expected?: string;
	hint?: string;
}

/** Problems of the checks of one case, in order. */
export function findCaseProblems(entry: CaseFileEntry, tools: CheckTools): CaseProblem[] {
	return entry.checks.flatMap((check, index) =>
		checkProblems(check, tools).map(({ path, ...rest }) => ({ ...rest, path: ["checks", index, ...path] })),
	);
}

function checkProblems(check: Check, tools: CheckTools): CaseProblem[] {
	const problems: CaseProblem[] = [];
	if (check.contract && BEYOND_OUTPUT.has(check.type)) {
		problems.push({
			path: ["contract"],
			message: `a ${check.type} check cannot be a contract`,
			expected: "a check that the reply alone decides, such as json-schema or regex",
		});
	}
	if (check.type === "regex" && tools.matches(check.pattern, check.flags, "") === null) {
		problems.push({
			path: ["pattern"],
			message: `the pattern ${JSON.stringify(check.pattern.slice(0, 60))} does not compile`,
			expected: "RE2 syntax, at most 4,000 characters",
			hint: "Patterns run in linear time: lookahead and backreferences do not exist.",
		});
	}
	if (check.type === "json-schema" && tools.complaints(check.schema, null) === null) {
		problems.push({
			path: ["schema"],
			message: "the JSON schema cannot be used",
			expected: "a self-contained JSON Schema (draft 7, 2019-09 or 2020-12) of at most 64 KiB",
			hint: "Look for misspelt types, references to what is not in it, and patterns with lookahead.",
		});
	}
	if (check.type === "length") problems.push(...lengthProblems(check));
	return problems;
}

function lengthProblems({ min, max }: Extract<Check, { type: "length" }>): CaseProblem[] {
	if (min === undefined && max === undefined)
		return [{ path: [], message: "this length check limits nothing", expected: "min, max or both" }];
	if (min === undefined || max === undefined || min <= max) return [];
	return [
		{
			path: ["min"],
			message: `min ${min} is above max ${max}, which no reply can satisfy`,
			expected: "min at most max",
		},
	];
}
