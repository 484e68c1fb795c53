/**
 * A night: one time that a schedule was due, and what came of each of its skills. Knows how limits are shared and what is left to
 * do; must not know a queue, a clock or a file.
 */
import { z } from "zod";
import { sha256 } from "./digest.ts";
import { parseDuration } from "./duration.ts";
import type { Limits } from "./job-spec.ts";

const spendSchema = z.object({
	calls: z.number(),
	trials: z.number(),
	tokens: z.number(),
	usd: z.number().nullable(),
});
export type NightSpend = z.infer<typeof spendSchema>;

const NIGHT_OUTCOMES = [
	"waiting",
	"conducting",
	"promoted",
	"confirmed",
	"kept",
	"undecided",
	"stopped",
	"unchanged",
	"skipped",
	"failed",
] as const;
export type NightOutcome = (typeof NIGHT_OUTCOMES)[number];

export const nightSkillSchema = z.object({
	skill: z.string(),
	/** `unchanged`: nothing that a run rests on has changed since its last one. */
	outcome: z.enum(NIGHT_OUTCOMES),
	run: z.string().nullable(),
	reason: z.string(),
	spend: spendSchema.nullable(),
	/** Digest of all that the run rests on. */
	basis: z.string().nullable(),
});
export type NightSkill = z.infer<typeof nightSkillSchema>;

export const nightSchema = z.object({
	schemaVersion: z.literal(1),
	schedule: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
	/** Milliseconds since 1970, like all times here. */
	dueAt: z.number(),
	/** `lost`: whether there was a night, and what came of it, is not known any more. */
	standing: z.enum(["open", "done", "skipped", "missed", "lost"]),
	reason: z.string(),
	byHand: z.boolean(),
	startedAt: z.number(),
	endedAt: z.number().nullable(),
	skills: z.array(nightSkillSchema),
});
export type Night = z.infer<typeof nightSchema>;

/** What a skill was last evolved from, and what came of it. */
export interface LastRun {
	/** Digest of all that the run rested on. */
	basis: string;
	run: string;
	/** Milliseconds since 1970. */
	at: number;
	outcome?: string;
	/** Nights in a row that have run the skill from this basis. */
	nights?: number;
}

/** So many nights in a row look for a proof of an undecided text while nothing changes: more draws of the same cases say little. */
const MOST_NIGHTS_UNDECIDED = 2;

export const NOTHING_CHANGED = "skill, cases, models and settings are as in the last run";

/**
 * Why a skill is not run in a night; null when it is.
 * @param goesOn whether the last run left a text that is neither proven nor given up, which the next run would start from
 */
export function reasonToRest(last: LastRun | undefined, basis: string, goesOn: boolean, skill: string): string | null {
	if (last?.basis !== basis) return null;
	if (last.outcome !== "undecided" || !goesOn) return NOTHING_CHANGED;
	const nights = last.nights ?? 1;
	if (nights < MOST_NIGHTS_UNDECIDED) return null;
	return `${nights} nights on the same cases could not decide on its text; more cases could: gepa cases noise ${skill} says how many`;
}

/** What is remembered of a run of a night. */
export function lastRunAfter(before: LastRun | undefined, { nights: _, ...now }: LastRun): LastRun {
	const earlier = before?.basis === now.basis ? (before.nights ?? 1) : 0;
	return { ...now, nights: before?.run === now.run ? Math.max(1, earlier) : earlier + 1 };
}

/** What the nights that are written down tell of the last run of each skill. */
export function lastRunsOf(nights: readonly Night[]): Record<string, LastRun> {
	const last: Record<string, LastRun> = {};
	for (const night of [...nights].sort((a, b) => a.dueAt - b.dueAt)) {
		for (const entry of night.skills) {
			if (!saysSomething(entry) || entry.basis === null || entry.run === null) continue;
			const { skill, basis, run, outcome } = entry;
			last[skill] = lastRunAfter(last[skill], { basis, run, outcome, at: night.endedAt ?? night.startedAt });
		}
	}
	return last;
}

/** Only a run that came to an end of its own says something about what it rests on. */
export function saysSomething({ outcome }: NightSkill): boolean {
	return ["promoted", "confirmed", "kept", "undecided"].includes(outcome);
}

export const NO_SPEND: NightSpend = { calls: 0, trials: 0, tokens: 0, usd: null };

/** How long after its time a night begins: the same for all hosts, spread over the jitter. In milliseconds. */
export function jitterMs(schedule: string, dueAt: number, jitter: string | undefined): number {
	const most = jitter === undefined ? 0 : (parseDuration(jitter) ?? 0);
	const share = Number.parseInt(sha256(`jitter:${schedule}:${dueAt}`).slice(0, 8), 16) / 0x1_0000_0000;
	return Math.floor(share * most);
}

/** The run of a skill in a night: whoever takes the step again names the same one. */
export function nightRunId(schedule: string, dueAt: number, skill: string): string {
	const digits = new Date(dueAt).toISOString().replace(/[-:]/g, "").slice(0, 15).replace("T", "-");
	return `${digits}-${sha256(`night:${schedule}:${dueAt}:${skill}`).slice(0, 4)}`;
}

/** Those whose last run is longest ago come first, so that a night that ends early does not always leave out the same ones. */
export function fairOrder(skills: readonly string[], lastAt: Readonly<Record<string, number>>): string[] {
	return [...skills].sort((a, b) => (lastAt[a] ?? 0) - (lastAt[b] ?? 0) || skills.indexOf(a) - skills.indexOf(b));
}

export function spentIn(night: Night): NightSpend {
	return night.skills.reduce((sum, { spend }) => (spend === null ? sum : addSpend(sum, spend)), NO_SPEND);
}

function addSpend(a: NightSpend, b: NightSpend): NightSpend {
	const usd = a.usd === null ? b.usd : a.usd + (b.usd ?? 0);
	return { calls: a.calls + b.calls, trials: a.trials + b.trials, tokens: a.tokens + b.tokens, usd };
}

/**
 * The limits of the next run: its own, and not more than an equal share of what the night has left. Null when nothing is left.
 * @param minutes that the night has taken so far
 */
export function shareOf(
	own: Limits,
	night: Limits | undefined,
	spent: NightSpend,
	minutes: number,
	left: number,
): Limits | null {
	if (night === undefined) return own;
	const used = { ...spent, usd: spent.usd ?? 0, minutes };
	const limits: Limits = { ...own };
	for (const name of ["calls", "trials", "tokens", "usd", "minutes"] as const) {
		const most = night[name];
		if (most === undefined) continue;
		const rest = (most - used[name]) / Math.max(1, left);
		const share = name === "usd" || name === "minutes" ? rest : Math.floor(rest);
		if (share <= 0) return null;
		limits[name] = Math.min(own[name] ?? share, share);
	}
	return limits;
}

/** Whether a night has brought anything that somebody has to read. */
export function isQuiet(night: Night): boolean {
	return night.skills.every(({ outcome }) => outcome === "unchanged");
}
