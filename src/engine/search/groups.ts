/**
 * What to work on. Checks that want the same form a family. Two causes may want the same value, and then only the note tells
 * them apart: so a family that was worked on and still fails is taken apart by its notes. Groups are opened by the share that
 * fails, worst first. Knows train trials only.
 */
import type { Case } from "../../domain/case.ts";
import type { Check } from "../../domain/check.ts";
import { digest } from "../../domain/digest.ts";
import type { SearchSettings } from "../../domain/job-spec.ts";
import type { Trial } from "../../domain/trial.ts";
import { similarity } from "./words.ts";

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
	/** Id of the group of all checks that want the same: its own id, or that of the group it is a part of. */
	family: string;
	label: string;
	contract: boolean;
	findings: readonly Finding[];
	failing: number;
	total: number;
}

/** Group of everything that had to be asked for again. */
export const CONTRACT_GROUP = "contract";

/** The contract is opened at this many re-asks and at this share of trials: fewer are the model's own slips. */
const CONTRACT_FAILS = 2;
const CONTRACT_SHARE = 0.06;
/** Once worked on, it is opened again only well above the rate at which a model slips although the text is clear. */
const CONTRACT_REOPEN = 0.12;
/** A group is not opened again for fewer failures than this, unless it has no more checks: one more or less says nothing. */
const REOPEN_FAILS = 2;
/** A group that was worked on this often stays closed: whatever it lacks, these reflections do not find it. */
const MAX_TRIES = 6;

/** What a check wants, without its note and weight: checks that want the same share a group. */
export function signatureOf(check: Check): string {
	const { note: _note, weight: _weight, contract: _contract, ...wanted } = check;
	if (wanted.type === "json-one-of") {
		return digest({ ...wanted, values: [...wanted.values].map((value) => JSON.stringify(value)).sort() }).slice(0, 16);
	}
	return digest(wanted).slice(0, 16);
}

/** What a check's note says, whatever its spacing and case; empty without a note. */
function topicOf(check: Check): string {
	const words = check.note?.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return words.length === 0 ? "" : digest(words).slice(0, 8);
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

/** All groups of the train sample under the given trials: every family, and its parts where notes differ. In order of id. */
export function groupsOf(cases: readonly Case[], trialOf: (caseId: string) => Trial | undefined): Group[] {
	const groups = new Map<string, Omit<Group, "id" | "failing" | "total"> & { findings: Finding[] }>();
	const add = (id: string, family: string, label: string, finding: Finding) => {
		const group = groups.get(id) ?? { family, label, contract: finding.check < 0, findings: [] };
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
			const family = signatureOf(check);
			add(family, family, wantedOf(check), finding);
			add(`${family}.${topicOf(check)}`, family, wantedOf(check), finding);
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

/** The parts of a family by what their notes say; the family itself where they all say the same. */
export function partsOf(groups: readonly Group[], family: string): Group[] {
	const parts = groups.filter((group) => group.family === family && group.id !== family);
	return parts.length > 1 ? parts : groups.filter((group) => group.id === family);
}

/** How often a family was worked on, as a whole or in part. */
function triesOf(family: string, worked: Readonly<Record<string, number>>): number {
	return Object.entries(worked).reduce(
		(sum, [id, tries]) => sum + (id === family || id.startsWith(`${family}.`) ? tries : 0),
		0,
	);
}

function isOpen(group: Group, tries: number, familyTries: number, search: SearchSettings): boolean {
	if (group.failing === 0 || tries >= MAX_TRIES) return false;
	const share = group.failing / group.total;
	if (group.contract)
		return group.failing >= CONTRACT_FAILS && share >= (tries === 0 ? CONTRACT_SHARE : CONTRACT_REOPEN);
	if (familyTries === 0) return share >= search.openShare;
	return share >= search.reopenShare && group.failing >= Math.min(REOPEN_FAILS, group.total);
}

/** Weight of the checks of a group that fail. */
function failingWeight(group: Group): number {
	return group.findings.reduce((sum, finding) => sum + (finding.failed ? finding.weight : 0), 0);
}

/**
 * Groups to work on now: worst first by the weight that fails, one of each family at a time, since the answer to one may well
 * mend its siblings; at most as many as reflections are allowed in a round.
 */
export function openGroups(
	groups: readonly Group[],
	worked: Readonly<Record<string, number>>,
	search: SearchSettings,
): Group[] {
	const families = groups.filter((group) => group.id === group.family);
	const open = families
		.flatMap((family) => (triesOf(family.id, worked) === 0 ? [family] : partsOf(groups, family.id)))
		.filter((group) => isOpen(group, worked[group.id] ?? 0, triesOf(group.family, worked), search))
		.sort((a, b) => failingWeight(b) - failingWeight(a) || (a.id < b.id ? -1 : 1));
	return firstOfFamilies(open).slice(0, search.reflections);
}

/** Two causes whose words overlap this much are probably one. */
const ALIKE = 0.6;

/**
 * Groups to work on where edits are not judged apart: single causes as the notes tell them, those least worked on first, and
 * no two that say much the same. `wordsOf` gives the words by which causes are compared.
 */
export function unlikeGroups(
	groups: readonly Group[],
	worked: Readonly<Record<string, number>>,
	search: SearchSettings,
	wordsOf: (group: Group) => ReadonlySet<string>,
): Group[] {
	const tries = (group: Group) => worked[group.id] ?? 0;
	const failing = groups
		.filter((group) => group.id === group.family)
		.flatMap((family) => partsOf(groups, family.id))
		.filter(
			(group) => group.failing > 0 && tries(group) < MAX_TRIES && (!group.contract || group.failing >= CONTRACT_FAILS),
		)
		.sort((a, b) => tries(a) - tries(b) || failingWeight(b) - failingWeight(a) || (a.id < b.id ? -1 : 1));
	const chosen: { group: Group; words: ReadonlySet<string> }[] = [];
	for (const group of failing) {
		if (chosen.length >= search.reflections) break;
		const words = wordsOf(group);
		if (chosen.every((other) => similarity(words, other.words) < ALIKE)) chosen.push({ group, words });
	}
	return chosen.map(({ group }) => group);
}

/** Share of all scoring checks, by weight, that fail in these groups: about what mending them all would add to quality. */
export function worthOf(groups: readonly Group[], all: readonly Group[]): number {
	const whole = all
		.filter((group) => group.id === group.family)
		.reduce((sum, group) => sum + group.findings.reduce((weights, finding) => weights + finding.weight, 0), 0);
	return whole === 0 ? 0 : groups.reduce((sum, group) => sum + failingWeight(group), 0) / whole;
}

/** The first group of each family, in the order given. */
export function firstOfFamilies(groups: readonly Group[]): Group[] {
	const seen = new Set<string>();
	return groups.filter((group) => {
		if (seen.has(group.family)) return false;
		seen.add(group.family);
		return true;
	});
}

/**
 * Whether checks repeat: the share of scoring checks whose group has at least three of them. Where they do, an edit can be
 * judged by the checks it was written for; where they do not, one check says too little and only a whole pass can tell.
 */
export function repeatingShare(cases: readonly Case[]): number {
	const counts = new Map<string, number>();
	for (const entry of cases) {
		for (const check of entry.checks) {
			if (check.contract || check.weight === 0) continue;
			const id = signatureOf(check);
			counts.set(id, (counts.get(id) ?? 0) + 1);
		}
	}
	const all = [...counts.values()];
	const total = all.reduce((sum, count) => sum + count, 0);
	if (total === 0) return 0;
	return all.filter((count) => count >= 3).reduce((sum, count) => sum + count, 0) / total;
}
