/**
 * What fails, and where. The checks of the train sample are grouped by cause, and within a cause by symptom. Knows train
 * trials only.
 */
import type { Case } from "../../domain/case.ts";
import type { Check } from "../../domain/check.ts";
import { digest } from "../../domain/digest.ts";
import type { Trial } from "../../domain/trial.ts";
import type { Causes } from "./causes.ts";

/** One check of one case, with what came of it in the trial that the search goes by. */
export interface Finding {
	caseId: string;
	/** Index of the check in the case; -1 for the contract of the case as a whole. */
	check: number;
	failed: boolean;
	weight: number;
}

export interface Group {
	id: string;
	/** Id of the cause: its own id, or that of the cause that it is a symptom of. */
	cause: string;
	label: string;
	contract: boolean;
	findings: readonly Finding[];
	failing: number;
	total: number;
}

/** Group of everything that had to be asked for again. */
export const CONTRACT_GROUP = "contract";

/** What a check wants, without its note and weight: checks that want the same share a group. */
export function signatureOf(check: Check): string {
	const { note: _note, weight: _weight, contract: _contract, ...wanted } = check;
	if (wanted.type === "json-one-of") {
		return digest({ ...wanted, values: [...wanted.values].map((value) => JSON.stringify(value)).sort() }).slice(0, 16);
	}
	return digest(wanted).slice(0, 16);
}

/** What a check's note says, whatever its spacing and case; empty without a note. */
export function topicOf(check: Check): string {
	const words = check.note?.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return words.length === 0 ? "" : digest(words).slice(0, 8);
}

/** What a check is about, whatever it wants of it: two checks of one subject want one thing each. */
export function subjectOf(check: Check): string {
	switch (check.type) {
		case "json-equals":
		case "json-one-of":
		case "numeric":
			return check.path;
		default:
			return signatureOf(check);
	}
}

/** What a check wants, in a few words for people and models. */
export function wantedOf(check: Check): string {
	const not = check.not ? "not: " : "";
	switch (check.type) {
		case "json-equals":
			return `${not}${check.path} = ${JSON.stringify(check.value)}`;
		case "json-one-of":
			return `${not}${check.path} one of ${check.values.map((value) => JSON.stringify(value)).join(", ")}`;
		case "numeric":
			return `${not}${check.path} = ${check.value}${check.tolerance > 0 ? ` ± ${check.tolerance}` : ""}`;
		case "equals":
			return `${not}the answer is ${JSON.stringify(check.value)}`;
		case "contains":
			return `${not}the answer contains ${JSON.stringify(check.value)}`;
		case "not-contains":
			return `${not}the answer does not contain ${JSON.stringify(check.value)}`;
		case "regex":
			return `${not}the answer matches /${check.pattern}/${check.flags}`;
		case "length":
			return `${not}length of ${check.min ?? 0} to ${check.max ?? "any number of"} ${check.unit}`;
		case "json-schema":
			return `${not}one bare JSON value that satisfies its schema`;
		case "rubric":
			return `${not}${check.criterion}`;
		case "command":
			return `${not}the command ${JSON.stringify(check.run)} passes`;
		case "tool-used":
			return `${not}the tool ${check.tool} is used`;
		case "tool-sequence":
			return `${not}the tools ${check.tools.join(", ")} are used in this order`;
	}
}

/** Findings of one trial: its checks, and whether it had to be asked again. Missing data gives none. */
function findingsOf(entry: Case, trial: Trial): Finding[] {
	const { outcome } = trial;
	const found: Finding[] = [];
	if (entry.checks.some((check) => check.contract) && outcome.retries !== null) {
		found.push({ caseId: entry.id, check: -1, failed: outcome.retries > 0, weight: 1 });
	}
	if (outcome.status !== "measured") return found;
	entry.checks.forEach((check, index) => {
		const score = outcome.scores[index];
		if (check.contract || check.weight === 0 || typeof score !== "number") return;
		found.push({ caseId: entry.id, check: index, failed: score < 1, weight: check.weight });
	});
	return found;
}

/**
 * All groups of these cases under the given trials: every cause, and its symptoms where it has several. In order of id. Checks
 * of cases that the causes were not made from are left out.
 */
export function groupsOf(
	cases: readonly Case[],
	trialOf: (caseId: string) => Trial | undefined,
	causes: Causes,
): Group[] {
	const groups = new Map<string, Omit<Group, "id" | "failing" | "total"> & { findings: Finding[] }>();
	const add = (id: string, cause: string, label: string, finding: Finding) => {
		const group = groups.get(id) ?? { cause, label, contract: finding.check < 0, findings: [] };
		group.findings.push(finding);
		groups.set(id, group);
	};
	for (const entry of cases) {
		const trial = trialOf(entry.id);
		for (const finding of trial ? findingsOf(entry, trial) : []) {
			const check = entry.checks[finding.check];
			if (check === undefined) {
				add(CONTRACT_GROUP, CONTRACT_GROUP, "the output contract at the first ask", finding);
				continue;
			}
			const symptom = causes.symptomOf(entry.id, finding.check);
			if (symptom === undefined) continue;
			add(symptom.cause, symptom.cause, wantedOf(check), finding);
			if (symptom.id !== symptom.cause) add(symptom.id, symptom.cause, wantedOf(check), finding);
		}
	}
	return [...groups]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([id, group]) => ({
			id,
			...group,
			failing: group.findings.filter((finding) => finding.failed).length,
			total: group.findings.length,
		}));
}

/** The causes among the groups. */
export function causesIn(groups: readonly Group[]): Group[] {
	return groups.filter((group) => group.id === group.cause);
}

/** The symptoms of a cause; the cause itself where it has only one. */
export function symptomsOf(groups: readonly Group[], cause: string): Group[] {
	const symptoms = groups.filter((group) => group.cause === cause && group.id !== cause);
	return symptoms.length > 0 ? symptoms : groups.filter((group) => group.id === cause);
}

/** Weight of the checks of a group that fail. */
export function failingWeight(group: Group): number {
	return group.findings.reduce((sum, finding) => sum + (finding.failed ? finding.weight : 0), 0);
}

/** Share of all scoring checks, by weight, that fail in these groups: about what mending them all would add to quality. */
export function worthOf(groups: readonly Group[], all: readonly Group[]): number {
	const whole = causesIn(all).reduce(
		(sum, group) => sum + group.findings.reduce((weights, finding) => weights + finding.weight, 0),
		0,
	);
	return whole === 0 ? 0 : groups.reduce((sum, group) => sum + failingWeight(group), 0) / whole;
}
