/**
 * All that the offline model reads in one text of instructions, read once and kept by the text: contract, rules, examples,
 * and how much stands in the way of them. Knows no input.
 */
import { sha256 } from "../../domain/digest.ts";
import { type Contract, readContract } from "./contract-reading.ts";
import { stemsOf } from "./lexicon.ts";
import { type Weights, weightsOf } from "./matching.ts";
import { remembering } from "./memo.ts";
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

/** All that is read in a text, and in the schema that came with it. */
export function readText(text: string, schema?: Readonly<Record<string, unknown>>): TextReading {
	return read(JSON.stringify([text, schema]));
}

const read = remembering(64, (name): TextReading => {
	const [text, schema] = JSON.parse(name) as [string, Record<string, unknown> | null];
	const parsed = parseText(text);
	const contract = readContract(parsed, schema ?? undefined);
	const rules = readRules(parsed.statements, contract);
	return {
		digest: sha256(name),
		statements: parsed.statements,
		contract,
		rules,
		weights: weightsOf(rules),
		lapse: lapseOf(text, parsed.statements, rules),
		slip: schema === null ? slipOf(contract) : 0,
	};
});

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
	return Math.min(0.3, 0.01 + 0.0008 * Math.max(0, idle - 12) + 0.003 * twice + 0.000_000_5 * text.length);
}

function slipOf({ demandsBare, invitations }: Contract): number {
	if (invitations > 0) return Math.min(0.2, (demandsBare ? 0.08 : 0.12) + 0.02 * invitations);
	return demandsBare ? 0.01 : 0.12;
}
