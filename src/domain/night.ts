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
	standing: z.enum(["open", "done", "skipped", "missed"]),
	reason: z.string(),
	byHand: z.boolean(),
	startedAt: z.number(),
	endedAt: z.number().nullable(),
	skills: z.array(nightSkillSchema),
});
export type Night = z.infer<typeof nightSchema>;

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
