/**
 * Reads rules from a text of instructions: which value of which field under which condition. Knows the contract that was
 * read from the same text and nothing of any skill. A sentence gives a rule when it names an allowed value; the words that
 * are left are its condition.
 */
import { type Alternative, alternativeOf, alternativesOf, partsOf } from "./conditions.ts";
import type { Contract, Field } from "./contract-reading.ts";
import { mentionsIn, namesIn } from "./mentions.ts";
import { type Statement, sentencesOf } from "./statements.ts";

export interface Rule {
	field: string;
	value: string;
	/** The text advises against the value. */
	against: boolean;
	alternatives: readonly Alternative[];
	/** What must not be so: the words after "unless", "except" and the like. */
	exceptions: readonly Alternative[];
	/** Values of the first field that the condition of a rule for another one names, as `field value`. */
	named: ReadonlySet<string>;
	/** How far the rule claims cases that nothing else claims: 0 not, 1 when unmarked, 2 when it says so. */
	fallback: 0 | 1 | 2;
	/** The sentence, for reasons and draws. */
	source: string;
	statement: number;
}

const DEFAULT =
	/\b(by default|default|otherwise|in all other|everything else|all other|normally|usually|almost (?:every|always)|in general|as a rule|rarely wrong|always|whenever nothing|in doubt)\b/i;
/** Share of the points that the words beside a condition can give. */
const REST = 0.4;

/** All rules of the statements that define no key of the contract. */
export function readRules(statements: readonly Statement[], contract: Contract): Rule[] {
	const choices = contract.fields.filter((field) => field.values.length > 0);
	return statements
		.filter((statement) => !contract.defining.has(statement.index))
		.flatMap((statement) => rulesOf(statement, choices));
}

function rulesOf(statement: Statement, fields: readonly Field[]): Rule[] {
	const sentences = sentencesOf(statement.text);
	const saysDefault = sentences.some((sentence) => DEFAULT.test(sentence));
	const rules: Rule[] = [];
	for (const sentence of sentences) {
		const mentions = mentionsIn(sentence, statement.heading, fields);
		if (mentions.length === 0) continue;
		const parts = partsOf(sentence, mentions, fields);
		const marked = parts.condition !== undefined;
		const condition = [
			...alternativesOf(parts.condition ?? parts.rest),
			...(marked ? [alternativeOf(parts.rest, REST)] : []),
		];
		const exceptions = parts.exception === undefined ? [] : alternativesOf(parts.exception);
		for (const { field, value, against } of mentions) {
			const fallback = against ? 0 : saysDefault ? 2 : marked ? 0 : 1;
			const named = namesIn(parts.condition ?? parts.rest, field === fields[0] ? [] : fields.slice(0, 1));
			const place = { source: sentence, statement: statement.index };
			rules.push({ field: field.key, value, against, alternatives: condition, exceptions, named, fallback, ...place });
		}
	}
	return rules;
}
