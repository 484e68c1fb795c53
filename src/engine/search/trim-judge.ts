/**
 * Whether a shorter text is kept: compared with the text that shortening began with, case by case over the train sample. So what
 * many steps lose in small parts is not more than one may lose.
 */
import type { EventOf, TracedEdit, VariantRecord } from "../../domain/events.ts";
import { type RunState, searchOf, variantOf } from "../../domain/run-state.ts";
import type { Trial } from "../../domain/trial.ts";
import { type RunContext, trainSampleOf } from "../context.ts";
import { editsOf } from "../patch.ts";
import { causesIn, type Group } from "./groups.ts";
import { groupsOfText, ownersOfUnits } from "./idle.ts";
import { chanceOf, slipRate } from "./open-causes.ts";
import { createOwners } from "./owners.ts";
import { meanOf, pairedOf, standardError } from "./paired.ts";
import { unitOfEdit } from "./trim.ts";
import { unitsOf } from "./units.ts";

type Judged = EventOf<"edits-judged">;

/** A check misses what was taken out when at least this share more of its group fails than before. */
const MISSED = 0.34;
/** Slips explain what fails, of all causes together, when they would make as much of one fail with more than this chance. */
const HARMED = 0.05;
/** Sums of tenths are not exact. */
const EXACT = 1e-9;

/** Decides on the shortened text whose measurements have just arrived. */
export function judgeTrimmed(state: RunState, context: RunContext): Judged {
	const { pending, trim, working, generation } = searchOf(state);
	if (!pending || !trim) throw new Error("nothing was measured that could be judged");
	const child = variantOf(state, pending.variant);
	const edits = editsOf(state, trim.trying);
	const base = {
		type: "edits-judged",
		generation,
		variant: child.id,
		except: [],
		refusals: [],
		dropped: [],
	} satisfies Partial<Judged>;
	if (edits.length === 0) {
		const reason = "the text to shorten";
		return { ...base, adopted: true, kept: [], restored: [], working: child, reason };
	}
	const missed = missedEdits(state, context, child, edits);
	const complaint = complaintOf(state, context, child) ?? (missed.length > 0 ? "its checks began to fail" : null);
	const ids = edits.map((edit) => edit.id);
	if (complaint === null) {
		const reason = `${ids.length} edits made it shorter, and no check misses anything`;
		return { ...base, adopted: true, kept: ids, restored: [], working: child, reason };
	}
	return { ...base, adopted: false, kept: [], restored: missed, working, reason: complaint };
}

/** Groups of the child that fail more often than those of the text before. */
function worseGroups(state: RunState, context: RunContext, child: VariantRecord): { was: Group; is: Group }[] {
	const { trim, working } = searchOf(state);
	const before = new Map(
		groupsOfText(state, context, trim?.reference ?? working.id).map((group): [string, Group] => [group.id, group]),
	);
	return groupsOfText(state, context, child.id).flatMap((is) => {
		const was = before.get(is.id);
		return was !== undefined && is.failing > was.failing ? [{ was, is }] : [];
	});
}

/** Causes that slips alone explained and do not explain any more. */
function harmedCauses(state: RunState, context: RunContext, child: VariantRecord): Group[] {
	const groups = groupsOfText(state, context, searchOf(state).trim?.reference ?? child.id);
	const rate = slipRate(groups);
	// Many causes are looked at, and one of them fails by chance soon enough.
	const least = HARMED / Math.max(1, causesIn(groups).length);
	return worseGroups(state, context, child)
		.filter(({ was, is }) => is.id === is.cause && chanceOf(was, rate) > least && chanceOf(is, rate) <= least)
		.map(({ is }) => is);
}

/**
 * Edits that took out a unit whose own check fails more often now. A harmed cause that no unit is about by its words misses the
 * units that have words in common with it all the same.
 */
function missedEdits(
	state: RunState,
	context: RunContext,
	child: VariantRecord,
	edits: readonly TracedEdit[],
): string[] {
	const { trim } = searchOf(state);
	if (!trim || trim.asked.length > 0) return [];
	const units = unitsOf(variantOf(state, trim.reference).harness);
	const owners = ownersOfUnits(state, context, trim.reference);
	const ownerOf = (edit: TracedEdit) => owners[unitOfEdit(edit.id)]?.group;
	const worse = new Map(worseGroups(state, context, child).map((pair) => [pair.is.id, pair]));
	const isMissed = (id: string | undefined) => {
		const pair = worse.get(id ?? "");
		return pair !== undefined && pair.is.failing - pair.was.failing >= Math.max(1, MISSED * pair.is.total);
	};
	const own = edits.filter((edit) => isMissed(ownerOf(edit)?.id) || isMissed(ownerOf(edit)?.cause));
	const groups = groupsOfText(state, context, child.id);
	const distant = harmedCauses(state, context, child).flatMap((cause) => {
		if (own.some((edit) => ownerOf(edit)?.cause === cause.id)) return [];
		const isAbout = createOwners(
			groups.filter((group) => group.cause === cause.id),
			context,
		);
		return edits.filter((edit) => isAbout(units[unitOfEdit(edit.id)]?.text ?? "") !== null);
	});
	return [...new Set([...own, ...distant])].map((edit) => edit.id);
}

/** Why the child is not to be kept; null when it is no worse in anything, and cheaper. */
function complaintOf(state: RunState, context: RunContext, child: VariantRecord): string | null {
	const { trim, working } = searchOf(state);
	const reference = trim?.reference ?? working.id;
	const sample = trainSampleOf(state, context);
	const of = (read: (trial: Trial) => number | null, against = reference) =>
		pairedOf(state, sample, [against, child.id], read);
	const quality = of((trial) => trial.outcome.quality);
	if (quality.length < sample.length / 2) return "too many of its trials have no outcome";
	const lost = -meanOf(quality);
	// A loss within the noise of its own measurement is left to the proof, as in the rest of the search.
	const most = Math.max(context.settings.margin.quality + EXACT, standardError(quality));
	if (lost > most) return `quality fell by ${lost.toFixed(3)}`;
	const [harmed] = harmedCauses(state, context, child);
	if (harmed !== undefined) return `${harmed.label} began to fail`;
	const retries = of((trial) => trial.outcome.retries);
	if (meanOf(retries) > standardError(retries)) return `retries rose by ${meanOf(retries).toFixed(2)} a trial`;
	const tokens = of((trial) => trial.outcome.tokens, working.id);
	return meanOf(tokens) < 0 ? null : "it costs no fewer tokens";
}
