/**
 * A tiny world for tests of the engine: a skill that says how parcels are sent, six rules that its v0 does not state, and
 * cases whose checks follow from the rules. The scripted client answers in this world.
 */
import { type Case, caseSchema, placeCase, SPLITS, type Split } from "../../src/domain/case.ts";

const FIELDS = ["box", "route", "label"] as const;
export type Field = (typeof FIELDS)[number];

export interface Rule {
	trait: string;
	field: Field;
	value: string;
}

export const RULES: readonly Rule[] = [
	{ trait: "fragile", field: "box", value: "padded" },
	{ trait: "liquid", field: "box", value: "sealed" },
	{ trait: "foreign", field: "route", value: "air" },
	{ trait: "heavy", field: "route", value: "truck" },
	{ trait: "urgent", field: "label", value: "red" },
	{ trait: "gift", field: "label", value: "gold" },
];

/** What a model does that knows no rule. */
export const DEFAULTS: Readonly<Record<Field, string>> = { box: "plain", route: "van", label: "white" };

/** The line of a text that states a rule; the scripted task model obeys exactly such lines. */
export function lineOf(rule: Rule): string {
	return `- ${noteOf(rule)}`;
}

export const PARCELS_SKILL = `---
name: parcels
description: Says how a parcel is packed and sent.
---

# Parcels

You are told what is in a parcel and say how it is sent.

<!-- kernel:begin id=output-contract -->
## Output contract

Reply with one bare JSON object with the keys \`box\`, \`route\` and \`label\`, and nothing else.
<!-- kernel:end id=output-contract -->

## Packing

- Choose what is cheapest.

## Sending

- Most parcels go by van.
`;

export function skillBytes(text: string = PARCELS_SKILL): Uint8Array {
	return new TextEncoder().encode(text);
}

/** The skill with these rules already stated in its section on packing. */
export function skillKnowing(rules: readonly Rule[]): Uint8Array {
	const lines = rules.map((rule) => `${lineOf(rule)}\n`).join("");
	return skillBytes(PARCELS_SKILL.replace("- Choose what is cheapest.\n", `- Choose what is cheapest.\n${lines}`));
}

/** Lines that no rule is in: the scripted task model takes no notice of them. */
export const FILLER = [
	"- Take a moment before you answer, and think of the person who waits.",
	"- Good work is clear, careful and complete in every respect.",
	"- Small things can make a big difference to somebody.",
];

/** A skill that knows all rules, with filler and with one rule twice. */
export function bloatedSkill(): Uint8Array {
	const known = new TextDecoder().decode(skillKnowing(RULES));
	const more = [...FILLER, ...RULES.slice(0, 1).map(lineOf)].map((line) => `${line}\n`).join("");
	return skillBytes(known.replace("- Most parcels go by van.\n", `- Most parcels go by van.\n${more}`));
}

export interface FamilyOptions {
	train?: number;
	validation?: number;
	holdout?: number;
	/** `pointers`: one check a field, which repeat over cases; `rubrics`: one criterion of the judge for each trait. */
	checks?: "pointers" | "rubrics";
	/** Id of a case; by default its split and its number. */
	idOf?: (split: Split, index: number) => string;
}

const CHOICES: readonly (readonly string[])[] = [
	["fragile", "liquid", "dry"],
	["foreign", "heavy", "near"],
	["urgent", "gift", "usual"],
];

/** Traits of the parcel number n: each of the 27 combinations once, the traits of one field spread evenly. */
function traitsOf(index: number): string[] {
	const turns = [index, Math.floor(index / 3) + index, Math.floor(index / 9) + index * 2];
	return CHOICES.map((names, field) => names[(turns[field] ?? 0) % names.length] ?? "");
}

/** Cases of all splits. Inputs hold the id of their case, and so do notes outside train: a text that shows one can be told. */
export function parcelCases(options: FamilyOptions = {}): Case[] {
	const counts = {
		train: options.train ?? 20,
		validation: options.validation ?? 20,
		holdout: options.holdout ?? 12,
	};
	const idOf = options.idOf ?? ((split, index) => `${split}-${String(index + 1).padStart(2, "0")}`);
	return SPLITS.flatMap((split) =>
		Array.from({ length: counts[split] }, (_, index) => {
			const id = idOf(split, index);
			const traits = traitsOf(index);
			const place = split === "train" ? "" : ` (${id})`;
			const checks = options.checks === "rubrics" ? rubrics(id, traits, place) : pointers(traits, place);
			return placeCase(caseSchema.parse({ id, split, input: `Parcel ${id}: ${traits.join(", ")}.`, checks }));
		}),
	);
}

function pointers(traits: readonly string[], place: string): object[] {
	const checks = FIELDS.map((field) => {
		const rule = RULES.find((candidate) => candidate.field === field && traits.includes(candidate.trait));
		const note = rule === undefined ? `Nothing special about the ${field}.` : noteOf(rule);
		return { type: "json-equals", path: `/${field}`, value: rule?.value ?? DEFAULTS[field], note: note + place };
	});
	return [{ type: "json-schema", schema: { type: "object", required: [...FIELDS] }, contract: true }, ...checks];
}

/** Criteria that never repeat, as in free text: each names its case. The scripted judge looks for the word in quotes. */
function rubrics(id: string, traits: readonly string[], place: string): object[] {
	const criteria = RULES.filter((rule) => traits.includes(rule.trait)).map((rule) => ({
		type: "rubric",
		criterion: `For ${id}, it says "${rule.value}".`,
		note: noteOf(rule) + place,
	}));
	return [{ type: "rubric", criterion: `For ${id}, it says "box".` }, ...criteria];
}

/** What a reviewer says about a failure; the scripted reflection model learns a rule from it. */
export function noteOf(rule: Rule): string {
	return `A ${rule.trait} parcel: ${rule.field} ${rule.value}.`;
}
