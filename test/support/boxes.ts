/** Train cases that want one value of a box each, with a note that says why, and the groups that come of their trials. */
import { type Case, caseSchema, placeCase } from "../../src/domain/case.ts";
import { type Causes, createCauses } from "../../src/engine/search/causes.ts";
import { causesIn, type Finding, type Group, groupsOf, symptomsOf } from "../../src/engine/search/groups.ts";
import { aTrial, measured } from "./builders.ts";

export interface Wish {
	value: string;
	note?: string;
	weight?: number;
	/** What the case says; by default its number. */
	input?: string;
	/** What is wanted of it; by default the box. */
	path?: string;
}

export function boxCases(wishes: readonly Wish[]): Case[] {
	return wishes.map(({ value, note, weight = 1, input, path = "/box" }, at) =>
		placeCase(
			caseSchema.parse({
				id: `case-${String(at).padStart(2, "0")}`,
				split: "train",
				input: input ?? `Parcel number ${at}.`,
				checks: [{ type: "json-equals", path, value, weight, ...(note === undefined ? {} : { note }) }],
			}),
		),
	);
}

export const times = (count: number, wish: Wish): Wish[] => Array.from({ length: count }, () => wish);

/** The groups of these cases when those fail that are told. */
export function grouped(
	cases: readonly Case[],
	fails: (at: number) => boolean = () => true,
	causes: Causes = createCauses(cases),
): Group[] {
	const at = new Map(cases.map((entry, index) => [entry.id, index]));
	return groupsOf(cases, (id) => aTrial("v", id, measured([fails(at.get(id) ?? -1) ? 0 : 1])), causes);
}

/** The cases that share a cause, by their numbers: each cause in order, the causes by their first case. */
export function causesByCase(cases: readonly Case[]): number[][] {
	const causes = createCauses(cases);
	const found = new Map<string, number[]>();
	cases.forEach((entry, at) => {
		const cause = causes.symptomOf(entry.id, 0)?.cause ?? "none";
		found.set(cause, [...(found.get(cause) ?? []), at]);
	});
	return [...found.values()];
}

/** A cause of its own with so many checks, of which the first ones fail. */
export function aCause(id: string, failing: number, total: number, changes: Partial<Group> = {}): Group {
	const findings = Array.from(
		{ length: total },
		(_, at): Finding => ({ caseId: `${id}-${at}`, check: 0, failed: at < failing, weight: 1 }),
	);
	return { id, cause: id, label: id, contract: false, findings, failing, total, ...changes };
}

/** The symptoms of the only cause that has several. */
export function symptomsIn(groups: readonly Group[]): Group[] {
	const several = causesIn(groups).map((cause) => symptomsOf(groups, cause.id));
	return several.find((symptoms) => symptoms.length > 1) ?? [];
}
