/**
 * What to work on. A cause is open when more of its checks fail than slips explain. How often the model slips where nothing is
 * wrong is taken from the causes that pass: so a weak model does not open everything, and a strong one hides nothing.
 */
import { type RunState, searchOf } from "../../domain/run-state.ts";
import { causesIn, failingWeight, type Group, symptomsOf } from "./groups.ts";

/** Causes that fail less than this share pass, and tell the rate of slips. */
const PASSING = 0.3;
/** The rate is not taken to be lower: a few checks that all pass do not prove a model without fault. */
const LEAST_SLIPS = 0.02;
/** What is known of slips before anything was measured counts as one in so many checks. */
const PRIOR = 20;
/** A cause that was asked about this often stays closed: whatever it lacks, these reflections do not find it. */
const MAX_TRIES = 10;
/** A question is taken to be answered at least and at most this often: a few questions tell little about the model that is asked. */
const ANSWERED = { least: 0.3, most: 0.6 };

/** Share of the questions of the first generation that brought an edit which the search took up: how able the reflection is. */
export function answerRate(state: RunState): number {
	const first = Math.min(...state.proposals.map((proposal) => proposal.generation));
	const asked = state.proposals.filter((proposal) => proposal.generation === first);
	const groups = new Set(
		Object.values(state.edits).flatMap((traced) => (traced.generation === first ? [traced.group] : [])),
	);
	const answered = asked.filter((proposal) => groups.has(proposal.group)).length;
	return Math.min(ANSWERED.most, Math.max(ANSWERED.least, (answered + 1) / (asked.length + 2)));
}

/** Rate at which checks fail where nothing is wrong, 0 to 1: failures of the causes that pass, with one in twenty beforehand. */
export function slipRate(groups: readonly Group[]): number {
	const passing = causesIn(groups).filter((group) => !group.contract && group.failing < PASSING * group.total);
	const failing = passing.reduce((sum, group) => sum + group.failing, 0);
	const total = passing.reduce((sum, group) => sum + group.total, 0);
	return Math.max(LEAST_SLIPS, (failing + 1) / (total + PRIOR));
}

/** Chance that slips at this rate alone make as many checks of the group fail as do: the upper tail of the binomial. */
export function chanceOf(group: Group, rate: number): number {
	if (group.failing === 0) return 1;
	let above = 0;
	let log = group.total * Math.log1p(-rate);
	for (let failing = 0; failing <= group.total; failing++) {
		if (failing >= group.failing) above += Math.exp(log);
		log += Math.log(((group.total - failing) * rate) / ((failing + 1) * (1 - rate)));
	}
	return Math.min(1, above);
}

/** How often a cause was asked about, as a whole or by one of its symptoms. */
export function triesOf(cause: string, worked: Readonly<Record<string, number>>): number {
	return Object.entries(worked).reduce(
		(sum, [id, tries]) => sum + (id === cause || id.startsWith(`${cause}.`) ? tries : 0),
		0,
	);
}

/**
 * Open causes, those with the most failing weight first. With each question that was asked about a cause in vain it is less likely
 * that there is something to find: an able model would have found it.
 */
export function openCauses(state: RunState, groups: readonly Group[], openChance: number): Group[] {
	const { worked } = searchOf(state);
	const rate = slipRate(groups);
	const vain = 1 - answerRate(state);
	return causesIn(groups)
		.filter((group) => {
			const tries = triesOf(group.id, worked);
			const chance = openChance * vain ** tries;
			return group.failing > 0 && tries < MAX_TRIES && chanceOf(group, rate) <= chance;
		})
		.sort((a, b) => failingWeight(b) - failingWeight(a) || (a.id < b.id ? -1 : 1));
}

/** The symptom of a cause to ask about: of those that fail the one least asked about, then the one that fails most. */
export function symptomToAsk(cause: Group, groups: readonly Group[], worked: Readonly<Record<string, number>>): Group {
	const failing = symptomsOf(groups, cause.id)
		.filter((group) => group.failing > 0)
		.sort(
			(a, b) =>
				(worked[a.id] ?? 0) - (worked[b.id] ?? 0) || failingWeight(b) - failingWeight(a) || (a.id < b.id ? -1 : 1),
		);
	return failing[0] ?? cause;
}
