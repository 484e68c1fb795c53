/**
 * Shorter, where the policy minds costs. When nothing is open any more, units are taken out of the text together and it is
 * measured again: what no check misses stays out. Units that look idle go first, then the rest, the longest first. What is
 * missed is left in, and a group that does harm for no known reason is halved (R. Dorfman, The detection of defective members of
 * large populations, 1943). Then the sections that cost most are said shorter.
 */
import { admitHarness } from "../../domain/admission.ts";
import { addCost } from "../../domain/budget.ts";
import type { Refusal, RunEvent, Stopper, TracedEdit } from "../../domain/events.ts";
import { openingOf, type RunState, searchOf, variantOf } from "../../domain/run-state.ts";
import type { TrimState } from "../../domain/search-state.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { baseSections, buildText, editsOf, recordOf } from "../patch.ts";
import type { Step } from "../steps.ts";
import { type Idle, idleUnits } from "./idle.ts";
import { reformulationOf, shorterWording } from "./reformulation.ts";
import { forbids, proofReserve, reflectionsCost, trialsCost } from "./stop.ts";
import { type Removal, removeUnits, type Unit, unitsOf } from "./units.ts";

/** A step of trimming, or why there is none any more. */
export type Trimming = { step: Step } | { stoppedBy: Stopper; reason: string };

const decide = (event: RunEvent): Step => ({ type: "decide", event });
const over = (reason: string): Trimming => ({ stoppedBy: "converged", reason });

/** Whether this run shortens its text at all. */
export function isTrimmed({ settings }: RunContext): boolean {
	return settings.policy !== "quality-first" && settings.search.trim;
}

/** The next step of trimming. */
export function planTrim(state: RunState, context: RunContext): Trimming {
	const { trim, proposals } = searchOf(state);
	const sample = trainSampleOf(state, context);
	const cost = addCost(trialsCost(state, sample), reflectionsCost(state, 1));
	const limit = forbids(state, context, cost, proofReserve(state, context));
	if (limit !== null)
		return { stoppedBy: limit, reason: `the limit on ${limit} leaves no room to shorten the text further` };
	if (trim === null) return begin(state, context);
	if (proposals.length > 0) return reworded(state, context, trim);
	const out = trim.asked.length > 0 ? null : takeOut(state, context, trim);
	if (out !== null) return out;
	const question = reformulationOf(state, context, trim);
	return question === null ? over("nothing more can be taken out of the text") : { step: question };
}

/** The text that is shortened is admitted first, and measured where no whole pass has seen it. */
function begin(state: RunState, context: RunContext): Trimming {
	const variant = variantOf(state, textToTrim(state, context));
	const cases = trainSampleOf(state, context).map((entry) => entry.id);
	return { step: decide({ type: "variant-admitted", variant, edits: [], refusals: [], cases, purpose: "trim" }) };
}

const lengthOf = (harness: readonly string[]) => harness.reduce((sum, text) => sum + text.length, 0);

/**
 * The working text. Where only the cheapest counts, and that text stays longer than v0 even without all that looks idle in it, v0.
 */
function textToTrim(state: RunState, context: RunContext): string {
	const { working } = searchOf(state);
	const { incumbent } = openingOf(state);
	if (context.settings.policy !== "cheapest") return working.id;
	const { items, blocks } = idleUnits(state, context, working.id);
	const units = unitsOf(working.harness);
	const least =
		lengthOf(working.harness) - [...items, ...blocks].reduce((sum, index) => sum + (units[index]?.text.length ?? 0), 0);
	return least >= lengthOf(incumbent.harness) ? incumbent.id : working.id;
}

/** Number of the unit that an edit takes out. */
export function unitOfEdit(id: string): number {
	return Number(id.split(".").at(-1));
}

/** Units of the reference that the working text still has, in document order. */
function aliveIn(trim: TrimState, units: readonly Unit[]): number[] {
	const gone = new Set(trim.attempts.flatMap((attempt) => (attempt.kept ? attempt.edits.map(unitOfEdit) : [])));
	return units.flatMap((_, index) => (gone.has(index) ? [] : [index]));
}

/** Units to be tried together. */
interface Group {
	units: readonly number[];
	/** Whether it does the harm if the group before it does none: together they did. */
	accused: boolean;
}

function halves(units: readonly number[]): Group[] {
	const half = Math.ceil(units.length / 2);
	const parts = [units.slice(0, half), units.slice(half)].filter((part) => part.length > 0);
	return parts.map((part, at) => ({ units: part, accused: at > 0 }));
}

/** What comes first once the group in front of it was kept. Of a group that does harm the parts are tried, a single unit stays. */
function afterKept([next, ...more]: readonly Group[]): Group[] {
	if (next === undefined) return [];
	if (!next.accused) return [next, ...more];
	return [...(next.units.length > 1 ? halves(next.units) : []), ...more];
}

/** Groups of units that are still to be tried, in order, after what the attempts have shown. */
export function groupsToTry(trim: TrimState, { items, blocks, others, contract }: Idle): (readonly number[])[] {
	let groups = [items, blocks, others, contract].map((units): Group => ({ units, accused: false }));
	for (const attempt of trim.attempts) {
		const tried = attempt.edits.map(unitOfEdit);
		const missed = new Set(attempt.missed.map(unitOfEdit));
		const rest = tried.filter((unit) => !missed.has(unit));
		// Groups of which nothing could be taken out were passed over.
		const left = groups.slice(groups.findIndex((group) => tried.every((unit) => group.units.includes(unit))) + 1);
		if (attempt.kept) groups = afterKept(left);
		else if (missed.size > 0) groups = [{ units: rest, accused: false }, ...left.map(acquitted)];
		else groups = [...(rest.length > 1 ? halves(rest) : []), ...left.map(acquitted)];
	}
	return groups.flatMap((group) => (group.units.length > 0 ? [group.units] : []));
}

/** Harm has been found elsewhere, so that nothing is known of a group any more. */
const acquitted = (group: Group): Group => ({ ...group, accused: false });

/** Units since the last success that were tried alone and are needed. Larger groups that fail only narrow down which. */
function inVain(trim: TrimState): number {
	const last = trim.attempts.findLastIndex((attempt) => attempt.kept);
	return trim.attempts.slice(last + 1).filter((attempt) => attempt.edits.length === 1).length;
}

/** A child without the next group; null when there is nothing more to try. */
function takeOut(state: RunState, context: RunContext, trim: TrimState): Trimming | null {
	const { working, generation } = searchOf(state);
	if (inVain(trim) >= context.settings.search.stall) return null;
	const units = unitsOf(variantOf(state, trim.reference).harness);
	const alive = aliveIn(trim, units);
	const admits = (harness: readonly string[]) => admitHarness(context.skill, working.harness, harness, {}).ok;
	for (const group of groupsToTry(trim, idleUnits(state, context, trim.reference))) {
		const { removals } = removeUnits(working.harness, alive, group, admits);
		if (removals.length === 0) continue;
		const edits = removals.map(({ unit, edit }: Removal): TracedEdit => {
			return { id: `g${generation}.trim.${unit}`, proposal: `g${generation}.trim`, group: "trim", generation, edit };
		});
		return child(state, context, edits, "trim");
	}
	return null;
}

/** A child in the shorter wording; where nothing of it fits, the search goes on with the text that it has. */
function reworded(state: RunState, context: RunContext, trim: TrimState): Trimming {
	const { working, generation } = searchOf(state);
	const { edits, refusals } = shorterWording(state, context, trim.asked.at(-1) ?? "");
	if (edits.length > 0) return child(state, context, edits, "reformulate", refusals);
	const nothing = { variant: null, adopted: false, except: [], kept: [], dropped: [], restored: [] };
	const reason = "no shorter wording was admitted";
	return { step: decide({ type: "edits-judged", generation, working, ...nothing, refusals, reason }) };
}

function child(
	state: RunState,
	context: RunContext,
	edits: TracedEdit[],
	operator: "trim" | "reformulate",
	refusals: Refusal[] = [],
): Trimming {
	const { working, generation } = searchOf(state);
	const patch = tidied(state, [...editsOf(state, working.patch), ...edits]);
	const variant = recordOf(state, patch, { parents: [working.id], operator, generation });
	const cases = trainSampleOf(state, context).map((entry) => entry.id);
	return { step: decide({ type: "variant-admitted", variant, edits, refusals, cases, purpose: "trim" }) };
}

/** The same text by a shorter way: a line that was added and taken out again need not be named. */
function tidied(state: RunState, patch: readonly TracedEdit[]): TracedEdit[] {
	const base = baseSections(state);
	const textOf = (edits: readonly TracedEdit[]) => buildText(base, edits).harness.join("\u0000");
	const text = textOf(patch);
	let edits = [...patch];
	for (const { id, edit } of edits.filter((traced) => traced.edit.op === "delete" && traced.edit.find !== undefined)) {
		const added = edits.find(
			(other) =>
				other.edit.op === "append" &&
				other.edit.text?.trim() === edit.find?.trim() &&
				other.edit.section === edit.section,
		);
		if (added === undefined) continue;
		const without = edits.filter((traced) => traced.id !== id && traced.id !== added.id);
		if (textOf(without) === text) edits = without;
	}
	return edits;
}
