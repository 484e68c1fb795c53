/**
 * All that the offline model reads in one text of instructions, read once and kept by the text: contract, rules, examples,
 * and how much stands in the way of them. Knows no input.
 */
import { sha256 } from "../../domain/digest.ts";
import { type Contract, readContract } from "./contract-reading.ts";
import { stemsOf } from "./lexicon.ts";
import { type Weights, weightsOf } from "./matching.ts";
import { type Rule, readRules } from "./rule-reading.ts";
import { parseText, type Statement } from "./statements.ts";

export interface TextReading {
	/** Names the text in draws. */
	digest: string;
	statements: readonly Statement[];
	contract: Contract;
	rules: readonly Rule[];
	weights: Weights;
	/** Probability that a stated rule is not followed. */
	lapse: number;
	/** Probability that a first answer is not one bare object as asked. */
	slip: number;
}

const readings = new Map<string, TextReading>();
const MOST_READINGS = 64;

export function readText(text: string, schema?: Readonly<Record<string, unknown>>): TextReading {
	const digest = sha256(schema === undefined ? text : `${text}\u0000${JSON.stringify(schema)}`);
	const known = readings.get(digest);
	if (known !== undefined) return known;
	const parsed = parseText(text);
	const contract = readContract(parsed, schema);
	const rules = readRules(parsed.statements, contract);
	const reading = {
		digest,
		statements: parsed.statements,
		contract,
		rules,
		weights: weightsOf(rules),
		lapse: lapseOf(text, parsed.statements, rules),
		slip: slipOf(contract),
	};
	if (readings.size >= MOST_READINGS) readings.clear();
	readings.set(digest, reading);
	return reading;
}

/** A rule is overlooked more often the more there is that says nothing, says a thing twice, or is merely long. */
function lapseOf(text: string, statements: readonly Statement[], rules: readonly Rule[]): number {
	const telling = new Set(rules.map((rule) => rule.statement));
	const idle = statements.filter((statement) => !telling.has(statement.index)).length;
	const said = new Set<string>();
	let twice = 0;
	for (const { text: line } of statements) {
		const key = stemsOf(line).join(" ");
		if (said.has(key)) twice++;
		said.add(key);
	}
	return Math.min(0.3, 0.01 + 0.0006 * Math.max(0, idle - 12) + 0.003 * twice + 0.000_000_5 * text.length);
}

function slipOf({ demandsBare, invitations }: Contract): number {
	if (invitations > 0) return Math.min(0.2, (demandsBare ? 0.08 : 0.12) + 0.02 * invitations);
	return demandsBare ? 0.01 : 0.12;
}
